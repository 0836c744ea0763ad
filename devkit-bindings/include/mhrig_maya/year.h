// Which Maya these declarations speak to, and how their names leave or enter a library.
//
// Everything in this folder is written from recorded facts about the binary interface: names, signatures, sizes,
// orders of virtual functions. Bodies, private members and documentation are this project's own.
#pragma once

#ifndef MAYA_YEAR
#error "define MAYA_YEAR: 2024, 2025, 2026 or 2027"
#endif
#if MAYA_YEAR < 2024 || MAYA_YEAR > 2027
#error "MAYA_YEAR must be 2024, 2025, 2026 or 2027"
#endif

#define MH_JOIN_(a, b, c) a##b##c
#define MH_JOIN(a, b, c) MH_JOIN_(a, b, c)
#define MH_TEXT_(a) #a
#define MH_TEXT(a) MH_TEXT_(a)

// A year's namespace is one plain nested namespace; its tag does not change with the updates of that year.
#define MH_MAYA_NAMESPACE MH_JOIN(OpenMaya, MAYA_YEAR, 0000)
#define MH_MAYA_OPEN namespace Autodesk { namespace Maya { namespace MH_MAYA_NAMESPACE {
#define MH_MAYA_CLOSE }}}

#if defined(_WIN32)
#  define MH_PLUGIN_EXPORT __declspec(dllexport)
#  if defined(MH_BUILD_FAKE)
#    define MH_MAYA_API __declspec(dllexport)
#  else
#    define MH_MAYA_API __declspec(dllimport)
#  endif
#else
#  define MH_PLUGIN_EXPORT __attribute__((visibility("default")))
#  define MH_MAYA_API __attribute__((visibility("default")))
#endif

// Objects that a plug-in builds itself get spare room behind the fields that are known: a constructor writes only
// its own fields, so a year in which a class has grown cannot write over the plug-in's stack. Classes whose size must
// be exact, because inline members or arrays of them are compiled into plug-ins, do without and say so.
#define MH_SPARE(words) void* spare_[words];

MH_MAYA_OPEN
class MAngle;
class MArgList;
class MDagPath;
class MDagPathArray;
class MDataBlock;
class MDataHandle;
class MDoubleArray;
class MEulerRotation;
class MFloatArray;
class MFloatPointArray;
class MFloatVectorArray;
class MIntArray;
class MMatrix;
class MObject;
class MObjectArray;
class MPlug;
class MPlugArray;
class MPoint;
class MPointArray;
class MPxNode;
class MQuaternion;
class MSelectionList;
class MStatus;
class MString;
class MStringArray;
class MSyntax;
class MTypeId;
class MVector;
// Named in signatures only; nothing here looks inside.
class MCacheSchema;
class MDGContext;
class MEvaluationNode;
class MExternalContentInfoTable;
class MExternalContentLocationTable;
class MNodeCacheDisablingInfo;
class MNodeCacheSetupInfo;
class MTimeRange;
MH_MAYA_CLOSE
namespace mhm = Autodesk::Maya::MH_MAYA_NAMESPACE;

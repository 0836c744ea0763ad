// Which Maya these declarations speak to, and how their names leave or enter a library.
//
// Everything in this folder is written from recorded facts about the binary interface: names, signatures, sizes,
// orders of virtual functions. Bodies, private members and documentation are this project's own.
#pragma once

#include "macros.h"

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

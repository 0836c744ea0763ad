// The part of the Maya API that this project uses, from whichever source the build has: the user's devkit where
// MHRIG_MAYA_DEVKIT is defined, the clean-room declarations beside this file otherwise. Sources include this header
// and nothing of Maya's; `mhm` is the year's namespace in both flavours.
#pragma once

#include "mhrig_maya/macros.h"

#if defined(MHRIG_MAYA_DEVKIT)
#  if !defined(MHRIG_MAYA_PLUGIN_ENTRY)
#    define MNoVersionString
#    define MNoPluginEntry
#  endif
#  include <maya/MArgDatabase.h>
#  include <maya/MArgList.h>
#  include <maya/MArrayDataBuilder.h>
#  include <maya/MArrayDataHandle.h>
#  include <maya/MComputation.h>
#  include <maya/MDGModifier.h>
#  include <maya/MDagPath.h>
#  include <maya/MDataBlock.h>
#  include <maya/MDataHandle.h>
#  include <maya/MFileIO.h>
#  include <maya/MDoubleArray.h>
#  include <maya/MFloatArray.h>
#  include <maya/MFloatPointArray.h>
#  include <maya/MFnComponentListData.h>
#  include <maya/MFnDagNode.h>
#  include <maya/MFnDependencyNode.h>
#  include <maya/MFnMatrixData.h>
#  include <maya/MFnMesh.h>
#  include <maya/MFnNumericAttribute.h>
#  include <maya/MFnPlugin.h>
#  include <maya/MFnPointArrayData.h>
#  include <maya/MFnSingleIndexedComponent.h>
#  include <maya/MFnSkinCluster.h>
#  include <maya/MFnTypedAttribute.h>
#  include <maya/MFnUnitAttribute.h>
#  include <maya/MGlobal.h>
#  include <maya/MIntArray.h>
#  include <maya/MMatrix.h>
#  include <maya/MObject.h>
#  include <maya/MPlug.h>
#  include <maya/MPointArray.h>
#  include <maya/MPxCommand.h>
#  include <maya/MPxNode.h>
#  include <maya/MSelectionList.h>
#  include <maya/MString.h>
#  include <maya/MStringArray.h>
#  include <maya/MSyntax.h>
#  include <maya/MTypeId.h>
#  include <maya/MTypes.h>
#  include <maya/MVectorArray.h>
namespace mhm = Autodesk::Maya::MH_MAYA_NAMESPACE;
#else
#  include "mhrig_maya/anim.h"
#  include "mhrig_maya/command.h"
#  include "mhrig_maya/data.h"
#  include "mhrig_maya/edits.h"
#  include "mhrig_maya/global.h"
#  include "mhrig_maya/node.h"
#  include "mhrig_maya/plugin.h"
#endif

// What a plug-in registers with. The real header of this class also defines the version symbol, so only one source
// file of a plug-in may include it.
#pragma once
#include "command.h"
#include "function_sets.h"
#include "node.h"

MH_MAYA_OPEN

class MH_MAYA_API MFnPlugin : public MFnBase {
public:
    MFnPlugin(MObject& plugin, const char* vendor, const char* version, const char* required_api,
              MStatus* status = nullptr);
    ~MFnPlugin() override;
    MFn::Type type() const override;
    MString loadPath(MStatus* status = nullptr) const;
    MStatus registerCommand(const MString& name, MCreatorFunction creator,
                            MCreateSyntaxFunction syntax = nullptr);
    MStatus deregisterCommand(const MString& name);
    MStatus registerNode(const MString& name, const MTypeId& id, MCreatorFunction creator,
                         MInitializeFunction initialize, MPxNode::Type type = MPxNode::kDependNode,
                         const MString* classification = nullptr);
    MStatus deregisterNode(const MTypeId& id);
};

MH_MAYA_CLOSE

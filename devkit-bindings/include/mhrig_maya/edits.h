// Edits of the scene that can be undone.
#pragma once
#include "dag.h"

MH_MAYA_OPEN

class MH_MAYA_API MDGModifier {
public:
    MDGModifier();
    virtual ~MDGModifier();
    MObject createNode(const MString& type, MStatus* status = nullptr);
    MStatus deleteNode(const MObject& node);
    MStatus renameNode(const MObject& node, const MString& name);
    MStatus connect(const MPlug& source, const MPlug& destination);
    MStatus disconnect(const MPlug& source, const MPlug& destination);
    MStatus newPlugValueBool(const MPlug& plug, bool value);
    MStatus newPlugValueInt(const MPlug& plug, int value);
    MStatus newPlugValueFloat(const MPlug& plug, float value);
    MStatus newPlugValueDouble(const MPlug& plug, double value);
    MStatus newPlugValueString(const MPlug& plug, const MString& value);
    MStatus commandToExecute(const MString& command);
    MStatus doIt();
    MStatus undoIt();

private:
    friend struct MhFakeAccess;
    void* impl_;
    bool own_;
    MH_SPARE(4)
};

class MH_MAYA_API MDagModifier : public MDGModifier {
public:
    MDagModifier();
    ~MDagModifier() override;
    MObject createNode(const MString& type, const MObject& parent = MObject::kNullObj, MStatus* status = nullptr);
    MStatus reparentNode(const MObject& node, const MObject& new_parent = MObject::kNullObj);
};

MH_MAYA_CLOSE

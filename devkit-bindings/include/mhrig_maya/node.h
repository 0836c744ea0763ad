// Plug-in nodes.
#pragma once
#include "data.h"

MH_MAYA_OPEN

// The order of the virtual functions is the interface; it is the same in plug-ins of 2024, 2025, 2026 and 2027
// (read from the relocations of their tables).
class MH_MAYA_API MPxNode {
public:
    enum Type { kDependNode = 0, kLocatorNode, kDeformerNode };
    enum SchedulingType { kParallel = 0, kSerial, kGloballySerial, kUntrusted };
    enum PostEvaluationType { kEvaluatedIndirectly = 0, kEvaluatedDirectly, kLeaveDirty };

    MPxNode();
    virtual ~MPxNode();
    virtual void postConstructor();
    virtual MStatus compute(const MPlug& plug, MDataBlock& block);
    virtual bool getInternalValue(const MPlug& plug, MDataHandle& handle);
    virtual bool setInternalValue(const MPlug& plug, const MDataHandle& handle);
    virtual int internalArrayCount(const MPlug& plug) const;
    virtual void copyInternalData(MPxNode* other);
    virtual MStatus legalConnection(const MPlug& plug, const MPlug& other, bool as_source, bool& legal) const;
    virtual MStatus legalDisconnection(const MPlug& plug, const MPlug& other, bool as_source, bool& legal) const;
    virtual MStatus setDependentsDirty(const MPlug& plug, MPlugArray& affected);
    virtual MStatus preEvaluation(const MDGContext& context, const MEvaluationNode& node);
    virtual MStatus postEvaluation(const MDGContext& context, const MEvaluationNode& node, unsigned int type);
    virtual SchedulingType schedulingType() const;
    virtual void getCacheSetup(const MEvaluationNode& node, MNodeCacheDisablingInfo& disabling,
                               MNodeCacheSetupInfo& setup, MObjectArray& attributes) const;
    virtual void configCache(const MEvaluationNode& node, MCacheSchema& schema) const;
    virtual MTimeRange transformInvalidationRange(const MPlug& source, const MTimeRange& range) const;
    virtual MStatus connectionMade(const MPlug& plug, const MPlug& other, bool as_source);
    virtual MStatus connectionBroken(const MPlug& plug, const MPlug& other, bool as_source);
    virtual MStatus dependsOn(const MPlug& plug, const MPlug& other, bool& depends) const;
    virtual bool isPassiveOutput(const MPlug& plug) const;
    virtual MStatus shouldSave(const MPlug& plug, bool& save);
    virtual MPlug passThroughToOne(const MPlug& plug) const;
    virtual bool passThroughToMany(const MPlug& plug, MPlugArray& plugs) const;
    virtual Type type() const;
    virtual bool isAbstractClass() const;
    virtual bool isTrackingTopology() const;
    virtual MStringArray getFilesToArchive(bool short_name, bool unresolved, bool mark_image_sequence) const;
    virtual void getExternalContent(MExternalContentInfoTable& table) const;
    virtual void setExternalContent(const MExternalContentLocationTable& table);
    virtual MTypeId typeId() const;
    virtual MString typeName() const;
    virtual MString name() const;
    virtual MObject thisMObject() const;
    virtual MStatus setExistWithoutInConnections(bool on);
    virtual bool existWithoutInConnections(MStatus* status = nullptr) const;
    virtual MStatus setExistWithoutOutConnections(bool on);
    virtual bool existWithoutOutConnections(MStatus* status = nullptr) const;
    static MStatus addAttribute(const MObject& attribute);
    static MStatus attributeAffects(const MObject& source, const MObject& affected);

protected:
    virtual MDataBlock forceCache();
    virtual MStatus setDoNotWrite(bool on);
    virtual bool doNotWrite(MStatus* status = nullptr) const;
    virtual void setMPSafe(bool on);
    virtual MDataBlock forceCache(const MDGContext& context);

public:
    virtual bool getInternalValueInContext(const MPlug& plug, MDataHandle& handle, MDGContext& context);
    virtual bool setInternalValueInContext(const MPlug& plug, const MDataHandle& handle, MDGContext& context);
    virtual int internalArrayCount(const MPlug& plug, const MDGContext& context) const;

private:
    friend struct MhFakeAccess;
    void* instance_;
    void* reserved_;
    MH_SPARE(4)
};

MH_MAYA_CLOSE

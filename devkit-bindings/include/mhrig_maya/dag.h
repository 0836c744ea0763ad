// Paths, selections, plugs and walks over the scene.
#pragma once
#include "arrays.h"

MH_MAYA_OPEN

class MH_MAYA_API MDagPath {
public:
    MDagPath();
    MDagPath(const MDagPath& other);
    virtual ~MDagPath();
    MDagPath& operator=(const MDagPath& other);

    static MStatus getAPathTo(const MObject& node, MDagPath& path);
    bool isValid(MStatus* status = nullptr) const;
    MObject node(MStatus* status = nullptr) const;
    MObject transform(MStatus* status = nullptr) const;
    MFn::Type apiType(MStatus* status = nullptr) const;
    bool hasFn(MFn::Type type, MStatus* status = nullptr) const;
    unsigned int length(MStatus* status = nullptr) const;
    unsigned int childCount(MStatus* status = nullptr) const;
    MObject child(unsigned int index, MStatus* status = nullptr) const;
    MStatus push(const MObject& child);
    MStatus pop(unsigned int levels = 1);
    MStatus numberOfShapesDirectlyBelow(unsigned int& count) const;
    MStatus extendToShapeDirectlyBelow(unsigned int index);
    MMatrix inclusiveMatrix(MStatus* status = nullptr) const;
    MMatrix exclusiveMatrix(MStatus* status = nullptr) const;
    MString fullPathName(MStatus* status = nullptr) const;
    MString partialPathName(MStatus* status = nullptr) const;

private:
    friend struct MhFakeAccess;
    void* impl_;
    MH_SPARE(4)
};

class MH_MAYA_API MPlug {
public:
    MPlug();
    MPlug(const MPlug& other);
    MPlug(const MObject& node, const MObject& attribute);
    virtual ~MPlug();
    MPlug& operator=(const MPlug& other);

    bool isNull(MStatus* status = nullptr) const;
    MObject node(MStatus* status = nullptr) const;
    MObject attribute(MStatus* status = nullptr) const;
    MString name(MStatus* status = nullptr) const;
    bool operator==(const MObject& attribute) const;
    MPlug parent(MStatus* status = nullptr) const;
    MPlug child(unsigned int index, MStatus* status = nullptr) const;
    MPlug child(MObject& attribute, MStatus* status = nullptr) const;
    bool isArray(MStatus* status = nullptr) const;
    unsigned int numElements(MStatus* status = nullptr) const;
    unsigned int logicalIndex(MStatus* status = nullptr) const;
    MPlug elementByLogicalIndex(unsigned int index, MStatus* status = nullptr) const;
    MPlug elementByPhysicalIndex(unsigned int index, MStatus* status = nullptr) const;
    unsigned int getExistingArrayAttributeIndices(MIntArray& indices, MStatus* status = nullptr);
    bool isConnected(MStatus* status = nullptr) const;
    bool connectedTo(MPlugArray& plugs, bool as_destination, bool as_source, MStatus* status = nullptr) const;
    MPlug source(MStatus* status = nullptr) const;
    bool asBool(MStatus* status = nullptr) const;
    int asInt(MStatus* status = nullptr) const;
    double asDouble(MStatus* status = nullptr) const;
    MString asString(MStatus* status = nullptr) const;
    MObject asMObject(MStatus* status = nullptr) const;
    MStatus setBool(bool value);
    MStatus setInt(int value);
    MStatus setFloat(float value);
    MStatus setDouble(double value);
    MStatus setString(const MString& value);
    MStatus setMObject(const MObject& data);

private:
    friend struct MhFakeAccess;
    void* impl_;
    MH_SPARE(6)
};

class MH_MAYA_API MSelectionList {
public:
    MSelectionList();
    MSelectionList(const MSelectionList& other);
    virtual ~MSelectionList();
    MStatus clear();
    bool isEmpty(MStatus* status = nullptr) const;
    unsigned int length(MStatus* status = nullptr) const;
    MStatus add(const MString& name, bool also_underworld = false);
    MStatus add(const MObject& node, bool merge_with_existing = false);
    MStatus add(const MDagPath& path, const MObject& component, bool merge_with_existing = false);
    MStatus getDependNode(unsigned int index, MObject& node) const;
    MStatus getDagPath(unsigned int index, MDagPath& path, MObject& component) const;
    MStatus getPlug(unsigned int index, MPlug& plug) const;
    MStatus getSelectionStrings(MStringArray& names) const;

private:
    friend struct MhFakeAccess;
    void* impl_;
    bool own_;
    MH_SPARE(3)
};

class MH_MAYA_API MItDag {
public:
    enum TraversalType { kInvalidTraversal = 0, kDepthFirst, kBreadthFirst };
    MItDag(TraversalType order = kDepthFirst, MFn::Type filter = MFn::kInvalid, MStatus* status = nullptr);
    virtual ~MItDag();
    bool isDone(MStatus* status = nullptr) const;
    MStatus next();
    MStatus prune();
    MObject currentItem(MStatus* status = nullptr);
    MStatus getPath(MDagPath& path) const;
    MStatus reset(const MObject& root, TraversalType order, MFn::Type filter);

private:
    friend struct MhFakeAccess;
    void* impl_;
    MH_SPARE(16)
};

// The destructor is not virtual.
class MH_MAYA_API MItDependencyGraph {
public:
    enum Direction { kDownstream = 0, kUpstream };
    enum Traversal { kDepthFirst = 0, kBreadthFirst };
    enum Level { kNodeLevel = 0, kPlugLevel };
    MItDependencyGraph(MObject& root, MFn::Type filter, Direction direction, Traversal order, Level level,
                       MStatus* status = nullptr);
    ~MItDependencyGraph();
    bool isDone(MStatus* status = nullptr);
    MStatus next();
    MObject currentItem(MStatus* status = nullptr);

private:
    friend struct MhFakeAccess;
    void* impl_;
    MH_SPARE(24)
};

MH_MAYA_CLOSE

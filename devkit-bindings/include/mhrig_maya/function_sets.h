// Function sets: how nodes, shapes and components are read and written.
#pragma once
#include "dag.h"

MH_MAYA_OPEN

class MH_MAYA_API MFnBase {
public:
    virtual ~MFnBase();
    virtual MFn::Type type() const;
    MObject object(MStatus* status = nullptr) const;
    virtual MStatus setObject(MObject& object);
    virtual MStatus setObject(const MObject& object);

protected:
    MFnBase();
    virtual bool objectChanged(MFn::Type type, MStatus* status);

private:
    friend struct MhFakeAccess;
    void* object_;
    void* const_object_;
    bool is_const_;
    MH_SPARE(4)
};

class MH_MAYA_API MFnDependencyNode : public MFnBase {
public:
    MFnDependencyNode(MObject& node, MStatus* status = nullptr);
    MFnDependencyNode(const MObject& node, MStatus* status = nullptr);
    ~MFnDependencyNode() override;
    MFn::Type type() const override;
    MObject create(const MString& type, MStatus* status = nullptr);
    MObject create(const MString& type, const MString& name, MStatus* status = nullptr);
    MString name(MStatus* status = nullptr) const;
    MString setName(const MString& name, bool create_namespace = false, MStatus* status = nullptr);
    MString typeName(MStatus* status = nullptr) const;
    bool hasAttribute(const MString& name, MStatus* status = nullptr) const;
    MObject attribute(const MString& name, MStatus* status = nullptr) const;
    MPlug findPlug(const MString& attribute, bool networked, MStatus* status = nullptr) const;
    MPlug findPlug(const MObject& attribute, bool networked, MStatus* status = nullptr) const;
    bool isFromReferencedFile(MStatus* status = nullptr) const;
    bool isLocked(MStatus* status = nullptr) const;
    MPxNode* userNode(MStatus* status = nullptr) const;
};

class MH_MAYA_API MFnDagNode : public MFnDependencyNode {
public:
    MFnDagNode(MObject& node, MStatus* status = nullptr);
    MFnDagNode(const MObject& node, MStatus* status = nullptr);
    MFnDagNode(const MDagPath& path, MStatus* status = nullptr);
    ~MFnDagNode() override;
    MFn::Type type() const override;
    MObject create(const MString& type, MObject& parent, MStatus* status = nullptr);
    MObject create(const MString& type, const MString& name, MObject& parent, MStatus* status = nullptr);
    unsigned int parentCount(MStatus* status = nullptr) const;
    MObject parent(unsigned int index, MStatus* status = nullptr) const;
    unsigned int childCount(MStatus* status = nullptr) const;
    MObject child(unsigned int index, MStatus* status = nullptr) const;
    MStatus addChild(MObject& child, unsigned int index, bool keep_existing_parents = false);
    bool isIntermediateObject(MStatus* status = nullptr) const;
    MStatus setIntermediateObject(bool intermediate);
    MString fullPathName(MStatus* status = nullptr) const;
    MString partialPathName(MStatus* status = nullptr) const;
    MStatus getPath(MDagPath& path) const;

private:
    MH_SPARE(8)
};

class MH_MAYA_API MFnTransform : public MFnDagNode {
public:
    MFnTransform(MObject& node, MStatus* status = nullptr);
    MFnTransform(const MDagPath& path, MStatus* status = nullptr);
    ~MFnTransform() override;
    MFn::Type type() const override;
    MObject create(MObject parent, MStatus* status = nullptr);
    MVector getTranslation(MSpace::Space space, MStatus* status = nullptr) const;
    MStatus setTranslation(const MVector& translation, MSpace::Space space);
    MStatus getScale(double scale[3]) const;
    MStatus setScale(const double scale[3]);
    MStatus setRotation(const MEulerRotation& rotation);

private:
    MH_SPARE(8)
};

class MH_MAYA_API MFnMesh : public MFnDagNode {
public:
    MFnMesh(MObject& node, MStatus* status = nullptr);
    MFnMesh(const MDagPath& path, MStatus* status = nullptr);
    ~MFnMesh() override;
    MFn::Type type() const override;
    MObject create(int vertex_count, int face_count, const MFloatPointArray& points,
                   const MIntArray& face_sizes, const MIntArray& corners, MObject parent,
                   MStatus* status = nullptr);
    int numVertices(MStatus* status = nullptr) const;
    int numPolygons(MStatus* status = nullptr) const;
    int numUVs(MStatus* status = nullptr) const;
    MStatus getPoints(MPointArray& points, MSpace::Space space) const;
    MStatus getVertices(MIntArray& face_sizes, MIntArray& corners) const;
    MStatus getUVs(MFloatArray& u, MFloatArray& v, const MString* set = nullptr) const;
    MStatus getAssignedUVs(MIntArray& face_sizes, MIntArray& corners, const MString* set = nullptr) const;
    MStatus setUVs(const MFloatArray& u, const MFloatArray& v, const MString* set = nullptr);
    MStatus assignUVs(const MIntArray& face_sizes, const MIntArray& corners, const MString* set = nullptr);
    MStatus setPoints(MFloatPointArray& points, MSpace::Space space);
    MStatus setFaceVertexNormals(MVectorArray& normals, MIntArray& faces, MIntArray& vertices,
                                 MSpace::Space space = MSpace::kObject);
    MStatus setEdgeSmoothing(int edge, bool smooth);
    MStatus cleanupEdgeSmoothing();
    MStatus updateSurface();

private:
    MH_SPARE(8)
};

class MH_MAYA_API MFnComponent : public MFnBase {
public:
    ~MFnComponent() override;
    MFn::Type type() const override;
    int elementCount(MStatus* status = nullptr) const;

protected:
    MFnComponent();
};

class MH_MAYA_API MFnSingleIndexedComponent : public MFnComponent {
public:
    MFnSingleIndexedComponent(MObject& component, MStatus* status = nullptr);
    ~MFnSingleIndexedComponent() override;
    MFn::Type type() const override;
    MObject create(MFn::Type type, MStatus* status = nullptr);
    MStatus addElement(int element);
    MStatus addElements(MIntArray& elements);
    MStatus getElements(MIntArray& elements) const;
    int element(int index, MStatus* status = nullptr) const;
    MStatus setCompleteData(int element_count);
};

MH_MAYA_CLOSE

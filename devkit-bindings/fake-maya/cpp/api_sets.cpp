// Function sets of nodes, shapes, components.
#include <algorithm>

#include "api.h"

MH_MAYA_OPEN

static fake::Scene& scene() { return fake::Scene::get(); }

MFnBase::MFnBase() : object_(nullptr), const_object_(nullptr), is_const_(false) {}
MFnBase::~MFnBase() { delete Access::attached_path(*this); }
MFn::Type MFnBase::type() const { return MFn::kBase; }
MObject MFnBase::object(MStatus* status) const {
    report(status, object_ != nullptr);
    return Access::object(Access::attached(*this));
}
MStatus MFnBase::setObject(MObject& object) {
    Access::attach(*this, Access::object(object));
    return status_of(!object.isNull(), MStatus::kInvalidParameter);
}
MStatus MFnBase::setObject(const MObject& object) {
    Access::attach(*this, Access::object(object));
    return status_of(!object.isNull(), MStatus::kInvalidParameter);
}
bool MFnBase::objectChanged(MFn::Type, MStatus*) { return true; }

static void attach(MFnBase& set, const MObject& object, MFn::Type type, MStatus* status) {
    const bool ok = !object.isNull() && (type == MFn::kBase || object.hasFn(type));
    if (ok) Access::attach(set, Access::object(object));
    report(status, ok, MStatus::kInvalidParameter);
}

/// A path to a transform serves for its shape, as in the host: the one that is not intermediate.
static void attach(MFnBase& set, const MDagPath& given, MFn::Type type, MStatus* status) {
    fake::Path path = Access::path(given);
    if (!path.empty() && !has_type(path.back(), type))
        for (fake::Node* child : path.back()->children)
            if (has_type(child, type)) {
                path.push_back(child);
                break;
            }
    const bool ok = !path.empty() && path.back()->alive && has_type(path.back(), type);
    if (ok) {
        Access::attach(set, path.back());
        Access::attach_path(set, new fake::Path(path));
    }
    report(status, ok, MStatus::kInvalidParameter);
}

MFnDependencyNode::MFnDependencyNode(MObject& node, MStatus* status) { attach(*this, node, MFn::kDependencyNode, status); }
MFnDependencyNode::MFnDependencyNode(const MObject& node, MStatus* status) { attach(*this, node, MFn::kDependencyNode, status); }
MFnDependencyNode::~MFnDependencyNode() {}
MFn::Type MFnDependencyNode::type() const { return MFn::kDependencyNode; }
MObject MFnDependencyNode::create(const MString& type, MStatus* status) { return create(type, MString(), status); }
MObject MFnDependencyNode::create(const MString& type, const MString& name, MStatus* status) {
    fake::Node* node = scene().create(type.asUTF8(), name.asUTF8(), nullptr);
    report(status, node != nullptr);
    Access::attach(*this, node);
    return Access::object(node);
}
MString MFnDependencyNode::name(MStatus* status) const {
    const fake::Node* node = Access::node(*this);
    report(status, node != nullptr);
    return node ? text(node->name) : MString();
}
MString MFnDependencyNode::setName(const MString& name, bool, MStatus* status) {
    fake::Node* node = Access::node(*this);
    report(status, node && !node->locked && !node->referenced);
    if (!node || node->locked || node->referenced) return MString();
    scene().rename(node, name.asUTF8());
    return text(node->name);
}
MString MFnDependencyNode::typeName(MStatus* status) const {
    const fake::Node* node = Access::node(*this);
    report(status, node != nullptr);
    return node ? text(node->type->name) : MString();
}
bool MFnDependencyNode::hasAttribute(const MString& name, MStatus* status) const {
    const fake::Node* node = Access::node(*this);
    report(status, node != nullptr);
    return node && node->attribute(name.asUTF8());
}
MObject MFnDependencyNode::attribute(const MString& name, MStatus* status) const {
    const fake::Node* node = Access::node(*this);
    fake::Attribute* found = node ? node->attribute(name.asUTF8()) : nullptr;
    report(status, found != nullptr);
    return Access::object(found);
}
MPlug MFnDependencyNode::findPlug(const MString& attribute, bool, MStatus* status) const {
    fake::Node* node = Access::node(*this);
    const fake::Plug found = node ? scene().find_plug(node, attribute.asUTF8()) : fake::Plug();
    report(status, !found.null());
    return Access::plug(found);
}
MPlug MFnDependencyNode::findPlug(const MObject& attribute, bool networked, MStatus* status) const {
    const fake::Attribute* wanted = Access::attribute(attribute);
    return findPlug(text(wanted ? wanted->long_name : std::string()), networked, status);
}
bool MFnDependencyNode::isFromReferencedFile(MStatus* status) const {
    const fake::Node* node = Access::node(*this);
    report(status, node != nullptr);
    return node && node->referenced;
}
bool MFnDependencyNode::isLocked(MStatus* status) const {
    const fake::Node* node = Access::node(*this);
    report(status, node != nullptr);
    return node && node->locked;
}
MPxNode* MFnDependencyNode::userNode(MStatus* status) const {
    const fake::Node* node = Access::node(*this);
    report(status, node && node->instance);
    return node ? static_cast<MPxNode*>(node->instance) : nullptr;
}

MFnDagNode::MFnDagNode(MObject& node, MStatus* status) : MFnDependencyNode(node, status) { attach(*this, node, MFn::kDagNode, status); }
MFnDagNode::MFnDagNode(const MObject& node, MStatus* status) : MFnDependencyNode(node, status) { attach(*this, node, MFn::kDagNode, status); }
MFnDagNode::MFnDagNode(const MDagPath& path, MStatus* status) : MFnDependencyNode(MObject::kNullObj) { attach(*this, path, MFn::kDagNode, status); }
MFnDagNode::~MFnDagNode() {}
MFn::Type MFnDagNode::type() const { return MFn::kDagNode; }
MObject MFnDagNode::create(const MString& type, MObject& parent, MStatus* status) { return create(type, MString(), parent, status); }
MObject MFnDagNode::create(const MString& type, const MString& name, MObject& parent, MStatus* status) {
    fake::Node* node = scene().create(type.asUTF8(), name.asUTF8(), Access::node(parent));
    report(status, node != nullptr);
    Access::attach(*this, node);
    return Access::object(node);
}
unsigned int MFnDagNode::parentCount(MStatus* status) const {
    const fake::Node* node = Access::node(*this);
    report(status, node != nullptr);
    return node ? unsigned(node->parents.size()) : 0;
}
MObject MFnDagNode::parent(unsigned int index, MStatus* status) const {
    const bool ok = index < parentCount();
    report(status, ok);
    return ok ? Access::object(Access::node(*this)->parents[index]) : MObject();
}
unsigned int MFnDagNode::childCount(MStatus* status) const {
    const fake::Node* node = Access::node(*this);
    report(status, node != nullptr);
    return node ? unsigned(node->children.size()) : 0;
}
MObject MFnDagNode::child(unsigned int index, MStatus* status) const {
    const bool ok = index < childCount();
    report(status, ok);
    return ok ? Access::object(Access::node(*this)->children[index]) : MObject();
}
MStatus MFnDagNode::addChild(MObject& child, unsigned int, bool keep_existing_parents) {
    fake::Node* node = Access::node(child);
    if (!node || !Access::node(*this)) return MStatus(MStatus::kInvalidParameter);
    scene().reparent(node, Access::node(*this), keep_existing_parents);
    return MStatus();
}
bool MFnDagNode::isIntermediateObject(MStatus* status) const {
    fake::Node* node = Access::node(*this);
    report(status, node != nullptr);
    return node && scene().evaluate(scene().find_plug(node, "intermediateObject")).number != 0.0;
}
MStatus MFnDagNode::setIntermediateObject(bool intermediate) {
    std::string error;
    fake::Node* node = Access::node(*this);
    return status_of(node && scene().set(scene().find_plug(node, "intermediateObject"), fake::Value::of(fake::Kind::Bool, intermediate), error));
}
MString MFnDagNode::fullPathName(MStatus* status) const {
    MDagPath path;
    const MStatus found = getPath(path);
    report(status, bool(found));
    return path.fullPathName();
}
MString MFnDagNode::partialPathName(MStatus* status) const {
    MDagPath path;
    const MStatus found = getPath(path);
    report(status, bool(found));
    return path.partialPathName();
}
MStatus MFnDagNode::getPath(MDagPath& path) const {
    if (const fake::Path* known = Access::attached_path(*this)) {
        Access::path(path) = *known;
        return MStatus();
    }
    return MDagPath::getAPathTo(object(), path);
}

static double number(const MFnDependencyNode& set, const char* attribute) {
    fake::Node* node = Access::node(set);
    return node ? scene().evaluate(scene().find_plug(node, attribute)).number : 0.0;
}
static bool put(const MFnDependencyNode& set, const char* attribute, double value) {
    std::string error;
    fake::Node* node = Access::node(set);
    return node && scene().set(scene().find_plug(node, attribute), fake::Value::of(fake::Kind::Double, value), error);
}

MFnTransform::MFnTransform(MObject& node, MStatus* status) : MFnDagNode(node, status) { attach(*this, node, MFn::kTransform, status); }
MFnTransform::MFnTransform(const MDagPath& path, MStatus* status) : MFnDagNode(path, status) {
    report(status, Access::node(*this) && has_type(Access::node(*this), MFn::kTransform), MStatus::kInvalidParameter);
}
MFnTransform::~MFnTransform() {}
MFn::Type MFnTransform::type() const { return MFn::kTransform; }
MObject MFnTransform::create(MObject parent, MStatus* status) { return MFnDagNode::create(text("transform"), parent, status); }
MVector MFnTransform::getTranslation(MSpace::Space space, MStatus* status) const {
    MDagPath path;
    getPath(path);
    report(status, Access::node(*this) != nullptr);
    if (space == MSpace::kWorld) {
        const MMatrix world = path.inclusiveMatrix();
        return MVector(world(3, 0), world(3, 1), world(3, 2));
    }
    return MVector(number(*this, "translateX"), number(*this, "translateY"), number(*this, "translateZ"));
}
MStatus MFnTransform::setTranslation(const MVector& translation, MSpace::Space space) {
    fake::Matrix local = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, translation.x, translation.y, translation.z, 1};
    if (space == MSpace::kWorld) {
        MDagPath path;
        getPath(path);
        fake::Path above = Access::path(path);
        if (!above.empty()) above.pop_back();
        local = fake::multiply(local, fake::inverse(scene().world_matrix(above)));
    }
    return status_of(put(*this, "translateX", local[12]) && put(*this, "translateY", local[13]) && put(*this, "translateZ", local[14]));
}
MStatus MFnTransform::getScale(double scale[3]) const {
    scale[0] = number(*this, "scaleX");
    scale[1] = number(*this, "scaleY");
    scale[2] = number(*this, "scaleZ");
    return MStatus();
}
MStatus MFnTransform::setScale(const double scale[3]) {
    return status_of(put(*this, "scaleX", scale[0]) && put(*this, "scaleY", scale[1]) && put(*this, "scaleZ", scale[2]));
}
MStatus MFnTransform::setRotation(const MEulerRotation& rotation) {
    return status_of(put(*this, "rotateOrder", rotation.order) && put(*this, "rotateX", rotation.x) && put(*this, "rotateY", rotation.y) && put(*this, "rotateZ", rotation.z));
}

static std::shared_ptr<const fake::Mesh> mesh_of(const MFnMesh& set, MStatus* status = nullptr) {
    std::shared_ptr<const fake::Mesh> mesh;
    if (fake::Node* node = Access::node(set)) mesh = scene().evaluate(scene().find_plug(node, "outMesh")).mesh;
    if (const fake::Data* data = Access::data(set.object())) mesh = data->value.mesh;
    report(status, mesh != nullptr);
    return mesh;
}
static MStatus put_mesh(const MFnMesh& set, std::shared_ptr<const fake::Mesh> mesh) {
    if (fake::Data* data = Access::data(set.object())) {
        data->value = fake::Value::of(std::move(mesh));
        return MStatus();
    }
    fake::Node* node = Access::node(set);
    std::string error;
    return status_of(node && scene().set(scene().find_plug(node, "inMesh"), fake::Value::of(std::move(mesh)), error));
}

MFnMesh::MFnMesh(MObject& node, MStatus* status) : MFnDagNode(MObject::kNullObj) {
    if (Access::data(node)) {
        Access::attach(*this, Access::data(node));
        report(status, true);
    } else {
        attach(*this, node, MFn::kMesh, status);
    }
}
MFnMesh::MFnMesh(const MDagPath& path, MStatus* status) : MFnDagNode(MObject::kNullObj) { attach(*this, path, MFn::kMesh, status); }
MFnMesh::~MFnMesh() {}
MFn::Type MFnMesh::type() const { return MFn::kMesh; }
MObject MFnMesh::create(int vertex_count, int face_count, const MFloatPointArray& points, const MIntArray& face_sizes, const MIntArray& corners, MObject parent,
                        MStatus* status) {
    auto mesh = std::make_shared<fake::Mesh>();
    const auto& given = *Access::impl<std::vector<MFloatPoint>>(points);
    mesh->face_sizes = *Access::impl<std::vector<int>>(face_sizes);
    mesh->corners = *Access::impl<std::vector<int>>(corners);
    size_t sum = 0;
    for (int size : mesh->face_sizes) sum += size_t(std::max(size, 0));
    const bool in_range = std::all_of(mesh->corners.begin(), mesh->corners.end(), [&](int corner) { return corner >= 0 && corner < vertex_count; });
    if (size_t(vertex_count) != given.size() || size_t(face_count) != mesh->face_sizes.size() || sum != mesh->corners.size() || !in_range) {
        report(status, false, MStatus::kInvalidParameter);
        return MObject();
    }
    for (const MFloatPoint& point : given) mesh->points.insert(mesh->points.end(), {point.x, point.y, point.z});
    fake::Node* transform = Access::node(parent);
    const bool own_transform = !transform;
    if (own_transform) transform = scene().create("transform", "polySurface1", nullptr);
    fake::Node* shape = scene().create("mesh", transform->name + "Shape", transform);
    Access::attach(*this, shape);
    const MStatus done = put_mesh(*this, mesh);
    report(status, bool(done));
    return Access::object(own_transform ? transform : shape);
}
int MFnMesh::numVertices(MStatus* status) const {
    const auto mesh = mesh_of(*this, status);
    return mesh ? int(mesh->points.size() / 3) : 0;
}
int MFnMesh::numPolygons(MStatus* status) const {
    const auto mesh = mesh_of(*this, status);
    return mesh ? int(mesh->face_sizes.size()) : 0;
}
int MFnMesh::numUVs(MStatus* status) const {
    const auto mesh = mesh_of(*this, status);
    return mesh ? int(mesh->u.size()) : 0;
}
MStatus MFnMesh::getPoints(MPointArray& points, MSpace::Space space) const {
    const auto mesh = mesh_of(*this);
    if (!mesh) return MStatus(MStatus::kFailure);
    const fake::Path* path = Access::attached_path(*this);
    // World space needs a path: an object by itself does not say which instance is meant.
    if (space == MSpace::kWorld && !path) return MStatus(MStatus::kInvalidParameter);
    const fake::Matrix world = space == MSpace::kWorld ? scene().world_matrix(*path) : fake::identity();
    auto& out = *Access::impl<std::vector<MPoint>>(points);
    out.resize(mesh->points.size() / 3);
    for (size_t i = 0; i < out.size(); ++i) {
        const double x = mesh->points[i * 3], y = mesh->points[i * 3 + 1], z = mesh->points[i * 3 + 2];
        out[i] = MPoint(x * world[0] + y * world[4] + z * world[8] + world[12], x * world[1] + y * world[5] + z * world[9] + world[13],
                        x * world[2] + y * world[6] + z * world[10] + world[14]);
    }
    return MStatus();
}
MStatus MFnMesh::getVertices(MIntArray& face_sizes, MIntArray& corners) const {
    const auto mesh = mesh_of(*this);
    if (!mesh) return MStatus(MStatus::kFailure);
    *Access::impl<std::vector<int>>(face_sizes) = mesh->face_sizes;
    *Access::impl<std::vector<int>>(corners) = mesh->corners;
    return MStatus();
}
MStatus MFnMesh::getUVs(MFloatArray& u, MFloatArray& v, const MString*) const {
    const auto mesh = mesh_of(*this);
    if (!mesh) return MStatus(MStatus::kFailure);
    *Access::impl<std::vector<float>>(u) = mesh->u;
    *Access::impl<std::vector<float>>(v) = mesh->v;
    return MStatus();
}
MStatus MFnMesh::getAssignedUVs(MIntArray& face_sizes, MIntArray& corners, const MString*) const {
    const auto mesh = mesh_of(*this);
    if (!mesh) return MStatus(MStatus::kFailure);
    auto& sizes = *Access::impl<std::vector<int>>(face_sizes);
    sizes = mesh->uv_sizes;
    sizes.resize(mesh->face_sizes.size(), 0);
    *Access::impl<std::vector<int>>(corners) = mesh->uv_corners;
    return MStatus();
}
MStatus MFnMesh::setUVs(const MFloatArray& u, const MFloatArray& v, const MString*) {
    const auto mesh = mesh_of(*this);
    if (!mesh || u.length() != v.length()) return MStatus(MStatus::kFailure);
    auto changed = std::make_shared<fake::Mesh>(*mesh);
    changed->u = *Access::impl<std::vector<float>>(u);
    changed->v = *Access::impl<std::vector<float>>(v);
    return put_mesh(*this, changed);
}
MStatus MFnMesh::assignUVs(const MIntArray& face_sizes, const MIntArray& corners, const MString*) {
    const auto mesh = mesh_of(*this);
    if (!mesh || face_sizes.length() != mesh->face_sizes.size()) return MStatus(MStatus::kFailure);
    auto changed = std::make_shared<fake::Mesh>(*mesh);
    changed->uv_sizes = *Access::impl<std::vector<int>>(face_sizes);
    changed->uv_corners = *Access::impl<std::vector<int>>(corners);
    return put_mesh(*this, changed);
}
MStatus MFnMesh::setPoints(MFloatPointArray& points, MSpace::Space space) {
    const auto mesh = mesh_of(*this);
    const auto& given = *Access::impl<std::vector<MFloatPoint>>(points);
    if (!mesh || space == MSpace::kWorld || given.size() != mesh->points.size() / 3) return MStatus(MStatus::kFailure);
    auto changed = std::make_shared<fake::Mesh>(*mesh);
    for (size_t i = 0; i < given.size(); ++i) {
        changed->points[i * 3] = given[i].x;
        changed->points[i * 3 + 1] = given[i].y;
        changed->points[i * 3 + 2] = given[i].z;
    }
    return put_mesh(*this, changed);
}
MStatus MFnMesh::setFaceVertexNormals(MVectorArray& normals, MIntArray& faces, MIntArray& vertices, MSpace::Space space) {
    const auto mesh = mesh_of(*this);
    if (!mesh || space == MSpace::kWorld || normals.length() != faces.length() || normals.length() != vertices.length()) return MStatus(MStatus::kFailure);
    std::vector<size_t> first = {0};
    for (int size : mesh->face_sizes) first.push_back(first.back() + size_t(size));
    auto changed = std::make_shared<fake::Mesh>(*mesh);
    for (unsigned i = 0; i < normals.length(); ++i) {
        if (faces[i] < 0 || size_t(faces[i]) >= mesh->face_sizes.size()) return MStatus(MStatus::kInvalidParameter);
        const auto begin = mesh->corners.begin() + long(first[size_t(faces[i])]), end = mesh->corners.begin() + long(first[size_t(faces[i]) + 1]);
        const auto corner = std::find(begin, end, vertices[i]);
        if (corner == end) return MStatus(MStatus::kInvalidParameter);
        changed->locked_normals[int(corner - mesh->corners.begin())] = {float(normals[i].x), float(normals[i].y), float(normals[i].z)};
    }
    return put_mesh(*this, changed);
}
MStatus MFnMesh::setEdgeSmoothing(int edge, bool smooth) {
    const auto mesh = mesh_of(*this);
    if (!mesh) return MStatus(MStatus::kFailure);
    auto changed = std::make_shared<fake::Mesh>(*mesh);
    if (smooth) changed->hard_edges.erase(edge);
    else changed->hard_edges.insert(edge);
    return put_mesh(*this, changed);
}
MStatus MFnMesh::cleanupEdgeSmoothing() { return status_of(mesh_of(*this) != nullptr); }
MStatus MFnMesh::updateSurface() {
    scene().changed();
    return status_of(mesh_of(*this) != nullptr);
}

MFnComponent::MFnComponent() {}
MFnComponent::~MFnComponent() {}
MFn::Type MFnComponent::type() const { return MFn::kBase; }
int MFnComponent::elementCount(MStatus* status) const {
    const fake::Component* component = Access::component(object());
    report(status, component != nullptr);
    return component ? int(component->elements.size()) : 0;
}

MFnSingleIndexedComponent::MFnSingleIndexedComponent(MObject& component, MStatus* status) {
    if (Access::component(component)) Access::attach(*this, Access::component(component));
    report(status, Access::component(component) != nullptr);
}
MFnSingleIndexedComponent::~MFnSingleIndexedComponent() {}
MFn::Type MFnSingleIndexedComponent::type() const { return MFn::kMeshVertComponent; }
MObject MFnSingleIndexedComponent::create(MFn::Type type, MStatus* status) {
    report(status, type == MFn::kMeshVertComponent);
    if (type != MFn::kMeshVertComponent) return MObject();
    auto* component = new fake::Component;
    Access::attach(*this, component);
    return Access::object(component);
}
MStatus MFnSingleIndexedComponent::addElement(int element) {
    fake::Component* component = Access::component(object());
    if (!component) return MStatus(MStatus::kFailure);
    component->elements.push_back(element);
    return MStatus();
}
MStatus MFnSingleIndexedComponent::addElements(MIntArray& elements) {
    for (unsigned i = 0; i < elements.length(); ++i)
        if (!addElement(elements[i])) return MStatus(MStatus::kFailure);
    return MStatus();
}
MStatus MFnSingleIndexedComponent::getElements(MIntArray& elements) const {
    const fake::Component* component = Access::component(object());
    if (!component) return MStatus(MStatus::kFailure);
    *Access::impl<std::vector<int>>(elements) = component->elements;
    return MStatus();
}
int MFnSingleIndexedComponent::element(int index, MStatus* status) const {
    const fake::Component* component = Access::component(object());
    const bool ok = component && index >= 0 && size_t(index) < component->elements.size();
    report(status, ok);
    return ok ? component->elements[size_t(index)] : -1;
}
MStatus MFnSingleIndexedComponent::setCompleteData(int element_count) {
    fake::Component* component = Access::component(object());
    if (!component) return MStatus(MStatus::kFailure);
    component->complete = true;
    component->elements.clear();
    for (int i = 0; i < element_count; ++i) component->elements.push_back(i);
    return MStatus();
}

MH_MAYA_CLOSE

// Joints and deformers: the OpenMayaAnim library.
#include <algorithm>

#include "api.h"

MH_MAYA_OPEN

static fake::Scene& scene() { return fake::Scene::get(); }
static bool is_node(const MFnBase& set, const char* type) {
    const fake::Node* node = Access::node(set);
    return node && node->type->is(type);
}

MFnIkJoint::MFnIkJoint(MObject& joint, MStatus* status) : MFnTransform(joint, status) { report(status, is_node(*this, "joint"), MStatus::kInvalidParameter); }
MFnIkJoint::MFnIkJoint(const MDagPath& path, MStatus* status) : MFnTransform(path, status) { report(status, is_node(*this, "joint"), MStatus::kInvalidParameter); }
MFnIkJoint::~MFnIkJoint() {}
MFn::Type MFnIkJoint::type() const { return MFn::kJoint; }
MObject MFnIkJoint::create(MObject parent, MStatus* status) { return MFnDagNode::create(text("joint"), parent, status); }
MStatus MFnIkJoint::getOrientation(MQuaternion& orientation) const {
    fake::Node* node = Access::node(*this);
    if (!node) return MStatus(MStatus::kFailure);
    auto n = [&](const char* name) { return scene().evaluate(scene().find_plug(node, name)).number; };
    orientation = MEulerRotation(n("jointOrientX"), n("jointOrientY"), n("jointOrientZ")).asQuaternion();
    return MStatus();
}
MStatus MFnIkJoint::setOrientation(const MEulerRotation& orientation) {
    fake::Node* node = Access::node(*this);
    std::string error;
    auto put = [&](const char* name, double value) { return scene().set(scene().find_plug(node, name), fake::Value::of(fake::Kind::Angle, value), error); };
    return status_of(node && put("jointOrientX", orientation.x) && put("jointOrientY", orientation.y) && put("jointOrientZ", orientation.z));
}

MFnGeometryFilter::MFnGeometryFilter(MObject& filter, MStatus* status) : MFnDependencyNode(filter, status) {
    report(status, is_node(*this, "geometryFilter"), MStatus::kInvalidParameter);
}
MFnGeometryFilter::~MFnGeometryFilter() {}
MFn::Type MFnGeometryFilter::type() const { return MFn::kInvalid; }
static void walk_to_mesh(fake::Plug plug, bool upstream, MObjectArray& shapes) {
    for (int guard = 0; guard < 64; ++guard) {
        if (plug.node->type->is("mesh")) {
            shapes.append(Access::object(plug.node));
            return;
        }
        if (upstream) {
            fake::Plug source;
            if (!scene().source_of(scene().find_plug(plug.node, "input[0].inputGeometry"), source)) return;
            plug = source;
        } else {
            const auto next = scene().destinations_of(scene().find_plug(plug.node, "outputGeometry[0]"));
            if (next.empty()) return;
            plug = next[0];
        }
    }
}
MStatus MFnGeometryFilter::getInputGeometry(MObjectArray& shapes) const {
    shapes.clear();
    fake::Node* node = Access::node(*this);
    if (!node) return MStatus(MStatus::kFailure);
    walk_to_mesh(scene().find_plug(node, "envelope"), true, shapes);
    return MStatus();
}
MStatus MFnGeometryFilter::getOutputGeometry(MObjectArray& shapes) const {
    shapes.clear();
    fake::Node* node = Access::node(*this);
    if (!node) return MStatus(MStatus::kFailure);
    walk_to_mesh(scene().find_plug(node, "envelope"), false, shapes);
    return MStatus();
}

/// Logical index of each influence's matrix, in order: the columns of the weight arrays.
static std::vector<std::pair<int, fake::Node*>> influences(fake::Node* skin) {
    std::vector<std::pair<int, fake::Node*>> out;
    for (int index : scene().element_indices(scene().find_plug(skin, "matrix"))) {
        fake::Plug source;
        if (scene().source_of(scene().find_plug(skin, "matrix[" + std::to_string(index) + "]"), source)) out.push_back({index, source.node});
    }
    return out;
}

MFnSkinCluster::MFnSkinCluster(MObject& cluster, MStatus* status) : MFnGeometryFilter(cluster, status) {
    report(status, is_node(*this, "skinCluster"), MStatus::kInvalidParameter);
}
MFnSkinCluster::~MFnSkinCluster() {}
MFn::Type MFnSkinCluster::type() const { return MFn::kInvalid; }
unsigned int MFnSkinCluster::influenceObjects(MDagPathArray& paths, MStatus* status) const {
    fake::Node* node = Access::node(*this);
    report(status, node != nullptr);
    auto& out = *Access::impl<std::vector<MDagPath>>(paths);
    out.clear();
    if (!node) return 0;
    for (const auto& [index, joint] : influences(node)) {
        MDagPath path;
        MDagPath::getAPathTo(Access::object(joint), path);
        out.push_back(path);
    }
    return unsigned(out.size());
}
unsigned int MFnSkinCluster::indexForInfluenceObject(const MDagPath& influence, MStatus* status) const {
    if (fake::Node* node = Access::node(*this))
        for (const auto& [index, joint] : influences(node))
            if (Access::object(influence.node()) == joint) {
                report(status, true);
                return unsigned(index);
            }
    report(status, false);
    return 0;
}
MStatus MFnSkinCluster::getWeights(const MDagPath&, const MObject& vertices, MDoubleArray& weights, unsigned int& influence_count) const {
    fake::Node* node = Access::node(*this);
    const fake::Component* component = Access::component(vertices);
    if (!node || !component) return MStatus(MStatus::kInvalidParameter);
    const auto joints = influences(node);
    influence_count = unsigned(joints.size());
    auto& out = *Access::impl<std::vector<double>>(weights);
    out.assign(component->elements.size() * joints.size(), 0.0);
    for (size_t v = 0; v < component->elements.size(); ++v) {
        const size_t vertex = size_t(component->elements[v]);
        if (vertex >= node->skin_weights.size()) return MStatus(MStatus::kInvalidParameter);
        for (size_t j = 0; j < joints.size(); ++j) {
            auto found = node->skin_weights[vertex].find(joints[j].first);
            if (found != node->skin_weights[vertex].end()) out[v * joints.size() + j] = found->second;
        }
    }
    return MStatus();
}
MStatus MFnSkinCluster::setWeights(const MDagPath&, const MObject& vertices, MIntArray& columns, MDoubleArray& weights, bool normalize, MDoubleArray* old_weights) {
    fake::Node* node = Access::node(*this);
    const fake::Component* component = Access::component(vertices);
    if (!node || !component || weights.length() != component->elements.size() * columns.length()) return MStatus(MStatus::kInvalidParameter);
    const auto joints = influences(node);
    auto changed = node->skin_weights;
    // A cluster that was made bare has no weights before the first are set.
    const fake::Value input = scene().evaluate(scene().find_plug(node, "input[0].inputGeometry"));
    if (changed.empty() && input.mesh) changed.resize(input.mesh->points.size() / 3);
    for (size_t v = 0; v < component->elements.size(); ++v) {
        const size_t vertex = size_t(component->elements[v]);
        if (vertex >= changed.size()) return MStatus(MStatus::kInvalidParameter);
        double sum = 0.0;
        for (unsigned c = 0; c < columns.length(); ++c) {
            // Physical numbers of influences, not logical ones.
            if (columns[c] < 0 || size_t(columns[c]) >= joints.size()) return MStatus(MStatus::kInvalidParameter);
            const int index = joints[size_t(columns[c])].first;
            const double weight = weights[unsigned(v) * columns.length() + c];
            if (old_weights) old_weights->append(changed[vertex].count(index) ? changed[vertex][index] : 0.0);
            if (weight == 0.0) changed[vertex].erase(index);
            else changed[vertex][index] = weight;
        }
        for (const auto& [index, weight] : changed[vertex]) sum += weight;
        if (normalize && sum > 0.0)
            for (auto& item : changed[vertex]) item.second /= sum;
    }
    scene().set_skin_weights(node, std::move(changed));
    return MStatus();
}

MFnBlendShapeDeformer::MFnBlendShapeDeformer(MObject& deformer, MStatus* status) : MFnGeometryFilter(deformer, status) {
    report(status, is_node(*this, "blendShape"), MStatus::kInvalidParameter);
}
MFnBlendShapeDeformer::~MFnBlendShapeDeformer() {}
MFn::Type MFnBlendShapeDeformer::type() const { return MFn::kBlendShape; }
MStatus MFnBlendShapeDeformer::weightIndexList(MIntArray& indices) const {
    indices.clear();
    fake::Node* node = Access::node(*this);
    if (!node) return MStatus(MStatus::kFailure);
    for (int index : scene().element_indices(scene().find_plug(node, "weight"))) indices.append(index);
    return MStatus();
}
unsigned int MFnBlendShapeDeformer::numWeights(MStatus* status) const {
    MIntArray indices;
    report(status, bool(weightIndexList(indices)));
    return indices.length();
}
float MFnBlendShapeDeformer::weight(unsigned int index, MStatus* status) const {
    fake::Node* node = Access::node(*this);
    report(status, node != nullptr);
    return node ? float(scene().evaluate(scene().find_plug(node, "weight[" + std::to_string(index) + "]")).number) : 0.0f;
}
MStatus MFnBlendShapeDeformer::setWeight(unsigned int index, float weight) {
    fake::Node* node = Access::node(*this);
    std::string error;
    return status_of(node && scene().set(scene().find_plug(node, "weight[" + std::to_string(index) + "]"), fake::Value::of(fake::Kind::Float, weight), error));
}

MH_MAYA_CLOSE

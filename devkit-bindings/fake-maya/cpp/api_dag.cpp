// Paths, plugs, selections, walks.
#include <algorithm>

#include "api.h"

MH_MAYA_OPEN

static fake::Scene& scene() { return fake::Scene::get(); }
static MMatrix from_fake(const fake::Matrix& matrix) {
    MMatrix out;
    for (int i = 0; i < 16; ++i) out.matrix[i / 4][i % 4] = matrix[i];
    return out;
}

MDagPath::MDagPath() : impl_(new fake::Path) {}
MDagPath::MDagPath(const MDagPath& other) : impl_(new fake::Path(Access::path(other))) {}
MDagPath::~MDagPath() { delete Access::impl<fake::Path>(*this); }
MDagPath& MDagPath::operator=(const MDagPath& other) {
    Access::path(*this) = Access::path(other);
    return *this;
}
MStatus MDagPath::getAPathTo(const MObject& object, MDagPath& path) {
    const fake::Node* node = Access::node(object);
    if (!node || !node->type->dag) return MStatus(MStatus::kInvalidParameter);
    const auto paths = scene().all_paths(node);
    if (paths.empty()) return MStatus(MStatus::kFailure);
    Access::path(path) = paths[0];
    return MStatus();
}
bool MDagPath::isValid(MStatus* status) const {
    report(status, true);
    return !Access::path(*this).empty() && Access::path(*this).back()->alive;
}
MObject MDagPath::node(MStatus* status) const {
    report(status, isValid());
    return Access::path(*this).empty() ? MObject() : Access::object(Access::path(*this).back());
}
MObject MDagPath::transform(MStatus* status) const {
    const fake::Path& path = Access::path(*this);
    for (auto node = path.rbegin(); node != path.rend(); ++node)
        if (!(*node)->type->shape) {
            report(status, true);
            return Access::object(*node);
        }
    report(status, false);
    return MObject();
}
MFn::Type MDagPath::apiType(MStatus* status) const { return node(status).apiType(); }
bool MDagPath::hasFn(MFn::Type type, MStatus* status) const {
    report(status, isValid());
    const fake::Path& path = Access::path(*this);
    if (path.empty()) return false;
    if (has_type(path.back(), type)) return true;
    // A path to a transform stands for the shape below it, too.
    for (const fake::Node* child : path.back()->children)
        if (child->type->shape && has_type(child, type)) return true;
    return false;
}
unsigned int MDagPath::length(MStatus* status) const {
    report(status, true);
    return unsigned(Access::path(*this).size());
}
unsigned int MDagPath::childCount(MStatus* status) const {
    report(status, isValid());
    return isValid() ? unsigned(Access::path(*this).back()->children.size()) : 0;
}
MObject MDagPath::child(unsigned int index, MStatus* status) const {
    const bool ok = index < childCount();
    report(status, ok);
    return ok ? Access::object(Access::path(*this).back()->children[index]) : MObject();
}
MStatus MDagPath::push(const MObject& child) {
    fake::Node* node = Access::node(child);
    const fake::Node* last = Access::path(*this).empty() ? scene().world() : Access::path(*this).back();
    if (!node || std::find(last->children.begin(), last->children.end(), node) == last->children.end()) return MStatus(MStatus::kInvalidParameter);
    Access::path(*this).push_back(node);
    return MStatus();
}
MStatus MDagPath::pop(unsigned int levels) {
    fake::Path& path = Access::path(*this);
    if (levels > path.size()) return MStatus(MStatus::kInvalidParameter);
    path.resize(path.size() - levels);
    return MStatus();
}
MStatus MDagPath::numberOfShapesDirectlyBelow(unsigned int& count) const {
    count = 0;
    if (!isValid()) return MStatus(MStatus::kFailure);
    for (const fake::Node* child : Access::path(*this).back()->children) count += child->type->shape;
    return MStatus();
}
MStatus MDagPath::extendToShapeDirectlyBelow(unsigned int index) {
    if (!isValid()) return MStatus(MStatus::kFailure);
    for (fake::Node* child : Access::path(*this).back()->children)
        if (child->type->shape && index-- == 0) {
            Access::path(*this).push_back(child);
            return MStatus();
        }
    return MStatus(MStatus::kInvalidParameter);
}
MMatrix MDagPath::inclusiveMatrix(MStatus* status) const {
    report(status, isValid());
    return from_fake(scene().world_matrix(Access::path(*this)));
}
MMatrix MDagPath::exclusiveMatrix(MStatus* status) const {
    report(status, isValid());
    fake::Path path = Access::path(*this);
    if (!path.empty()) path.pop_back();
    return from_fake(scene().world_matrix(path));
}
MString MDagPath::fullPathName(MStatus* status) const {
    report(status, isValid());
    return text(scene().full_name(Access::path(*this)));
}
MString MDagPath::partialPathName(MStatus* status) const {
    report(status, isValid());
    return text(scene().partial_name(Access::path(*this)));
}

MPlug::MPlug() : impl_(new fake::Plug) {}
MPlug::MPlug(const MPlug& other) : impl_(new fake::Plug(Access::plug(other))) {}
MPlug::MPlug(const MObject& node, const MObject& attribute) : impl_(new fake::Plug) {
    fake::Node* owner = Access::node(node);
    const fake::Attribute* wanted = Access::attribute(attribute);
    if (owner && wanted) Access::plug(*this) = scene().find_plug(owner, wanted->long_name);
}
MPlug::~MPlug() { delete Access::impl<fake::Plug>(*this); }
MPlug& MPlug::operator=(const MPlug& other) {
    Access::plug(*this) = Access::plug(other);
    return *this;
}
bool MPlug::isNull(MStatus* status) const {
    report(status, true);
    return Access::plug(*this).null();
}
MObject MPlug::node(MStatus* status) const {
    report(status, !isNull());
    return Access::object(Access::plug(*this).node);
}
MObject MPlug::attribute(MStatus* status) const {
    report(status, !isNull());
    return isNull() ? MObject() : Access::object(Access::plug(*this).attribute());
}
MString MPlug::name(MStatus* status) const {
    report(status, !isNull());
    return text(Access::plug(*this).name());
}
bool MPlug::operator==(const MObject& attribute) const { return !isNull() && this->attribute() == attribute; }
MPlug MPlug::parent(MStatus* status) const {
    const bool ok = Access::plug(*this).steps.size() > 1;
    report(status, ok);
    return ok ? Access::plug(Access::plug(*this).parent()) : MPlug();
}
MPlug MPlug::child(unsigned int index, MStatus* status) const {
    const bool ok = !isNull() && index < Access::plug(*this).attribute()->children.size();
    report(status, ok);
    return ok ? Access::plug(Access::plug(*this).child(Access::plug(*this).attribute()->children[index])) : MPlug();
}
MPlug MPlug::child(MObject& attribute, MStatus* status) const {
    fake::Attribute* wanted = Access::attribute(attribute);
    const bool ok = wanted && !isNull();
    report(status, ok);
    return ok ? Access::plug(Access::plug(*this).child(wanted)) : MPlug();
}
bool MPlug::isArray(MStatus* status) const {
    report(status, !isNull());
    return !isNull() && Access::plug(*this).is_array();
}
unsigned int MPlug::numElements(MStatus* status) const {
    report(status, isArray());
    return isArray() ? unsigned(scene().element_indices(Access::plug(*this)).size()) : 0;
}
unsigned int MPlug::logicalIndex(MStatus* status) const {
    const bool ok = !isNull() && Access::plug(*this).steps.back().index >= 0;
    report(status, ok);
    return ok ? unsigned(Access::plug(*this).steps.back().index) : 0;
}
MPlug MPlug::elementByLogicalIndex(unsigned int index, MStatus* status) const {
    report(status, isArray());
    return isArray() ? Access::plug(Access::plug(*this).element(int(index))) : MPlug();
}
MPlug MPlug::elementByPhysicalIndex(unsigned int index, MStatus* status) const {
    const auto indices = isArray() ? scene().element_indices(Access::plug(*this)) : std::vector<int>();
    report(status, index < indices.size());
    return index < indices.size() ? Access::plug(Access::plug(*this).element(indices[index])) : MPlug();
}
unsigned int MPlug::getExistingArrayAttributeIndices(MIntArray& indices, MStatus* status) {
    report(status, isArray());
    indices.clear();
    if (isArray())
        for (int index : scene().element_indices(Access::plug(*this))) indices.append(index);
    return indices.length();
}
bool MPlug::isConnected(MStatus* status) const {
    report(status, !isNull());
    if (isNull()) return false;
    fake::Plug source;
    return scene().source_of(Access::plug(*this), source) || !scene().destinations_of(Access::plug(*this)).empty();
}
bool MPlug::connectedTo(MPlugArray& plugs, bool as_destination, bool as_source, MStatus* status) const {
    report(status, !isNull());
    auto& out = *Access::impl<std::vector<MPlug>>(plugs);
    out.clear();
    if (isNull()) return false;
    fake::Plug source;
    if (as_destination && scene().source_of(Access::plug(*this), source)) out.push_back(Access::plug(source));
    if (as_source)
        for (const fake::Plug& plug : scene().destinations_of(Access::plug(*this))) out.push_back(Access::plug(plug));
    return !out.empty();
}
MPlug MPlug::source(MStatus* status) const {
    report(status, !isNull());
    fake::Plug source;
    if (!isNull() && scene().source_of(Access::plug(*this), source)) return Access::plug(source);
    return MPlug();
}

static fake::Value value_of(const MPlug& plug, MStatus* status) {
    report(status, !plug.isNull());
    return plug.isNull() ? fake::Value() : scene().evaluate(Access::plug(plug));
}
static MStatus put(const MPlug& plug, const fake::Value& value) {
    std::string error;
    if (plug.isNull()) return MStatus(MStatus::kInvalidParameter);
    return status_of(scene().set(Access::plug(plug), value, error));
}
bool MPlug::asBool(MStatus* status) const { return value_of(*this, status).number != 0.0; }
int MPlug::asInt(MStatus* status) const { return int(value_of(*this, status).number); }
double MPlug::asDouble(MStatus* status) const { return value_of(*this, status).number; }
MString MPlug::asString(MStatus* status) const { return text(value_of(*this, status).text); }
MObject MPlug::asMObject(MStatus* status) const {
    auto* data = new fake::Data;  // as long as the process, like every object
    data->value = value_of(*this, status);
    return Access::object(data);
}
MStatus MPlug::setBool(bool value) { return put(*this, fake::Value::of(fake::Kind::Bool, value)); }
MStatus MPlug::setInt(int value) { return put(*this, fake::Value::of(fake::Kind::Int, value)); }
MStatus MPlug::setFloat(float value) { return put(*this, fake::Value::of(fake::Kind::Float, value)); }
MStatus MPlug::setDouble(double value) { return put(*this, fake::Value::of(fake::Kind::Double, value)); }
MStatus MPlug::setMObject(const MObject& object) {
    const fake::Data* data = Access::data(object);
    if (!data || isNull() || data->value.kind != Access::plug(*this).attribute()->kind) return MStatus(MStatus::kInvalidParameter);
    return put(*this, data->value);
}
MStatus MPlug::setString(const MString& value) { return put(*this, fake::Value::of(std::string(value.asUTF8()))); }

namespace {
struct Selected {
    fake::Path path;
    fake::Node* node;
    fake::Object* component;
    fake::Plug plug;
};
using SelectedList = std::vector<Selected>;
SelectedList& list_of(const MSelectionList& list) { return *Access::impl<SelectedList>(list); }
}  // namespace

MSelectionList::MSelectionList() : impl_(new SelectedList), own_(true) {}
MSelectionList::MSelectionList(const MSelectionList& other) : impl_(new SelectedList(list_of(other))), own_(true) {}
MSelectionList::~MSelectionList() { delete Access::impl<SelectedList>(*this); }
MStatus MSelectionList::clear() {
    list_of(*this).clear();
    return MStatus();
}
bool MSelectionList::isEmpty(MStatus* status) const {
    report(status, true);
    return list_of(*this).empty();
}
unsigned int MSelectionList::length(MStatus* status) const {
    report(status, true);
    return unsigned(list_of(*this).size());
}
MStatus MSelectionList::add(const MString& name, bool) {
    const std::string wanted = name.asUTF8();
    const size_t dot = wanted.find('.');
    const auto found = fake::find_objects(wanted.substr(0, dot));
    if (found.empty()) return MStatus(MStatus::kInvalidParameter);
    for (const auto& object : found) {
        Selected item{object.first, object.second, nullptr, {}};
        if (dot != std::string::npos) {
            item.plug = scene().find_plug(object.second, wanted.substr(dot + 1));
            if (item.plug.null()) return MStatus(MStatus::kInvalidParameter);
        }
        list_of(*this).push_back(item);
    }
    return MStatus();
}
MStatus MSelectionList::add(const MObject& object, bool) {
    fake::Node* node = Access::node(object);
    if (!node) return MStatus(MStatus::kInvalidParameter);
    const auto paths = node->type->dag ? scene().all_paths(node) : std::vector<fake::Path>();
    list_of(*this).push_back({paths.empty() ? fake::Path() : paths[0], node, nullptr, {}});
    return MStatus();
}
MStatus MSelectionList::add(const MDagPath& path, const MObject& component, bool) {
    if (!path.isValid()) return MStatus(MStatus::kInvalidParameter);
    list_of(*this).push_back({Access::path(path), Access::path(path).back(), Access::object(component), {}});
    return MStatus();
}
MStatus MSelectionList::getDependNode(unsigned int index, MObject& node) const {
    if (index >= length()) return MStatus(MStatus::kInvalidParameter);
    node = Access::object(list_of(*this)[index].node);
    return MStatus();
}
MStatus MSelectionList::getDagPath(unsigned int index, MDagPath& path, MObject& component) const {
    if (index >= length()) return MStatus(MStatus::kInvalidParameter);
    const Selected& item = list_of(*this)[index];
    if (item.path.empty()) return MStatus(MStatus::kFailure);
    Access::path(path) = item.path;
    component = Access::object(item.component);
    return MStatus();
}
MStatus MSelectionList::getPlug(unsigned int index, MPlug& plug) const {
    if (index >= length() || list_of(*this)[index].plug.null()) return MStatus(MStatus::kInvalidParameter);
    Access::plug(plug) = list_of(*this)[index].plug;
    return MStatus();
}
MStatus MSelectionList::getSelectionStrings(MStringArray& names) const {
    for (const Selected& item : list_of(*this)) names.append(text(fake::object_name({item.path, item.node}, false)));
    return MStatus();
}

namespace {
struct DagWalk {
    std::vector<fake::Path> paths;
    size_t at = 0;
};
void collect(fake::Path path, const fake::Node* node, DagWalk& walk, MFn::Type filter, std::set<const fake::Node*>& seen) {
    for (fake::Node* child : node->children) {
        fake::Path longer = path;
        longer.push_back(child);
        // An instanced node is met once, at its first path.
        if (seen.insert(child).second && (filter == MFn::kInvalid || has_type(child, filter))) walk.paths.push_back(longer);
        collect(longer, child, walk, filter, seen);
    }
}
}  // namespace

MItDag::MItDag(TraversalType, MFn::Type filter, MStatus* status) : impl_(new DagWalk) {
    std::set<const fake::Node*> seen;
    collect({}, scene().world(), *Access::impl<DagWalk>(*this), filter, seen);
    report(status, true);
}
MItDag::~MItDag() { delete Access::impl<DagWalk>(*this); }
bool MItDag::isDone(MStatus* status) const {
    report(status, true);
    return Access::impl<DagWalk>(*this)->at >= Access::impl<DagWalk>(*this)->paths.size();
}
MStatus MItDag::next() {
    ++Access::impl<DagWalk>(*this)->at;
    return MStatus();
}
MStatus MItDag::prune() {
    DagWalk& walk = *Access::impl<DagWalk>(*this);
    const size_t depth = walk.paths[walk.at].size();
    size_t end = walk.at + 1;
    while (end < walk.paths.size() && walk.paths[end].size() > depth) ++end;
    walk.paths.erase(walk.paths.begin() + long(walk.at) + 1, walk.paths.begin() + long(end));
    return MStatus();
}
MObject MItDag::currentItem(MStatus* status) {
    report(status, !isDone());
    return isDone() ? MObject() : Access::object(Access::impl<DagWalk>(*this)->paths[Access::impl<DagWalk>(*this)->at].back());
}
MStatus MItDag::getPath(MDagPath& path) const {
    if (isDone()) return MStatus(MStatus::kFailure);
    Access::path(path) = Access::impl<DagWalk>(*this)->paths[Access::impl<DagWalk>(*this)->at];
    return MStatus();
}
MStatus MItDag::reset(const MObject& root, TraversalType, MFn::Type filter) {
    const fake::Node* node = Access::node(root);
    if (!node || !node->type->dag) return MStatus(MStatus::kInvalidParameter);
    DagWalk& walk = *Access::impl<DagWalk>(*this);
    walk = DagWalk();
    const fake::Path path = scene().all_paths(node)[0];
    std::set<const fake::Node*> seen;
    if (filter == MFn::kInvalid || has_type(node, filter)) walk.paths.push_back(path);
    collect(path, node, walk, filter, seen);
    return MStatus();
}

namespace {
struct GraphWalk {
    std::vector<fake::Node*> nodes;
    size_t at = 0;
};
}  // namespace

MItDependencyGraph::MItDependencyGraph(MObject& root, MFn::Type filter, Direction direction, Traversal, Level, MStatus* status) : impl_(new GraphWalk) {
    fake::Node* start = Access::node(root);
    report(status, start != nullptr);
    if (!start) return;
    std::vector<fake::Node*> open = {start};
    std::set<fake::Node*> seen = {start};
    while (!open.empty()) {
        fake::Node* node = open.front();
        open.erase(open.begin());
        if (filter == MFn::kInvalid || has_type(node, filter)) Access::impl<GraphWalk>(*this)->nodes.push_back(node);
        auto visit = [&](fake::Node* next) {
            if (next->alive && seen.insert(next).second) open.push_back(next);
        };
        if (direction == kUpstream) {
            for (const auto& item : node->incoming) visit(item.second.node);
        } else {
            for (fake::Node* other : scene().nodes())
                for (const auto& item : other->incoming)
                    if (item.second.node == node) visit(other);
        }
    }
}
MItDependencyGraph::~MItDependencyGraph() { delete Access::impl<GraphWalk>(*this); }
bool MItDependencyGraph::isDone(MStatus* status) {
    report(status, true);
    return Access::impl<GraphWalk>(*this)->at >= Access::impl<GraphWalk>(*this)->nodes.size();
}
MStatus MItDependencyGraph::next() {
    ++Access::impl<GraphWalk>(*this)->at;
    return MStatus();
}
MObject MItDependencyGraph::currentItem(MStatus* status) {
    report(status, !isDone());
    return isDone() ? MObject() : Access::object(Access::impl<GraphWalk>(*this)->nodes[Access::impl<GraphWalk>(*this)->at]);
}

MH_MAYA_CLOSE

#include "scene.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fake {

Matrix identity() { return {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}; }

Matrix multiply(const Matrix& left, const Matrix& right) {
    Matrix out{};
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column)
            for (int k = 0; k < 4; ++k) out[row * 4 + column] += left[row * 4 + k] * right[k * 4 + column];
    return out;
}

Matrix inverse(const Matrix& matrix) {
    // Gauss-Jordan with the largest pivot; a singular matrix gives the identity, as the host's own class does.
    double work[4][8];
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column) {
            work[row][column] = matrix[row * 4 + column];
            work[row][column + 4] = row == column ? 1.0 : 0.0;
        }
    for (int pivot = 0; pivot < 4; ++pivot) {
        int best = pivot;
        for (int row = pivot + 1; row < 4; ++row)
            if (std::fabs(work[row][pivot]) > std::fabs(work[best][pivot])) best = row;
        if (work[best][pivot] == 0.0) return identity();
        for (int column = 0; column < 8; ++column) std::swap(work[pivot][column], work[best][column]);
        const double scale = work[pivot][pivot];
        for (int column = 0; column < 8; ++column) work[pivot][column] /= scale;
        for (int row = 0; row < 4; ++row) {
            if (row == pivot) continue;
            const double factor = work[row][pivot];
            for (int column = 0; column < 8; ++column) work[row][column] -= factor * work[pivot][column];
        }
    }
    Matrix out;
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column) out[row * 4 + column] = work[row][column + 4];
    return out;
}

Matrix rotation(double x, double y, double z, int order) {
    const double cx = std::cos(x), sx = std::sin(x), cy = std::cos(y), sy = std::sin(y), cz = std::cos(z), sz = std::sin(z);
    const Matrix rx = {1, 0, 0, 0, 0, cx, sx, 0, 0, -sx, cx, 0, 0, 0, 0, 1};
    const Matrix ry = {cy, 0, -sy, 0, 0, 1, 0, 0, sy, 0, cy, 0, 0, 0, 0, 1};
    const Matrix rz = {cz, sz, 0, 0, -sz, cz, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    switch (order) {
        case 1: return multiply(multiply(ry, rz), rx);
        case 2: return multiply(multiply(rz, rx), ry);
        case 3: return multiply(multiply(rx, rz), ry);
        case 4: return multiply(multiply(ry, rx), rz);
        case 5: return multiply(multiply(rz, ry), rx);
        default: return multiply(multiply(rx, ry), rz);
    }
}

double centimetres(const std::string& unit) {
    if (unit == "mm" || unit == "millimeter") return 0.1;
    if (unit == "m" || unit == "meter") return 100.0;
    if (unit == "in" || unit == "inch") return 2.54;
    if (unit == "ft" || unit == "foot") return 30.48;
    return 1.0;
}

bool glob(const std::string& pattern, const std::string& text) {
    size_t p = 0, t = 0, star = std::string::npos, mark = 0;
    while (t < text.size()) {
        if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (star != std::string::npos) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

Value Value::of(Kind kind, double number) {
    Value value;
    value.kind = kind;
    value.number = number;
    return value;
}
Value Value::of(const std::string& text) {
    Value value;
    value.kind = Kind::String;
    value.text = text;
    return value;
}
Value Value::of(const Matrix& matrix) {
    Value value;
    value.kind = Kind::Matrix;
    value.matrix = matrix;
    return value;
}
Value Value::of(std::shared_ptr<const Mesh> mesh) {
    Value value;
    value.kind = Kind::Mesh;
    value.mesh = std::move(mesh);
    return value;
}

bool NodeType::is(const std::string& type_name) const {
    for (const NodeType* type = this; type; type = type->base)
        if (type->name == type_name) return true;
    return false;
}

static Attribute* find_in(const std::vector<Attribute*>& attributes, const std::string& name) {
    for (Attribute* attribute : attributes) {
        if (attribute->long_name == name || attribute->short_name == name) return attribute;
        if (Attribute* found = find_in(attribute->children, name)) return found;
    }
    return nullptr;
}

Attribute* Node::attribute(const std::string& wanted) const {
    if (Attribute* found = find_in(dynamic, wanted)) return found;
    for (const NodeType* t = type; t; t = t->base)
        if (Attribute* found = find_in(t->attributes, wanted)) return found;
    return nullptr;
}

Attribute* new_attribute(const std::string& long_name, const std::string& short_name, Kind kind) {
    auto* attribute = new Attribute;
    attribute->long_name = long_name;
    attribute->short_name = short_name;
    attribute->kind = kind;
    return attribute;
}

Attribute* new_triple(const std::string& long_name, const std::string& short_name, Kind kind, const char* suffixes) {
    Attribute* parent = new_attribute(long_name, short_name, Kind::Compound);
    for (int i = 0; i < 3; ++i) {
        Attribute* child = new_attribute(long_name + suffixes[i], short_name + char(suffixes[i] | 0x20), kind);
        child->keyable = true;
        child->parent = parent;
        parent->children.push_back(child);
    }
    return parent;
}

Attribute* plain(const std::string& long_name, const std::string& short_name, Kind kind, double default_number) {
    Attribute* attribute = new_attribute(long_name, short_name, kind);
    attribute->default_number = default_number;
    return attribute;
}

Attribute* triple(const std::string& long_name, const std::string& short_name, Kind kind, double default_number, const char* suffixes) {
    Attribute* parent = new_triple(long_name, short_name, kind, suffixes);
    for (Attribute* child : parent->children) child->default_number = default_number;
    return parent;
}

Attribute* array(Attribute* attribute) {
    attribute->array = true;
    return attribute;
}

Attribute* compound(const std::string& long_name, const std::string& short_name, std::vector<Attribute*> children) {
    Attribute* parent = new_attribute(long_name, short_name, Kind::Compound);
    for (Attribute* child : children) {
        child->parent = parent;
        parent->children.push_back(child);
    }
    return parent;
}

std::string Plug::key() const {
    std::string text;
    for (const Step& step : steps) {
        if (!text.empty()) text += '.';
        text += step.attribute->long_name;
        if (step.index >= 0) text += '[' + std::to_string(step.index) + ']';
    }
    return text;
}

std::string Plug::name() const {
    if (null()) return std::string();
    size_t first = 0;
    while (first + 1 < steps.size() && steps[first].index < 0) ++first;
    Plug shown = *this;
    shown.steps.erase(shown.steps.begin(), shown.steps.begin() + first);
    return node->name + '.' + shown.key();
}

Plug Plug::child(Attribute* attribute) const {
    Plug out = *this;
    out.steps.push_back({attribute, -1});
    return out;
}

Plug Plug::element(int index) const {
    Plug out = *this;
    out.steps.back().index = index;
    return out;
}

Plug Plug::parent() const {
    Plug out = *this;
    if (out.steps.size() > 1) out.steps.pop_back();
    return out;
}

Scene& Scene::get() {
    static Scene* scene = new Scene;  // never destroyed: handles may outlive everything else at exit
    return *scene;
}

Scene::Scene() {
    add_builtin_types(*this);
    world_ = new Node;
    world_->name = "world";
    world_->type = type("transform");
    add_default_nodes();
}

/// A new scene has nodes too; one of them is enough to tell a list of them from none.
void Scene::add_default_nodes() {
    auto* node = new Node;
    node->name = "time1";
    node->type = type("time");
    node->fixed = true;
    nodes_.push_back(node);
    named_[node->name].push_back(node);
}

NodeType* Scene::type(const std::string& name) const {
    auto found = types_.find(name);
    return found == types_.end() ? nullptr : found->second.get();
}

NodeType* Scene::add_type(NodeType added) {
    auto& slot = types_[added.name];
    slot = std::make_unique<NodeType>(std::move(added));
    return slot.get();
}

void Scene::remove_type(const std::string& name) {
    // Kept alive for nodes of undone creations; only the name goes.
    auto found = types_.find(name);
    if (found == types_.end()) return;
    found->second.release();
    types_.erase(found);
}

bool Scene::type_in_use(const NodeType* type) const {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](Node* node) { return node->alive && node->type == type; });
}

void Scene::apply(Edit edit) {
    edit.redo();
    changed();
    modified = true;
    if (recorder) recorder->push_back(std::move(edit));
}

std::string Scene::unique_name(const std::string& wanted, const Node* parent, bool dag, const Node* self) const {
    auto taken = [&](const std::string& name) {
        if (dag && parent) {
            for (const Node* child : parent->children)
                if (child != self && child->name == name) return true;
            return false;
        }
        auto same = named_.find(name);
        if (same == named_.end()) return false;
        for (const Node* node : same->second)
            if (node != self && node->alive && !node->type->dag && node->name == name) return true;
        return false;
    };
    if (!taken(wanted)) return wanted;
    size_t end = wanted.size();
    while (end > 0 && std::isdigit(static_cast<unsigned char>(wanted[end - 1]))) --end;
    for (int number = 1;; ++number) {
        std::string candidate = wanted.substr(0, end) + std::to_string(number);
        if (!taken(candidate)) return candidate;
    }
}

void Scene::attach(Node* node, Node* parent, size_t at) {
    parent->children.insert(parent->children.begin() + std::min(at, parent->children.size()), node);
    node->parents.push_back(parent);
}

void Scene::detach(Node* node, Node* parent) {
    auto& children = parent->children;
    children.erase(std::remove(children.begin(), children.end(), node), children.end());
    auto& parents = node->parents;
    parents.erase(std::remove(parents.begin(), parents.end(), parent), parents.end());
}

Node* Scene::create(const std::string& type_name, const std::string& wanted, Node* parent) {
    NodeType* node_type = type(type_name);
    if (!node_type) return nullptr;
    if (node_type->dag && !parent) parent = world_;
    auto* node = new Node;
    node->type = node_type;
    node->alive = false;
    std::string name = wanted.empty() ? type_name + "1" : wanted;
    if (name[0] == ':') name.erase(0, 1);
    else if (!current_namespace.empty() && name.rfind(current_namespace + ":", 0) != 0) name = current_namespace + ":" + name;
    node->name = unique_name(name, parent, node_type->dag, nullptr);
    nodes_.push_back(node);
    named_[node->name].push_back(node);
    if (node_type->create_instance) node->instance = node_type->create_instance(*node);
    apply({[this, node, parent] {
               node->alive = false;
               if (node->type->dag) detach(node, parent);
           },
           [this, node, parent] {
               node->alive = true;
               if (node->type->dag) attach(node, parent, parent->children.size());
           }});
    return node;
}

void Scene::erase(const std::vector<Node*>& given) {
    // What goes, children before parents; a child that has another parent stays below that one.
    std::vector<Node*> doomed;
    std::set<Node*> known;
    std::vector<std::pair<Node*, Node*>> kept_children;
    std::function<void(Node*)> collect = [&](Node* node) {
        if (!node->alive || !known.insert(node).second) return;
        const std::vector<Node*> children = node->children;
        for (Node* child : children) {
            const bool goes = std::all_of(child->parents.begin(), child->parents.end(), [&](Node* parent) { return known.count(parent) != 0; });
            if (goes) collect(child);
            else kept_children.push_back({child, node});
        }
        doomed.push_back(node);
    };
    for (Node* node : given) collect(node);
    for (const auto& [child, node] : kept_children) {
        if (known.count(child)) continue;
        apply({[this, child = child, node = node] { attach(child, node, node->children.size()); }, [this, child = child, node = node] { detach(child, node); }});
    }
    // One look at what stays: connections from what goes are broken.
    for (Node* other : nodes_) {
        if (!other->alive || known.count(other)) continue;
        std::vector<std::string> keys;
        for (const auto& [key, source] : other->incoming)
            if (known.count(source.node)) keys.push_back(key);
        for (const std::string& key : keys) disconnect(plug_from_key(other, key));
    }
    struct Place {
        Node* parent;
        size_t at;
    };
    for (Node* node : doomed) {
        std::vector<Place> places;
        for (Node* parent : node->parents) {
            auto& siblings = parent->children;
            places.push_back({parent, size_t(std::find(siblings.begin(), siblings.end(), node) - siblings.begin())});
        }
        apply({[this, node, places] {
                   node->alive = true;
                   for (const Place& place : places) attach(node, place.parent, place.at);
               },
               [this, node, places] {
                   node->alive = false;
                   for (const Place& place : places) detach(node, place.parent);
               }});
    }
    std::vector<std::pair<Path, Node*>> kept;
    for (const auto& item : selection)
        if (item.second->alive) kept.push_back(item);
    if (kept.size() != selection.size()) select(kept);
}

void Scene::set_linear_unit(const std::string& unit) {
    const std::string before = linear_unit;
    if (unit != before) apply({[this, before] { linear_unit = before; }, [this, unit] { linear_unit = unit; }});
}

bool Scene::has_namespace(const std::string& name) const {
    if (name.empty() || added_namespaces.count(name) != 0) return true;
    const std::string prefix = name + ':';
    return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node* node) { return node->alive && node->name.rfind(prefix, 0) == 0; });
}

void Scene::rename(Node* node, const std::string& wanted) {
    const std::string old_name = node->name;
    const std::string new_name = unique_name(wanted, node->parents.empty() ? nullptr : node->parents[0], node->type->dag, node);
    auto& same = named_[new_name];
    if (std::find(same.begin(), same.end(), node) == same.end()) same.push_back(node);
    apply({[node, old_name] { node->name = old_name; }, [node, new_name] { node->name = new_name; }});
}

void Scene::reparent(Node* node, Node* parent, bool keep_existing_parents) {
    if (!parent) parent = world_;
    struct Place {
        Node* parent;
        size_t at;
    };
    std::vector<Place> places;
    if (!keep_existing_parents)
        for (Node* old : node->parents) {
            auto& siblings = old->children;
            places.push_back({old, size_t(std::find(siblings.begin(), siblings.end(), node) - siblings.begin())});
        }
    apply({[this, node, parent, places] {
               detach(node, parent);
               for (const Place& place : places) attach(node, place.parent, place.at);
           },
           [this, node, parent, places] {
               for (const Place& place : places) detach(node, place.parent);
               attach(node, parent, parent->children.size());
           }});
    const std::string name = unique_name(node->name, parent, true, node);
    if (name != node->name) rename(node, name);
}

static bool compatible(const Attribute* source, const Attribute* destination) {
    auto numeric = [](Kind kind) {
        return kind == Kind::Bool || kind == Kind::Int || kind == Kind::Float || kind == Kind::Double || kind == Kind::Angle ||
               kind == Kind::Distance;
    };
    if (numeric(source->kind) && numeric(destination->kind)) return true;
    return source->kind == destination->kind || source->kind == Kind::Message || destination->kind == Kind::Message;
}

bool Scene::connect(const Plug& source, const Plug& destination, std::string& error) {
    if (source.null() || destination.null()) {
        error = "connectAttr: no such plug";
        return false;
    }
    if (!compatible(source.attribute(), destination.attribute())) {
        error = "The attribute '" + source.name() + "' is not compatible with '" + destination.name() + "'";
        return false;
    }
    const std::string key = destination.key();
    Node* node = destination.node;
    if (node->incoming.count(key)) {
        error = "'" + destination.name() + "' already has an incoming connection";
        return false;
    }
    if (node->locked_plugs.count(key)) {
        error = "'" + destination.name() + "' is locked";
        return false;
    }
    const Source from{source.node, source.key()};
    apply({[node, key] { node->incoming.erase(key); }, [node, key, from] { node->incoming[key] = from; }});
    return true;
}

bool Scene::disconnect(const Plug& destination) {
    if (destination.null()) return false;
    const std::string key = destination.key();
    Node* node = destination.node;
    auto found = node->incoming.find(key);
    if (found == node->incoming.end()) return false;
    const Source from = found->second;
    // The destination keeps the value it last had.
    if (destination.attribute()->kind != Kind::Compound && destination.attribute()->kind != Kind::Message && !destination.is_array()) {
        const Value value = evaluate(destination);
        const bool had = node->values.count(key) != 0;
        const Value old_value = had ? node->values[key] : Value();
        apply({[node, key, had, old_value] {
                   if (had) node->values[key] = old_value;
                   else node->values.erase(key);
               },
               [node, key, value] { node->values[key] = value; }});
    }
    apply({[node, key, from] { node->incoming[key] = from; }, [node, key] { node->incoming.erase(key); }});
    return true;
}

bool Scene::settable(const Plug& plug) const {
    Plug walk = plug;
    while (true) {
        const std::string key = walk.key();
        if (walk.node->locked_plugs.count(key) || walk.node->incoming.count(key)) return false;
        if (walk.steps.size() == 1) break;
        walk = walk.parent();
    }
    return !walk.node->locked && plug.attribute()->writable;
}

bool Scene::set(const Plug& plug, const Value& given, std::string& error) {
    if (plug.null()) {
        error = "setAttr: no such plug";
        return false;
    }
    if (!settable(plug)) {
        error = "The attribute '" + plug.name() + "' is locked or connected and cannot be modified.";
        return false;
    }
    Node* node = plug.node;
    const std::string key = plug.key();
    Value value = given;
    const Attribute* attribute = plug.attribute();
    if (attribute->has_minimum && value.number < attribute->minimum) value.number = attribute->minimum;
    if (attribute->has_maximum && value.number > attribute->maximum) value.number = attribute->maximum;
    if (attribute->kind == Kind::Float) value.number = static_cast<float>(value.number);
    if (attribute->kind != Kind::None && value.kind != Kind::Mesh) value.kind = attribute->kind;
    const bool had = node->values.count(key) != 0;
    const Value old_value = had ? node->values[key] : Value();
    apply({[node, key, had, old_value] {
               if (had) node->values[key] = old_value;
               else node->values.erase(key);
           },
           [node, key, value] { node->values[key] = value; }});
    return true;
}

void Scene::add_attribute(Node* node, Attribute* attribute) {
    apply({[node, attribute] { node->dynamic.erase(std::remove(node->dynamic.begin(), node->dynamic.end(), attribute), node->dynamic.end()); },
           [node, attribute] { node->dynamic.push_back(attribute); }});
}

void Scene::set_locked_plug(const Plug& plug, bool locked) {
    Node* node = plug.node;
    const std::string key = plug.key();
    const bool was = node->locked_plugs.count(key) != 0;
    auto put = [node, key](bool on) {
        if (on) node->locked_plugs.insert(key);
        else node->locked_plugs.erase(key);
    };
    apply({[put, was] { put(was); }, [put, locked] { put(locked); }});
}

void Scene::set_alias(const Plug& plug, const std::string& alias) {
    Node* node = plug.node;
    const std::string key = plug.key();
    apply({[node, alias] { node->aliases.erase(alias); }, [node, alias, key] { node->aliases[alias] = key; }});
}

void Scene::set_skin_weights(Node* node, std::vector<std::map<int, double>> weights) {
    auto old_weights = std::make_shared<std::vector<std::map<int, double>>>(node->skin_weights);
    auto new_weights = std::make_shared<std::vector<std::map<int, double>>>(std::move(weights));
    apply({[node, old_weights] { node->skin_weights = *old_weights; }, [node, new_weights] { node->skin_weights = *new_weights; }});
}

void Scene::select(std::vector<std::pair<Path, Node*>> items) {
    const bool was_modified = modified;
    auto old_items = selection;
    apply({[this, old_items] { selection = old_items; }, [this, items] { selection = items; }});
    modified = was_modified;
}

std::vector<int> Scene::element_indices(const Plug& array) const {
    std::set<int> indices;
    const std::string prefix = array.key() + '[';
    auto take = [&](const std::string& key) {
        if (key.compare(0, prefix.size(), prefix) == 0) indices.insert(std::atoi(key.c_str() + prefix.size()));
    };
    for (auto it = array.node->values.lower_bound(prefix); it != array.node->values.end() && it->first.compare(0, prefix.size(), prefix) == 0; ++it) take(it->first);
    for (auto it = array.node->incoming.lower_bound(prefix); it != array.node->incoming.end() && it->first.compare(0, prefix.size(), prefix) == 0; ++it) take(it->first);
    return {indices.begin(), indices.end()};
}

bool Scene::source_of(const Plug& destination, Plug& source) const {
    auto found = destination.node->incoming.find(destination.key());
    if (found == destination.node->incoming.end()) return false;
    source = plug_from_key(found->second.node, found->second.key);
    return true;
}

std::vector<Plug> Scene::destinations_of(const Plug& source) const {
    std::vector<Plug> out;
    const std::string key = source.key();
    for (Node* node : nodes_) {
        if (!node->alive) continue;
        for (const auto& [to, from] : node->incoming)
            if (from.node == source.node && from.key == key) out.push_back(plug_from_key(node, to));
    }
    return out;
}

Plug Scene::plug_from_key(Node* node, const std::string& key) const { return find_plug(node, key); }

Plug Scene::find_plug(Node* node, const std::string& text) const {
    Plug plug;
    size_t at = 0;
    while (at <= text.size()) {
        size_t dot = text.find('.', at);
        if (dot == std::string::npos) dot = text.size();
        std::string part = text.substr(at, dot - at);
        int index = -1;
        const size_t bracket = part.find('[');
        if (bracket != std::string::npos) {
            index = std::atoi(part.c_str() + bracket + 1);
            part.resize(bracket);
        }
        Attribute* attribute = nullptr;
        if (plug.steps.empty()) {
            attribute = node->attribute(part);
            auto alias = node->aliases.find(part);
            if (!attribute && alias != node->aliases.end()) return find_plug(node, alias->second);
            if (!attribute) return Plug();
            plug.node = node;
            // A component named by itself: put its parents in front.
            std::vector<Attribute*> chain;
            for (Attribute* parent = attribute->parent; parent; parent = parent->parent) chain.insert(chain.begin(), parent);
            for (Attribute* parent : chain) plug.steps.push_back({parent, -1});
        } else {
            for (Attribute* child : plug.attribute()->children)
                if (child->long_name == part || child->short_name == part) attribute = child;
            if (!attribute) return Plug();
        }
        plug.steps.push_back({attribute, index});
        at = dot + 1;
    }
    return plug;
}

Value Scene::evaluate(const Plug& plug) {
    const std::string key = plug.key();
    auto incoming = plug.node->incoming.find(key);
    if (incoming != plug.node->incoming.end()) return evaluate(plug_from_key(incoming->second.node, incoming->second.key));
    // A component of a connected compound takes the same component of its source.
    if (plug.steps.size() > 1 && plug.steps.back().index < 0) {
        const Plug parent = plug.parent();
        Plug source;
        if (source_of(parent, source)) {
            const auto& siblings = parent.attribute()->children;
            const size_t which = size_t(std::find(siblings.begin(), siblings.end(), plug.attribute()) - siblings.begin());
            if (which < source.attribute()->children.size()) return evaluate(source.child(source.attribute()->children[which]));
        }
    }
    for (NodeType* type = plug.node->type; type; type = type->base) {
        if (!type->compute) continue;
        auto cached = plug.node->cache.find(key);
        if (cached != plug.node->cache.end() && cached->second.first == epoch_) return cached->second.second;
        Value value;
        if (type->compute(*plug.node, plug, value)) {
            plug.node->cache[key] = {epoch_, value};
            return value;
        }
    }
    auto stored = plug.node->values.find(key);
    if (stored != plug.node->values.end()) return stored->second;
    Value value;
    value.kind = plug.attribute()->kind;
    value.number = plug.attribute()->default_number;
    if (value.kind == Kind::Matrix) value.matrix = identity();
    return value;
}

void Scene::clear() {
    flush_undo();
    for (Node* node : nodes_) {
        if (node->instance && node->type->destroy_instance) node->type->destroy_instance(node->instance);
        node->instance = nullptr;
        node->alive = false;
        node->incoming.clear();
    }
    nodes_.clear();
    named_.clear();
    world_->children.clear();
    selection.clear();
    file_name.clear();
    current_namespace.clear();
    added_namespaces.clear();
    file_info.clear();
    add_default_nodes();
    modified = false;
    changed();
}

void Scene::flush_undo() {
    for (auto* queue : {&undo_queue, &redo_queue}) {
        for (UndoStep& step : *queue)
            if (step.drop) step.drop();
        queue->clear();
    }
}

bool Scene::undo(std::string& error) {
    if (undo_queue.empty()) {
        error = "There are no more commands to undo.";
        return false;
    }
    UndoStep step = std::move(undo_queue.back());
    undo_queue.pop_back();
    recorder = nullptr;
    bool ok = true;
    if (step.undo) ok = step.undo();
    for (auto it = step.edits.rbegin(); it != step.edits.rend(); ++it) it->undo();
    changed();
    redo_queue.push_back(std::move(step));
    return ok;
}

bool Scene::redo(std::string& error) {
    if (redo_queue.empty()) {
        error = "There are no more commands to redo.";
        return false;
    }
    UndoStep step = std::move(redo_queue.back());
    redo_queue.pop_back();
    recorder = nullptr;
    bool ok = true;
    for (Edit& edit : step.edits) edit.redo();
    if (step.redo) ok = step.redo();
    changed();
    undo_queue.push_back(std::move(step));
    return ok;
}

namespace {
struct Hasher {
    uint64_t state = 0xcbf29ce484222325ull;
    void bytes(const void* data, size_t size) {
        const auto* byte = static_cast<const unsigned char*>(data);
        for (size_t i = 0; i < size; ++i) state = (state ^ byte[i]) * 0x100000001b3ull;
    }
    void text(const std::string& text) {
        bytes(text.data(), text.size());
        bytes("", 1);
    }
    template <class T> void items(const std::vector<T>& items) { bytes(items.data(), items.size() * sizeof(T)); }
    void value(const Value& value) {
        bytes(&value.kind, sizeof value.kind);
        bytes(&value.number, sizeof value.number);
        text(value.text);
        bytes(value.matrix.data(), sizeof value.matrix);
        items(value.points);
        items(value.indices);
        if (!value.mesh) return;
        items(value.mesh->points);
        items(value.mesh->face_sizes);
        items(value.mesh->corners);
        items(value.mesh->u);
        items(value.mesh->v);
        items(value.mesh->uv_sizes);
        items(value.mesh->uv_corners);
        for (const auto& [corner, normal] : value.mesh->locked_normals) {
            bytes(&corner, sizeof corner);
            bytes(normal.data(), sizeof normal);
        }
    }
};
}  // namespace

uint64_t Scene::hash() const {
    Hasher hasher;
    // By path, not by age: a deleted and restored node hashes the same.
    for (const Path& path : all_paths()) hasher.text(full_name(path));
    for (const Node* node : nodes_) {
        // What is below a node that is gone is gone with it.
        if (!node->alive || (node->type->dag && all_paths(node).empty())) continue;
        hasher.text(node->name);
        hasher.text(node->type->name);
        for (const Attribute* attribute : node->dynamic) hasher.text(attribute->long_name);
        for (const auto& [key, value] : node->values) {
            hasher.text(key);
            hasher.value(value);
        }
        for (const auto& [key, source] : node->incoming) {
            hasher.text(key);
            hasher.text(source.node->name + '.' + source.key);
        }
        for (const std::string& key : node->locked_plugs) hasher.text(key);
        for (const auto& [alias, key] : node->aliases) hasher.text(alias + '=' + key);
        for (const auto& vertex : node->skin_weights)
            for (const auto& [influence, weight] : vertex) {
                hasher.bytes(&influence, sizeof influence);
                hasher.bytes(&weight, sizeof weight);
            }
    }
    for (const auto& item : selection) hasher.text(item.first.empty() ? item.second->name : full_name(item.first));
    hasher.text(linear_unit);
    hasher.bytes(&up_axis, 1);
    return hasher.state;
}

}  // namespace fake

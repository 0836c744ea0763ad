// Paths and transforms.
#include <algorithm>

#include "scene.h"

namespace fake {

static void collect(Path& path, const Node* node, std::vector<Path>& out, const Node* wanted) {
    for (Node* child : node->children) {
        path.push_back(child);
        if (!wanted || child == wanted) out.push_back(path);
        collect(path, child, out, wanted);
        path.pop_back();
    }
}

std::vector<Path> Scene::all_paths(const Node* node) const {
    // Upwards, one branch for each parent; the order is that of the parents.
    std::vector<Path> open = {{const_cast<Node*>(node)}}, done;
    while (!open.empty()) {
        Path path = open.front();
        open.erase(open.begin());
        for (Node* parent : path.front()->parents) {
            if (parent == world_) {
                done.push_back(path);
            } else {
                Path longer = {parent};
                longer.insert(longer.end(), path.begin(), path.end());
                open.push_back(longer);
            }
        }
    }
    return done;
}

std::vector<Path> Scene::all_paths() const {
    std::vector<Path> out;
    Path path;
    collect(path, world_, out, nullptr);
    return out;
}

std::string Scene::full_name(const Path& path) const {
    std::string name;
    for (const Node* node : path) name += '|' + node->name;
    return name;
}

static bool ends_with(const Path& path, const std::vector<std::string>& parts, bool absolute) {
    if (absolute ? path.size() != parts.size() : path.size() < parts.size()) return false;
    for (size_t i = 0; i < parts.size(); ++i)
        if (!glob(parts[parts.size() - 1 - i], path[path.size() - 1 - i]->name)) return false;
    return true;
}

std::vector<Path> Scene::find_paths(const std::string& pattern) const {
    std::vector<std::string> parts;
    const bool absolute = !pattern.empty() && pattern[0] == '|';
    size_t at = absolute ? 1 : 0;
    while (at <= pattern.size()) {
        size_t bar = pattern.find('|', at);
        if (bar == std::string::npos) bar = pattern.size();
        parts.push_back(pattern.substr(at, bar - at));
        at = bar + 1;
    }
    std::vector<Path> out;
    if (absolute && pattern.find_first_of("*?") == std::string::npos) {
        // One way down, as long as names of siblings are unique.
        Path path;
        const Node* at_node = world_;
        for (const std::string& part : parts) {
            auto found = std::find_if(at_node->children.begin(), at_node->children.end(), [&](const Node* child) { return child->name == part; });
            if (found == at_node->children.end()) return out;
            path.push_back(*found);
            at_node = *found;
        }
        out.push_back(path);
        return out;
    }
    if (pattern.find_first_of("*?") == std::string::npos) {
        auto same = named_.find(parts.back());
        if (same == named_.end()) return out;
        for (const Node* node : same->second) {
            if (!node->alive || !node->type->dag || node->name != parts.back()) continue;
            for (const Path& path : all_paths(node))
                if (ends_with(path, parts, absolute)) out.push_back(path);
        }
        return out;
    }
    for (const Path& path : all_paths())
        if (ends_with(path, parts, absolute)) out.push_back(path);
    return out;
}

std::vector<Node*> Scene::find_dependency_nodes(const std::string& pattern) const {
    std::vector<Node*> out;
    if (pattern.find_first_of("*?") == std::string::npos) {
        auto same = named_.find(pattern);
        if (same == named_.end()) return out;
        for (Node* node : same->second)
            if (node->alive && !node->type->dag && node->name == pattern) out.push_back(node);
        return out;
    }
    for (Node* node : nodes_)
        if (node->alive && !node->type->dag && glob(pattern, node->name)) out.push_back(node);
    return out;
}

std::string Scene::partial_name(const Path& path) const {
    std::string name;
    for (size_t count = 1; count <= path.size(); ++count) {
        name = path[path.size() - count]->name + (name.empty() ? "" : "|" + name);
        if (find_paths(name).size() == 1) return name;
    }
    return full_name(path);
}

static double number(Scene& scene, Node* node, const char* attribute) {
    const Plug plug = scene.find_plug(node, attribute);
    return plug.null() ? 0.0 : scene.evaluate(plug).number;
}

static Matrix scale_matrix(double x, double y, double z) { return {x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1}; }

Matrix Scene::local_matrix(Node* node) {
    if (node->type->shape || node == world_) return identity();
    if (node->local_cache.first == epoch_) return node->local_cache.second;
    auto n = [&](const char* attribute) { return number(*this, node, attribute); };
    Matrix matrix = scale_matrix(n("scaleX"), n("scaleY"), n("scaleZ"));
    matrix = multiply(matrix, rotation(n("rotateAxisX"), n("rotateAxisY"), n("rotateAxisZ"), 0));
    matrix = multiply(matrix, rotation(n("rotateX"), n("rotateY"), n("rotateZ"), int(n("rotateOrder"))));
    if (node->type->is("joint")) {
        matrix = multiply(matrix, rotation(n("jointOrientX"), n("jointOrientY"), n("jointOrientZ"), 0));
        Node* parent = node->parents.empty() ? nullptr : node->parents[0];
        if (n("segmentScaleCompensate") != 0.0 && parent && parent->type->is("joint")) {
            const double x = number(*this, parent, "scaleX"), y = number(*this, parent, "scaleY"), z = number(*this, parent, "scaleZ");
            if (x != 0.0 && y != 0.0 && z != 0.0) matrix = multiply(matrix, scale_matrix(1 / x, 1 / y, 1 / z));
        }
    }
    const Matrix translation = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, n("translateX"), n("translateY"), n("translateZ"), 1};
    matrix = multiply(matrix, translation);
    node->local_cache = {epoch_, matrix};
    return matrix;
}

Matrix Scene::world_matrix(const Path& path) {
    Matrix matrix = identity();
    for (auto node = path.rbegin(); node != path.rend(); ++node) matrix = multiply(matrix, local_matrix(*node));
    return matrix;
}

}  // namespace fake

// The scene of the stand-in host: nodes with typed attributes, a DAG with instances, connections, evaluation on
// demand, edits that can be undone. Knows nothing of the API's classes or of a year.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fake {

#define FAKE_API __attribute__((visibility("default")))

/// Row-vector convention: a point is multiplied from the left, the translation stands in elements 12 to 14.
using Matrix = std::array<double, 16>;
FAKE_API Matrix identity();
FAKE_API Matrix multiply(const Matrix& left, const Matrix& right);
FAKE_API Matrix inverse(const Matrix& matrix);
/// The rotation by x, then y, then z (radians), for one of Maya's six rotate orders.
FAKE_API Matrix rotation(double x, double y, double z, int order);

struct Mesh {
    std::vector<float> points;  // three a vertex
    std::vector<int> face_sizes;
    std::vector<int> corners;
    std::vector<float> u, v;
    std::vector<int> uv_sizes;  // per face, 0 where it has no UVs
    std::vector<int> uv_corners;
    std::set<int> hard_edges;
    std::map<int, std::array<float, 3>> locked_normals;  // by corner
};

enum class Kind { None, Bool, Int, Float, Double, Angle, Distance, String, Matrix, Mesh, Points, Indices, Compound, Message };

struct Value {
    Kind kind = Kind::None;
    double number = 0.0;
    std::string text;
    Matrix matrix{};
    std::shared_ptr<const Mesh> mesh;
    std::vector<double> points;  // four a point
    std::vector<int> indices;

    static Value of(Kind kind, double number);
    static Value of(const std::string& text);
    static Value of(const Matrix& matrix);
    static Value of(std::shared_ptr<const Mesh> mesh);
};

/// What an object handle points at. Objects are never freed while the process lives, so no handle dangles.
struct Object {
    enum class Class { Node, Attribute, Data, Component, Plugin };
    explicit Object(Class class_) : class_(class_) {}
    virtual ~Object() = default;
    Class class_;
};

struct Data : Object {
    Data() : Object(Class::Data) {}
    Value value;
};

struct Component : Object {
    Component() : Object(Class::Component) {}
    std::vector<int> elements;
    bool complete = false;
};

struct Attribute : Object {
    Attribute() : Object(Class::Attribute) {}
    std::string long_name, short_name;
    Kind kind = Kind::Double;
    bool array = false;
    bool keyable = false, hidden = false, storable = true, readable = true, writable = true;
    double default_number = 0.0;
    bool has_minimum = false, has_maximum = false;
    double minimum = 0.0, maximum = 0.0;
    std::vector<std::pair<std::string, int>> fields;
    Attribute* parent = nullptr;
    std::vector<Attribute*> children;
    std::vector<Attribute*> affects;
};

struct Node;
struct Plug;

struct NodeType {
    std::string name;
    unsigned id = 0;
    std::vector<int> api_types;  // most derived first, numbers of the API
    bool dag = false, shape = false;
    NodeType* base = nullptr;
    std::vector<Attribute*> attributes;
    std::function<bool(Node&, const Plug&, Value&)> compute;
    std::function<void*(Node&)> create_instance;  // plug-in types only
    std::function<void(void*)> destroy_instance;
    std::string plugin;

    bool is(const std::string& type_name) const;
};

struct Source {
    Node* node;
    std::string key;
};

struct Node : Object {
    Node() : Object(Class::Node) {}
    std::string name;
    NodeType* type = nullptr;
    std::vector<Attribute*> dynamic;
    std::vector<Node*> parents, children;
    std::map<std::string, Value> values;
    std::map<std::string, Source> incoming;
    std::set<std::string> locked_plugs;
    std::map<std::string, std::pair<uint64_t, Value>> cache;
    std::pair<uint64_t, Matrix> local_cache{0, {}};
    /// Second names of plugs.
    std::map<std::string, std::string> aliases;
    /// skinCluster: weights per vertex, influence index to weight. Kept apart from `values` for size.
    std::vector<std::map<int, double>> skin_weights;
    /// `fixed`: of every scene, and not to be deleted.
    bool alive = true, locked = false, referenced = false, fixed = false;
    void* instance = nullptr;

    Attribute* attribute(const std::string& name) const;
};

struct Step {
    Attribute* attribute;
    int index;  // -1: not an element of an array
};

struct Plug {
    Node* node = nullptr;
    std::vector<Step> steps;

    bool null() const { return node == nullptr || steps.empty(); }
    Attribute* attribute() const { return steps.back().attribute; }
    bool is_array() const { return attribute()->array && steps.back().index < 0; }
    /// The full chain, which is also what `values` and `incoming` are keyed by.
    std::string key() const;
    /// Node name and the chain without leading plain compounds, as users see it.
    std::string name() const;
    Plug child(Attribute* attribute) const;
    Plug element(int index) const;
    Plug parent() const;
};

using Path = std::vector<Node*>;  // without the world

struct Edit {
    std::function<void()> undo, redo;
};
using Edits = std::vector<Edit>;

/// A step of the undo queue: edits of built-in commands, or a plug-in command that undoes itself.
struct UndoStep {
    std::string name;
    Edits edits;
    std::function<bool()> undo, redo;
    std::function<void()> drop;
};

class FAKE_API Scene {
public:
    static Scene& get();

    Node* world() const { return world_; }
    NodeType* type(const std::string& name) const;
    NodeType* add_type(NodeType type);
    void remove_type(const std::string& name);
    bool type_in_use(const NodeType* type) const;
    const std::vector<Node*>& nodes() const { return nodes_; }

    /// All four edit the scene and record how to take it back, when something is recording.
    Node* create(const std::string& type, const std::string& name, Node* parent);
    void erase(const std::vector<Node*>& nodes);
    void rename(Node* node, const std::string& name);
    void reparent(Node* node, Node* parent, bool keep_existing_parents);
    bool connect(const Plug& source, const Plug& destination, std::string& error);
    bool disconnect(const Plug& destination);
    bool set(const Plug& plug, const Value& value, std::string& error);
    void add_attribute(Node* node, Attribute* attribute);
    void set_locked_plug(const Plug& plug, bool locked);
    void set_alias(const Plug& plug, const std::string& alias);
    void set_skin_weights(Node* node, std::vector<std::map<int, double>> weights);
    void select(std::vector<std::pair<Path, Node*>> selection);

    Value evaluate(const Plug& plug);
    std::vector<int> element_indices(const Plug& array) const;
    bool source_of(const Plug& destination, Plug& source) const;
    std::vector<Plug> destinations_of(const Plug& source) const;
    bool settable(const Plug& plug) const;
    Plug find_plug(Node* node, const std::string& text) const;
    Plug plug_from_key(Node* node, const std::string& key) const;

    std::vector<Path> all_paths(const Node* node) const;
    std::vector<Path> all_paths() const;
    std::string full_name(const Path& path) const;
    std::string partial_name(const Path& path) const;
    std::vector<Path> find_paths(const std::string& pattern) const;
    std::vector<Node*> find_dependency_nodes(const std::string& pattern) const;
    Matrix local_matrix(Node* transform);
    Matrix world_matrix(const Path& path);

    void set_linear_unit(const std::string& unit);
    /// A namespace that was added, or that a node is in; the root is always there.
    bool has_namespace(const std::string& name) const;

    void clear();
    uint64_t hash() const;
    void changed() { ++epoch_; }
    uint64_t epoch() const { return epoch_; }

    std::vector<std::pair<Path, Node*>> selection;
    std::string linear_unit = "cm";
    char up_axis = 'y';
    std::string file_name;
    /// Names of new nodes begin with it; empty is the root.
    std::string current_namespace;
    std::set<std::string> added_namespaces;
    std::map<std::string, std::string> file_info;
    bool modified = false;

    /// Where edits go while this is set; they are applied but not recorded when it is null.
    Edits* recorder = nullptr;
    std::vector<UndoStep> undo_queue, redo_queue;
    bool undo(std::string& error);
    bool redo(std::string& error);
    void flush_undo();

private:
    Scene();
    void add_default_nodes();
    void apply(Edit edit);
    std::string unique_name(const std::string& wanted, const Node* parent, bool dag, const Node* self) const;
    void attach(Node* node, Node* parent, size_t at);
    void detach(Node* node, Node* parent);

    Node* world_ = nullptr;
    std::vector<Node*> nodes_;
    /// Nodes by every name that they ever had: a short way to candidates.
    std::unordered_map<std::string, std::vector<Node*>> named_;
    std::map<std::string, std::unique_ptr<NodeType>> types_;
    std::vector<std::unique_ptr<Object>> keep_;
    uint64_t epoch_ = 1;
};

/// An attribute that lives as long as the process.
FAKE_API Attribute* new_attribute(const std::string& long_name, const std::string& short_name, Kind kind);
/// An attribute of three named components.
FAKE_API Attribute* new_triple(const std::string& long_name, const std::string& short_name, Kind kind,
                               const char* suffixes);
/// The same with defaults, and what node types put them together from.
Attribute* plain(const std::string& long_name, const std::string& short_name, Kind kind, double default_number = 0.0);
Attribute* triple(const std::string& long_name, const std::string& short_name, Kind kind, double default_number = 0.0,
                  const char* suffixes = "XYZ");
Attribute* array(Attribute* attribute);
Attribute* compound(const std::string& long_name, const std::string& short_name, std::vector<Attribute*> children);
/// Registers the node types that come with the host.
void add_builtin_types(Scene& scene);
void add_network_types(Scene& scene);
bool glob(const std::string& pattern, const std::string& text);
/// Centimetres in one of a linear unit ("cm", "in", "m", "mm", "ft").
FAKE_API double centimetres(const std::string& unit);

}  // namespace fake

// The built-in MEL commands that tests and plug-ins use.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mel.h"

namespace fake {

Outcome fail(const std::string& error) {
    Outcome outcome;
    outcome.ok = false;
    outcome.error = error;
    return outcome;
}

Outcome one(const std::string& result) {
    Outcome outcome;
    outcome.results = {result};
    return outcome;
}

std::string text_of(double number) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", number);
    return text;
}

Parsed parse(const std::vector<std::string>& words, std::initializer_list<Flag> flags) {
    Parsed parsed;
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word.size() < 2 || word[0] != '-' || !std::isalpha(static_cast<unsigned char>(word[1]))) {
            parsed.rest.push_back(word);
            continue;
        }
        const Flag* known = nullptr;
        for (const Flag& flag : flags)
            if (word.substr(1) == flag.short_name || word.substr(1) == flag.long_name) known = &flag;
        if (!known) {
            parsed.bad = "Invalid flag '" + word + "'";
            return parsed;
        }
        auto& values = parsed.flags[known->long_name];
        for (int k = 0; k < known->words && i + 1 < words.size(); ++k) values.push_back(words[++i]);
    }
    return parsed;
}

bool object(const std::string& name, std::pair<Path, Node*>& found, std::string& error) {
    const auto objects = find_objects(name);
    if (objects.empty()) error = "No object matches name: " + name;
    else if (objects.size() > 1) error = "More than one object matches name: " + name;
    else found = objects[0];
    return objects.size() == 1;
}

bool plug_of(const std::string& text, Plug& plug, std::string& error) {
    const size_t dot = text.find('.');
    std::pair<Path, Node*> found;
    if (dot == std::string::npos) {
        error = "No attribute was specified: " + text;
        return false;
    }
    if (!object(text.substr(0, dot), found, error)) return false;
    plug = Scene::get().find_plug(found.second, text.substr(dot + 1));
    if (plug.null()) error = "No object matches name: " + text;
    return !plug.null();
}

Node* visible_mesh(Node* node) {
    Scene& scene = Scene::get();
    Node* mesh = node;
    for (Node* child : node->children)
        if (child->type->is("mesh") && scene.evaluate(scene.find_plug(child, "intermediateObject")).number == 0.0) mesh = child;
    return mesh;
}

bool truth(const std::string& word) { return word == "1" || word == "on" || word == "true" || word == "yes"; }

namespace {

const double kPi = 3.14159265358979323846;

/// The user's number in the units the scene keeps: radians and centimetres.
double inside(Kind kind, double number) {
    if (kind == Kind::Angle) return number * kPi / 180.0;
    if (kind == Kind::Distance) return number * centimetres(Scene::get().linear_unit);
    return number;
}
double outside(Kind kind, double number) {
    if (kind == Kind::Angle) return number * 180.0 / kPi;
    if (kind == Kind::Distance) return number / centimetres(Scene::get().linear_unit);
    return number;
}

Outcome create_node(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"n", "name", 1}, {"p", "parent", 1}, {"ss", "skipSelect", 0}});
    if (!parsed.bad.empty()) return fail(parsed.bad);
    if (parsed.rest.empty()) return fail("createNode: no type");
    Scene& scene = Scene::get();
    Node* parent = nullptr;
    std::pair<Path, Node*> found;
    std::string error;
    if (parsed.has("parent")) {
        if (!object(parsed.text("parent"), found, error)) return fail(error);
        parent = found.second;
    }
    const NodeType* type = scene.type(parsed.rest[0]);
    if (!type) return fail("Unknown node type: " + parsed.rest[0]);
    if (type->shape && !parent) parent = scene.create("transform", parsed.text("name", parsed.rest[0]), nullptr);
    Node* node = scene.create(parsed.rest[0], parsed.text("name"), parent);
    if (!type->dag) return one(node->name);
    return one(scene.partial_name(scene.all_paths(node)[0]));
}

/// A run of elements of an array of numbers, or of compounds of numbers, each as the user gives it.
Outcome set_elements(const Plug& array, int first, int last, const std::vector<std::string>& values) {
    Scene& scene = Scene::get();
    std::string error;
    size_t at = 0;
    auto put = [&](const Plug& leaf) {
        const Kind kind = leaf.attribute()->kind;
        return at < values.size() && scene.set(leaf, Value::of(kind, inside(kind, std::atof(values[at++].c_str()))), error);
    };
    for (int index = first; index <= last; ++index) {
        const Plug element = array.element(index);
        if (element.attribute()->children.empty()) {
            if (!put(element)) return fail(error.empty() ? "setAttr: too few values" : error);
        } else {
            for (Attribute* child : element.attribute()->children)
                if (!put(element.child(child))) return fail(error.empty() ? "setAttr: too few values" : error);
        }
    }
    return Outcome();
}

Outcome set_attr(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"typ", "type", 1}, {"l", "lock", 1}, {"k", "keyable", 1}, {"s", "size", 1}});
    if (!parsed.bad.empty()) return fail(parsed.bad);
    if (parsed.rest.empty()) return fail("setAttr: no attribute");
    Scene& scene = Scene::get();
    Plug plug;
    std::string error;
    if (!plug_of(parsed.rest[0], plug, error)) return fail(error);
    if (parsed.has("lock")) {
        scene.set_locked_plug(plug, parsed.on("lock", false));
        if (parsed.rest.size() == 1) return Outcome();
    }
    const std::vector<std::string> values(parsed.rest.begin() + 1, parsed.rest.end());
    if (values.empty()) return parsed.has("keyable") || parsed.has("size") ? Outcome() : fail("setAttr: no value");
    int first_element = 0, last_element = -1;
    const size_t bracket = parsed.rest[0].rfind('[');
    if (bracket != std::string::npos && std::sscanf(parsed.rest[0].c_str() + bracket, "[%d:%d]", &first_element, &last_element) == 2)
        return set_elements(plug, first_element, last_element, values);
    Value value;
    value.kind = plug.attribute()->kind;
    switch (plug.attribute()->kind) {
        case Kind::Compound:
            for (size_t i = 0; i < plug.attribute()->children.size() && i < values.size(); ++i) {
                Attribute* child = plug.attribute()->children[i];
                if (!scene.set(plug.child(child), Value::of(child->kind, inside(child->kind, std::atof(values[i].c_str()))), error)) return fail(error);
            }
            return Outcome();
        case Kind::String: value.text = values[0]; break;
        case Kind::Bool: value.number = truth(values[0]); break;
        case Kind::Matrix:
            if (values.size() != 16) return fail("setAttr: a matrix has 16 numbers");
            for (int i = 0; i < 16; ++i) value.matrix[i] = std::atof(values[i].c_str());
            break;
        case Kind::Points:
            for (size_t i = 1; i < values.size(); ++i) value.points.push_back(std::atof(values[i].c_str()));
            break;
        case Kind::Indices:
            for (size_t i = 1; i < values.size(); ++i) {
                int first = 0, last = 0;
                const int read = std::sscanf(values[i].c_str(), "vtx[%d:%d]", &first, &last);
                if (read == 1) last = first;
                if (read < 1) return fail("setAttr: not a component list: " + values[i]);
                for (int index = first; index <= last; ++index) value.indices.push_back(index);
            }
            break;
        default: value.number = inside(value.kind, std::atof(values[0].c_str()));
    }
    if (!scene.set(plug, value, error)) return fail(error);
    return Outcome();
}

Outcome get_attr(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"l", "lock", 0}, {"se", "settable", 0}, {"typ", "type", 0}});
    if (!parsed.bad.empty()) return fail(parsed.bad);
    if (parsed.rest.empty()) return fail("getAttr: no attribute");
    Scene& scene = Scene::get();
    Plug plug;
    std::string error;
    if (!plug_of(parsed.rest[0], plug, error)) return fail(error);
    if (parsed.has("lock")) return one(plug.node->locked_plugs.count(plug.key()) ? "1" : "0");
    if (parsed.has("settable")) return one(scene.settable(plug) ? "1" : "0");
    Outcome outcome;
    auto add = [&](const Plug& leaf) {
        const Value value = scene.evaluate(leaf);
        if (value.kind == Kind::String) outcome.results.push_back(value.text);
        else if (value.kind == Kind::Matrix)
            for (double number : value.matrix) outcome.results.push_back(text_of(number));
        else outcome.results.push_back(text_of(outside(leaf.attribute()->kind, value.number)));
    };
    if (plug.attribute()->kind == Kind::Compound)
        for (Attribute* child : plug.attribute()->children) add(plug.child(child));
    else add(plug);
    return outcome;
}

Outcome add_attr(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"ln", "longName", 1}, {"sn", "shortName", 1}, {"at", "attributeType", 1}, {"dt", "dataType", 1},
                                        {"min", "minValue", 1}, {"max", "maxValue", 1}, {"dv", "defaultValue", 1}, {"k", "keyable", 1}, {"m", "multi", 0},
                                        {"ci", "cachedInternally", 1}, {"h", "hidden", 1}});
    if (!parsed.bad.empty()) return fail(parsed.bad);
    if (parsed.rest.empty()) return fail("addAttr: no object");
    std::pair<Path, Node*> found;
    std::string error;
    if (!object(parsed.rest[0], found, error)) return fail(error);
    const std::string type = parsed.text("attributeType", parsed.text("dataType", "double"));
    const std::map<std::string, Kind> kinds = {{"double", Kind::Double}, {"float", Kind::Float}, {"long", Kind::Int}, {"short", Kind::Int}, {"enum", Kind::Int},
                                               {"bool", Kind::Bool}, {"string", Kind::String}, {"matrix", Kind::Matrix}, {"message", Kind::Message},
                                               {"doubleAngle", Kind::Angle}, {"doubleLinear", Kind::Distance}};
    auto kind = kinds.find(type);
    if (kind == kinds.end()) return fail("addAttr: unknown type " + type);
    Attribute* attribute = new_attribute(parsed.text("longName"), parsed.text("shortName", parsed.text("longName")), kind->second);
    attribute->array = parsed.has("multi");
    attribute->keyable = parsed.on("keyable", false);
    attribute->default_number = std::atof(parsed.text("defaultValue", "0").c_str());
    attribute->has_minimum = parsed.has("minValue");
    attribute->minimum = std::atof(parsed.text("minValue", "0").c_str());
    attribute->has_maximum = parsed.has("maxValue");
    attribute->maximum = std::atof(parsed.text("maxValue", "0").c_str());
    Scene::get().add_attribute(found.second, attribute);
    return Outcome();
}

Outcome connect_attr(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"f", "force", 0}, {"na", "nextAvailable", 0}});
    if (parsed.rest.size() != 2) return fail("connectAttr: two plugs");
    Scene& scene = Scene::get();
    Plug source, destination;
    std::string error;
    if (!plug_of(parsed.rest[0], source, error) || !plug_of(parsed.rest[1], destination, error)) return fail(error);
    if (parsed.has("nextAvailable")) {
        const auto taken = scene.element_indices(destination);
        destination = destination.element(taken.empty() ? 0 : taken.back() + 1);
    }
    if (parsed.has("force")) scene.disconnect(destination);
    if (!scene.connect(source, destination, error)) return fail(error);
    return one("Connected " + parsed.rest[0] + " to " + parsed.rest[1] + ".");
}

/// aliasAttr ALIAS PLUG
Outcome alias_attr(const std::vector<std::string>& words) {
    if (words.size() != 2) return fail("aliasAttr: a name and a plug");
    Plug plug;
    std::string error;
    if (!plug_of(words[1], plug, error)) return fail(error);
    if (plug.node->attribute(words[0]) || plug.node->aliases.count(words[0])) return fail("aliasAttr: the name is taken: " + words[0]);
    Scene::get().set_alias(plug, words[0]);
    return Outcome();
}

/// Connects what members have for it to the next free members of a set.
bool join(Node* set, const char* member_plug, const char* set_plug, const std::vector<std::string>& names, std::string& error) {
    Scene& scene = Scene::get();
    for (const std::string& name : names) {
        std::pair<Path, Node*> found;
        if (!object(name, found, error)) return false;
        const Plug members = scene.find_plug(set, set_plug);
        const auto taken = scene.element_indices(members);
        if (!scene.connect(scene.find_plug(found.second, member_plug), members.element(taken.empty() ? 0 : taken.back() + 1), error)) return false;
    }
    return true;
}

/// sets: makes one of what is named, or puts that into one that is there.
Outcome sets_command(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"n", "name", 1}, {"r", "renderable", 1}, {"nss", "noSurfaceShader", 1}, {"em", "empty", 0}, {"e", "edit", 0}, {"fe", "forceElement", 1}});
    if (!parsed.bad.empty()) return fail(parsed.bad);
    Scene& scene = Scene::get();
    std::string error;
    std::pair<Path, Node*> set;
    if (parsed.has("edit")) {
        if (!object(parsed.text("forceElement"), set, error)) return fail(error);
    } else {
        set.second = scene.create(parsed.has("renderable") ? "shadingEngine" : "objectSet", parsed.text("name", "set1"), nullptr);
    }
    if (!parsed.has("empty") && !join(set.second, "instObjGroups", "dagSetMembers", parsed.rest, error)) return fail(error);
    return one(set.second->name);
}

Outcome shading_node(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"n", "name", 1}, {"as", "asShader", 0}, {"ss", "skipSelect", 0}});
    if (!parsed.bad.empty() || parsed.rest.empty() || !Scene::get().type(parsed.rest[0])) return fail("shadingNode: no such type");
    return one(Scene::get().create(parsed.rest[0], parsed.text("name"), nullptr)->name);
}

Outcome create_display_layer(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"n", "name", 1}, {"e", "empty", 0}});
    if (!parsed.bad.empty()) return fail(parsed.bad);
    return one(Scene::get().create("displayLayer", parsed.text("name", "layer1"), nullptr)->name);
}

/// editDisplayLayerMembers LAYER MEMBERS: a node is in one layer, the one that drives its drawOverride.
Outcome edit_display_layer_members(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"nr", "noRecurse", 0}});
    if (!parsed.bad.empty() || parsed.rest.empty()) return fail("editDisplayLayerMembers: a layer");
    Scene& scene = Scene::get();
    std::string error;
    std::pair<Path, Node*> layer, member;
    if (!object(parsed.rest[0], layer, error)) return fail(error);
    for (size_t i = 1; i < parsed.rest.size(); ++i) {
        if (!object(parsed.rest[i], member, error)) return fail(error);
        const Plug target = scene.find_plug(member.second, "drawOverride");
        scene.disconnect(target);
        if (!scene.connect(scene.find_plug(layer.second, "drawInfo"), target, error)) return fail(error);
    }
    return Outcome();
}

Outcome disconnect_attr(const std::vector<std::string>& words) {
    if (words.size() != 2) return fail("disconnectAttr: two plugs");
    Plug destination;
    std::string error;
    if (!plug_of(words[1], destination, error)) return fail(error);
    if (!Scene::get().disconnect(destination)) return fail("disconnectAttr: no connection to break");
    return Outcome();
}

/// As listConnections shows it: by its alias, if it has one.
std::string shown(const Plug& plug) {
    for (const auto& [alias, key] : plug.node->aliases)
        if (key == plug.key()) return plug.node->name + '.' + alias;
    return plug.name();
}

/// isConnected SOURCE DESTINATION
Outcome is_connected(const std::vector<std::string>& words) {
    // There are no conversion nodes here but those that somebody made.
    const Parsed parsed = parse(words, {{"iuc", "ignoreUnitConversion", 0}});
    if (!parsed.bad.empty() || parsed.rest.size() != 2) return fail("isConnected: two plugs");
    Plug from, to, source;
    std::string error;
    if (!plug_of(parsed.rest[0], from, error) || !plug_of(parsed.rest[1], to, error)) return fail(error);
    return one(Scene::get().source_of(to, source) && source.node == from.node && source.key() == from.key() ? "1" : "0");
}

/// listConnections of plugs, or of whole nodes; nodes or plugs at the other ends, each after the own plug with -c.
Outcome list_connections(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"s", "source", 1}, {"d", "destination", 1}, {"p", "plugs", 1}, {"t", "type", 1}, {"c", "connections", 1},
                                        // There are no conversion nodes here but those that somebody made.
                                        {"scn", "skipConversionNodes", 1}});
    if (!parsed.bad.empty()) return fail(parsed.bad);
    Scene& scene = Scene::get();
    std::vector<std::pair<Plug, Plug>> ends;
    for (const std::string& name : parsed.rest) {
        std::string error;
        Plug plug, source;
        if (name.find('.') == std::string::npos) {
            std::pair<Path, Node*> found;
            if (!object(name, found, error)) return fail(error);
            Node* node = found.second;
            if (parsed.on("source", true))
                for (const auto& item : node->incoming) ends.emplace_back(scene.plug_from_key(node, item.first), scene.plug_from_key(item.second.node, item.second.key));
            if (parsed.on("destination", true))
                for (Node* other : scene.nodes())
                    for (const auto& item : other->incoming)
                        if (other->alive && item.second.node == node) ends.emplace_back(scene.plug_from_key(node, item.second.key), scene.plug_from_key(other, item.first));
            continue;
        }
        if (!plug_of(name, plug, error)) return fail(error);
        if (parsed.on("source", true) && scene.source_of(plug, source)) ends.emplace_back(plug, source);
        if (parsed.on("destination", true))
            for (const Plug& destination : scene.destinations_of(plug)) ends.emplace_back(plug, destination);
    }
    Outcome outcome;
    for (const auto& [own, other] : ends) {
        if (parsed.has("type") && !other.node->type->is(parsed.text("type"))) continue;
        if (parsed.on("connections", false)) outcome.results.push_back(shown(own));
        outcome.results.push_back(parsed.on("plugs", false) ? shown(other) : other.node->name);
    }
    return outcome;
}

Outcome parent_command(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"w", "world", 0}, {"add", "addObject", 0}, {"r", "relative", 0}, {"s", "shape", 0}});
    if (!parsed.bad.empty()) return fail(parsed.bad);
    if (parsed.rest.empty()) return fail("parent: nothing to parent");
    std::vector<std::string> names = parsed.rest;
    std::pair<Path, Node*> found;
    std::string error;
    Node* parent = nullptr;
    if (!parsed.has("world")) {
        if (!object(names.back(), found, error)) return fail(error);
        parent = found.second;
        names.pop_back();
    }
    Outcome outcome;
    for (const std::string& name : names) {
        if (!object(name, found, error)) return fail(error);
        for (Node* above = parent; above; above = above->parents.empty() ? nullptr : above->parents[0])
            if (above == found.second) return fail("Cannot parent an object to itself or one of its children.");
        Scene::get().reparent(found.second, parent, parsed.has("addObject"));
        outcome.results.push_back(found.second->name);
    }
    return outcome;
}

Outcome rename_command(const std::vector<std::string>& words) {
    std::pair<Path, Node*> found;
    std::string error;
    if (words.size() != 2) return fail("rename: two names");
    if (!object(words[0], found, error)) return fail(error);
    Scene::get().rename(found.second, words[1]);
    return one(found.second->name);
}

Outcome delete_command(const std::vector<std::string>& words) {
    std::vector<std::pair<Path, Node*>> objects;
    for (const std::string& word : words)
        for (const auto& found : find_objects(word)) objects.push_back(found);
    if (objects.empty()) return fail("No object matches name");
    std::vector<Node*> nodes;
    for (const auto& found : objects) {
        if (found.second->fixed) return fail("Cannot delete default node '" + found.second->name + "'.");
        if (found.second->locked || found.second->referenced) return fail("Cannot delete locked or referenced node '" + found.second->name + "'.");
        nodes.push_back(found.second);
    }
    Scene::get().erase(nodes);
    return Outcome();
}

Outcome select_command(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"cl", "clear", 0}, {"r", "replace", 0}, {"add", "add", 0}});
    if (!parsed.bad.empty()) return fail(parsed.bad);
    Scene& scene = Scene::get();
    auto items = parsed.has("add") ? scene.selection : std::vector<std::pair<Path, Node*>>();
    for (const std::string& name : parsed.rest) {
        const auto found = find_objects(name);
        if (found.empty()) return fail("No object matches name: " + name);
        items.insert(items.end(), found.begin(), found.end());
    }
    scene.select(items);
    return Outcome();
}

Outcome list_command(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"l", "long", 0}, {"ap", "allPaths", 0}, {"typ", "type", 1}, {"sl", "selection", 0}, {"ni", "noIntermediate", 0},
                                        {"o", "objectsOnly", 0}, {"dag", "dagObjects", 0}, {"et", "exactType", 1}, {"uid", "uuid", 0}});
    if (!parsed.bad.empty()) return fail(parsed.bad);
    Scene& scene = Scene::get();
    std::vector<std::pair<Path, Node*>> objects;
    if (parsed.has("selection")) {
        objects = scene.selection;
    } else if (parsed.rest.empty()) {
        for (const Path& path : scene.all_paths()) objects.push_back({path, path.back()});
        for (Node* node : scene.nodes())
            if (node->alive && !node->type->dag) objects.push_back({Path(), node});
    } else {
        for (const std::string& name : parsed.rest)
            for (const auto& found : find_objects(name)) {
                objects.push_back(found);
                if (!parsed.has("dagObjects")) continue;
                for (const Path& path : scene.all_paths())
                    if (path.size() > found.first.size() && std::equal(found.first.begin(), found.first.end(), path.begin())) objects.push_back({path, path.back()});
            }
    }
    Outcome outcome;
    std::set<Node*> seen;
    for (const auto& object : objects) {
        if (parsed.has("type") && !object.second->type->is(parsed.text("type"))) continue;
        if (parsed.has("exactType") && object.second->type->name != parsed.text("exactType")) continue;
        if (parsed.has("dagObjects") && object.first.empty()) continue;
        if (parsed.has("noIntermediate") && !object.first.empty() && scene.evaluate(scene.find_plug(object.second, "intermediateObject")).number != 0.0) continue;
        if (!parsed.has("allPaths") && !parsed.has("selection") && !seen.insert(object.second).second) continue;
        outcome.results.push_back(parsed.has("uuid") ? uuid_of(object.second) : object_name(object, parsed.has("long")));
    }
    return outcome;
}

/// objExists NAME, or NODE.ATTRIBUTE.
Outcome object_exists(const std::vector<std::string>& words) {
    Plug plug;
    std::string error;
    const bool is_plug = !words.empty() && words[0].find('.') != std::string::npos;
    return one(!words.empty() && (is_plug ? plug_of(words[0], plug, error) : !find_objects(words[0]).empty()) ? "1" : "0");
}

/// file: new, open, import, save; -rename and queries.
Outcome file_command(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"new", "new", 0}, {"f", "force", 0}, {"q", "query", 0}, {"mf", "modified", 0}, {"sn", "sceneName", 0}, {"rn", "rename", 1},
                                        {"o", "open", 0}, {"i", "import", 0}, {"s", "save", 0}, {"typ", "type", 1}, {"iv", "ignoreVersion", 0},
                                        {"rnn", "returnNewNodes", 0}, {"ns", "namespace", 1}, {"mnc", "mergeNamespacesOnClash", 1}});
    if (!parsed.bad.empty()) return fail(parsed.bad);
    Scene& scene = Scene::get();
    if (parsed.has("query")) return one(parsed.has("modified") ? (scene.modified ? "1" : "0") : scene.file_name);
    if (parsed.has("rename")) {
        scene.file_name = parsed.text("rename");
        return one(scene.file_name);
    }
    if (parsed.has("save")) {
        if (scene.file_name.empty()) return fail("file -save: the scene has no name");
        const Outcome outcome = write_ascii(scene.file_name);
        if (outcome.ok) scene.modified = false;
        return outcome.ok ? one(scene.file_name) : outcome;
    }
    const bool opens = parsed.has("open"), imports = parsed.has("import");
    if (!parsed.has("new") && (opens == imports || parsed.rest.size() != 1)) return fail("file: only -new, -open FILE, -import FILE, -save, -rename and queries");
    if (!imports) {
        if (scene.modified && !parsed.has("force")) return fail("Unsaved changes.");
        scene.clear();
        if (!opens) return Outcome();
    }
    Edits* const recorder = scene.recorder;
    scene.recorder = nullptr;
    if (opens) scene.file_name = parsed.rest[0];
    std::vector<Node*> made;
    Outcome outcome = read_ascii(parsed.rest[0], imports, parsed.text("namespace", ":") == ":" ? "" : parsed.text("namespace"), made);
    scene.recorder = recorder;
    if (opens) scene.modified = false;
    if (!outcome.ok) return outcome;
    if (!parsed.has("returnNewNodes")) return one(parsed.rest[0]);
    for (Node* node : made) outcome.results.push_back(node->type->dag ? scene.full_name(scene.all_paths(node)[0]) : node->name);
    return outcome;
}

Outcome current_unit(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"l", "linear", words.empty() || words[0] == "-q" ? 0 : 1}, {"a", "angle", words.empty() || words[0] == "-q" ? 0 : 1}, {"q", "query", 0}});
    Scene& scene = Scene::get();
    if (parsed.has("query")) return one(parsed.has("angle") ? "deg" : scene.linear_unit);
    if (parsed.has("linear")) scene.set_linear_unit(parsed.text("linear"));
    return Outcome();
}

/// namespace -add NAME, below the root; -set NAME, of one that is there.
Outcome namespace_command(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"add", "add", 1}, {"set", "set", 1}});
    if (!parsed.bad.empty() || parsed.has("add") == parsed.has("set")) return fail("namespace: only -add NAME and -set NAME");
    Scene& scene = Scene::get();
    std::string name = parsed.text(parsed.has("add") ? "add" : "set");
    name.erase(0, name.empty() || name[0] != ':' ? 0 : 1);
    if (parsed.has("add")) {
        for (size_t at = name.find(':'); at != std::string::npos; at = name.find(':', at + 1)) scene.added_namespaces.insert(name.substr(0, at));
        scene.added_namespaces.insert(name);
        return Outcome();
    }
    if (!scene.has_namespace(name)) return fail("No namespace matches name: '" + name + "'.");
    scene.current_namespace = name;
    return Outcome();
}

/// namespaceInfo -currentNamespace -absoluteName
Outcome namespace_info(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"cur", "currentNamespace", 0}, {"an", "absoluteName", 0}});
    if (!parsed.bad.empty() || !parsed.has("currentNamespace")) return fail("namespaceInfo: only -currentNamespace");
    const std::string& name = Scene::get().current_namespace;
    return one(name.empty() || parsed.has("absoluteName") ? ":" + name : name);
}

/// putenv NAME VALUE
Outcome put_variable(const std::vector<std::string>& words) {
    if (words.size() != 2) return fail("putenv: a name and a value");
    setenv(words[0].c_str(), words[1].c_str(), 1);
    return Outcome();
}

Outcome up_axis(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"ax", "axis", words.empty() || words[0] == "-q" ? 0 : 1}, {"q", "query", 0}});
    Scene& scene = Scene::get();
    if (parsed.has("query")) return one(std::string(1, scene.up_axis));
    scene.up_axis = parsed.text("axis") == "z" ? 'z' : 'y';
    return Outcome();
}

Outcome undo_command(const std::vector<std::string>&) {
    std::string error;
    return Scene::get().undo(error) ? Outcome() : fail(error.empty() ? "Undo failed." : error);
}
Outcome redo_command(const std::vector<std::string>&) {
    std::string error;
    return Scene::get().redo(error) ? Outcome() : fail(error.empty() ? "Redo failed." : error);
}
Outcome flush_undo(const std::vector<std::string>&) {
    Scene::get().flush_undo();
    return Outcome();
}

Outcome undo_info(const std::vector<std::string>&) {
    Outcome outcome;
    for (const UndoStep& step : Scene::get().undo_queue) outcome.results.push_back(step.name);
    return outcome;
}

Outcome load_plugin(const std::vector<std::string>& words) {
    if (words.empty()) return fail("loadPlugin: no file");
    std::string error;
    if (!Host::get().load_plugin(words.back(), error)) return fail(error);
    return one(words.back());
}

Outcome unload_plugin(const std::vector<std::string>& words) {
    if (words.empty()) return fail("unloadPlugin: no plug-in");
    std::string error;
    if (!Host::get().unload_plugin(words.back(), error)) return fail(error);
    return one(words.back());
}

Outcome plugin_info(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"q", "query", 0}, {"l", "loaded", 0}, {"c", "command", 0}, {"v", "version", 0}, {"vd", "vendor", 0}, {"ls", "listPlugins", 0},
                                        {"dn", "dependNode", 0}, {"av", "apiVersion", 0}, {"p", "path", 0}});
    if (!parsed.bad.empty()) return fail(parsed.bad);
    Host& host = Host::get();
    Outcome outcome;
    if (parsed.has("listPlugins")) {
        for (const auto& [name, plugin] : host.plugins) outcome.results.push_back(name);
        return outcome;
    }
    auto found = parsed.rest.empty() ? host.plugins.end() : host.plugins.find(parsed.rest[0]);
    // The node types of this one are built in.
    if (parsed.has("loaded") && !parsed.rest.empty() && parsed.rest[0] == "quatNodes") return one("1");
    if (parsed.has("loaded")) return one(found != host.plugins.end() ? "1" : "0");
    if (found == host.plugins.end()) return fail("Plug-in, \"" + (parsed.rest.empty() ? "" : parsed.rest[0]) + "\", is not loaded.");
    if (parsed.has("command")) outcome.results = found->second.commands;
    if (parsed.has("dependNode")) outcome.results = found->second.node_types;
    if (parsed.has("version")) outcome.results.push_back(found->second.version);
    if (parsed.has("path")) outcome.results.push_back(found->second.path);
    if (parsed.has("vendor")) outcome.results.push_back(found->second.vendor);
    if (parsed.has("apiVersion")) outcome.results.push_back(found->second.api_version);
    return outcome;
}

Outcome help_command(const std::vector<std::string>& words) {
    if (words.empty()) return fail("help: no command");
    auto found = Host::get().commands.find(words.back());
    if (found == Host::get().commands.end()) return fail("No help for \"" + words.back() + "\"");
    return one(found->second.synopsis());
}

Outcome about_command(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"b", "batch", 0}, {"v", "version", 0}});
    return one(parsed.has("batch") ? (Host::get().batch ? "1" : "0") : Host::get().year);
}

Outcome xform_command(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"q", "query", 0}, {"ws", "worldSpace", 0}, {"t", "translation", 0}, {"m", "matrix", 0}});
    if (!parsed.has("query") || parsed.rest.size() != 1) return fail("xform: only queries of one object");
    std::pair<Path, Node*> found;
    std::string error;
    if (!object(parsed.rest[0], found, error)) return fail(error);
    const Matrix matrix = parsed.has("worldSpace") ? Scene::get().world_matrix(found.first) : Scene::get().local_matrix(found.second);
    Outcome outcome;
    if (parsed.has("matrix"))
        for (double number : matrix) outcome.results.push_back(text_of(number));
    else
        for (int k = 0; k < 3; ++k) outcome.results.push_back(text_of(outside(Kind::Distance, matrix[12 + k])));
    return outcome;
}

Outcome lock_node(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"l", "lock", 1}});
    std::pair<Path, Node*> found;
    std::string error;
    if (parsed.rest.empty() || !object(parsed.rest[0], found, error)) return fail(error);
    found.second->locked = parsed.on("lock", true);
    return Outcome();
}

Outcome option_var(const std::vector<std::string>& words) {
    auto& variables = Host::get().option_vars;
    if (words.size() == 3 && (words[0] == "-iv" || words[0] == "-intValue")) {
        variables[words[1]] = std::atoi(words[2].c_str());
        return Outcome();
    }
    if (words.size() == 2 && words[0] == "-q") return one(std::to_string(variables.count(words[1]) ? variables[words[1]] : 0));
    return fail("optionVar: only -intValue and -q");
}

/// internalVar -userPrefDir: as the host finds it.
Outcome internal_var(const std::vector<std::string>& words) {
    if (words.size() != 1 || (words[0] != "-userPrefDir" && words[0] != "-upd")) return fail("internalVar: only -userPrefDir");
    const char *folder = std::getenv("MAYA_APP_DIR"), *home = std::getenv("HOME");
    return one((folder ? std::string(folder) : std::string(home ? home : "") + "/maya") + '/' + Host::get().year + "/prefs/");
}

/// skinCluster -n name joint… mesh: binds with the first joint at weight one.
Outcome skin_cluster(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"n", "name", 1}, {"tsb", "toSelectedBones", 0}, {"mi", "maximumInfluences", 1}, {"omi", "obeyMaxInfluences", 1}});
    if (!parsed.bad.empty()) return fail(parsed.bad);
    if (parsed.rest.size() < 2) return fail("skinCluster: joints and a mesh");
    Scene& scene = Scene::get();
    std::pair<Path, Node*> target;
    std::string error;
    if (!object(parsed.rest.back(), target, error)) return fail(error);
    Node* mesh = visible_mesh(target.second);
    if (!mesh->type->is("mesh")) return fail("skinCluster: no mesh");
    Node* skin = scene.create("skinCluster", parsed.text("name", "skinCluster1"), nullptr);
    // The undeformed shape moves to an intermediate "Orig" beside the visible one.
    Node* original = scene.create("mesh", mesh->name + "Orig", mesh->parents[0]);
    const Value shape = scene.evaluate(scene.find_plug(mesh, "outMesh"));
    if (!scene.set(scene.find_plug(original, "inMesh"), shape, error) ||
        !scene.set(scene.find_plug(original, "intermediateObject"), Value::of(Kind::Bool, 1), error) ||
        !scene.connect(scene.find_plug(original, "outMesh"), scene.find_plug(skin, "input[0].inputGeometry"), error) ||
        !scene.connect(scene.find_plug(skin, "outputGeometry[0]"), scene.find_plug(mesh, "inMesh"), error))
        return fail(error);
    const Value bind_pose = Value::of(scene.world_matrix(scene.all_paths(mesh)[0]));
    if (!scene.set(scene.find_plug(skin, "geomMatrix"), bind_pose, error)) return fail(error);
    for (size_t i = 0; i + 1 < parsed.rest.size(); ++i) {
        std::pair<Path, Node*> joint;
        if (!object(parsed.rest[i], joint, error)) return fail(error);
        const std::string element = '[' + std::to_string(i) + ']';
        if (!scene.connect(scene.find_plug(joint.second, "worldMatrix[0]"), scene.find_plug(skin, "matrix" + element), error)) return fail(error);
        if (!scene.set(scene.find_plug(skin, "bindPreMatrix" + element), Value::of(inverse(scene.world_matrix(joint.first))), error)) return fail(error);
    }
    scene.set_skin_weights(skin, std::vector<std::map<int, double>>(shape.mesh ? shape.mesh->points.size() / 3 : 0, {{0, 1.0}}));
    return one(skin->name);
}

/// blendShape -n name target… base
Outcome blend_shape(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"n", "name", 1}, {"foc", "frontOfChain", 0}});
    if (!parsed.bad.empty()) return fail(parsed.bad);
    if (parsed.rest.empty()) return fail("blendShape: no base");
    Scene& scene = Scene::get();
    std::string error;
    std::vector<Node*> meshes;
    for (const std::string& name : parsed.rest) {
        std::pair<Path, Node*> found;
        if (!object(name, found, error)) return fail(error);
        Node* mesh = visible_mesh(found.second);
        if (!mesh->type->is("mesh")) return fail("blendShape: no mesh " + name);
        meshes.push_back(mesh);
    }
    Node* base = meshes.back();
    meshes.pop_back();
    Node* blend = scene.create("blendShape", parsed.text("name", "blendShape1"), nullptr);
    Plug input = scene.find_plug(base, "inMesh"), source;
    const Plug geometry = scene.find_plug(blend, "input[0].inputGeometry");
    if (scene.source_of(input, source)) {
        // In front of the chain: between the deformer and what it reads.
        Plug chain = scene.find_plug(source.node, "input[0].inputGeometry"), before;
        if (!scene.source_of(chain, before)) return fail("blendShape: cannot find the front of the chain");
        scene.disconnect(chain);
        if (!scene.connect(before, geometry, error) || !scene.connect(scene.find_plug(blend, "outputGeometry[0]"), chain, error)) return fail(error);
    } else {
        Node* original = scene.create("mesh", base->name + "Orig", base->parents[0]);
        if (!scene.set(scene.find_plug(original, "inMesh"), scene.evaluate(input), error) ||
            !scene.set(scene.find_plug(original, "intermediateObject"), Value::of(Kind::Bool, 1), error) ||
            !scene.connect(scene.find_plug(original, "outMesh"), geometry, error) ||
            !scene.connect(scene.find_plug(blend, "outputGeometry[0]"), input, error))
            return fail(error);
    }
    for (size_t i = 0; i < meshes.size(); ++i) {
        const std::string item = "inputTarget[0].inputTargetGroup[" + std::to_string(i) + "].inputTargetItem[6000].inputGeomTarget";
        if (!scene.connect(scene.find_plug(meshes[i], "outMesh"), scene.find_plug(blend, item), error)) return fail(error);
        if (!scene.set(scene.find_plug(blend, "weight[" + std::to_string(i) + "]"), Value::of(Kind::Float, 0), error)) return fail(error);
    }
    return one(blend->name);
}

}  // namespace

const std::map<std::string, Builtin>& builtins() {
    static const std::map<std::string, Builtin> table = [] {
        std::map<std::string, Builtin> all = {
            {"about", about_command}, {"addAttr", add_attr}, {"aliasAttr", alias_attr}, {"createDisplayLayer", create_display_layer},
            {"editDisplayLayerMembers", edit_display_layer_members}, {"sets", sets_command}, {"shadingNode", shading_node}, {"blendShape", blend_shape},
            {"connectAttr", connect_attr}, {"createNode", create_node}, {"currentUnit", current_unit}, {"delete", delete_command},
            {"disconnectAttr", disconnect_attr}, {"fakeUndoQueue", undo_info}, {"file", file_command}, {"flushUndo", flush_undo}, {"getAttr", get_attr},
            {"help", help_command}, {"loadPlugin", load_plugin}, {"internalVar", internal_var}, {"isConnected", is_connected}, {"listConnections", list_connections},
            {"lockNode", lock_node}, {"ls", list_command}, {"namespace", namespace_command}, {"namespaceInfo", namespace_info}, {"objExists", object_exists}, {"optionVar", option_var}, {"parent", parent_command},
            {"pluginInfo", plugin_info}, {"putenv", put_variable}, {"redo", redo_command}, {"rename", rename_command}, {"select", select_command}, {"setAttr", set_attr},
            {"skinCluster", skin_cluster}, {"undo", undo_command}, {"unloadPlugin", unload_plugin}, {"upAxis", up_axis}, {"xform", xform_command},
        };
        all.insert(fake_commands().begin(), fake_commands().end());
        return all;
    }();
    return table;
}

}  // namespace fake

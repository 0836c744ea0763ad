// Scenes in Maya ASCII: opened, imported, saved. Strict, as a second opinion on what writes such files: a statement that
// this host does not understand is an error with its text.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "mel.h"

namespace fake {
namespace {

using Words = std::vector<std::string>;

bool starts(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

/// The range of `stem[3:7]rest`; false when the text is another attribute's.
bool range_of(const std::string& text, const std::string& stem, int& first, int& last) {
    if (!starts(text, (stem + '[').c_str())) return false;
    const int read = std::sscanf(text.c_str() + stem.size(), "[%d:%d]", &first, &last);
    if (read == 1) last = first;
    return read > 0;
}

/// What a file has in place of a normal that is computed, or more.
const float kComputed = 1e19f;

/// What statements said of the mesh that is being read.
struct MeshText {
    std::vector<float> points, uvs;
    std::vector<int> edges, face_sizes, face_edges, uv_sizes, uv_corners;
    std::map<int, std::array<float, 3>> locked_normals;

    bool empty() const { return points.empty() && face_sizes.empty(); }

    /// False when an index is out of range.
    bool mesh(Mesh& mesh) const {
        const int vertices = int(points.size() / 3);
        mesh.points = points;
        mesh.face_sizes = face_sizes;
        for (int edge : face_edges) {
            // A negative number is an edge that is walked backwards.
            const size_t at = size_t(edge < 0 ? -(edge + 1) : edge) * 2 + (edge < 0 ? 1 : 0);
            if (at >= edges.size() || edges[at] < 0 || edges[at] >= vertices) return false;
            mesh.corners.push_back(edges[at]);
        }
        for (size_t i = 0; i + 1 < uvs.size(); i += 2) {
            mesh.u.push_back(uvs[i]);
            mesh.v.push_back(uvs[i + 1]);
        }
        mesh.uv_sizes = uv_sizes;
        mesh.uv_corners = uv_corners;
        mesh.uv_sizes.resize(face_sizes.size(), 0);
        mesh.locked_normals = locked_normals;
        if (!locked_normals.empty() && (locked_normals.begin()->first < 0 || size_t(locked_normals.rbegin()->first) >= mesh.corners.size())) return false;
        return std::all_of(uv_corners.begin(), uv_corners.end(), [&](int uv) { return uv >= 0 && size_t(uv) < mesh.u.size(); });
    }
};

class Reader {
public:
    Reader(bool imports, std::string name_space) : imports_(imports), prefix_(name_space.empty() ? "" : name_space + ':') {}

    Outcome read(const std::string& text) {
        size_t at = 0;
        Words words;
        std::string error;
        while (true) {
            while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
            if (text.compare(at, 2, "//") == 0) {
                at = std::min(text.find('\n', at), text.size());
                continue;
            }
            const size_t begin = at;
            if (!next_statement(text, at, words, error)) return fail(error);
            if (words.empty()) break;
            const Outcome outcome = statement(words);
            if (!outcome.ok) return fail(outcome.error + ", in: " + text.substr(begin, std::min<size_t>(at - begin, 120)));
        }
        const Outcome outcome = leave_node();
        return outcome.ok ? run_scripts() : outcome;
    }

    std::vector<Node*> made;

private:
    /// A name of the file as it is in the scene. Those of default nodes begin with a colon.
    std::string named(const std::string& name) const { return starts(name, ":") ? name.substr(1) : prefix_ + name; }

    static bool is_default(const std::string& plug) {
        return starts(plug, ":") && find_objects(plug.substr(1, plug.find('.') - 1)).empty();
    }

    static Outcome run(const char* command, const Words& words) { return builtins().at(command)(words); }

    std::string path_of(Node* node) const {
        return node->type->dag ? Scene::get().full_name(Scene::get().all_paths(node)[0]) : node->name;
    }

    Outcome statement(const Words& words) {
        const std::string& verb = words[0];
        if (verb == "createNode") return create(words);
        if (verb == "setAttr") return set(words);
        if (verb == "addAttr") return add(words);
        if (verb == "connectAttr") return connect(words);
        if (verb == "requires") return requires_(words);
        if (verb == "currentUnit") return imports_ ? Outcome() : run("currentUnit", units(words));
        if (verb == "fileInfo") {
            if (words.size() != 3) return fail("fileInfo: a key and a value");
            Scene::get().file_info[words[1]] = words[2];
            return Outcome();
        }
        // Default nodes and their links: this host has one, without links.
        if (verb == "select" || verb == "relationship") return leave_node();
        return fail("a file with the statement \"" + verb + '"');
    }

    static Words units(const Words& words) {
        Words kept;
        for (size_t i = 1; i + 1 < words.size(); i += 2)
            if (words[i] == "-l" || words[i] == "-a") kept.insert(kept.end(), {words[i], words[i + 1] == "centimeter" ? "cm" : words[i + 1]});
        return kept;
    }

    Outcome requires_(const Words& words) {
        for (size_t i = 1; i + 1 < words.size(); ++i) {
            if (words[i] != "-nodeType") continue;
            if (!Scene::get().type(words[i + 1])) return fail("a plug-in with the node type " + words[i + 1] + " is not loaded");
        }
        return Outcome();
    }

    Outcome create(const Words& words) {
        const Outcome left = leave_node();
        if (!left.ok) return left;
        Words given;
        for (size_t i = 1; i < words.size(); ++i) {
            if (words[i] == "-s") continue;
            given.push_back(words[i]);
            if ((words[i] == "-n" || words[i] == "-p") && i + 1 < words.size()) given.push_back(named(words[++i]));
        }
        if (given[0] == "displayLayerManager" && !find_objects("layerManager").empty()) {
            // A scene has one; that of an imported file is merged into it.
            node_ = find_objects("layerManager")[0].second;
            return Outcome();
        }
        const Outcome outcome = run("createNode", given);
        if (!outcome.ok) return outcome;
        node_ = Scene::get().nodes().back();
        made.push_back(node_);
        for (size_t i = 0; i + 1 < given.size(); ++i)
            if (given[i] == "-n" && node_->name != given[i + 1]) return fail("the name " + given[i + 1] + " is taken");
        return outcome;
    }

    Outcome add(const Words& words) {
        if (!node_) return fail("addAttr without a node");
        Words given(words.begin() + 1, words.end());
        // Second names are set with the attribute that is named here.
        if (std::find(given.begin(), given.end(), "attributeAliasList") != given.end()) return Outcome();
        given.push_back(path_of(node_));
        return run("addAttr", given);
    }

    Outcome connect(const Words& words) {
        const Outcome left = leave_node();
        if (!left.ok) return left;
        Words given;
        for (size_t i = 1; i < words.size(); ++i) {
            if (words[i][0] == '-') {
                if (words[i] != "-l") given.push_back(words[i]);
                else ++i;
                continue;
            }
            if (is_default(words[i])) return Outcome();
            given.push_back(named(words[i]));
        }
        return run("connectAttr", given);
    }

    Outcome set(const Words& words) {
        if (!node_) return fail("setAttr without a node");
        Words flags, rest;
        for (size_t i = 1; i < words.size(); ++i) {
            const std::string& word = words[i];
            const bool is_flag = word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1]));
            if (!is_flag) rest.push_back(word);
            else if (word == "-av") continue;
            else if (word == "-s" || word == "-ch" || word == "-cb") ++i;
            else if (i + 1 < words.size()) flags.insert(flags.end(), {word, words[++i]});
        }
        if (rest.empty() || !starts(rest[0], ".")) return fail("setAttr of another node than the last one");
        const std::string attribute = rest[0].substr(1);
        const Words values(rest.begin() + 1, rest.end());
        if (values.empty() && flags.empty()) return Outcome();
        int first = 0, last = 0;
        if (attribute == "aal" || attribute == "attributeAliasList") return aliases(values);
        if (node_->type->is("mesh") && is_geometry(attribute)) return geometry(attribute, values);
        if (node_->type->is("skinCluster") && range_of(attribute, "wl", first, last)) return weights(first, last, values);
        Words given = flags;
        given.push_back(path_of(node_) + '.' + attribute);
        given.insert(given.end(), values.begin(), values.end());
        return run("setAttr", given);
    }

    /// {"alias","plug",…}
    Outcome aliases(const Words& values) {
        std::vector<std::string> texts;
        for (const std::string& word : values) {
            size_t at = 0;
            while ((at = word.find('"', at)) != std::string::npos) {
                const size_t end = word.find('"', at + 1);
                if (end == std::string::npos) return fail("an alias without its end");
                texts.push_back(word.substr(at + 1, end - at - 1));
                at = end + 1;
            }
        }
        for (size_t i = 0; i + 1 < texts.size(); i += 2) {
            const Outcome outcome = run("aliasAttr", {texts[i], path_of(node_) + '.' + texts[i + 1]});
            if (!outcome.ok) return outcome;
        }
        return Outcome();
    }

    static bool is_geometry(const std::string& attribute) {
        for (const char* stem : {"vt[", "ed[", "fc[", "n[", "uvst[", "pd[", "cuvs", "dcc", "cd", "cvd", "hfd"})
            if (starts(attribute, stem)) return true;
        return false;
    }

    Outcome geometry(const std::string& attribute, const Words& values) {
        auto numbers = [&](auto& to) {
            for (const std::string& word : values) to.push_back(static_cast<typename std::decay<decltype(to[0])>::type>(std::atof(word.c_str())));
        };
        if (starts(attribute, "vt[")) numbers(mesh_.points);
        else if (starts(attribute, "uvst[0].uvsp[")) numbers(mesh_.uvs);
        else if (starts(attribute, "ed[")) {
            for (size_t i = 0; i + 2 < values.size(); i += 3) mesh_.edges.insert(mesh_.edges.end(), {std::atoi(values[i].c_str()), std::atoi(values[i + 1].c_str())});
        } else if (starts(attribute, "fc[")) {
            return faces(values);
        } else if (int first = 0, last = 0; range_of(attribute, "n", first, last)) {
            return normals(first, last, values);
        }
        return Outcome();
    }

    /// n[first:last]: a normal for each corner, or what stands for one that is computed.
    Outcome normals(int first, int last, const Words& values) {
        if (last < first || values.size() != (size_t(last - first) + 1) * 3) return fail("normals: not three numbers for each corner");
        for (int corner = first; corner <= last; ++corner) {
            std::array<float, 3> normal;
            for (size_t k = 0; k < 3; ++k) normal[k] = float(std::atof(values[size_t(corner - first) * 3 + k].c_str()));
            if (normal[0] < kComputed) mesh_.locked_normals[corner] = normal;
        }
        return Outcome();
    }

    /// f COUNT EDGES…, mu SET COUNT COORDINATES…
    Outcome faces(const Words& values) {
        size_t at = 0;
        auto number = [&] { return at < values.size() ? std::atoi(values[at++].c_str()) : -1; };
        while (at < values.size()) {
            const std::string kind = values[at++];
            if (kind == "mu") number();
            if (kind != "f" && kind != "mu") return fail("a face with " + kind);
            const int count = number();
            if (count < 0 || size_t(count) > values.size() - at) return fail("a face without its end");
            if (kind == "f") mesh_.face_sizes.push_back(count);
            else {
                mesh_.uv_sizes.resize(mesh_.face_sizes.size() - 1, 0);
                mesh_.uv_sizes.push_back(count);
            }
            for (int i = 0; i < count; ++i) (kind == "f" ? mesh_.face_edges : mesh_.uv_corners).push_back(number());
        }
        return Outcome();
    }

    /// wl[first:last].w: for each vertex the number of its influences, then index and weight of each.
    Outcome weights(int first, int last, const Words& values) {
        size_t at = 0;
        weights_.resize(std::max(weights_.size(), size_t(last) + 1));
        for (int vertex = first; vertex <= last; ++vertex) {
            if (at >= values.size()) return fail("skin weights: too few values");
            const int count = std::atoi(values[at++].c_str());
            for (int i = 0; i < count; ++i, at += 2) {
                if (at + 1 >= values.size()) return fail("skin weights: too few values");
                weights_[size_t(vertex)][std::atoi(values[at].c_str())] = std::atof(values[at + 1].c_str());
            }
        }
        return at == values.size() ? Outcome() : fail("skin weights: too many values");
    }

    /// Gives the node what came in several statements.
    Outcome leave_node() {
        Scene& scene = Scene::get();
        std::string error;
        if (node_ && !mesh_.empty()) {
            auto mesh = std::make_shared<Mesh>();
            if (!mesh_.mesh(*mesh)) return fail("a mesh with an index out of range: " + node_->name);
            const std::shared_ptr<const Mesh> given = mesh;
            if (!scene.set(scene.find_plug(node_, "inMesh"), Value::of(given), error)) return fail(error);
        }
        if (node_ && !weights_.empty()) scene.set_skin_weights(node_, weights_);
        if (node_ && node_->type->is("script")) scripts_.push_back(node_);
        mesh_ = MeshText();
        weights_.clear();
        node_ = nullptr;
        return Outcome();
    }

    /// Scripts that run when the file is opened.
    Outcome run_scripts() {
        Scene& scene = Scene::get();
        for (Node* script : scripts_) {
            if (imports_ || scene.evaluate(scene.find_plug(script, "scriptType")).number != 1.0) continue;
            const Outcome outcome = Host::get().run(scene.evaluate(scene.find_plug(script, "before")).text, false);
            if (!outcome.ok) return outcome;
        }
        return Outcome();
    }

    bool imports_;
    std::string prefix_;
    Node* node_ = nullptr;
    MeshText mesh_;
    std::vector<std::map<int, double>> weights_;
    std::vector<Node*> scripts_;
};

class Writer {
public:
    std::string text() {
        Scene& scene = Scene::get();
        out_ << "//Maya ASCII scene\nrequires maya;\ncurrentUnit -l cm -a degree;\n";
        for (const auto& [key, value] : scene.file_info) out_ << "fileInfo " << quoted(key) << ' ' << quoted(value) << ";\n";
        // Every path is after that of its parent.
        for (const Path& path : scene.all_paths()) node(path.back(), path.size() > 1 ? scene.full_name(Path(path.begin(), path.end() - 1)) : "");
        for (Node* other : scene.nodes())
            if (other->alive && !other->fixed && !other->type->dag) node(other, "");
        for (Node* to : scene.nodes()) {
            if (!to->alive) continue;
            for (const auto& [key, source] : to->incoming)
                if (source.node->alive) out_ << "connectAttr \"" << place(source.node) << '.' << source.key << "\" \"" << place(to) << '.' << key << "\";\n";
        }
        return out_.str();
    }

private:
    static std::string quoted(const std::string& text) {
        std::string out = "\"";
        for (char c : text) {
            if (c == '"' || c == '\\') out += '\\';
            out += c == '\n' ? std::string("\\n") : std::string(1, c);
        }
        return out + '"';
    }
    static std::string place(Node* node) { return node->type->dag ? Scene::get().full_name(Scene::get().all_paths(node)[0]) : node->name; }
    static std::string number(double value) {
        char text[40];
        std::snprintf(text, sizeof text, "%.17g", value);
        return text;
    }

    void node(Node* node, const std::string& parent) {
        out_ << "createNode " << node->type->name << " -n \"" << node->name << '"';
        if (!parent.empty()) out_ << " -p \"" << parent << '"';
        out_ << ";\n";
        for (const Attribute* attribute : node->dynamic) declare(*attribute);
        for (const auto& [key, value] : node->values) set(node, key, value);
        for (const std::string& key : node->locked_plugs) out_ << "\tsetAttr -l on \"." << key << "\";\n";
        if (!node->aliases.empty()) {
            out_ << "\tsetAttr \".aal\" -type \"attributeAlias\" {";
            const char* between = "";
            for (const auto& [alias, key] : node->aliases) {
                out_ << between << quoted(alias) << ',' << quoted(key);
                between = ",";
            }
            out_ << "} ;\n";
        }
        if (!node->skin_weights.empty()) {
            out_ << "\tsetAttr \".wl[0:" << node->skin_weights.size() - 1 << "].w\"";
            for (const auto& vertex : node->skin_weights) {
                out_ << "\n\t\t" << vertex.size();
                for (const auto& [influence, weight] : vertex) out_ << ' ' << influence << ' ' << number(weight);
            }
            out_ << ";\n";
        }
    }

    void declare(const Attribute& attribute) {
        static const std::map<Kind, const char*> names = {{Kind::Double, "-at \"double\""}, {Kind::Float, "-at \"float\""}, {Kind::Int, "-at \"long\""},
                                                          {Kind::Bool, "-at \"bool\""}, {Kind::String, "-dt \"string\""}, {Kind::Matrix, "-dt \"matrix\""},
                                                          {Kind::Message, "-at \"message\""}, {Kind::Angle, "-at \"doubleAngle\""}, {Kind::Distance, "-at \"doubleLinear\""}};
        auto name = names.find(attribute.kind);
        if (name == names.end()) return;
        out_ << "\taddAttr -sn \"" << attribute.short_name << "\" -ln \"" << attribute.long_name << "\" " << name->second;
        if (attribute.has_minimum) out_ << " -min " << number(attribute.minimum);
        if (attribute.has_maximum) out_ << " -max " << number(attribute.maximum);
        if (attribute.array) out_ << " -m";
        if (attribute.keyable) out_ << " -k true";
        out_ << ";\n";
    }

    void set(Node* node, const std::string& key, const Value& value) {
        const Attribute* attribute = Scene::get().plug_from_key(node, key).attribute();
        if (!attribute->storable) return;
        const double factor = attribute->kind == Kind::Angle ? 180.0 / 3.14159265358979323846 : 1.0;
        if (value.kind == Kind::Mesh) return value.mesh ? mesh(*value.mesh) : void();
        out_ << "\tsetAttr \"." << key << '"';
        switch (value.kind) {
            case Kind::String: out_ << " -type \"string\" " << quoted(value.text); break;
            case Kind::Matrix:
                out_ << " -type \"matrix\"";
                for (double n : value.matrix) out_ << ' ' << number(n);
                break;
            case Kind::Points:
                out_ << " -type \"pointArray\" " << value.points.size() / 4;
                for (double n : value.points) out_ << ' ' << number(n);
                break;
            case Kind::Indices:
                out_ << " -type \"componentList\" " << value.indices.size();
                for (int index : value.indices) out_ << " \"vtx[" << index << "]\"";
                break;
            default: out_ << ' ' << number(value.number * factor);
        }
        out_ << ";\n";
    }

    void mesh(const Mesh& mesh) {
        auto list = [&](const std::string& attribute, const std::vector<float>& values, size_t each) {
            if (values.empty()) return;
            out_ << "\tsetAttr \"." << attribute << "[0:" << values.size() / each - 1 << "]\"";
            for (float value : values) out_ << ' ' << number(value);
            out_ << ";\n";
        };
        std::vector<float> uvs;
        for (size_t i = 0; i < mesh.u.size(); ++i) uvs.insert(uvs.end(), {mesh.u[i], mesh.v[i]});
        list("vt", mesh.points, 3);
        list("uvst[0].uvsp", uvs, 2);
        // Every corner has an edge of its own; readers do not mind.
        std::ostringstream edges, faces;
        size_t corner = 0, coordinate = 0;
        for (size_t face = 0; face < mesh.face_sizes.size(); ++face) {
            const size_t size = size_t(mesh.face_sizes[face]);
            faces << "\n\t\tf " << size;
            for (size_t i = 0; i < size; ++i) {
                faces << ' ' << corner + i;
                edges << ' ' << mesh.corners[corner + i] << ' ' << mesh.corners[corner + (i + 1) % size] << " 1";
            }
            corner += size;
            const size_t mapped = face < mesh.uv_sizes.size() ? size_t(mesh.uv_sizes[face]) : 0;
            if (mapped == 0) continue;
            faces << "\n\t\tmu 0 " << mapped;
            for (size_t i = 0; i < mapped; ++i) faces << ' ' << mesh.uv_corners[coordinate++];
        }
        if (corner == 0) return;
        if (!mesh.locked_normals.empty()) {
            out_ << "\tsetAttr \".n[0:" << corner - 1 << "]\" -type \"float3\"";
            for (size_t i = 0; i < corner; ++i) {
                auto locked = mesh.locked_normals.find(int(i));
                if (locked == mesh.locked_normals.end()) out_ << " 1e+20 1e+20 1e+20";
                else for (float value : locked->second) out_ << ' ' << number(value);
            }
            out_ << ";\n";
        }
        out_ << "\tsetAttr \".ed[0:" << corner - 1 << "]\"" << edges.str() << ";\n";
        out_ << "\tsetAttr \".fc[0:" << mesh.face_sizes.size() - 1 << "]\" -type \"polyFaces\"" << faces.str() << ";\n";
    }

    std::ostringstream out_;
};

}  // namespace

Outcome read_ascii(const std::string& path, bool imports, const std::string& name_space, std::vector<Node*>& made) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return fail("File not found: " + path);
    std::ostringstream text;
    text << file.rdbuf();
    Reader reader(imports, name_space);
    const Outcome outcome = reader.read(text.str());
    made = reader.made;
    return outcome;
}

Outcome write_ascii(const std::string& path) {
    std::ofstream file(path, std::ios::binary);
    file << Writer().text();
    file.flush();
    return file ? Outcome() : fail("Cannot write " + path);
}

}  // namespace fake

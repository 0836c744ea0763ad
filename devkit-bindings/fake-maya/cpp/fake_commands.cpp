// Commands that no real host has: what tests need to set up and to look at; and such as answer what tests told them to.
#include <cstdio>
#include <cstdlib>

#include "mel.h"

namespace fake {
namespace {

/// fakeMesh NAME FILE: a transform and its shape from a dump (see the crate's `dump_mesh`).
Outcome fake_mesh(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"p", "parent", 1}});
    if (parsed.rest.size() != 2) return fail("fakeMesh: name and file");
    FILE* file = std::fopen(parsed.rest[1].c_str(), "rb");
    if (!file) return fail("fakeMesh: cannot open " + parsed.rest[1]);
    auto mesh = std::make_shared<Mesh>();
    auto read = [&](auto& items) {
        uint64_t count = 0;
        if (std::fread(&count, 8, 1, file) != 1 || count > (1u << 28)) return false;
        items.resize(count);
        return count == 0 || std::fread(items.data(), sizeof items[0], count, file) == count;
    };
    const bool ok = read(mesh->points) && read(mesh->face_sizes) && read(mesh->corners) && read(mesh->u) && read(mesh->v) && read(mesh->uv_sizes) && read(mesh->uv_corners);
    std::fclose(file);
    if (!ok) return fail("fakeMesh: not a mesh dump: " + parsed.rest[1]);
    Scene& scene = Scene::get();
    Node* parent = nullptr;
    std::pair<Path, Node*> found;
    std::string error;
    if (parsed.has("parent")) {
        if (!object(parsed.text("parent"), found, error)) return fail(error);
        parent = found.second;
    }
    Node* transform = scene.create("transform", parsed.rest[0], parent);
    Node* shape = scene.create("mesh", transform->name + "Shape", transform);
    if (!scene.set(scene.find_plug(shape, "inMesh"), Value::of(mesh), error)) return fail(error);
    return one(scene.full_name(scene.all_paths(transform)[0]));
}

/// fakePoints MESH: the evaluated points of a shape or of a transform's visible shape, in world space.
Outcome fake_points(const std::vector<std::string>& words) {
    std::pair<Path, Node*> found;
    std::string error;
    if (words.empty() || !object(words[0], found, error)) return fail(error);
    Scene& scene = Scene::get();
    Node* mesh = visible_mesh(found.second);
    const Value value = scene.evaluate(scene.find_plug(mesh, "worldMesh[0]"));
    if (!value.mesh) return fail("fakePoints: no mesh");
    Outcome outcome;
    for (float number : value.mesh->points) {
        char text[32];
        std::snprintf(text, sizeof text, "%.9g", number);
        outcome.results.push_back(text);
    }
    return outcome;
}

/// fakeNormals MESH: the locked normals of an evaluated shape, corner by corner: its number, vertex, x, y, z.
Outcome fake_normals(const std::vector<std::string>& words) {
    std::pair<Path, Node*> found;
    std::string error;
    if (words.empty() || !object(words[0], found, error)) return fail(error);
    Scene& scene = Scene::get();
    Node* mesh = visible_mesh(found.second);
    const Value value = scene.evaluate(scene.find_plug(mesh, "outMesh"));
    if (!value.mesh) return fail("fakeNormals: no mesh");
    Outcome outcome;
    for (const auto& [corner, normal] : value.mesh->locked_normals) {
        outcome.results.push_back(std::to_string(corner));
        outcome.results.push_back(std::to_string(value.mesh->corners[size_t(corner)]));
        for (float number : normal) outcome.results.push_back(text_of(number));
    }
    return outcome;
}

Outcome fake_hash(const std::vector<std::string>&) {
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(Scene::get().hash()));
    return one(text);
}

Outcome fake_referenced(const std::vector<std::string>& words) {
    std::pair<Path, Node*> found;
    std::string error;
    if (words.empty() || !object(words[0], found, error)) return fail(error);
    found.second->referenced = true;
    return Outcome();
}

Outcome reference_query(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"inr", "isNodeReferenced", 0}});
    std::pair<Path, Node*> found;
    std::string error;
    if (!parsed.has("isNodeReferenced") || parsed.rest.size() != 1) return fail("referenceQuery: only -isNodeReferenced");
    if (!object(parsed.rest[0], found, error)) return fail(error);
    return one(found.second->referenced ? "1" : "0");
}

/// python CODE: kept for the test; does what `fakePython` said, and answers what it said.
Outcome python_command(const std::vector<std::string>& words) {
    if (words.size() != 1) return fail("python: a string");
    Host& host = Host::get();
    host.python_calls.push_back(words[0]);
    if (!host.python_effect.empty()) {
        const Outcome outcome = host.run(host.python_effect, false);
        if (!outcome.ok) return outcome;
    }
    return one(host.python_answer);
}

/// fakeModule NAME PATH: a module that Maya knows.
Outcome fake_module(const std::vector<std::string>& words) {
    if (words.size() != 2) return fail("fakeModule: a name and a path");
    Host::get().modules[words[0]] = words[1];
    return Outcome();
}

Outcome module_info(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"lm", "listModules", 0}});
    if (!parsed.has("listModules")) return fail("moduleInfo: only -listModules");
    Outcome outcome;
    for (const auto& module : Host::get().modules) outcome.results.push_back(module.first);
    return outcome;
}

Outcome module_path(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"mn", "moduleName", 1}});
    const auto& modules = Host::get().modules;
    const auto found = modules.find(parsed.text("moduleName"));
    return found == modules.end() ? fail("Module not found: " + parsed.text("moduleName")) : one(found->second);
}

/// fakePython ANSWER [MEL]: what the next calls of `python` return, and what they do; without a word, the calls so far.
Outcome fake_python(const std::vector<std::string>& words) {
    Host& host = Host::get();
    Outcome outcome;
    if (words.empty()) {
        outcome.results = host.python_calls;
        return outcome;
    }
    host.python_calls.clear();
    host.python_answer = words[0];
    host.python_effect = words.size() > 1 ? words[1] : std::string();
    return outcome;
}

/// fakeEsc TEXT: press Esc once the progress text holds TEXT; without a word, never.
Outcome fake_esc(const std::vector<std::string>& words) {
    Host::get().esc_at = words.empty() ? std::string() : words[0];
    return Outcome();
}

/// fakeRefuse [-silently] [TEXT [COUNT]]: statements that begin with TEXT fail, or give nothing, but for the first COUNT;
/// without a word, none does.
Outcome fake_refuse(const std::vector<std::string>& words) {
    const Parsed parsed = parse(words, {{"s", "silently", 0}});
    Host& host = Host::get();
    host.refused.text = parsed.rest.empty() ? std::string() : parsed.rest[0];
    host.refused.let_through = parsed.rest.size() > 1 ? std::atoi(parsed.rest[1].c_str()) : 0;
    host.refused.silently = parsed.has("silently");
    return Outcome();
}

/// fakeComputation: polls, interrupted, longest gap between polls (ms), Esc to end (ms), running, statuses.
Outcome fake_computation(const std::vector<std::string>&) {
    const Computation& computation = Host::get().computation;
    Outcome outcome;
    outcome.results = {std::to_string(computation.polls), computation.interrupted ? "1" : "0", text_of(computation.longest_gap_ms),
                       text_of(computation.stop_ms), computation.running ? "1" : "0"};
    outcome.results.insert(outcome.results.end(), computation.statuses.begin(), computation.statuses.end());
    return outcome;
}

Outcome fake_batch(const std::vector<std::string>& words) {
    Host::get().batch = !words.empty() && truth(words[0]);
    return Outcome();
}

Outcome print_command(const std::vector<std::string>& words) {
    Host::get().message('I', words.empty() ? "" : words[0]);
    return Outcome();
}

Outcome quit_command(const std::vector<std::string>&) {
    Host::get().quit = true;
    return Outcome();
}

}  // namespace

const std::map<std::string, Builtin>& fake_commands() {
    static const std::map<std::string, Builtin> table = {
        {"fakeBatch", fake_batch}, {"fakeComputation", fake_computation}, {"fakeEsc", fake_esc}, {"fakeHash", fake_hash}, {"fakeMesh", fake_mesh},
        {"fakeModule", fake_module}, {"fakeNormals", fake_normals}, {"fakePoints", fake_points}, {"fakePython", fake_python},
        {"fakeReferenced", fake_referenced}, {"fakeRefuse", fake_refuse}, {"getModulePath", module_path}, {"moduleInfo", module_info}, {"print", print_command},
        {"python", python_command}, {"quit", quit_command}, {"referenceQuery", reference_query},
    };
    return table;
}

}  // namespace fake

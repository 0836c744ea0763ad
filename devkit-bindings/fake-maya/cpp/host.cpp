#include "host.h"

#include <cstdio>

namespace fake {

Host& Host::get() {
    static Host* host = new Host;
    return *host;
}

void Host::message(char level, const std::string& text) {
    if (sink) sink(level, text);
}

bool split_statements(const std::string& line, std::vector<std::vector<std::string>>& statements, std::string& error) {
    std::vector<std::string> words;
    size_t at = 0;
    while (at < line.size()) {
        const char c = line[at];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++at;
        } else if (c == ';') {
            if (!words.empty()) statements.push_back(words);
            words.clear();
            ++at;
        } else if (c == '"') {
            std::string word;
            for (++at; at < line.size() && line[at] != '"'; ++at) {
                if (line[at] == '\\' && at + 1 < line.size()) {
                    ++at;
                    word += line[at] == 'n' ? '\n' : line[at] == 't' ? '\t' : line[at];
                } else {
                    word += line[at];
                }
            }
            if (at >= line.size()) {
                error = "Syntax error: unterminated string";
                return false;
            }
            ++at;
            words.push_back(word);
        } else {
            std::string word;
            while (at < line.size() && !std::isspace(static_cast<unsigned char>(line[at])) && line[at] != ';') word += line[at++];
            words.push_back(word);
        }
    }
    if (!words.empty()) statements.push_back(words);
    return true;
}

Outcome Host::run(const std::string& line, bool undoable) {
    std::vector<std::vector<std::string>> statements;
    Outcome outcome;
    if (!split_statements(line, statements, outcome.error)) {
        outcome.ok = false;
        message('E', outcome.error);
        return outcome;
    }
    for (const auto& words : statements) {
        outcome = statement(words, undoable);
        if (!outcome.ok) {
            if (!outcome.error.empty()) message('E', outcome.error);
            break;
        }
    }
    return outcome;
}

Outcome Host::statement(const std::vector<std::string>& words, bool undoable) {
    Scene& scene = Scene::get();
    const std::vector<std::string> arguments(words.begin() + 1, words.end());
    struct Restore {
        Scene& scene;
        Edits* recorder;
        ~Restore() { scene.recorder = recorder; }
    } restore{scene, scene.recorder};

    auto plugin_command = commands.find(words[0]);
    if (plugin_command != commands.end()) {
        // A plug-in command takes back its own work: nothing is recorded for it.
        scene.recorder = nullptr;
        UndoStep step;
        step.name = words[0];
        bool keep = false;
        Outcome outcome = plugin_command->second.run(arguments, step, keep);
        if (keep && outcome.ok && undoable) {
            for (UndoStep& undone : scene.redo_queue)
                if (undone.drop) undone.drop();
            scene.redo_queue.clear();
            scene.undo_queue.push_back(std::move(step));
        } else if (step.drop) {
            step.drop();
        }
        return outcome;
    }

    auto builtin = builtins().find(words[0]);
    if (builtin == builtins().end()) {
        Outcome outcome;
        outcome.ok = false;
        outcome.error = "Cannot find procedure \"" + words[0] + "\".";
        return outcome;
    }
    Edits edits;
    if (undoable) scene.recorder = &edits;
    Outcome outcome = builtin->second(arguments);
    if (undoable && !edits.empty()) {
        if (!outcome.ok) {
            for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) edit->undo();
            scene.changed();
            return outcome;
        }
        for (UndoStep& undone : scene.redo_queue)
            if (undone.drop) undone.drop();
        scene.redo_queue.clear();
        UndoStep step;
        step.name = words[0];
        step.edits = std::move(edits);
        scene.undo_queue.push_back(std::move(step));
    }
    return outcome;
}

std::vector<std::pair<Path, Node*>> find_objects(const std::string& pattern) {
    Scene& scene = Scene::get();
    std::vector<std::pair<Path, Node*>> found;
    for (const Path& path : scene.find_paths(pattern)) found.push_back({path, path.back()});
    for (Node* node : scene.find_dependency_nodes(pattern)) found.push_back({Path(), node});
    return found;
}

std::string object_name(const std::pair<Path, Node*>& object, bool full) {
    if (object.first.empty()) return object.second->name;
    return full ? Scene::get().full_name(object.first) : Scene::get().partial_name(object.first);
}

}  // namespace fake

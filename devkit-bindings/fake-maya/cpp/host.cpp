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

bool next_statement(const std::string& text, size_t& at, std::vector<std::string>& words, std::string& error) {
    words.clear();
    while (at < text.size()) {
        const char c = text[at];
        if (std::isspace(static_cast<unsigned char>(c))) {
            ++at;
        } else if (c == ';') {
            ++at;
            if (!words.empty()) return true;
        } else if (c == '"') {
            std::string word;
            for (++at; at < text.size() && text[at] != '"'; ++at) {
                if (text[at] == '\\' && at + 1 < text.size()) {
                    ++at;
                    word += text[at] == 'n' ? '\n' : text[at] == 't' ? '\t' : text[at];
                } else {
                    word += text[at];
                }
            }
            if (at >= text.size()) {
                error = "Syntax error: unterminated string";
                return false;
            }
            ++at;
            words.push_back(word);
        } else {
            std::string word;
            while (at < text.size() && !std::isspace(static_cast<unsigned char>(text[at])) && text[at] != ';') word += text[at++];
            words.push_back(word);
        }
    }
    return true;
}

bool split_statements(const std::string& line, std::vector<std::vector<std::string>>& statements, std::string& error) {
    size_t at = 0;
    std::vector<std::string> words;
    while (next_statement(line, at, words, error)) {
        if (words.empty()) return true;
        statements.push_back(words);
    }
    return false;
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
    if (!refused.text.empty()) {
        std::string line;
        for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
        if (line.rfind(refused.text, 0) == 0 && refused.let_through-- <= 0) {
            Outcome outcome;
            outcome.ok = refused.silently;
            if (!outcome.ok) outcome.error = "A test refuses \"" + line + "\".";
            return outcome;
        }
    }
    const std::vector<std::string> arguments(words.begin() + 1, words.end());
    struct Restore {
        Scene& scene;
        Edits* recorder;
        ~Restore() { scene.recorder = recorder; }
    } restore{scene, scene.recorder};

    auto plugin_command = commands.find(words[0]);
    if (plugin_command != commands.end()) {
        // A plug-in command takes back its own work: nothing is recorded for it but that it ran.
        Edits* const modifier = scene.recorder;
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
        } else if (keep && outcome.ok && modifier) {
            // Within a modifier it becomes one of the things that the modifier takes back.
            auto kept = std::shared_ptr<UndoStep>(new UndoStep(std::move(step)), [](UndoStep* done) {
                if (done->drop) done->drop();
                delete done;
            });
            modifier->push_back({[kept] { kept->undo(); }, [kept] { kept->redo(); }});
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

std::string uuid_of(const Node* node) {
    char text[40];
    const unsigned long long number = reinterpret_cast<uintptr_t>(node);
    std::snprintf(text, sizeof text, "FA4E0000-0000-0000-%04llX-%012llX", number >> 48, number & 0xffffffffffffULL);
    return text;
}

std::vector<std::pair<Path, Node*>> find_objects(const std::string& pattern) {
    Scene& scene = Scene::get();
    std::vector<std::pair<Path, Node*>> found;
    unsigned long long high = 0, low = 0;
    if (pattern.size() == 36 && std::sscanf(pattern.c_str(), "FA4E0000-0000-0000-%4llX-%12llX", &high, &low) == 2) {
        for (Node* node : scene.nodes()) {
            if (!node->alive || reinterpret_cast<uintptr_t>(node) != (high << 48 | low)) continue;
            if (!node->type->dag) found.push_back({Path(), node});
            else for (const Path& path : scene.all_paths(node)) found.push_back({path, node});
        }
        return found;
    }
    for (const Path& path : scene.find_paths(pattern)) found.push_back({path, path.back()});
    for (Node* node : scene.find_dependency_nodes(pattern)) found.push_back({Path(), node});
    return found;
}

std::string object_name(const std::pair<Path, Node*>& object, bool full) {
    if (object.first.empty()) return object.second->name;
    return full ? Scene::get().full_name(object.first) : Scene::get().partial_name(object.first);
}

}  // namespace fake

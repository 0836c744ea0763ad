// The host around the scene: commands, messages, plug-ins, undo, Esc. Knows nothing of the API's classes or of a
// year; the year's library hooks itself in.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "scene.h"

namespace fake {

struct Outcome {
    bool ok = true;
    std::string error;                 // of a built-in command; a plug-in reports through messages
    std::vector<std::string> results;  // one for a single value
};

/// A command that a plug-in registered. `run` gets the words after the name.
struct PluginCommand {
    std::string plugin;
    std::function<Outcome(const std::vector<std::string>& words, UndoStep& step, bool& undoable)> run;
    std::function<std::string()> synopsis;
};

struct LoadedPlugin {
    std::string name, path, vendor, version, api_version;
    void* library = nullptr;
    std::vector<std::string> commands, node_types;
};

/// What happened in the current or last MComputation.
struct Computation {
    bool running = false;
    int polls = 0;
    bool interrupted = false;
    double longest_gap_ms = 0, stop_ms = 0;
    int minimum = 0, maximum = 0, value = 0;
    std::vector<std::string> statuses;
    std::chrono::steady_clock::time_point last_poll, interrupt_time;
};

class Host {
public:
    static Host& get();

    /// Runs one line of MEL, statement by statement; stops at the first error.
    Outcome run(const std::string& line, bool undoable);
    void message(char level, const std::string& text);

    bool batch = true;
    bool quit = false;
    std::map<std::string, PluginCommand> commands;
    std::map<std::string, LoadedPlugin> plugins;
    Computation computation;
    /// Esc is pressed at the first look once the progress text holds this.
    std::string esc_at;
    std::map<std::string, int> option_vars;
    /// Modules and their folders.
    std::map<std::string, std::string> modules;
    /// Code that was given to `python`, and what that command returns and runs.
    std::vector<std::string> python_calls;
    std::string python_answer, python_effect;
    /// Statements that begin with the text fail, or succeed without a result, once so many of them were let through.
    struct {
        std::string text;
        int let_through = 0;
        bool silently = false;
    } refused;

    // Hooks of the year's library.
    std::function<bool(const std::string& path, std::string& error)> load_plugin;
    std::function<bool(const std::string& name, std::string& error)> unload_plugin;
    std::string year;

    std::function<void(char level, const std::string& text)> sink;

private:
    Outcome statement(const std::vector<std::string>& words, bool undoable);
    int depth_ = 0;
};

/// Splits a line into statements of words; quotes and backslashes as in MEL.
bool split_statements(const std::string& line, std::vector<std::vector<std::string>>& statements, std::string& error);
/// The words of the next statement that is not empty; no words at the end of the text.
bool next_statement(const std::string& text, size_t& at, std::vector<std::string>& words, std::string& error);
using Builtin = Outcome (*)(const std::vector<std::string>& words);
const std::map<std::string, Builtin>& builtins();
/// DAG paths and other nodes that a name or pattern means.
std::vector<std::pair<Path, Node*>> find_objects(const std::string& pattern);
/// A number that a node has for as long as it is there, written as Maya writes them.
std::string uuid_of(const Node* node);
std::string object_name(const std::pair<Path, Node*>& object, bool full);
/// Makes the nodes of a scene file, below a namespace where one is named. Nothing of it can be undone.
Outcome read_ascii(const std::string& path, bool imports, const std::string& name_space, std::vector<Node*>& made);
/// Writes the scene.
Outcome write_ascii(const std::string& path);

}  // namespace fake

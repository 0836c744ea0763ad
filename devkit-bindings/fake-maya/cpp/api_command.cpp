// Plug-in commands: syntax, arguments, registration; loading and unloading of plug-ins.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "api.h"

MH_MAYA_OPEN

void begin_initialize(fake::NodeType* type);
bool compute_plugin_node(fake::Node& node, const fake::Plug& plug, fake::Value& value);

static fake::Host& host() { return fake::Host::get(); }
using Words = std::vector<std::string>;

MArgList::MArgList() : impl_(new Words), own_(true) {}
MArgList::~MArgList() { delete Access::impl<Words>(*this); }
unsigned int MArgList::length(MStatus* status) const {
    report(status, true);
    return unsigned(Access::words(*this).size());
}
MString MArgList::asString(unsigned int index, MStatus* status) const {
    report(status, index < length());
    return text(index < length() ? Access::words(*this)[index] : std::string());
}
MStatus MArgList::addArg(const MString& argument) {
    Access::words(*this).push_back(argument.asUTF8());
    return MStatus();
}

namespace {
struct FlagSyntax {
    std::string short_name, long_name;
    std::vector<MSyntax::MArgType> types;
    bool multi_use = false;
};
struct Syntax {
    std::vector<FlagSyntax> flags;
    MSyntax::MObjectFormat objects = MSyntax::kNone;
    unsigned minimum = 0;
    bool selection = false, query = false, edit = false;
};
Syntax& syntax_of(const MSyntax& api) { return *Access::impl<Syntax>(api); }
struct Arguments {
    std::map<std::string, std::vector<Words>> uses;  // by short name
    Words objects;
    const FlagSyntax* find(const std::string& flag) const {
        for (const FlagSyntax& known : syntax.flags)
            if (flag == known.short_name || flag == known.long_name) return &known;
        return nullptr;
    }
    Syntax syntax;
};
Arguments& arguments_of(const MArgParser& api);

bool is_number(const std::string& word, bool integer) {
    char* end = nullptr;
    if (integer) std::strtol(word.c_str(), &end, 10);
    else std::strtod(word.c_str(), &end);
    return !word.empty() && *end == 0;
}
bool boolean(const std::string& word, bool& value) {
    for (const char* yes : {"1", "on", "true", "yes"})
        if (word == yes) return value = true, true;
    for (const char* no : {"0", "off", "false", "no"})
        if (word == no) return value = false, true;
    return false;
}
bool fits(MSyntax::MArgType type, const std::string& word) {
    bool value;
    switch (type) {
        case MSyntax::kBoolean: return boolean(word, value);
        case MSyntax::kLong:
        case MSyntax::kUnsigned: return is_number(word, true);
        case MSyntax::kDouble:
        case MSyntax::kDistance:
        case MSyntax::kAngle:
        case MSyntax::kTime: return is_number(word, false);
        default: return true;
    }
}
}  // namespace

MSyntax::MSyntax() : own_(true), impl_(new Syntax) {}
MSyntax::MSyntax(const MSyntax& other) : own_(true), impl_(new Syntax(syntax_of(other))) {}
MSyntax::~MSyntax() { delete Access::impl<Syntax>(*this); }
MStatus MSyntax::addFlag(const char* short_name, const char* long_name, MArgType a, MArgType b, MArgType c, MArgType d, MArgType e, MArgType f) {
    FlagSyntax flag;
    flag.short_name = short_name[0] == '-' ? short_name : std::string("-") + short_name;
    flag.long_name = long_name[0] == '-' ? long_name : std::string("-") + long_name;
    // The host's own rules: short names of up to three letters, long ones of at least four.
    if (flag.short_name.size() < 2 || flag.short_name.size() > 4 || flag.long_name.size() < 5) return MStatus(MStatus::kInvalidParameter);
    for (const FlagSyntax& known : syntax_of(*this).flags)
        if (known.short_name == flag.short_name || known.long_name == flag.long_name) return MStatus(MStatus::kFailure);
    for (MArgType type : {a, b, c, d, e, f})
        if (type != kNoArg) flag.types.push_back(type);
    syntax_of(*this).flags.push_back(flag);
    return MStatus();
}
MStatus MSyntax::makeFlagMultiUse(const char* name) {
    for (FlagSyntax& flag : syntax_of(*this).flags)
        if (flag.short_name == name || flag.long_name == name) {
            flag.multi_use = true;
            return MStatus();
        }
    return MStatus(MStatus::kInvalidParameter);
}
MStatus MSyntax::setObjectType(MObjectFormat format, unsigned int minimum) {
    syntax_of(*this).objects = format;
    syntax_of(*this).minimum = minimum;
    return MStatus();
}
void MSyntax::useSelectionAsDefault(bool on) { syntax_of(*this).selection = on; }
void MSyntax::enableQuery(bool on) { syntax_of(*this).query = on; }
void MSyntax::enableEdit(bool on) { syntax_of(*this).edit = on; }

/// Sorts words into flags and objects; says what is wrong with them, nothing when all is well.
static std::string sort_words(Arguments& arguments, const Words& words) {
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word.size() < 2 || word[0] != '-' || !std::isalpha(static_cast<unsigned char>(word[1]))) {
            arguments.objects.push_back(word);
            continue;
        }
        const FlagSyntax* flag = arguments.find(word);
        if (!flag) return "Invalid flag '" + word + "'";
        Words values;
        for (MSyntax::MArgType type : flag->types) {
            if (i + 1 >= words.size()) return "Flag '" + word + "' must be passed " + std::to_string(flag->types.size()) + " argument(s)";
            if (!fits(type, words[++i])) return "Invalid arguments for flag '" + word + "'.  Found '" + words[i] + "'";
            values.push_back(words[i]);
        }
        auto& uses = arguments.uses[flag->short_name];
        if (!flag->multi_use) uses.clear();
        uses.push_back(values);
    }
    if (arguments.syntax.objects == MSyntax::kNone && !arguments.objects.empty()) return "Too many objects or values.";
    if (arguments.objects.size() < arguments.syntax.minimum) return "Too few objects or values.";
    return std::string();
}
MArgParser::MArgParser(const MSyntax& syntax, const MArgList& list, MStatus* status) : impl_(new Arguments), own_(true) {
    Arguments& arguments = *Access::impl<Arguments>(*this);
    arguments.syntax = syntax_of(syntax);
    const std::string problem = sort_words(arguments, Access::words(list));
    if (!problem.empty()) host().message('E', problem);
    report(status, problem.empty());
}
MArgParser::~MArgParser() { delete Access::impl<Arguments>(*this); }
namespace {
Arguments& arguments_of(const MArgParser& api) { return *Access::impl<Arguments>(api); }
const std::vector<Words>* uses_of(const MArgParser& api, const char* flag) {
    const std::string dashed = flag[0] == '-' ? flag : std::string("-") + flag;
    const FlagSyntax* known = arguments_of(api).find(dashed);
    if (!known) return nullptr;
    auto found = arguments_of(api).uses.find(known->short_name);
    return found == arguments_of(api).uses.end() ? nullptr : &found->second;
}
}  // namespace
bool MArgParser::isFlagSet(const char* flag, MStatus* status) const {
    report(status, true);
    return uses_of(*this, flag) != nullptr;
}
unsigned int MArgParser::numberOfFlagUses(const char* flag) const { return uses_of(*this, flag) ? unsigned(uses_of(*this, flag)->size()) : 0; }
MStatus MArgParser::getFlagArgumentList(const char* flag, unsigned int use, MArgList& arguments) const {
    const auto* uses = uses_of(*this, flag);
    if (!uses || use >= uses->size()) return MStatus(MStatus::kInvalidParameter);
    for (const std::string& word : (*uses)[use]) arguments.addArg(text(word));
    return MStatus();
}
MStatus MArgParser::getObjects(MStringArray& objects) const {
    for (const std::string& word : arguments_of(*this).objects) objects.append(text(word));
    return MStatus();
}

static bool flag_word(const MArgParser& api, const char* flag, unsigned index, std::string& word) {
    const auto* uses = uses_of(api, flag);
    if (!uses || uses->empty() || index >= uses->back().size()) return false;
    word = uses->back()[index];
    return true;
}
MArgDatabase::MArgDatabase(const MSyntax& syntax, const MArgList& arguments, MStatus* status) : MArgParser(syntax, arguments, status) {}
MArgDatabase::~MArgDatabase() {}
MStatus MArgDatabase::getFlagArgument(const char* flag, unsigned int index, bool& value) const {
    std::string word;
    return status_of(flag_word(*this, flag, index, word) && boolean(word, value));
}
MStatus MArgDatabase::getFlagArgument(const char* flag, unsigned int index, int& value) const {
    std::string word;
    if (!flag_word(*this, flag, index, word)) return MStatus(MStatus::kFailure);
    value = std::atoi(word.c_str());
    return MStatus();
}
MStatus MArgDatabase::getFlagArgument(const char* flag, unsigned int index, double& value) const {
    std::string word;
    if (!flag_word(*this, flag, index, word)) return MStatus(MStatus::kFailure);
    value = std::atof(word.c_str());
    return MStatus();
}
MStatus MArgDatabase::getFlagArgument(const char* flag, unsigned int index, MString& value) const {
    std::string word;
    if (!flag_word(*this, flag, index, word)) return MStatus(MStatus::kFailure);
    value.setUTF8(word.c_str());
    return MStatus();
}

namespace {
struct Registered {
    MCreatorFunction creator;
    MCreateSyntaxFunction syntax;
};
std::map<std::string, Registered>& registry() {
    static auto* table = new std::map<std::string, Registered>;
    return *table;
}
/// The command whose doIt is running, innermost last: setResult and syntax() speak of it.
struct Running {
    std::string name;
    Words results;
};
std::vector<Running*>& running() {
    static auto* stack = new std::vector<Running*>;
    return *stack;
}
std::string number_text(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}
void put_result(Words words, bool append) {
    if (running().empty()) return;
    Words& results = running().back()->results;
    if (!append) results.clear();
    results.insert(results.end(), words.begin(), words.end());
}
}  // namespace

MPxCommand::MPxCommand() : instance_(nullptr), name_(nullptr) {}
MPxCommand::~MPxCommand() {}
MStatus MPxCommand::doIt(const MArgList&) { return MStatus(MStatus::kFailure); }
MStatus MPxCommand::undoIt() { return MStatus(MStatus::kFailure); }
MStatus MPxCommand::redoIt() { return MStatus(MStatus::kFailure); }
bool MPxCommand::isUndoable() const { return false; }
bool MPxCommand::hasSyntax() const { return false; }
MSyntax MPxCommand::syntax() const {
    auto found = running().empty() ? registry().end() : registry().find(running().back()->name);
    return found != registry().end() && found->second.syntax ? found->second.syntax() : MSyntax();
}
void MPxCommand::clearResult() { put_result({}, false); }
void MPxCommand::setResult(int value) { put_result({std::to_string(value)}, false); }
void MPxCommand::setResult(double value) { put_result({number_text(value)}, false); }
void MPxCommand::setResult(const MString& value) { put_result({value.asUTF8()}, false); }
void MPxCommand::setResult(const MStringArray& value) {
    Words words;
    for (const MString& item : *Access::impl<std::vector<MString>>(value)) words.push_back(item.asUTF8());
    put_result(words, false);
}
void MPxCommand::appendToResult(const MString& value) { put_result({value.asUTF8()}, true); }

static fake::Outcome run_command(const std::string& name, const Words& words, fake::UndoStep& step, bool& undoable) {
    Running frame{name, {}};
    running().push_back(&frame);
    auto* command = static_cast<MPxCommand*>(registry()[name].creator());
    MArgList arguments;
    Access::words(arguments) = words;
    fake::Outcome outcome;
    outcome.ok = bool(command->doIt(arguments));
    running().pop_back();
    outcome.results = frame.results;
    step.drop = [command] { delete command; };
    undoable = outcome.ok && command->isUndoable();
    step.undo = [command, name] {
        Running again{name, {}};
        running().push_back(&again);
        const bool ok = bool(command->undoIt());
        running().pop_back();
        return ok;
    };
    step.redo = [command, name] {
        Running again{name, {}};
        running().push_back(&again);
        const bool ok = bool(command->redoIt());
        running().pop_back();
        return ok;
    };
    return outcome;
}

static std::string synopsis(const std::string& name) {
    std::string out = "Synopsis: " + name + " [flags]";
    const Registered& registered = registry()[name];
    if (!registered.syntax) return out;
    const MSyntax api = registered.syntax();
    const Syntax& syntax = syntax_of(api);
    if (syntax.objects != MSyntax::kNone) out += " [String...]";
    out += "\nFlags:";
    const char* names[] = {"?", "", "on|off", "Int", "Float", "String", "Unsigned", "Length", "Angle", "Time", "Name"};
    for (const FlagSyntax& flag : syntax.flags) {
        out += "\n   " + flag.short_name + ' ' + flag.long_name;
        for (MSyntax::MArgType type : flag.types) out += std::string(" ") + names[type];
        if (flag.multi_use) out += "  (multi-use)";
    }
    return out;
}

namespace {
/// The plug-in whose entry point is running.
fake::LoadedPlugin* current_plugin = nullptr;
struct PluginObject : fake::Object {
    PluginObject() : fake::Object(Class::Plugin) {}
};
std::string plugin_name(const std::string& path) {
    const size_t slash = path.find_last_of('/');
    std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    const size_t dot = name.find_last_of('.');
    return dot == std::string::npos ? name : name.substr(0, dot);
}
}  // namespace

MFnPlugin::MFnPlugin(MObject& plugin, const char* vendor, const char* version, const char* required_api, MStatus* status) {
    const bool ok = Access::object(plugin) && Access::object(plugin)->class_ == fake::Object::Class::Plugin && current_plugin;
    if (ok && vendor && version) {
        Access::attach(*this, Access::object(plugin));
        current_plugin->vendor = vendor;
        current_plugin->version = version;
        (void)required_api;
    }
    report(status, ok);
}
MFnPlugin::~MFnPlugin() {}
MFn::Type MFnPlugin::type() const { return MFn::kInvalid; }
MString MFnPlugin::loadPath(MStatus* status) const {
    report(status, current_plugin != nullptr);
    const std::string path = current_plugin ? current_plugin->path : std::string();
    const size_t slash = path.find_last_of('/');
    return text(slash == std::string::npos ? std::string() : path.substr(0, slash));
}
MStatus MFnPlugin::registerCommand(const MString& name, MCreatorFunction creator, MCreateSyntaxFunction syntax) {
    const std::string command = name.asUTF8();
    if (!current_plugin || !creator || host().commands.count(command) || fake::builtins().count(command)) return MStatus(MStatus::kFailure);
    registry()[command] = {creator, syntax};
    host().commands[command] = {current_plugin->name,
                                [command](const Words& words, fake::UndoStep& step, bool& undoable) { return run_command(command, words, step, undoable); },
                                [command] { return synopsis(command); }};
    current_plugin->commands.push_back(command);
    return MStatus();
}
MStatus MFnPlugin::deregisterCommand(const MString& name) {
    const std::string command = name.asUTF8();
    if (!current_plugin || !host().commands.erase(command)) return MStatus(MStatus::kFailure);
    registry().erase(command);
    auto& commands = current_plugin->commands;
    commands.erase(std::remove(commands.begin(), commands.end(), command), commands.end());
    return MStatus();
}
MStatus MFnPlugin::registerNode(const MString& name, const MTypeId& id, MCreatorFunction creator, MInitializeFunction initialize, MPxNode::Type type, const MString*) {
    const std::string type_name = name.asUTF8();
    if (!current_plugin || type != MPxNode::kDependNode || fake::Scene::get().type(type_name)) return MStatus(MStatus::kFailure);
    fake::NodeType added;
    added.name = type_name;
    added.id = Access::type_id(id);
    added.base = fake::Scene::get().type("node");
    added.api_types = {MFn::kPluginDependNode};
    added.plugin = current_plugin->name;
    added.compute = compute_plugin_node;
    added.create_instance = [creator](fake::Node& node) -> void* {
        auto* instance = static_cast<MPxNode*>(creator());
        Access::set_node_instance(*instance, &node);
        instance->postConstructor();
        return instance;
    };
    added.destroy_instance = [](void* instance) { delete static_cast<MPxNode*>(instance); };
    fake::NodeType* registered = fake::Scene::get().add_type(std::move(added));
    begin_initialize(registered);
    const MStatus done = initialize();
    begin_initialize(nullptr);
    if (!done) {
        fake::Scene::get().remove_type(type_name);
        return MStatus(MStatus::kFailure);
    }
    current_plugin->node_types.push_back(type_name);
    return MStatus();
}
MStatus MFnPlugin::deregisterNode(const MTypeId& id) {
    if (!current_plugin) return MStatus(MStatus::kFailure);
    for (const std::string& name : current_plugin->node_types) {
        const fake::NodeType* type = fake::Scene::get().type(name);
        if (type && type->id == Access::type_id(id)) {
            if (fake::Scene::get().type_in_use(type)) return MStatus(MStatus::kFailure);
            auto& names = current_plugin->node_types;
            fake::Scene::get().remove_type(name);
            names.erase(std::remove(names.begin(), names.end(), name), names.end());
            return MStatus();
        }
    }
    return MStatus(MStatus::kFailure);
}

static std::string entry_name(const char* function) {
    return "_Z" + std::to_string(std::string(function).size()) + function + "N8Autodesk4Maya16OpenMaya" MH_TEXT(MAYA_YEAR) "00007MObjectE";
}
using Entry = MStatus (*)(MObject);

static bool load(const std::string& path, std::string& error) {
    const std::string name = plugin_name(path);
    if (host().plugins.count(name)) return true;
    fake::LoadedPlugin plugin;
    plugin.name = name;
    plugin.path = path;
    plugin.library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!plugin.library) {
        error = std::string("Unable to dynamically load : ") + path + "\n" + dlerror();
        return false;
    }
    auto* version = static_cast<const char*>(dlsym(plugin.library, "MApiVersion"));
    auto entry = reinterpret_cast<Entry>(dlsym(plugin.library, entry_name("initializePlugin").c_str()));
    if (!entry || !version) {
        error = "Could not find initializePlugin function in plug-in (" + name + ")";
        dlclose(plugin.library);
        return false;
    }
    plugin.api_version = version;
    PluginObject* object = new PluginObject;
    current_plugin = &(host().plugins[name] = plugin);
    const MStatus status = entry(Access::object(object));
    current_plugin = nullptr;
    if (!status) {
        for (const std::string& command : host().plugins[name].commands) {
            host().commands.erase(command);
            registry().erase(command);
        }
        host().plugins.erase(name);
        dlclose(plugin.library);
        error = "(" + name + ") initializePlugin function failed";
        return false;
    }
    return true;
}

static bool unload(const std::string& name, std::string& error) {
    auto found = host().plugins.find(plugin_name(name));
    if (found == host().plugins.end()) {
        error = "Plug-in, \"" + name + "\", is not loaded.";
        return false;
    }
    fake::LoadedPlugin& plugin = found->second;
    for (const std::string& type : plugin.node_types)
        if (fake::Scene::get().type_in_use(fake::Scene::get().type(type))) {
            error = "Plug-in, \"" + plugin.name + "\", cannot be unloaded because it is still in use: node type " + type;
            return false;
        }
    for (auto* queue : {&fake::Scene::get().undo_queue, &fake::Scene::get().redo_queue})
        for (const fake::UndoStep& step : *queue)
            if (std::find(plugin.commands.begin(), plugin.commands.end(), step.name) != plugin.commands.end()) {
                error = "Plug-in, \"" + plugin.name + "\", cannot be unloaded because it is still in use: " + step.name + " in the undo queue";
                return false;
            }
    auto entry = reinterpret_cast<Entry>(dlsym(plugin.library, entry_name("uninitializePlugin").c_str()));
    PluginObject* object = new PluginObject;
    current_plugin = &plugin;
    const MStatus status = entry ? entry(Access::object(object)) : MStatus(MStatus::kFailure);
    current_plugin = nullptr;
    if (!status || !plugin.commands.empty() || !plugin.node_types.empty()) {
        error = "(" + plugin.name + ") uninitializePlugin function failed";
        return false;
    }
    dlclose(plugin.library);
    host().plugins.erase(found);
    return true;
}

/// Makes this year's library the one that loads plug-ins; called once by the host program.
extern "C" FAKE_API void fake_maya_start() {
    host().year = MH_TEXT(MAYA_YEAR);
    host().load_plugin = load;
    host().unload_plugin = unload;
}

MH_MAYA_CLOSE

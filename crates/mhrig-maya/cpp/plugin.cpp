// Entry points and commands. Everything a command is comes from Rust's table; here is one class for all of them.
#define MHRIG_MAYA_PLUGIN_ENTRY
#include "node.h"

using namespace mhm;

namespace {

// Creators take no argument, so each command needs one of its own: as many as the table may ever hold.
const size_t kMostCommands = 16;

class Command : public MPxCommand {
public:
    explicit Command(size_t number) : number_(number), state_(nullptr) {}
    ~Command() override {
        MH_TRY { mhrig_drop(&kHost, state_); }
        MH_CATCH_VOID
    }
    MH_MALLOC_NEW

    MStatus doIt(const MArgList& list) override {
        MH_TRY {
            MStatus status;
            MSyntax own = syntax();
            MhInvocation invocation(own, list, &status);
            if (!status) return status;
            return from_rust(mhrig_do(&kHost, number_, &invocation, &state_));
        }
        MH_CATCH(MStatus(MStatus::kFailure))
    }
    MStatus undoIt() override {
        MH_TRY { return from_rust(mhrig_undo(&kHost, state_)); }
        MH_CATCH(MStatus(MStatus::kFailure))
    }
    MStatus redoIt() override {
        MH_TRY { return from_rust(mhrig_redo(&kHost, state_)); }
        MH_CATCH(MStatus(MStatus::kFailure))
    }
    bool isUndoable() const override { return state_ != nullptr; }
    bool hasSyntax() const override { return true; }

private:
    static MStatus from_rust(int32_t result) { return result == 0 ? MStatus() : MStatus(MStatus::kFailure); }
    size_t number_;
    void* state_;
};

template <size_t N> void* create() {
    MH_TRY { return new Command(N); }
    MH_CATCH(nullptr)
}

template <size_t N> MSyntax syntax() {
    MSyntax made;
    const MhCommand& command = mhrig_plugin()->commands[N];
    for (size_t i = 0; i < command.flag_count; ++i) {
        const MhFlag& flag = command.flags[i];
        made.addFlag(flag.short_name, flag.long_name, static_cast<MSyntax::MArgType>(flag.argument));
    }
    if (command.takes_objects) made.setObjectType(MSyntax::kStringObjects, 0);
    return made;
}

struct Row {
    MCreatorFunction create;
    MCreateSyntaxFunction syntax;
};
#define MH_ROW(n) {create<n>, syntax<n>}
const Row kRows[kMostCommands] = {MH_ROW(0), MH_ROW(1), MH_ROW(2),  MH_ROW(3),  MH_ROW(4),  MH_ROW(5),  MH_ROW(6),  MH_ROW(7),
                                  MH_ROW(8), MH_ROW(9), MH_ROW(10), MH_ROW(11), MH_ROW(12), MH_ROW(13), MH_ROW(14), MH_ROW(15)};

// The numbers that Rust's flag tables use are those of the headers.
static_assert(MSyntax::kNoArg == 1 && MSyntax::kBoolean == 2 && MSyntax::kLong == 3 && MSyntax::kDouble == 4 && MSyntax::kString == 5,
              "maya-sys: argument");
static_assert(MSyntax::kNone == 1 && MSyntax::kStringObjects == 2, "maya-sys: object_format");

MStatus deregister(MFnPlugin& plugin, const MhPlugin& table, size_t count) {
    MStatus worst;
    for (size_t i = 0; i < count; ++i) {
        const MStatus status = plugin.deregisterCommand(utf8(table.commands[i].name));
        if (!status) worst = status;
    }
    return worst;
}

}  // namespace

#if !defined(MHRIG_MAYA_DEVKIT)
extern "C" MH_PLUGIN_EXPORT char MApiVersion[];
char MApiVersion[] = MH_TEXT(MAYA_YEAR) "0000";
#endif

MH_PLUGIN_EXPORT MStatus initializePlugin(MObject object) {
    MH_TRY {
        const MhPlugin* table = mhrig_plugin();
        if (!table || table->bridge_version != MHRIG_BRIDGE_VERSION || table->host_size != sizeof(MhHost) || table->command_count > kMostCommands) {
            MGlobal::displayError(utf8("MhRigCreator: error[BRIDGE]: the two halves of the plug-in are of different builds; install it anew"));
            return MStatus(MStatus::kFailure);
        }
        if (mhrig_load(&kHost) != 0) return MStatus(MStatus::kFailure);
        MStatus status;
        MFnPlugin plugin(object, table->vendor, table->version, table->required_api, &status);
        for (size_t i = 0; status && i < table->command_count; ++i) {
            status = plugin.registerCommand(utf8(table->commands[i].name), kRows[i].create, kRows[i].syntax);
            if (!status) {
                deregister(plugin, *table, i);
                MGlobal::displayError(utf8("MhRigCreator: error[COMMAND_TAKEN]: another plug-in has a command of the same name; unload it first"));
            }
        }
        if (status) {
            status = register_nodes(plugin);
            if (!status) {
                deregister(plugin, *table, table->command_count);
                MGlobal::displayError(utf8("MhRigCreator: error[NODE_TAKEN]: another plug-in has the node type mhRigLogic or its number; unload it first"));
            }
        }
        if (!status) mhrig_unload(&kHost);
        return status;
    }
    MH_CATCH(MStatus(MStatus::kFailure))
}

MH_PLUGIN_EXPORT MStatus uninitializePlugin(MObject object) {
    MH_TRY {
        const MhPlugin* table = mhrig_plugin();
        MStatus status;
        MFnPlugin plugin(object, table->vendor, table->version, table->required_api, &status);
        if (!status) return status;
        // Refused while the scene has such nodes; then nothing else is taken away either.
        status = deregister_nodes(plugin);
        if (!status) return status;
        status = deregister(plugin, *table, table->command_count);
        mhrig_unload(&kHost);
        return status;
    }
    MH_CATCH(MStatus(MStatus::kFailure))
}

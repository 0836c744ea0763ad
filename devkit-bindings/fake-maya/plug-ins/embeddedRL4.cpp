// What tests load in place of Epic's plug-in: its command with the flags that are documented, and a node that keeps what
// the command was given. It evaluates nothing and connects nothing. With EMBEDDED_RL4_NEWER it knows the two flags of
// later releases.
#include <algorithm>
#include <string>

#include "mhrig_maya.h"

using namespace mhm;

static MString utf8(const char* text) {
    MString string;
    string.setUTF8(text);
    return string;
}

namespace {

struct Kept {
    const char* flag;
    const char* long_flag;
    const char* attribute;
    const char* short_name;
};
const Kept kKept[] = {
    {"-dfp", "-dnaFilePath", "dnaFilePath", "dfp"},         {"-cn", "-controlNaming", "controlNaming", "cn"},
    {"-jn", "-jointNaming", "jointNaming", "jn"},           {"-bsn", "-blendShapeNaming", "blendShapeNaming", "bsn"},
    {"-amn", "-animatedMapNaming", "animatedMapNaming", "amn"},
    {"-ijn", "-inputJointNaming", "inputJointNaming", "ijn"}, {"-cs", "-coordinateSystem", "coordinateSystem", "cs"},
};
#if defined(EMBEDDED_RL4_NEWER)
const size_t kFlags = 7;
#else
const size_t kFlags = 5;
#endif

class Node : public MPxNode {
public:
    static void* create() { return new Node; }
    static MStatus initialize() {
        for (const Kept& kept : kKept) {
            MFnTypedAttribute attribute;
            addAttribute(attribute.create(utf8(kept.attribute), utf8(kept.short_name), MFnData::kString));
        }
        return MStatus();
    }
};

bool is_direction(const std::string& word) {
    for (const char* known : {"left", "right", "up", "down", "front", "back"})
        if (word == known) return true;
    return false;
}
bool is_in_full_words(const std::string& text) {
    size_t at = 0, words = 0;
    for (; at <= text.size(); ++words) {
        const size_t comma = std::min(text.find(',', at), text.size());
        if (!is_direction(text.substr(at, comma - at))) return false;
        at = comma + 1;
    }
    return words == 3;
}

class Create : public MPxCommand {
public:
    static void* create() { return new Create; }
    static MSyntax syntax_of_command() {
        MSyntax syntax;
        syntax.addFlag("-n", "-name", MSyntax::kString);
        for (size_t i = 0; i < kFlags; ++i) syntax.addFlag(kKept[i].flag, kKept[i].long_flag, MSyntax::kString);
        return syntax;
    }
    MStatus doIt(const MArgList& list) override {
        MStatus status;
        MArgDatabase arguments(syntax(), list, &status);
        if (!status) return status;
        MString name, value;
        arguments.getFlagArgument("-n", 0, name);
        arguments.getFlagArgument("-dfp", 0, value);
        for (const char* byte = value.asUTF8(); *byte; ++byte)
            if (static_cast<unsigned char>(*byte) > 127) {
                MGlobal::displayError(utf8("embeddedRL4: cannot open the DNA file"));
                return MStatus(MStatus::kFailure);
            }
        MObject node = modifier_.createNode(utf8("embeddedNodeRL4"), &status);
        if (!status) return status;
        modifier_.renameNode(node, name);
        for (size_t i = 0; i < kFlags; ++i) {
            if (!arguments.isFlagSet(kKept[i].flag)) continue;
            arguments.getFlagArgument(kKept[i].flag, 0, value);
            if (std::string(kKept[i].flag) == "-cs" && !is_in_full_words(value.asUTF8())) {
                MGlobal::displayWarning(utf8("embeddedRL4: no such coordinate system; the default is used"));
                continue;
            }
            modifier_.newPlugValueString(MFnDependencyNode(node).findPlug(utf8(kKept[i].attribute), true), value);
        }
        status = modifier_.doIt();
        setResult(name);
        return status;
    }
    MStatus undoIt() override { return modifier_.undoIt(); }
    MStatus redoIt() override { return modifier_.doIt(); }
    bool isUndoable() const override { return true; }
    bool hasSyntax() const override { return true; }

private:
    MDGModifier modifier_;
};

const unsigned int kId = 0x7f002;

}  // namespace

extern "C" MH_PLUGIN_EXPORT char MApiVersion[];
char MApiVersion[] = MH_TEXT(MAYA_YEAR) "0000";

MH_PLUGIN_EXPORT MStatus initializePlugin(MObject object) {
    MStatus status;
    MFnPlugin plugin(object, "stand-in", "1.0", "Any", &status);
    if (status) status = plugin.registerNode(utf8("embeddedNodeRL4"), MTypeId(kId), Node::create, Node::initialize);
    return status ? plugin.registerCommand(utf8("createEmbeddedNodeRL4"), Create::create, Create::syntax_of_command) : status;
}
MH_PLUGIN_EXPORT MStatus uninitializePlugin(MObject object) {
    MStatus status;
    MFnPlugin plugin(object, "stand-in", "1.0", "Any", &status);
    if (status) status = plugin.deregisterNode(MTypeId(kId));
    return status ? plugin.deregisterCommand(utf8("createEmbeddedNodeRL4")) : status;
}

// What tests load in place of Epic's plug-in: its command with the flags that are documented, and a node that keeps what
// the command was given. The command connects by its patterns, as it is documented, what the scene has. The names of a
// DNA file come from the file NAME.dna.names beside it, which tests write; without one nothing is connected. The node
// evaluates nothing. With EMBEDDED_RL4_NEWER the command knows the two flags of later releases; with
// EMBEDDED_RL4_WITHOUT_INPUTS the node lacks an attribute.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

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
        MFnNumericAttribute lod;
        addAttribute(lod.create(utf8("lod"), utf8("lod"), MFnNumericData::kInt, 0.0));
#if !defined(EMBEDDED_RL4_WITHOUT_INPUTS)
        number("inputs", "inp", true);
#endif
        unit("jntTranslationOutputs", "jto", MFnUnitAttribute::kDistance);
        unit("jntRotationOutputs", "jro", MFnUnitAttribute::kAngle);
        number("jntScaleOutputs", "jso", false);
        number("bsOutputs", "bso", false);
        number("amOutputs", "amo", false);
        return MStatus();
    }

private:
    static void number(const char* name, const char* brief, bool is_input) {
        MFnNumericAttribute attribute;
        const MObject made = attribute.create(utf8(name), utf8(brief), MFnNumericData::kDouble, 0.0);
        attribute.setArray(true);
        attribute.setWritable(is_input);
        addAttribute(made);
    }
    static void unit(const char* name, const char* brief, MFnUnitAttribute::Type type) {
        MFnUnitAttribute attribute;
        const MObject made = attribute.create(utf8(name), utf8(brief), type, 0.0);
        attribute.setArray(true);
        attribute.setWritable(false);
        addAttribute(made);
    }
};

bool exists(const std::string& plug) {
    int found = 0;
    return MGlobal::executeCommand(utf8(("objExists \"" + plug + "\"").c_str()), found) && found == 1;
}

/// A pattern with the parts of a name before and after its dot.
std::string filled(std::string pattern, const std::string& name) {
    const size_t dot = std::min(name.find('.'), name.size());
    const std::pair<std::string, std::string> parts[] = {{"<objName>", name.substr(0, dot)},
                                                         {"<attrName>", dot < name.size() ? name.substr(dot + 1) : std::string()}};
    for (const auto& [word, part] : parts)
        for (size_t at = pattern.find(word); at != std::string::npos; at = pattern.find(word, at + part.size())) pattern.replace(at, word.size(), part);
    return pattern;
}

/// What turns the rotation of a joint into a quaternion, if the scene has it. How Epic's plug-in reads a joint is not
/// documented; that it leaves what is there and reads that is an assumption.
std::string quaternion_of(const std::string& joint) {
    MStringArray found;
    const std::string plug = joint + ".rotateX";
    if (!exists(plug)) return std::string();
    MGlobal::executeCommand(utf8(("listConnections -s 0 -d 1 -t eulerToQuat \"" + plug + "\"").c_str()), found);
    return found.length() == 0 ? std::string() : std::string(found[0].asUTF8());
}

/// Numbers of inputs and outputs count up over all names of their kind, whether the scene has them or not.
class Wiring {
public:
    Wiring(MDGModifier& modifier, std::string node, std::map<std::string, std::string> patterns)
        : modifier_(modifier), node_(std::move(node)), patterns_(std::move(patterns)) {}

    void add(const std::string& kind, const std::string& name, const std::string& component) {
        if (kind == "control" || kind == "driver") {
            const std::string input = next("inputs");
#if defined(EMBEDDED_RL4_WITHOUT_INPUTS)
            return;
#endif
            const std::string control = filled(patterns_["-cn"], name);
            if (exists(control)) return connect(control, input);
            if (kind == "control" || patterns_["-ijn"].empty()) return;
            const std::string joint = filled(patterns_["-ijn"], name);
            const std::string quaternion = quaternion_of(joint.substr(0, joint.find('.')));
            if (!quaternion.empty()) connect(quaternion + ".outputQuat" + component, input);
        } else if (kind == "joint") {
            const char* outputs[] = {"jntTranslationOutputs", "jntRotationOutputs", "jntScaleOutputs"};
            const char of = name[name.find('.') + 1];
            give(outputs[of == 't' ? 0 : of == 'r' ? 1 : 2], filled(patterns_["-jn"], name));
        } else if (kind == "channel") {
            // A channel is in every mesh that has targets of it.
            const std::string output = next("bsOutputs");
            std::istringstream meshes(component);
            for (std::string mesh; std::getline(meshes, mesh, ',');) {
                const std::string weight = filled(patterns_["-bsn"], mesh + '.' + name);
                if (exists(weight)) connect(output, weight);
            }
        } else if (kind == "map") {
            give("amOutputs", filled(patterns_["-amn"], name));
        }
    }

private:
    std::string next(const char* attribute) { return node_ + '.' + attribute + '[' + std::to_string(counts_[attribute]++) + ']'; }
    void give(const char* attribute, const std::string& plug) {
        const std::string output = next(attribute);
        if (exists(plug)) connect(output, plug);
    }
    void connect(const std::string& from, const std::string& to) {
        modifier_.commandToExecute(utf8(("connectAttr -f \"" + from + "\" \"" + to + "\"").c_str()));
    }

    MDGModifier& modifier_;
    std::string node_;
    std::map<std::string, std::string> patterns_;
    std::map<std::string, int> counts_;
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
        std::map<std::string, std::string> given;
        for (size_t i = 0; i < kFlags; ++i) {
            if (!arguments.isFlagSet(kKept[i].flag)) continue;
            arguments.getFlagArgument(kKept[i].flag, 0, value);
            given[kKept[i].flag] = value.asUTF8();
            if (std::string(kKept[i].flag) == "-cs" && !is_in_full_words(value.asUTF8())) {
                MGlobal::displayWarning(utf8("embeddedRL4: no such coordinate system; the default is used"));
                continue;
            }
            modifier_.newPlugValueString(MFnDependencyNode(node).findPlug(utf8(kKept[i].attribute), true), value);
        }
        status = modifier_.doIt();
        if (!status) return status;
        std::ifstream names(given["-dfp"] + ".names");
        Wiring wiring(modifier_, name.asUTF8(), given);
        for (std::string line; std::getline(names, line);) {
            std::istringstream words(line);
            std::string kind, of, more;
            words >> kind >> of >> more;
            wiring.add(kind, of, more);
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

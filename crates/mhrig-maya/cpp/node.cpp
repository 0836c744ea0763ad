// The node type mhRigLogic: reads raw controls and rotations of driver joints, gives joints, blend shapes and maps.
// What it computes is Rust's; here values go in and out of Maya's data block. It may run on any thread, one call at a
// time for a node.
#include "node.h"

using namespace mhm;

namespace {

// Handles to the attributes, made when the type is registered: nothing of Maya's is touched when the library loads.
struct Attributes {
    MObject path, lod, multiplier, all, inputs, drivers, status, outputs[MH_OUTPUTS];
    MH_MALLOC_NEW
};
Attributes* attributes = nullptr;

class Node : public MPxNode {
public:
    Node() : evaluator_(mhrig_node_new()) {}
    ~Node() override {
        MH_TRY { mhrig_node_drop(evaluator_); }
        MH_CATCH_VOID
    }
    MH_MALLOC_NEW

    MStatus compute(const MPlug& plug, MDataBlock& block) override {
        MH_TRY {
            if (!is_output(plug)) return MStatus(MStatus::kUnknownParameter);
            return evaluate(block);
        }
        MH_CATCH(MStatus(MStatus::kFailure))
    }
    SchedulingType schedulingType() const override { return kParallel; }

private:
    static bool is_output(const MPlug& plug) {
        if (plug == attributes->status) return true;
        for (const MObject& output : attributes->outputs)
            if (plug == output) return true;
        return false;
    }

    MStatus evaluate(MDataBlock& block) {
        const MString& path = block.inputValue(attributes->path).asString();
        const bool all = block.inputValue(attributes->all).asBool();
        MhNodeResult result = {};
        const int32_t opened = mhrig_node_open(&kHost, evaluator_, view(path), all, &result);
        if (opened == 0) {
            read(block, attributes->inputs, mhrig_node_control);
            read(block, attributes->drivers, mhrig_node_driver_angle);
            const int32_t lod = block.inputValue(attributes->lod).asInt();
            const double multiplier = block.inputValue(attributes->multiplier).asDouble();
            mhrig_node_evaluate(&kHost, evaluator_, lod, multiplier, &result);
        }
        MDataHandle status = block.outputValue(attributes->status);
        status.set(from_view(result.status));
        status.setClean();
        for (size_t kind = 0; kind < MH_OUTPUTS; ++kind) write(block, attributes->outputs[kind], result.values[kind], result.counts[kind]);
        return MStatus();
    }

    void read(MDataBlock& block, const MObject& attribute, void (*send)(void*, uint32_t, double)) {
        MArrayDataHandle array = block.inputArrayValue(attribute);
        const unsigned count = array.elementCount();
        for (unsigned i = 0; i < count; ++i) {
            if (!array.jumpToArrayElement(i)) continue;
            send(evaluator_, array.elementIndex(), array.inputValue().asDouble());
        }
    }

    // Elements beyond what the rig gives keep their values: a file that cannot be read must not collapse the character.
    static void write(MDataBlock& block, const MObject& attribute, const double* values, size_t count) {
        MArrayDataHandle array = block.outputArrayValue(attribute);
        MArrayDataBuilder builder = array.builder();
        for (size_t i = 0; i < count; ++i) builder.addElement(static_cast<unsigned>(i)).setDouble(values[i]);
        array.set(builder);
        array.setAllClean();
    }

    void* evaluator_;
};

void* create() {
    MH_TRY { return new Node(); }
    MH_CATCH(nullptr)
}

MObject number(const char* name, const char* brief, MFnNumericData::Type type, double value, bool keyable) {
    MFnNumericAttribute set;
    const MObject made = set.create(utf8(name), utf8(brief), type, value);
    set.setKeyable(keyable);
    return made;
}

// A multi that the node reads: doubles, whatever is connected.
MObject input(const char* name, const char* brief, bool is_angle) {
    MObject made;
    if (is_angle) {
        MFnUnitAttribute set;
        made = set.create(utf8(name), utf8(brief), MFnUnitAttribute::kAngle, 0.0);
        set.setArray(true);
        set.setKeyable(true);
    } else {
        MFnNumericAttribute set;
        made = set.create(utf8(name), utf8(brief), MFnNumericData::kDouble, 0.0);
        set.setArray(true);
        set.setKeyable(true);
    }
    return made;
}

template <class Set> void as_output(Set& set) {
    set.setWritable(false);
    set.setStorable(false);
    set.setArray(true);
    set.setUsesArrayDataBuilder(true);
}
MObject output(const char* name, const char* brief, MFnUnitAttribute::Type unit) {
    MObject made;
    if (unit == MFnUnitAttribute::kInvalid) {
        MFnNumericAttribute set;
        made = set.create(utf8(name), utf8(brief), MFnNumericData::kDouble, 0.0);
        as_output(set);
    } else {
        MFnUnitAttribute set;
        made = set.create(utf8(name), utf8(brief), unit, 0.0);
        as_output(set);
    }
    return made;
}

MStatus initialize() {
    MH_TRY {
        if (!attributes) attributes = new Attributes();
        Attributes& made = *attributes;
        MFnTypedAttribute text;
        made.path = text.create(utf8("dnaFilePath"), utf8("dfp"), MFnData::kString);
        text.setUsedAsFilename(true);
        made.status = text.create(utf8("dnaFileStatus"), utf8("dfs"), MFnData::kString);
        text.setWritable(false);
        text.setStorable(false);
        made.lod = number("lod", "lod", MFnNumericData::kInt, 0.0, true);
        made.multiplier = number("translationMultiplier", "tmp", MFnNumericData::kDouble, 1.0, false);
        made.all = number("allJointAttributesAdded", "aja", MFnNumericData::kBoolean, 0.0, false);
        made.inputs = input("inputs", "inp", false);
        made.drivers = input("driverRotations", "drt", true);
        made.outputs[MH_TRANSLATIONS] = output("jntTranslationOutputs", "jto", MFnUnitAttribute::kDistance);
        made.outputs[MH_ROTATIONS] = output("jntRotationOutputs", "jro", MFnUnitAttribute::kAngle);
        made.outputs[MH_SCALES] = output("jntScaleOutputs", "jso", MFnUnitAttribute::kInvalid);
        made.outputs[MH_BLEND_SHAPES] = output("bsOutputs", "bso", MFnUnitAttribute::kInvalid);
        made.outputs[MH_ANIMATED_MAPS] = output("amOutputs", "amo", MFnUnitAttribute::kInvalid);

        const MObject* inputs[] = {&made.path, &made.lod, &made.multiplier, &made.all, &made.inputs, &made.drivers};
        for (const MObject* attribute : inputs) {
            const MStatus status = MPxNode::addAttribute(*attribute);
            if (!status) return status;
        }
        const MStatus added = MPxNode::addAttribute(made.status);
        if (!added) return added;
        for (const MObject& attribute : made.outputs) {
            const MStatus status = MPxNode::addAttribute(attribute);
            if (!status) return status;
        }
        for (const MObject* attribute : inputs) {
            MPxNode::attributeAffects(*attribute, made.status);
            for (const MObject& affected : made.outputs) MPxNode::attributeAffects(*attribute, affected);
        }
        return MStatus();
    }
    MH_CATCH(MStatus(MStatus::kFailure))
}

}  // namespace

MStatus register_nodes(MFnPlugin& plugin) { return plugin.registerNode(utf8("mhRigLogic"), MTypeId(MHRIG_NODE_ID), create, initialize); }
MStatus deregister_nodes(MFnPlugin& plugin) { return plugin.deregisterNode(MTypeId(MHRIG_NODE_ID)); }

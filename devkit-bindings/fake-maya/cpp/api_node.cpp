// Attributes, data blocks, plug-in nodes.
#include <algorithm>

#include "api.h"

MH_MAYA_OPEN

static fake::Scene& scene() { return fake::Scene::get(); }

// Named in the interface, looked into by nothing here.
class MTimeRange {};

static fake::Attribute* made(MFnBase& set, const MString& long_name, const MString& short_name, fake::Kind kind, MStatus* status) {
    fake::Attribute* attribute = fake::new_attribute(long_name.asUTF8(), short_name.asUTF8(), kind);
    Access::attach(set, attribute);
    report(status, true);
    return attribute;
}
static fake::Attribute* own(const MFnBase& set) { return Access::attribute(set.object()); }

MFn::Type MFnAttribute::type() const { return MFn::kInvalid; }
MFnAttribute::~MFnAttribute() {}
MStatus MFnAttribute::setReadable(bool on) {
    own(*this)->readable = on;
    return MStatus();
}
MStatus MFnAttribute::setWritable(bool on) {
    own(*this)->writable = on;
    return MStatus();
}
MStatus MFnAttribute::setConnectable(bool) { return MStatus(); }
MStatus MFnAttribute::setStorable(bool on) {
    own(*this)->storable = on;
    return MStatus();
}
MStatus MFnAttribute::setKeyable(bool on) {
    own(*this)->keyable = on;
    return MStatus();
}
MStatus MFnAttribute::setHidden(bool on) {
    own(*this)->hidden = on;
    return MStatus();
}
MStatus MFnAttribute::setArray(bool on) {
    own(*this)->array = on;
    return MStatus();
}
MStatus MFnAttribute::setUsesArrayDataBuilder(bool) { return MStatus(); }
MStatus MFnAttribute::setUsedAsFilename(bool) { return MStatus(); }

MFn::Type MFnNumericAttribute::type() const { return MFn::kInvalid; }
MFnNumericAttribute::~MFnNumericAttribute() {}
MObject MFnNumericAttribute::create(const MString& long_name, const MString& short_name, MFnNumericData::Type type, double default_value, MStatus* status) {
    fake::Kind kind = fake::Kind::Double;
    switch (type) {
        case MFnNumericData::kBoolean: kind = fake::Kind::Bool; break;
        case MFnNumericData::kByte:
        case MFnNumericData::kChar:
        case MFnNumericData::kShort:
        case MFnNumericData::kInt: kind = fake::Kind::Int; break;
        case MFnNumericData::kFloat: kind = fake::Kind::Float; break;
        case MFnNumericData::kDouble: break;
        default: report(status, false, MStatus::kInvalidParameter); return MObject();
    }
    fake::Attribute* attribute = made(*this, long_name, short_name, kind, status);
    attribute->default_number = default_value;
    return object();
}
MObject MFnNumericAttribute::create(const MString& long_name, const MString& short_name, const MObject& x, const MObject& y, const MObject& z, MStatus* status) {
    fake::Attribute* attribute = made(*this, long_name, short_name, fake::Kind::Compound, status);
    for (const MObject* child : {&x, &y, &z}) {
        Access::attribute(*child)->parent = attribute;
        attribute->children.push_back(Access::attribute(*child));
    }
    return object();
}
MStatus MFnNumericAttribute::setMin(double value) {
    own(*this)->has_minimum = true;
    own(*this)->minimum = value;
    return MStatus();
}
MStatus MFnNumericAttribute::setMax(double value) {
    own(*this)->has_maximum = true;
    own(*this)->maximum = value;
    return MStatus();
}
MStatus MFnNumericAttribute::setDefault(double value) {
    own(*this)->default_number = value;
    return MStatus();
}

MFn::Type MFnUnitAttribute::type() const { return MFn::kInvalid; }
MFnUnitAttribute::~MFnUnitAttribute() {}
MObject MFnUnitAttribute::create(const MString& long_name, const MString& short_name, Type type, double default_value, MStatus* status) {
    const fake::Kind kind = type == kAngle ? fake::Kind::Angle : type == kDistance ? fake::Kind::Distance : fake::Kind::Double;
    made(*this, long_name, short_name, kind, status)->default_number = default_value;
    return object();
}

MFn::Type MFnTypedAttribute::type() const { return MFn::kInvalid; }
MFnTypedAttribute::~MFnTypedAttribute() {}
MObject MFnTypedAttribute::create(const MString& long_name, const MString& short_name, MFnData::Type type, MObject, MStatus* status) {
    const std::map<int, fake::Kind> kinds = {{MFnData::kString, fake::Kind::String}, {MFnData::kMatrix, fake::Kind::Matrix}, {MFnData::kMesh, fake::Kind::Mesh},
                                             {MFnData::kPointArray, fake::Kind::Points}, {MFnData::kComponentList, fake::Kind::Indices}};
    auto found = kinds.find(type);
    if (found == kinds.end()) {
        report(status, false, MStatus::kInvalidParameter);
        return MObject();
    }
    made(*this, long_name, short_name, found->second, status);
    return object();
}

MFn::Type MFnMatrixAttribute::type() const { return MFn::kInvalid; }
MFnMatrixAttribute::~MFnMatrixAttribute() {}
MObject MFnMatrixAttribute::create(const MString& long_name, const MString& short_name, Type, MStatus* status) {
    made(*this, long_name, short_name, fake::Kind::Matrix, status);
    return object();
}

MFn::Type MFnEnumAttribute::type() const { return MFn::kInvalid; }
MFnEnumAttribute::~MFnEnumAttribute() {}
MObject MFnEnumAttribute::create(const MString& long_name, const MString& short_name, short default_value, MStatus* status) {
    made(*this, long_name, short_name, fake::Kind::Int, status)->default_number = default_value;
    return object();
}
MStatus MFnEnumAttribute::addField(const MString& name, short value) {
    own(*this)->fields.push_back({name.asUTF8(), value});
    return MStatus();
}

MFn::Type MFnCompoundAttribute::type() const { return MFn::kInvalid; }
MFnCompoundAttribute::~MFnCompoundAttribute() {}
MObject MFnCompoundAttribute::create(const MString& long_name, const MString& short_name, MStatus* status) {
    made(*this, long_name, short_name, fake::Kind::Compound, status);
    return object();
}
MStatus MFnCompoundAttribute::addChild(const MObject& child) {
    fake::Attribute* added = Access::attribute(child);
    if (!added) return MStatus(MStatus::kInvalidParameter);
    added->parent = own(*this);
    own(*this)->children.push_back(added);
    return MStatus();
}

MFn::Type MFnMessageAttribute::type() const { return MFn::kInvalid; }
MFnMessageAttribute::~MFnMessageAttribute() {}
MObject MFnMessageAttribute::create(const MString& long_name, const MString& short_name, MStatus* status) {
    made(*this, long_name, short_name, fake::Kind::Message, status);
    return object();
}

MFnData::MFnData() {}
MFnData::~MFnData() {}
MFn::Type MFnData::type() const { return MFn::kInvalid; }
MFnNumericData::MFnNumericData() {}
MFnNumericData::~MFnNumericData() {}
MFn::Type MFnNumericData::type() const { return MFn::kInvalid; }
/// Makes data of the scene and hands them to a function set.
static MObject new_data(MFnBase& set, fake::Value value, MStatus* status) {
    auto* data = new fake::Data;  // as long as the process, like every object
    data->value = std::move(value);
    Access::attach(set, data);
    report(status, true);
    return Access::object(data);
}
static void attach_data(MFnBase& set, MObject& object, MStatus* status) {
    if (Access::data(object)) Access::attach(set, Access::data(object));
    report(status, Access::data(object) != nullptr, MStatus::kInvalidParameter);
}
MFnPointArrayData::MFnPointArrayData(MObject& data, MStatus* status) { attach_data(*this, data, status); }
MFnPointArrayData::~MFnPointArrayData() {}
MFn::Type MFnPointArrayData::type() const { return MFn::kInvalid; }
MObject MFnPointArrayData::create(const MPointArray& points, MStatus* status) {
    fake::Value value;
    value.kind = fake::Kind::Points;
    for (const MPoint& point : *Access::impl<std::vector<MPoint>>(points)) value.points.insert(value.points.end(), {point.x, point.y, point.z, point.w});
    return new_data(*this, std::move(value), status);
}
MFnComponentListData::MFnComponentListData(MObject& data, MStatus* status) { attach_data(*this, data, status); }
MFnComponentListData::~MFnComponentListData() {}
MFn::Type MFnComponentListData::type() const { return MFn::kInvalid; }
MObject MFnComponentListData::create(MStatus* status) {
    fake::Value value;
    value.kind = fake::Kind::Indices;
    return new_data(*this, std::move(value), status);
}
MStatus MFnComponentListData::add(MObject& object) {
    fake::Data* data = Access::data(this->object());
    const fake::Component* component = Access::component(object);
    if (!data || !component) return MStatus(MStatus::kInvalidParameter);
    data->value.indices.insert(data->value.indices.end(), component->elements.begin(), component->elements.end());
    return MStatus();
}
MFnMatrixData::MFnMatrixData(MObject& data, MStatus* status) { attach_data(*this, data, status); }
MFnMatrixData::~MFnMatrixData() {}
MFn::Type MFnMatrixData::type() const { return MFn::kInvalid; }
MObject MFnMatrixData::create(const MMatrix& matrix, MStatus* status) {
    fake::Matrix inner;
    for (int i = 0; i < 16; ++i) inner[i] = matrix(i / 4, i % 4);
    return new_data(*this, fake::Value::of(inner), status);
}
const MMatrix& MFnMatrixData::matrix(MStatus* status) const {
    static thread_local MMatrix out;
    const fake::Data* data = Access::data(object());
    report(status, data != nullptr);
    if (data)
        for (int i = 0; i < 16; ++i) out.matrix[i / 4][i % 4] = data->value.matrix[i];
    return out;
}

namespace {
/// One value a node's compute may read or write. Typed views exist because readers get references.
struct Slot {
    fake::Plug plug;
    fake::Value value;
    bool output = false, clean = false;
    bool as_bool = false;
    short as_short = 0;
    int as_int = 0;
    float as_float = 0;
    double as_double = 0;
    MString as_string;
    MMatrix as_matrix;

    void refresh() {
        as_bool = value.number != 0.0;
        as_short = short(value.number);
        as_int = int(value.number);
        as_float = float(value.number);
        as_double = value.number;
        as_string.setUTF8(value.text.c_str());
        for (int i = 0; i < 16; ++i) as_matrix.matrix[i / 4][i % 4] = value.matrix[i];
    }
};

struct ArrayCursor;

/// What a data block stands on: the node and the values touched in this evaluation. Handles die without a call, so
/// what they point at is owned here and freed after the evaluation.
struct Block {
    fake::Node* node = nullptr;
    std::map<std::string, std::unique_ptr<Slot>> slots;
    std::vector<std::shared_ptr<ArrayCursor>> cursors;

    Slot* slot(const fake::Plug& plug, bool output) {
        auto& slot = slots[plug.key()];
        if (!slot) {
            slot = std::make_unique<Slot>();
            slot->plug = plug;
            if (!output) slot->value = scene().evaluate(plug);
            else slot->value.kind = plug.attribute()->kind;
            slot->refresh();
        }
        slot->output |= output;
        return slot.get();
    }
};

struct ArrayCursor {
    Block* block = nullptr;
    fake::Plug plug;
    bool output = false;
    std::vector<int> indices;
    size_t at = 0;
};

Slot& slot_of(const MDataHandle& handle) { return *Access::impl<Slot>(handle); }
template <class Set> void assign(const MDataHandle& handle, Set set) {
    Slot& slot = slot_of(handle);
    set(slot.value);
    slot.refresh();
    slot.clean = true;
}
MDataHandle handle_to(Slot* slot) {
    MDataHandle handle;
    Access::impl<Slot>(handle) = slot;
    return handle;
}
MArrayDataHandle array_handle(Block* block, const fake::Plug& plug, bool output, MStatus* status) {
    auto cursor = std::make_shared<ArrayCursor>();
    cursor->block = block;
    cursor->plug = plug;
    cursor->output = output;
    cursor->indices = scene().element_indices(plug);
    if (output) {
        // Elements that something reads exist, whether or not they have a value yet.
        std::set<int> indices(cursor->indices.begin(), cursor->indices.end());
        const std::string prefix = plug.key() + '[';
        for (const fake::Node* other : scene().nodes())
            for (const auto& item : other->incoming)
                if (item.second.node == plug.node && item.second.key.compare(0, prefix.size(), prefix) == 0) indices.insert(std::atoi(item.second.key.c_str() + prefix.size()));
        cursor->indices.assign(indices.begin(), indices.end());
    }
    ArrayCursor* raw = cursor.get();
    block->cursors.push_back(std::move(cursor));
    MDataHandle carrier;
    Access::impl<ArrayCursor>(carrier) = raw;
    return MArrayDataHandle(carrier, status);
}
}  // namespace

MDataHandle::MDataHandle() : impl_(nullptr) {}
MFnData::Type MDataHandle::type() const {
    switch (slot_of(*this).value.kind) {
        case fake::Kind::String: return MFnData::kString;
        case fake::Kind::Matrix: return MFnData::kMatrix;
        case fake::Kind::Mesh: return MFnData::kMesh;
        default: return MFnData::kNumeric;
    }
}
bool& MDataHandle::asBool() const { return slot_of(*this).as_bool; }
short& MDataHandle::asShort() const { return slot_of(*this).as_short; }
int& MDataHandle::asInt() const { return slot_of(*this).as_int; }
float& MDataHandle::asFloat() const { return slot_of(*this).as_float; }
double& MDataHandle::asDouble() const { return slot_of(*this).as_double; }
MString& MDataHandle::asString() const { return slot_of(*this).as_string; }
MMatrix& MDataHandle::asMatrix() const { return slot_of(*this).as_matrix; }
MObject MDataHandle::asMesh() const {
    auto* data = new fake::Data;
    data->value = slot_of(*this).value;
    return Access::object(data);
}
void MDataHandle::set(bool value) { assign(*this, [&](fake::Value& v) { v.number = value; }); }
void MDataHandle::set(int value) { assign(*this, [&](fake::Value& v) { v.number = value; }); }
void MDataHandle::set(float value) { assign(*this, [&](fake::Value& v) { v.number = value; }); }
void MDataHandle::set(double value) { assign(*this, [&](fake::Value& v) { v.number = value; }); }
void MDataHandle::set(const MString& value) { assign(*this, [&](fake::Value& v) { v.text = value.asUTF8(); }); }
MStatus MDataHandle::set(const MObject& object) {
    const fake::Data* data = Access::data(object);
    if (!data) return MStatus(MStatus::kInvalidParameter);
    assign(*this, [&](fake::Value& v) { v = data->value; });
    return MStatus();
}
void MDataHandle::setShort(short value) { set(int(value)); }
void MDataHandle::setFloat(float value) { set(value); }
void MDataHandle::setDouble(double value) { set(value); }
void MDataHandle::set3Double(double x, double y, double z) {
    Slot& slot = slot_of(*this);
    const double values[3] = {x, y, z};
    for (size_t i = 0; i < slot.plug.attribute()->children.size() && i < 3; ++i)
        slot.plug.node->cache[slot.plug.child(slot.plug.attribute()->children[i]).key()] = {scene().epoch(), fake::Value::of(fake::Kind::Double, values[i])};
    slot.clean = true;
}
void MDataHandle::setMMatrix(const MMatrix& value) {
    assign(*this, [&](fake::Value& v) {
        for (int i = 0; i < 16; ++i) v.matrix[i] = value(i / 4, i % 4);
        v.kind = fake::Kind::Matrix;
    });
}
void MDataHandle::setClean() { slot_of(*this).clean = true; }
MDataHandle MDataHandle::child(const MObject& attribute) {
    const Slot& slot = slot_of(*this);
    const fake::Plug plug = slot.plug.child(Access::attribute(attribute));
    // Children live as long as the evaluation through the node's own slot list; reached by an owner-less slot here.
    static thread_local std::vector<std::unique_ptr<Slot>> children;
    if (children.size() > 4096) children.clear();
    children.push_back(std::make_unique<Slot>());
    children.back()->plug = plug;
    children.back()->value = scene().evaluate(plug);
    children.back()->refresh();
    return handle_to(children.back().get());
}

MArrayDataHandle::MArrayDataHandle(const MDataHandle& handle, MStatus* status) : impl_(Access::impl<ArrayCursor>(handle)) { report(status, impl_ != nullptr); }
static ArrayCursor& cursor_of(const MArrayDataHandle& handle) { return *Access::impl<ArrayCursor>(handle); }
unsigned int MArrayDataHandle::elementCount(MStatus* status) {
    report(status, true);
    return unsigned(cursor_of(*this).indices.size());
}
unsigned int MArrayDataHandle::elementIndex(MStatus* status) {
    const ArrayCursor& cursor = cursor_of(*this);
    report(status, cursor.at < cursor.indices.size());
    return cursor.at < cursor.indices.size() ? unsigned(cursor.indices[cursor.at]) : 0;
}
MStatus MArrayDataHandle::jumpToElement(unsigned int logical_index) {
    ArrayCursor& cursor = cursor_of(*this);
    auto found = std::find(cursor.indices.begin(), cursor.indices.end(), int(logical_index));
    if (found == cursor.indices.end()) return MStatus(MStatus::kFailure);
    cursor.at = size_t(found - cursor.indices.begin());
    return MStatus();
}
MStatus MArrayDataHandle::jumpToArrayElement(unsigned int physical_index) {
    cursor_of(*this).at = physical_index;
    return status_of(physical_index < cursor_of(*this).indices.size());
}
MStatus MArrayDataHandle::next() {
    ArrayCursor& cursor = cursor_of(*this);
    return status_of(++cursor.at < cursor.indices.size());
}
static MDataHandle element(const MArrayDataHandle& handle, bool output, MStatus* status) {
    const ArrayCursor& cursor = cursor_of(handle);
    const bool ok = cursor.at < cursor.indices.size();
    report(status, ok);
    return ok ? handle_to(cursor.block->slot(cursor.plug.element(cursor.indices[cursor.at]), output)) : MDataHandle();
}
MDataHandle MArrayDataHandle::inputValue(MStatus* status) { return element(*this, false, status); }
MDataHandle MArrayDataHandle::outputValue(MStatus* status) { return element(*this, true, status); }
MArrayDataBuilder MArrayDataHandle::builder(MStatus* status) {
    const ArrayCursor& cursor = cursor_of(*this);
    MDataBlock block = Access::block(cursor.plug.node);
    MArrayDataBuilder builder(&block, Access::object(cursor.plug.attribute()), unsigned(cursor.indices.size()), status);
    Access::impl<Block>(builder) = cursor.block;
    return builder;
}
MStatus MArrayDataHandle::set(MArrayDataBuilder&) { return MStatus(); }
MStatus MArrayDataHandle::setAllClean() {
    const ArrayCursor& cursor = cursor_of(*this);
    for (int index : cursor.indices) cursor.block->slot(cursor.plug.element(index), true)->clean = true;
    return MStatus();
}

MArrayDataBuilder::MArrayDataBuilder(MDataBlock* block, const MObject& attribute, unsigned int, MStatus* status) : impl_(Access::impl<Block>(*block)) {
    spare_[0] = Access::attribute(attribute);
    report(status, true);
}
MArrayDataBuilder::~MArrayDataBuilder() {}
MDataHandle MArrayDataBuilder::addElement(unsigned int index, MStatus* status) {
    report(status, true);
    Block* block = Access::impl<Block>(*this);
    const fake::Plug array = scene().find_plug(block->node, static_cast<fake::Attribute*>(spare_[0])->long_name);
    return handle_to(block->slot(array.element(int(index)), true));
}

MDataBlock::MDataBlock() : impl_(nullptr) {}
MDataBlock::MDataBlock(const MDataBlock& other) : impl_(other.impl_) {}
MDataBlock::~MDataBlock() {}
static fake::Plug plug_for(Block* block, const MObject& attribute) { return scene().find_plug(block->node, Access::attribute(attribute)->long_name); }
MDataHandle MDataBlock::inputValue(const MObject& attribute, MStatus* status) {
    report(status, true);
    Block* block = Access::impl<Block>(*this);
    return handle_to(block->slot(plug_for(block, attribute), false));
}
MDataHandle MDataBlock::outputValue(const MObject& attribute, MStatus* status) {
    report(status, true);
    Block* block = Access::impl<Block>(*this);
    return handle_to(block->slot(plug_for(block, attribute), true));
}
MArrayDataHandle MDataBlock::inputArrayValue(const MObject& attribute, MStatus* status) {
    Block* block = Access::impl<Block>(*this);
    return array_handle(block, plug_for(block, attribute), false, status);
}
MArrayDataHandle MDataBlock::outputArrayValue(const MObject& attribute, MStatus* status) {
    Block* block = Access::impl<Block>(*this);
    return array_handle(block, plug_for(block, attribute), true, status);
}
MStatus MDataBlock::setClean(const MPlug& plug) {
    Access::impl<Block>(*this)->slot(Access::plug(plug), true)->clean = true;
    return MStatus();
}
MStatus MDataBlock::setClean(const MObject& attribute) {
    Block* block = Access::impl<Block>(*this);
    block->slot(plug_for(block, attribute), true)->clean = true;
    return MStatus();
}

MDataBlock MhFakeAccess::block(fake::Node* node) {
    static thread_local std::map<fake::Node*, std::unique_ptr<Block>> blocks;
    auto& block = blocks[node];
    if (!block) block = std::make_unique<Block>();
    block->node = node;
    MDataBlock api;
    impl<Block>(api) = block.get();
    return api;
}
void* MhFakeAccess::node_instance(const MPxNode& node) { return node.instance_; }
void MhFakeAccess::set_node_instance(MPxNode& node, void* instance) { node.instance_ = instance; }

/// Whether some attribute of the type affects this one or a parent of it.
static bool is_computed(const fake::NodeType& type, const fake::Attribute* attribute) {
    for (; attribute; attribute = attribute->parent)
        for (const fake::Attribute* source : type.attributes)
            if (std::find(source->affects.begin(), source->affects.end(), attribute) != source->affects.end()) return true;
    return false;
}

/// Called by the scene for a plug of a plug-in node; every output that compute() set becomes part of the cache.
bool compute_plugin_node(fake::Node& node, const fake::Plug& plug, fake::Value& value) {
    auto* instance = static_cast<MPxNode*>(node.instance);
    if (!instance || !is_computed(*node.type, plug.attribute())) return false;
    Block block;
    block.node = &node;
    MDataBlock api = Access::block(&node);
    Access::impl<Block>(api) = &block;
    if (!instance->compute(Access::plug(plug), api)) return false;
    for (auto& [key, slot] : block.slots)
        if (slot->output && slot->clean) node.cache[key] = {scene().epoch(), slot->value};
    auto computed = node.cache.find(plug.key());
    if (computed == node.cache.end() || computed->second.first != scene().epoch()) return false;
    value = computed->second.second;
    return true;
}

namespace {
/// The type whose initialize function is running: addAttribute and attributeAffects speak of it.
fake::NodeType* initializing = nullptr;
}  // namespace
void begin_initialize(fake::NodeType* type) { initializing = type; }

MPxNode::MPxNode() : instance_(nullptr), reserved_(nullptr) {}
MPxNode::~MPxNode() {}
void MPxNode::postConstructor() {}
MStatus MPxNode::compute(const MPlug&, MDataBlock&) { return MStatus(MStatus::kUnknownParameter); }
bool MPxNode::getInternalValue(const MPlug&, MDataHandle&) { return false; }
bool MPxNode::setInternalValue(const MPlug&, const MDataHandle&) { return false; }
int MPxNode::internalArrayCount(const MPlug&) const { return -1; }
void MPxNode::copyInternalData(MPxNode*) {}
MStatus MPxNode::legalConnection(const MPlug&, const MPlug&, bool, bool&) const { return MStatus(MStatus::kUnknownParameter); }
MStatus MPxNode::legalDisconnection(const MPlug&, const MPlug&, bool, bool&) const { return MStatus(MStatus::kUnknownParameter); }
MStatus MPxNode::setDependentsDirty(const MPlug&, MPlugArray&) { return MStatus(); }
MStatus MPxNode::preEvaluation(const MDGContext&, const MEvaluationNode&) { return MStatus(); }
MStatus MPxNode::postEvaluation(const MDGContext&, const MEvaluationNode&, unsigned int) { return MStatus(); }
MPxNode::SchedulingType MPxNode::schedulingType() const { return kSerial; }
void MPxNode::getCacheSetup(const MEvaluationNode&, MNodeCacheDisablingInfo&, MNodeCacheSetupInfo&, MObjectArray&) const {}
void MPxNode::configCache(const MEvaluationNode&, MCacheSchema&) const {}
MTimeRange MPxNode::transformInvalidationRange(const MPlug&, const MTimeRange&) const { return MTimeRange(); }
MStatus MPxNode::connectionMade(const MPlug&, const MPlug&, bool) { return MStatus(MStatus::kUnknownParameter); }
MStatus MPxNode::connectionBroken(const MPlug&, const MPlug&, bool) { return MStatus(MStatus::kUnknownParameter); }
MStatus MPxNode::dependsOn(const MPlug&, const MPlug&, bool&) const { return MStatus(MStatus::kUnknownParameter); }
bool MPxNode::isPassiveOutput(const MPlug&) const { return false; }
MStatus MPxNode::shouldSave(const MPlug&, bool&) { return MStatus(MStatus::kUnknownParameter); }
MPlug MPxNode::passThroughToOne(const MPlug&) const { return MPlug(); }
bool MPxNode::passThroughToMany(const MPlug&, MPlugArray&) const { return false; }
MPxNode::Type MPxNode::type() const { return kDependNode; }
bool MPxNode::isAbstractClass() const { return false; }
bool MPxNode::isTrackingTopology() const { return false; }
MStringArray MPxNode::getFilesToArchive(bool, bool, bool) const { return MStringArray(); }
void MPxNode::getExternalContent(MExternalContentInfoTable&) const {}
void MPxNode::setExternalContent(const MExternalContentLocationTable&) {}
static fake::Node* node_of(const MPxNode& node) { return static_cast<fake::Node*>(Access::node_instance(node)); }
MTypeId MPxNode::typeId() const { return MTypeId(node_of(*this) ? node_of(*this)->type->id : 0); }
MString MPxNode::typeName() const { return text(node_of(*this) ? node_of(*this)->type->name : std::string()); }
MString MPxNode::name() const { return text(node_of(*this) ? node_of(*this)->name : std::string()); }
MObject MPxNode::thisMObject() const { return Access::object(node_of(*this)); }
MStatus MPxNode::setExistWithoutInConnections(bool) { return MStatus(); }
bool MPxNode::existWithoutInConnections(MStatus* status) const {
    report(status, true);
    return true;
}
MStatus MPxNode::setExistWithoutOutConnections(bool) { return MStatus(); }
bool MPxNode::existWithoutOutConnections(MStatus* status) const {
    report(status, true);
    return true;
}
MStatus MPxNode::addAttribute(const MObject& object) {
    fake::Attribute* attribute = Access::attribute(object);
    if (!attribute || !initializing) return MStatus(MStatus::kFailure);
    // Children are added with their parent, and adding them again is allowed.
    if (!attribute->parent) initializing->attributes.push_back(attribute);
    return MStatus();
}
MStatus MPxNode::attributeAffects(const MObject& source, const MObject& affected) {
    fake::Attribute *from = Access::attribute(source), *to = Access::attribute(affected);
    if (!from || !to || !initializing) return MStatus(MStatus::kFailure);
    from->affects.push_back(to);
    return MStatus();
}
MDataBlock MPxNode::forceCache() { return Access::block(node_of(*this)); }
MDataBlock MPxNode::forceCache(const MDGContext&) { return Access::block(node_of(*this)); }
MStatus MPxNode::setDoNotWrite(bool) { return MStatus(); }
bool MPxNode::doNotWrite(MStatus* status) const {
    report(status, true);
    return false;
}
void MPxNode::setMPSafe(bool) {}
bool MPxNode::getInternalValueInContext(const MPlug&, MDataHandle&, MDGContext&) { return false; }
bool MPxNode::setInternalValueInContext(const MPlug&, const MDataHandle&, MDGContext&) { return false; }
int MPxNode::internalArrayCount(const MPlug&, const MDGContext&) const { return -1; }

MH_MAYA_CLOSE

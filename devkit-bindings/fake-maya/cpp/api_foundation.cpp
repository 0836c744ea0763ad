// Object handles: the part of the API that lives in the Foundation library.
#include "api.h"

MH_MAYA_OPEN

MObject::MObject() : pointer_(nullptr), flags_(0) {}
MObject::MObject(const MObject& other) : pointer_(other.pointer_), flags_(other.flags_) {}
MObject::~MObject() {}
MObject& MObject::operator=(const MObject& other) {
    pointer_ = other.pointer_;
    flags_ = other.flags_;
    return *this;
}
bool MObject::operator==(const MObject& other) const { return pointer_ == other.pointer_; }
bool MObject::operator!=(const MObject& other) const { return pointer_ != other.pointer_; }
bool MObject::isNull() const { return pointer_ == nullptr; }
MFn::Type MObject::apiType() const {
    const fake::Node* node = Access::node(*this);
    if (!node) return Access::component(*this) ? MFn::kMeshVertComponent : MFn::kInvalid;
    for (const fake::NodeType* type = node->type; type; type = type->base)
        if (!type->api_types.empty()) return static_cast<MFn::Type>(type->api_types[0]);
    return MFn::kInvalid;
}
bool MObject::hasFn(MFn::Type type) const {
    const fake::Node* node = Access::node(*this);
    if (!node) return Access::component(*this) && type == MFn::kMeshVertComponent;
    return has_type(node, type);
}
MObject MObject::kNullObj;

MH_MAYA_CLOSE

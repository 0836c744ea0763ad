// What the files that implement the API's classes share.
#pragma once

#include <string>

#include "host.h"
#include "mhrig_maya.h"

MH_MAYA_OPEN

// The one door into the private fields of the API's classes.
struct MhFakeAccess {
    template <class T, class Api> static T*& impl(Api& api) { return reinterpret_cast<T*&>(api.impl_); }
    template <class T, class Api> static T* impl(const Api& api) { return static_cast<T*>(api.impl_); }

    static fake::Object* object(const MObject& handle) { return static_cast<fake::Object*>(handle.pointer_); }
    static MObject object(fake::Object* object) {
        MObject handle;
        handle.pointer_ = object;
        return handle;
    }
    static fake::Node* node(const MObject& handle) {
        fake::Object* found = object(handle);
        return found && found->class_ == fake::Object::Class::Node ? static_cast<fake::Node*>(found) : nullptr;
    }
    static fake::Attribute* attribute(const MObject& handle) {
        fake::Object* found = object(handle);
        return found && found->class_ == fake::Object::Class::Attribute ? static_cast<fake::Attribute*>(found) : nullptr;
    }
    static fake::Component* component(const MObject& handle) {
        fake::Object* found = object(handle);
        return found && found->class_ == fake::Object::Class::Component ? static_cast<fake::Component*>(found) : nullptr;
    }
    static fake::Data* data(const MObject& handle) {
        fake::Object* found = object(handle);
        return found && found->class_ == fake::Object::Class::Data ? static_cast<fake::Data*>(found) : nullptr;
    }

    /// A function set keeps its object and, where it was made from a path, the path.
    static void attach(MFnBase& set, fake::Object* object) { set.object_ = object; }
    static fake::Object* attached(const MFnBase& set) { return static_cast<fake::Object*>(set.object_); }
    static void attach_path(MFnBase& set, fake::Path* path) { set.const_object_ = path; }
    static fake::Path* attached_path(const MFnBase& set) { return static_cast<fake::Path*>(set.const_object_); }
    static fake::Node* node(const MFnBase& set) {
        fake::Object* found = attached(set);
        return found && found->class_ == fake::Object::Class::Node ? static_cast<fake::Node*>(found) : nullptr;
    }

    static fake::Path& path(MDagPath& path) { return *impl<fake::Path>(path); }
    static const fake::Path& path(const MDagPath& path) { return *impl<fake::Path>(path); }
    static fake::Plug& plug(MPlug& plug) { return *impl<fake::Plug>(plug); }
    static const fake::Plug& plug(const MPlug& plug) { return *impl<fake::Plug>(plug); }
    static MPlug plug(const fake::Plug& from) {
        MPlug plug;
        *impl<fake::Plug>(plug) = from;
        return plug;
    }
    static std::vector<std::string>& words(const MArgList& list) { return *impl<std::vector<std::string>>(list); }
    static void* node_instance(const MPxNode& node);
    static void set_node_instance(MPxNode& node, void* instance);
    static MDataBlock block(fake::Node* node);
    static unsigned type_id(const MTypeId& id) { return id.id_; }
};

inline void report(MStatus* status, bool ok, MStatus::MStatusCode otherwise = MStatus::kFailure) {
    if (status) *status = ok ? MStatus(MStatus::kSuccess) : MStatus(otherwise);
}
inline MStatus status_of(bool ok, MStatus::MStatusCode otherwise = MStatus::kFailure) {
    return MStatus(ok ? MStatus::kSuccess : otherwise);
}
inline MString text(const std::string& utf8) {
    MString string;
    string.setUTF8(utf8.c_str());
    return string;
}
inline bool has_type(const fake::Node* node, int type) {
    for (const fake::NodeType* walk = node->type; walk; walk = walk->base)
        for (int known : walk->api_types)
            if (known == type) return true;
    return false;
}

MH_MAYA_CLOSE

using namespace mhm;
using Access = mhm::MhFakeAccess;

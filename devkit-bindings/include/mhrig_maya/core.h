// Status codes, strings, object handles, type numbers.
#pragma once
#include "year.h"

MH_MAYA_OPEN

// Object type numbers. Those above about 554 have moved between years; nothing above kMeshFaceVertComponent is
// listed, and code that needs such a type asks for the type's name.
class MH_MAYA_API MFn {
public:
    enum Type {
        kInvalid = 0,
        kBase = 1,
        kNamedObject = 2,
        kDependencyNode = 4,
        kDagNode = 107,
        kTransform = 110,
        kJoint = 121,
        kNurbsCurve = 267,
        kMesh = 296,
        kBlendShape = 336,
        kPluginDependNode = 459,
        kSet = 471,
        kMeshVertComponent = 554
    };

private:
    MFn();
};

class MH_MAYA_API MSpace {
public:
    enum Space { kInvalid = 0, kTransform = 1, kPreTransform = 2, kObject = 2, kPostTransform = 3, kWorld = 4 };

private:
    MSpace();
};

// Exactly three bytes, returned through a hidden pointer on every platform because its copy is not trivial. The
// code and the flag must agree: compiled plug-ins test either.
class MH_MAYA_API MStatus {
public:
    enum MStatusCode {
        kSuccess = 0,
        kFailure,
        kInsufficientMemory,
        kInvalidParameter,
        kLicenseFailure,
        kUnknownParameter,
        kNotImplemented,
        kNotFound,
        kEndOfFile
    };

    MStatus() : code_(kSuccess), internal_(0xff), ok_(true) {}
    MStatus(MStatusCode code);
    MStatus(const MStatus& other) : code_(other.code_), internal_(other.internal_), ok_(other.ok_) {}
    MStatus& operator=(const MStatus& other) {
        code_ = other.code_;
        internal_ = other.internal_;
        ok_ = other.ok_;
        return *this;
    }
    bool operator==(MStatusCode code) const { return code_ == code; }
    bool operator!=(MStatusCode code) const { return code_ != code; }
    operator bool() const { return ok_; }

private:
    unsigned char code_;
    unsigned char internal_;
    bool ok_;
};
static_assert(sizeof(MStatus) == 3 && alignof(MStatus) == 1, "MStatus is three bytes");

// Exactly 16 bytes; lives in the Foundation library.
class MH_MAYA_API MObject {
public:
    MObject();
    MObject(const MObject& other);
    ~MObject();
    bool hasFn(MFn::Type type) const;
    bool isNull() const;
    MFn::Type apiType() const;
    MObject& operator=(const MObject& other);
    bool operator==(const MObject& other) const;
    bool operator!=(const MObject& other) const;

    static MObject kNullObj;

private:
    friend struct MhFakeAccess;
    void* pointer_;
    unsigned short flags_;
};
static_assert(sizeof(MObject) == 16, "MObject is a pointer and 16 bits of flags");

// The `char const*` constructor reads the locale's encoding: text of ours goes through setUTF8 and asUTF8.
class MH_MAYA_API MString {
public:
    MString();
    MString(const MString& other);
    MString(const char* locale_text);
    ~MString();
    MString& operator=(const MString& other);
    const char* asUTF8() const;
    MStatus setUTF8(const char* text);

private:
    friend struct MhFakeAccess;
    void* impl_;
    MH_SPARE(3)
};

class MH_MAYA_API MStringArray {
public:
    MStringArray();
    ~MStringArray();
    unsigned int length() const;
    MStatus append(const MString& element);
    MString& operator[](unsigned int index);

private:
    friend struct MhFakeAccess;
    void* impl_;
    bool own_;
    MH_SPARE(3)
};

// Exactly four bytes: the number of a node type.
class MH_MAYA_API MTypeId {
public:
    MTypeId(unsigned int id);
    MTypeId(const MTypeId& other);
    ~MTypeId();
    MTypeId& operator=(const MTypeId& other);
    unsigned int id() const;

private:
    friend struct MhFakeAccess;
    unsigned int id_;
};
static_assert(sizeof(MTypeId) == 4, "MTypeId is one number");

MH_MAYA_CLOSE

// Status, strings, arrays, maths.
#include <cmath>

#include "api.h"

MH_MAYA_OPEN

MStatus::MStatus(MStatusCode code) : code_(static_cast<unsigned char>(code)), internal_(0xff), ok_(code == kSuccess) {}

MString::MString() : impl_(new std::string) {}
MString::MString(const MString& other) : impl_(new std::string(*Access::impl<std::string>(other))) {}
// The real constructor reads the locale's encoding. Keeping only ASCII shows a caller who passes anything else.
MString::MString(const char* locale_text) : impl_(new std::string) {
    for (const char* c = locale_text; c && *c; ++c) *Access::impl<std::string>(*this) += static_cast<signed char>(*c) < 0 ? '?' : *c;
}
MString::~MString() { delete Access::impl<std::string>(*this); }
MString& MString::operator=(const MString& other) {
    *Access::impl<std::string>(*this) = *Access::impl<std::string>(other);
    return *this;
}
const char* MString::asUTF8() const { return Access::impl<std::string>(*this)->c_str(); }
MStatus MString::setUTF8(const char* text) {
    *Access::impl<std::string>(*this) = text;
    return MStatus();
}

MStringArray::MStringArray() : impl_(new std::vector<MString>), own_(true) {}
MStringArray::~MStringArray() { delete Access::impl<std::vector<MString>>(*this); }
unsigned int MStringArray::length() const { return unsigned(Access::impl<std::vector<MString>>(*this)->size()); }
MStatus MStringArray::append(const MString& element) {
    Access::impl<std::vector<MString>>(*this)->push_back(element);
    return MStatus();
}
MString& MStringArray::operator[](unsigned int index) { return Access::impl<std::vector<MString>>(*this)->at(index); }

MTypeId::MTypeId(unsigned int id) : id_(id) {}
MTypeId::MTypeId(const MTypeId& other) : id_(other.id_) {}
MTypeId::~MTypeId() {}
MTypeId& MTypeId::operator=(const MTypeId& other) {
    id_ = other.id_;
    return *this;
}
unsigned int MTypeId::id() const { return id_; }

#define MH_ARRAY(Array, Element, Passed)                                                                          \
    Array::Array() : impl_(new std::vector<Element>), debug_(nullptr), own_(true) {}                              \
    Array::Array(const Array& other)                                                                              \
        : impl_(new std::vector<Element>(*Access::impl<std::vector<Element>>(other))), debug_(nullptr), own_(true) {} \
    Array::~Array() { delete Access::impl<std::vector<Element>>(*this); }                                         \
    Array& Array::operator=(const Array& other) {                                                                 \
        *Access::impl<std::vector<Element>>(*this) = *Access::impl<std::vector<Element>>(other);                  \
        return *this;                                                                                             \
    }                                                                                                             \
    unsigned int Array::length() const { return unsigned(Access::impl<std::vector<Element>>(*this)->size()); }    \
    MStatus Array::setLength(unsigned int length) {                                                               \
        Access::impl<std::vector<Element>>(*this)->resize(length);                                                \
        return MStatus();                                                                                         \
    }                                                                                                             \
    MStatus Array::append(Passed element) {                                                                       \
        Access::impl<std::vector<Element>>(*this)->push_back(element);                                            \
        return MStatus();                                                                                         \
    }                                                                                                             \
    MStatus Array::clear() {                                                                                      \
        Access::impl<std::vector<Element>>(*this)->clear();                                                       \
        return MStatus();                                                                                         \
    }                                                                                                             \
    Element& Array::operator[](unsigned int index) { return Access::impl<std::vector<Element>>(*this)->at(index); } \
    MStatus Array::set(Passed element, unsigned int index) {                                                      \
        auto& items = *Access::impl<std::vector<Element>>(*this);                                                 \
        if (index >= items.size()) return MStatus(MStatus::kFailure);                                             \
        items[index] = element;                                                                                   \
        return MStatus();                                                                                         \
    }

MH_ARRAY(MIntArray, int, int)
MH_ARRAY(MUintArray, unsigned int, unsigned int)
MH_ARRAY(MFloatArray, float, float)
MH_ARRAY(MDoubleArray, double, double)
MDoubleArray::MDoubleArray(unsigned int length, double initial) : MDoubleArray() { Access::impl<std::vector<double>>(*this)->assign(length, initial); }
MH_ARRAY(MPointArray, MPoint, const MPoint&)
MH_ARRAY(MFloatPointArray, MFloatPoint, const MFloatPoint&)
MH_ARRAY(MVectorArray, MVector, const MVector&)
MH_ARRAY(MFloatVectorArray, MFloatVector, const MFloatVector&)
MH_ARRAY(MObjectArray, MObject, const MObject&)
#undef MH_ARRAY

MPlugArray::MPlugArray() : impl_(new std::vector<MPlug>), own_(true) {}
MPlugArray::~MPlugArray() { delete Access::impl<std::vector<MPlug>>(*this); }
unsigned int MPlugArray::length() const { return unsigned(Access::impl<std::vector<MPlug>>(*this)->size()); }
MPlug& MPlugArray::operator[](unsigned int index) { return Access::impl<std::vector<MPlug>>(*this)->at(index); }

MDagPathArray::MDagPathArray() : impl_(new std::vector<MDagPath>), own_(true) {}
MDagPathArray::~MDagPathArray() { delete Access::impl<std::vector<MDagPath>>(*this); }
unsigned int MDagPathArray::length() const { return unsigned(Access::impl<std::vector<MDagPath>>(*this)->size()); }
MDagPath& MDagPathArray::operator[](unsigned int index) { return Access::impl<std::vector<MDagPath>>(*this)->at(index); }

static fake::Matrix to_fake(const MMatrix& matrix) {
    fake::Matrix out;
    for (int i = 0; i < 16; ++i) out[i] = matrix.matrix[i / 4][i % 4];
    return out;
}
static MMatrix from_fake(const fake::Matrix& matrix) {
    MMatrix out;
    for (int i = 0; i < 16; ++i) out.matrix[i / 4][i % 4] = matrix[i];
    return out;
}

MMatrix::MMatrix() {
    for (int i = 0; i < 16; ++i) matrix[i / 4][i % 4] = i % 5 == 0 ? 1.0 : 0.0;
}
MMatrix::MMatrix(const MMatrix& other) { *this = other; }
MMatrix::~MMatrix() {}
MMatrix& MMatrix::operator=(const MMatrix& other) {
    for (int i = 0; i < 16; ++i) matrix[i / 4][i % 4] = other.matrix[i / 4][i % 4];
    return *this;
}
MMatrix MMatrix::operator*(const MMatrix& right) const { return from_fake(fake::multiply(to_fake(*this), to_fake(right))); }
MMatrix MMatrix::inverse() const { return from_fake(fake::inverse(to_fake(*this))); }

MQuaternion::MQuaternion() : x(0), y(0), z(0), w(1) {}
MQuaternion::MQuaternion(const MQuaternion& other) : x(other.x), y(other.y), z(other.z), w(other.w) {}
MQuaternion::MQuaternion(double x_, double y_, double z_, double w_) : x(x_), y(y_), z(z_), w(w_) {}
MQuaternion::~MQuaternion() {}
MQuaternion& MQuaternion::operator=(const MQuaternion& other) {
    x = other.x;
    y = other.y;
    z = other.z;
    w = other.w;
    return *this;
}
MMatrix MQuaternion::asMatrix() const {
    return from_fake({1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0, 2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
                      2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0, 0, 0, 0, 1});
}

MEulerRotation::MEulerRotation(double x_, double y_, double z_, RotationOrder order_) : x(x_), y(y_), z(z_), order(order_) {}
MEulerRotation::~MEulerRotation() {}
MQuaternion MEulerRotation::asQuaternion() const {
    const fake::Matrix m = fake::rotation(x, y, z, order);
    // The largest of the four squares first, for accuracy.
    const double squares[4] = {1 + m[0] - m[5] - m[10], 1 - m[0] + m[5] - m[10], 1 - m[0] - m[5] + m[10], 1 + m[0] + m[5] + m[10]};
    int best = 3;
    for (int i = 0; i < 3; ++i)
        if (squares[i] > squares[best]) best = i;
    const double root = std::sqrt(squares[best]), scale = 0.5 / root;
    switch (best) {
        case 0: return MQuaternion(0.5 * root, (m[1] + m[4]) * scale, (m[2] + m[8]) * scale, (m[6] - m[9]) * scale);
        case 1: return MQuaternion((m[1] + m[4]) * scale, 0.5 * root, (m[6] + m[9]) * scale, (m[8] - m[2]) * scale);
        case 2: return MQuaternion((m[2] + m[8]) * scale, (m[6] + m[9]) * scale, 0.5 * root, (m[1] - m[4]) * scale);
        default: return MQuaternion((m[6] - m[9]) * scale, (m[8] - m[2]) * scale, (m[1] - m[4]) * scale, 0.5 * root);
    }
}

MH_MAYA_CLOSE

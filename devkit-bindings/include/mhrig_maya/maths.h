// Points, vectors, matrices. Inline members of these are compiled into plug-ins, so their sizes are exact; the
// destructors are user-provided, which is what makes them travel through hidden pointers.
#pragma once
#include "core.h"

MH_MAYA_OPEN

class MH_MAYA_API MPoint {
public:
    MPoint() : x(0), y(0), z(0), w(1) {}
    MPoint(const MPoint& other) : x(other.x), y(other.y), z(other.z), w(other.w) {}
    MPoint(double x_, double y_, double z_, double w_ = 1.0) : x(x_), y(y_), z(z_), w(w_) {}
    ~MPoint() {}
    MPoint& operator=(const MPoint& other) {
        x = other.x;
        y = other.y;
        z = other.z;
        w = other.w;
        return *this;
    }
    double x, y, z, w;
};
static_assert(sizeof(MPoint) == 32, "MPoint is four doubles");

class MH_MAYA_API MVector {
public:
    MVector() : x(0), y(0), z(0) {}
    MVector(const MVector& other) : x(other.x), y(other.y), z(other.z) {}
    MVector(double x_, double y_, double z_ = 0.0) : x(x_), y(y_), z(z_) {}
    ~MVector() {}
    MVector& operator=(const MVector& other) {
        x = other.x;
        y = other.y;
        z = other.z;
        return *this;
    }
    double x, y, z;
};
static_assert(sizeof(MVector) == 24, "MVector is three doubles");

class MH_MAYA_API MFloatPoint {
public:
    MFloatPoint() : x(0), y(0), z(0), w(1) {}
    MFloatPoint(const MFloatPoint& other) : x(other.x), y(other.y), z(other.z), w(other.w) {}
    MFloatPoint(float x_, float y_, float z_, float w_ = 1.0f) : x(x_), y(y_), z(z_), w(w_) {}
    ~MFloatPoint() {}
    MFloatPoint& operator=(const MFloatPoint& other) {
        x = other.x;
        y = other.y;
        z = other.z;
        w = other.w;
        return *this;
    }
    float x, y, z, w;
};
static_assert(sizeof(MFloatPoint) == 16, "MFloatPoint is four floats");

class MH_MAYA_API MFloatVector {
public:
    MFloatVector() : x(0), y(0), z(0) {}
    MFloatVector(const MFloatVector& other) : x(other.x), y(other.y), z(other.z) {}
    MFloatVector(float x_, float y_, float z_ = 0.0f) : x(x_), y(y_), z(z_) {}
    ~MFloatVector() {}
    MFloatVector& operator=(const MFloatVector& other) {
        x = other.x;
        y = other.y;
        z = other.z;
        return *this;
    }
    float x, y, z;
};
static_assert(sizeof(MFloatVector) == 12, "MFloatVector is three floats");

// Row vectors: a point is multiplied from the left, translation stands in the last row.
class MH_MAYA_API MMatrix {
public:
    MMatrix();
    MMatrix(const MMatrix& other);
    ~MMatrix();
    MMatrix& operator=(const MMatrix& other);
    MMatrix operator*(const MMatrix& right) const;
    MMatrix inverse() const;
    double operator()(unsigned int row, unsigned int column) const { return matrix[row][column]; }

    double matrix[4][4];
};
static_assert(sizeof(MMatrix) == 128, "MMatrix is sixteen doubles");

class MH_MAYA_API MQuaternion {
public:
    MQuaternion();
    MQuaternion(const MQuaternion& other);
    MQuaternion(double x, double y, double z, double w);
    ~MQuaternion();
    MQuaternion& operator=(const MQuaternion& other);
    MMatrix asMatrix() const;

    double x, y, z, w;
};

class MH_MAYA_API MEulerRotation {
public:
    enum RotationOrder { kXYZ = 0, kYZX, kZXY, kXZY, kYXZ, kZYX };
    MEulerRotation(double x, double y, double z, RotationOrder order = kXYZ);
    ~MEulerRotation();
    MQuaternion asQuaternion() const;

    double x, y, z;
    RotationOrder order;
};

MH_MAYA_CLOSE

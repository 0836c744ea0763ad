// Arrays. All of them are a pointer, a second pointer and a flag; every member is a call into the library.
#pragma once
#include "maths.h"

MH_MAYA_OPEN

#define MH_ARRAY(Array, Element)                          \
    class MH_MAYA_API Array {                             \
    public:                                               \
        Array();                                          \
        Array(const Array& other);                        \
        ~Array();                                         \
        Array& operator=(const Array& other);             \
        unsigned int length() const;                      \
        MStatus setLength(unsigned int length);           \
        MStatus append(Element element);                  \
        MStatus clear();                                  \
                                                          \
    private:                                              \
        friend struct MhFakeAccess;                       \
        void* impl_;                                      \
        void* debug_;                                     \
        bool own_;                                        \
        MH_SPARE(3)                                       \
                                                          \
    public:

MH_ARRAY(MIntArray, int)
    int& operator[](unsigned int index);
    MStatus set(int element, unsigned int index);
};
MH_ARRAY(MUintArray, unsigned int)
    unsigned int& operator[](unsigned int index);
    MStatus set(unsigned int element, unsigned int index);
};
MH_ARRAY(MFloatArray, float)
    float& operator[](unsigned int index);
    MStatus set(float element, unsigned int index);
};
MH_ARRAY(MDoubleArray, double)
    MDoubleArray(unsigned int length, double initial);
    double& operator[](unsigned int index);
    MStatus set(double element, unsigned int index);
};
MH_ARRAY(MPointArray, const MPoint&)
    MPoint& operator[](unsigned int index);
    MStatus set(const MPoint& element, unsigned int index);
};
MH_ARRAY(MFloatPointArray, const MFloatPoint&)
    MFloatPoint& operator[](unsigned int index);
    MStatus set(const MFloatPoint& element, unsigned int index);
};
MH_ARRAY(MVectorArray, const MVector&)
    MVector& operator[](unsigned int index);
    MStatus set(const MVector& element, unsigned int index);
};
MH_ARRAY(MFloatVectorArray, const MFloatVector&)
    MFloatVector& operator[](unsigned int index);
    MStatus set(const MFloatVector& element, unsigned int index);
};
MH_ARRAY(MObjectArray, const MObject&)
    MObject& operator[](unsigned int index);
    MStatus set(const MObject& element, unsigned int index);
};
#undef MH_ARRAY

class MH_MAYA_API MPlugArray {
public:
    MPlugArray();
    ~MPlugArray();
    unsigned int length() const;
    MPlug& operator[](unsigned int index);

private:
    friend struct MhFakeAccess;
    void* impl_;
    bool own_;
    MH_SPARE(4)
};

class MH_MAYA_API MDagPathArray {
public:
    MDagPathArray();
    ~MDagPathArray();
    unsigned int length() const;
    MDagPath& operator[](unsigned int index);

private:
    friend struct MhFakeAccess;
    void* impl_;
    bool own_;
    MH_SPARE(4)
};

MH_MAYA_CLOSE

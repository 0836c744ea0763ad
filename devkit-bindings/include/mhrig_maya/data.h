// What a node's compute() reads and writes.
#pragma once
#include "attributes.h"

MH_MAYA_OPEN

// 32 bytes in every plug-in looked at, copied and dropped without a call, returned through a hidden pointer.
// Most readers give a reference into the data block, meshes an object by value.
class MH_MAYA_API MDataHandle {
public:
    MDataHandle();
    MFnData::Type type() const;
    bool& asBool() const;
    short& asShort() const;
    int& asInt() const;
    float& asFloat() const;
    double& asDouble() const;
    MString& asString() const;
    MMatrix& asMatrix() const;
    MObject asMesh() const;
    void set(bool value);
    void set(int value);
    void set(float value);
    void set(double value);
    void set(const MString& value);
    MStatus set(const MObject& data);
    void setShort(short value);
    void setFloat(float value);
    void setDouble(double value);
    void set3Double(double x, double y, double z);
    void setMMatrix(const MMatrix& value);
    void setClean();
    MDataHandle child(const MObject& attribute);

private:
    friend struct MhFakeAccess;
    void* impl_;
    MH_SPARE(7)
};

class MH_MAYA_API MArrayDataBuilder {
public:
    MArrayDataBuilder(MDataBlock* block, const MObject& attribute, unsigned int size, MStatus* status = nullptr);
    ~MArrayDataBuilder();
    MDataHandle addElement(unsigned int index, MStatus* status = nullptr);

private:
    friend struct MhFakeAccess;
    void* impl_;
    MH_SPARE(7)
};

// Copied and dropped without a call, like MDataHandle.
class MH_MAYA_API MArrayDataHandle {
public:
    MArrayDataHandle(const MDataHandle& handle, MStatus* status = nullptr);
    unsigned int elementCount(MStatus* status = nullptr);
    unsigned int elementIndex(MStatus* status = nullptr);
    MStatus jumpToElement(unsigned int logical_index);
    MStatus jumpToArrayElement(unsigned int physical_index);
    MStatus next();
    MDataHandle inputValue(MStatus* status = nullptr);
    MDataHandle outputValue(MStatus* status = nullptr);
    MArrayDataBuilder builder(MStatus* status = nullptr);
    MStatus set(MArrayDataBuilder& builder);
    MStatus setAllClean();

private:
    friend struct MhFakeAccess;
    void* impl_;
    MH_SPARE(7)
};

class MH_MAYA_API MDataBlock {
public:
    MDataBlock(const MDataBlock& other);
    ~MDataBlock();
    MDataHandle inputValue(const MObject& attribute, MStatus* status = nullptr);
    MDataHandle outputValue(const MObject& attribute, MStatus* status = nullptr);
    MArrayDataHandle inputArrayValue(const MObject& attribute, MStatus* status = nullptr);
    MArrayDataHandle outputArrayValue(const MObject& attribute, MStatus* status = nullptr);
    MStatus setClean(const MPlug& plug);
    MStatus setClean(const MObject& attribute);

private:
    friend struct MhFakeAccess;
    MDataBlock();
    void* impl_;
    MH_SPARE(7)
};

MH_MAYA_CLOSE

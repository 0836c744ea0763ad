// Attribute function sets, with which a node type declares its attributes.
//
// Their default constructors are inline in every known plug-in: they call MFnBase's and set an imported table of
// virtual functions. On Windows the same constructors are imported from the library.
#pragma once
#include "function_sets.h"

MH_MAYA_OPEN

class MH_MAYA_API MFnData : public MFnBase {
public:
    enum Type {
        kInvalid = 0,
        kNumeric,
        kPlugin,
        kPluginGeometry,
        kString,
        kMatrix,
        kStringArray,
        kDoubleArray,
        kFloatArray,
        kIntArray,
        kPointArray,
        kVectorArray,
        kMatrixArray,
        kComponentList,
        kMesh
    };
    ~MFnData() override;
    MFn::Type type() const override;

protected:
    MFnData();
};

class MH_MAYA_API MFnNumericData : public MFnData {
public:
    enum Type {
        kInvalid = 0,
        kBoolean = 1,
        kByte = 2,
        kChar = 3,
        kShort = 4,
        kInt = 7,
        kFloat = 11,
        kDouble = 14
    };
    ~MFnNumericData() override;
    MFn::Type type() const override;

private:
    MFnNumericData();
};

class MH_MAYA_API MFnMatrixData : public MFnData {
public:
    MFnMatrixData(MObject& data, MStatus* status = nullptr);
    ~MFnMatrixData() override;
    MFn::Type type() const override;
    MObject create(const MMatrix& matrix, MStatus* status = nullptr);
    const MMatrix& matrix(MStatus* status = nullptr) const;
};

class MH_MAYA_API MFnPointArrayData : public MFnData {
public:
    MFnPointArrayData(MObject& data, MStatus* status = nullptr);
    ~MFnPointArrayData() override;
    MFn::Type type() const override;
    MObject create(const MPointArray& points, MStatus* status = nullptr);
};

class MH_MAYA_API MFnComponentListData : public MFnData {
public:
    MFnComponentListData(MObject& data, MStatus* status = nullptr);
    ~MFnComponentListData() override;
    MFn::Type type() const override;
    MObject create(MStatus* status = nullptr);
    MStatus add(MObject& component);
};

#if defined(_WIN32)
#  define MH_ATTRIBUTE_SET_CONSTRUCTOR(Class) Class();
#else
#  define MH_ATTRIBUTE_SET_CONSTRUCTOR(Class) Class() {}
#endif

class MH_MAYA_API MFnAttribute : public MFnBase {
public:
    MH_ATTRIBUTE_SET_CONSTRUCTOR(MFnAttribute)
    ~MFnAttribute() override;
    MFn::Type type() const override;
    MStatus setReadable(bool on);
    MStatus setWritable(bool on);
    MStatus setConnectable(bool on);
    MStatus setStorable(bool on);
    MStatus setKeyable(bool on);
    MStatus setHidden(bool on);
    MStatus setArray(bool on);
    MStatus setUsesArrayDataBuilder(bool on);
    MStatus setUsedAsFilename(bool on);
};

class MH_MAYA_API MFnNumericAttribute : public MFnAttribute {
public:
    MH_ATTRIBUTE_SET_CONSTRUCTOR(MFnNumericAttribute)
    ~MFnNumericAttribute() override;
    MFn::Type type() const override;
    MObject create(const MString& long_name, const MString& short_name, MFnNumericData::Type type,
                   double default_value = 0.0, MStatus* status = nullptr);
    MObject create(const MString& long_name, const MString& short_name, const MObject& x, const MObject& y,
                   const MObject& z, MStatus* status = nullptr);
    MStatus setMin(double value);
    MStatus setMax(double value);
    MStatus setDefault(double value);
};

class MH_MAYA_API MFnUnitAttribute : public MFnAttribute {
public:
    enum Type { kInvalid = 0, kAngle, kDistance, kTime };
    MH_ATTRIBUTE_SET_CONSTRUCTOR(MFnUnitAttribute)
    ~MFnUnitAttribute() override;
    MFn::Type type() const override;
    MObject create(const MString& long_name, const MString& short_name, Type type, double default_value = 0.0,
                   MStatus* status = nullptr);
};

class MH_MAYA_API MFnTypedAttribute : public MFnAttribute {
public:
    MH_ATTRIBUTE_SET_CONSTRUCTOR(MFnTypedAttribute)
    ~MFnTypedAttribute() override;
    MFn::Type type() const override;
    MObject create(const MString& long_name, const MString& short_name, MFnData::Type type,
                   MObject default_value = MObject::kNullObj, MStatus* status = nullptr);
};

class MH_MAYA_API MFnMatrixAttribute : public MFnAttribute {
public:
    enum Type { kFloat = 0, kDouble };
    MH_ATTRIBUTE_SET_CONSTRUCTOR(MFnMatrixAttribute)
    ~MFnMatrixAttribute() override;
    MFn::Type type() const override;
    MObject create(const MString& long_name, const MString& short_name, Type type = kDouble,
                   MStatus* status = nullptr);
};

class MH_MAYA_API MFnEnumAttribute : public MFnAttribute {
public:
    MH_ATTRIBUTE_SET_CONSTRUCTOR(MFnEnumAttribute)
    ~MFnEnumAttribute() override;
    MFn::Type type() const override;
    MObject create(const MString& long_name, const MString& short_name, short default_value = 0,
                   MStatus* status = nullptr);
    MStatus addField(const MString& name, short value);
};

class MH_MAYA_API MFnCompoundAttribute : public MFnAttribute {
public:
    MH_ATTRIBUTE_SET_CONSTRUCTOR(MFnCompoundAttribute)
    ~MFnCompoundAttribute() override;
    MFn::Type type() const override;
    MObject create(const MString& long_name, const MString& short_name, MStatus* status = nullptr);
    MStatus addChild(const MObject& child);
};

class MH_MAYA_API MFnMessageAttribute : public MFnAttribute {
public:
    MH_ATTRIBUTE_SET_CONSTRUCTOR(MFnMessageAttribute)
    ~MFnMessageAttribute() override;
    MFn::Type type() const override;
    MObject create(const MString& long_name, const MString& short_name, MStatus* status = nullptr);
};

MH_MAYA_CLOSE

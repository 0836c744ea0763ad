// Joints and deformers; these live in the OpenMayaAnim library.
#pragma once
#include "function_sets.h"

MH_MAYA_OPEN

class MH_MAYA_API MFnIkJoint : public MFnTransform {
public:
    MFnIkJoint(MObject& joint, MStatus* status = nullptr);
    MFnIkJoint(const MDagPath& path, MStatus* status = nullptr);
    ~MFnIkJoint() override;
    MFn::Type type() const override;
    MObject create(MObject parent, MStatus* status = nullptr);
    MStatus getOrientation(MQuaternion& orientation) const;
    MStatus setOrientation(const MEulerRotation& orientation);

private:
    MH_SPARE(8)
};

class MH_MAYA_API MFnGeometryFilter : public MFnDependencyNode {
public:
    MFnGeometryFilter(MObject& filter, MStatus* status = nullptr);
    ~MFnGeometryFilter() override;
    MFn::Type type() const override;
    MStatus getInputGeometry(MObjectArray& shapes) const;
    MStatus getOutputGeometry(MObjectArray& shapes) const;
};

class MH_MAYA_API MFnSkinCluster : public MFnGeometryFilter {
public:
    MFnSkinCluster(MObject& cluster, MStatus* status = nullptr);
    ~MFnSkinCluster() override;
    MFn::Type type() const override;
    unsigned int influenceObjects(MDagPathArray& influences, MStatus* status = nullptr) const;
    unsigned int indexForInfluenceObject(const MDagPath& influence, MStatus* status = nullptr) const;
    MStatus getWeights(const MDagPath& shape, const MObject& vertices, MDoubleArray& weights,
                       unsigned int& influence_count) const;
    MStatus setWeights(const MDagPath& shape, const MObject& vertices, MIntArray& influences,
                       MDoubleArray& weights, bool normalize = true, MDoubleArray* old_weights = nullptr);
};

class MH_MAYA_API MFnBlendShapeDeformer : public MFnGeometryFilter {
public:
    enum Origin { kLocalOrigin = 0, kWorldOrigin };
    MFnBlendShapeDeformer(MObject& deformer, MStatus* status = nullptr);
    ~MFnBlendShapeDeformer() override;
    MFn::Type type() const override;
    unsigned int numWeights(MStatus* status = nullptr) const;
    MStatus weightIndexList(MIntArray& indices) const;
    float weight(unsigned int index, MStatus* status = nullptr) const;
    MStatus setWeight(unsigned int index, float weight);
};

MH_MAYA_CLOSE

// The node types that come with the host, with what they compute.
#include <algorithm>

#include "scene.h"

namespace fake {
namespace {

bool compute_transform(Node& node, const Plug& plug, Value& value) {
    Scene& scene = Scene::get();
    const std::string& name = plug.attribute()->long_name;
    if (name == "matrix") {
        value = Value::of(scene.local_matrix(&node));
        return true;
    }
    if (name == "worldMatrix" || name == "worldInverseMatrix" || name == "parentMatrix" || name == "parentInverseMatrix") {
        const auto paths = scene.all_paths(&node);
        const size_t which = size_t(std::max(plug.steps.back().index, 0));
        if (which >= paths.size()) return false;
        Path path = paths[which];
        if (name[0] == 'p') path.pop_back();
        Matrix matrix = scene.world_matrix(path);
        if (name.find("Inverse") != std::string::npos) matrix = inverse(matrix);
        value = Value::of(matrix);
        return true;
    }
    return false;
}

bool compute_mesh(Node& node, const Plug& plug, Value& value) {
    Scene& scene = Scene::get();
    const std::string& name = plug.attribute()->long_name;
    if (name != "outMesh" && name != "worldMesh") return false;
    const Plug input = scene.find_plug(&node, "inMesh");
    value = scene.evaluate(input);
    if (name == "outMesh" || !value.mesh) return true;
    const auto paths = scene.all_paths(&node);
    const size_t which = size_t(std::max(plug.steps.back().index, 0));
    if (which >= paths.size()) return false;
    const Matrix world = scene.world_matrix(paths[which]);
    auto moved = std::make_shared<Mesh>(*value.mesh);
    for (size_t i = 0; i + 2 < moved->points.size(); i += 3) {
        const double x = moved->points[i], y = moved->points[i + 1], z = moved->points[i + 2];
        for (int k = 0; k < 3; ++k) moved->points[i + k] = float(x * world[k] + y * world[4 + k] + z * world[8 + k] + world[12 + k]);
    }
    value.mesh = moved;
    return true;
}

Value input_geometry(Node& node, int index) {
    Scene& scene = Scene::get();
    return scene.evaluate(scene.find_plug(&node, "input[" + std::to_string(index) + "].inputGeometry"));
}

bool compute_skin(Node& node, const Plug& plug, Value& value) {
    if (plug.attribute()->long_name != "outputGeometry") return false;
    Scene& scene = Scene::get();
    value = input_geometry(node, std::max(plug.steps.back().index, 0));
    if (!value.mesh) return true;
    const double envelope = scene.evaluate(scene.find_plug(&node, "envelope")).number;
    const Matrix geometry = scene.evaluate(scene.find_plug(&node, "geomMatrix")).matrix;
    const Matrix back = inverse(geometry);
    std::map<int, Matrix> influence;
    for (int index : scene.element_indices(scene.find_plug(&node, "matrix"))) {
        const std::string element = '[' + std::to_string(index) + ']';
        const Matrix bind = scene.evaluate(scene.find_plug(&node, "bindPreMatrix" + element)).matrix;
        const Matrix world = scene.evaluate(scene.find_plug(&node, "matrix" + element)).matrix;
        influence[index] = multiply(multiply(multiply(geometry, bind), world), back);
    }
    auto moved = std::make_shared<Mesh>(*value.mesh);
    const size_t count = std::min(moved->points.size() / 3, node.skin_weights.size());
    for (size_t vertex = 0; vertex < count; ++vertex) {
        const double p[3] = {moved->points[vertex * 3], moved->points[vertex * 3 + 1], moved->points[vertex * 3 + 2]};
        double sum[3] = {0, 0, 0}, total = 0;
        for (const auto& [index, weight] : node.skin_weights[vertex]) {
            auto found = influence.find(index);
            if (found == influence.end()) continue;
            const Matrix& m = found->second;
            total += weight;
            for (int k = 0; k < 3; ++k) sum[k] += weight * (p[0] * m[k] + p[1] * m[4 + k] + p[2] * m[8 + k] + m[12 + k]);
        }
        for (int k = 0; k < 3; ++k) {
            const double skinned = sum[k] + (1.0 - total) * p[k];
            moved->points[vertex * 3 + k] = float(p[k] + envelope * (skinned - p[k]));
        }
    }
    value.mesh = moved;
    return true;
}

bool compute_blend_shape(Node& node, const Plug& plug, Value& value) {
    if (plug.attribute()->long_name != "outputGeometry") return false;
    Scene& scene = Scene::get();
    const int geometry = std::max(plug.steps.back().index, 0);
    value = input_geometry(node, geometry);
    if (!value.mesh) return true;
    const double envelope = scene.evaluate(scene.find_plug(&node, "envelope")).number;
    std::vector<double> points(value.mesh->points.begin(), value.mesh->points.end());
    const std::string groups = "inputTarget[" + std::to_string(geometry) + "].inputTargetGroup";
    for (int target : scene.element_indices(scene.find_plug(&node, groups))) {
        const double weight = envelope * scene.evaluate(scene.find_plug(&node, "weight[" + std::to_string(target) + "]")).number;
        if (weight == 0.0) continue;
        const std::string item = groups + '[' + std::to_string(target) + "].inputTargetItem[6000].";
        const Value shape = scene.evaluate(scene.find_plug(&node, item + "inputGeomTarget"));
        if (shape.mesh) {
            for (size_t i = 0; i < std::min(points.size(), shape.mesh->points.size()); ++i)
                points[i] += weight * (double(shape.mesh->points[i]) - value.mesh->points[i]);
            continue;
        }
        const Value deltas = scene.evaluate(scene.find_plug(&node, item + "inputPointsTarget"));
        const Value vertices = scene.evaluate(scene.find_plug(&node, item + "inputComponentsTarget"));
        for (size_t i = 0; i < std::min(vertices.indices.size(), deltas.points.size() / 4); ++i) {
            const size_t at = size_t(vertices.indices[i]) * 3;
            if (at + 2 >= points.size()) continue;
            for (int k = 0; k < 3; ++k) points[at + k] += weight * deltas.points[i * 4 + k];
        }
    }
    auto moved = std::make_shared<Mesh>(*value.mesh);
    std::transform(points.begin(), points.end(), moved->points.begin(), [](double v) { return float(v); });
    value.mesh = moved;
    return true;
}

}  // namespace

void add_builtin_types(Scene& scene) {
    NodeType node;
    node.name = "node";
    node.api_types = {4, 1};
    node.attributes = {plain("message", "msg", Kind::Message), plain("nodeState", "nds", Kind::Int)};
    NodeType* base = scene.add_type(node);

    NodeType dag;
    dag.name = "dagNode";
    dag.base = base;
    dag.dag = true;
    dag.api_types = {107};
    dag.attributes = {plain("visibility", "v", Kind::Bool, 1),
                      plain("intermediateObject", "io", Kind::Bool),
                      plain("template", "tmp", Kind::Bool),
                      plain("overrideEnabled", "ove", Kind::Bool),
                      plain("overrideColor", "ovc", Kind::Int),
                      plain("overrideDisplayType", "ovdt", Kind::Int),
                      array(plain("instObjGroups", "iog", Kind::Message)),
                      plain("drawOverride", "do", Kind::Message),
                      array(plain("worldMatrix", "wm", Kind::Matrix)),
                      array(plain("worldInverseMatrix", "wim", Kind::Matrix)),
                      array(plain("parentMatrix", "pm", Kind::Matrix)),
                      array(plain("parentInverseMatrix", "pim", Kind::Matrix)),
                      plain("matrix", "m", Kind::Matrix)};
    dag.compute = compute_transform;
    NodeType* dag_type = scene.add_type(dag);

    NodeType transform;
    transform.name = "transform";
    transform.base = dag_type;
    transform.dag = true;
    transform.api_types = {110};
    transform.attributes = {triple("translate", "t", Kind::Distance), triple("rotate", "r", Kind::Angle),
                            triple("scale", "s", Kind::Double, 1.0),  triple("rotateAxis", "ra", Kind::Angle),
                            plain("rotateOrder", "ro", Kind::Int), triple("rotatePivot", "rp", Kind::Distance),
                            triple("rotatePivotTranslate", "rpt", Kind::Distance), triple("minTransLimit", "mntl", Kind::Distance, -1.0),
                            triple("maxTransLimit", "mxtl", Kind::Distance, 1.0), plain("minTransXLimitEnable", "mtxe", Kind::Bool),
                            plain("minTransYLimitEnable", "mtye", Kind::Bool), plain("minTransZLimitEnable", "mtze", Kind::Bool),
                            plain("maxTransXLimitEnable", "xtxe", Kind::Bool), plain("maxTransYLimitEnable", "xtye", Kind::Bool),
                            plain("maxTransZLimitEnable", "xtze", Kind::Bool)};
    NodeType* transform_type = scene.add_type(transform);

    NodeType joint;
    joint.name = "joint";
    joint.base = transform_type;
    joint.dag = true;
    joint.api_types = {121};
    joint.attributes = {triple("jointOrient", "jo", Kind::Angle), plain("segmentScaleCompensate", "ssc", Kind::Bool, 1),
                        plain("radius", "radi", Kind::Double, 1), plain("drawStyle", "ds", Kind::Int),
                        plain("side", "sd", Kind::Int),           plain("type", "typ", Kind::Int),
                        plain("useObjectColor", "uoc", Kind::Int), triple("inverseScale", "is", Kind::Double, 1.0)};
    scene.add_type(joint);

    NodeType shape;
    shape.name = "shape";
    shape.base = dag_type;
    shape.dag = shape.shape = true;
    NodeType* shape_type = scene.add_type(shape);

    NodeType mesh;
    mesh.name = "mesh";
    mesh.base = shape_type;
    mesh.dag = mesh.shape = true;
    mesh.api_types = {296};
    mesh.attributes = {plain("inMesh", "i", Kind::Mesh), plain("outMesh", "o", Kind::Mesh), array(plain("worldMesh", "w", Kind::Mesh)),
                       plain("visibleInReflections", "vir", Kind::Bool), plain("visibleInRefractions", "vif", Kind::Bool)};
    mesh.compute = compute_mesh;
    scene.add_type(mesh);

    NodeType curve;
    curve.name = "nurbsCurve";
    curve.base = shape_type;
    curve.dag = curve.shape = true;
    curve.api_types = {267};
    curve.attributes = {plain("cached", "cc", Kind::Points)};
    scene.add_type(curve);

    NodeType locator;
    locator.name = "locator";
    locator.base = shape_type;
    locator.dag = locator.shape = true;
    locator.api_types = {281};
    locator.attributes = {triple("localScale", "los", Kind::Double, 1.0)};
    scene.add_type(locator);

    NodeType annotation;
    annotation.name = "annotationShape";
    annotation.base = shape_type;
    annotation.dag = annotation.shape = true;
    annotation.api_types = {271};
    annotation.attributes = {plain("text", "txt", Kind::String), plain("displayArrow", "daro", Kind::Bool, 1)};
    scene.add_type(annotation);

    NodeType camera;
    camera.name = "camera";
    camera.base = shape_type;
    camera.dag = camera.shape = true;
    camera.api_types = {250};
    scene.add_type(camera);

    NodeType filter;
    filter.name = "geometryFilter";
    filter.base = base;
    filter.api_types = {334};
    filter.attributes = {plain("envelope", "en", Kind::Float, 1), array(compound("input", "ip", {plain("inputGeometry", "ig", Kind::Mesh)})),
                         array(plain("outputGeometry", "og", Kind::Mesh)), array(plain("originalGeometry", "orggeom", Kind::Mesh))};
    NodeType* filter_type = scene.add_type(filter);

    NodeType skin;
    skin.name = "skinCluster";
    skin.base = filter_type;
    skin.attributes = {array(plain("matrix", "ma", Kind::Matrix)), array(plain("bindPreMatrix", "pm", Kind::Matrix)),
                       array(plain("lockWeights", "lw", Kind::Bool)), plain("geomMatrix", "gm", Kind::Matrix),
                       plain("skinningMethod", "skm", Kind::Int), plain("maxInfluences", "mi", Kind::Int),
                       plain("maintainMaxInfluences", "mmi", Kind::Bool), plain("normalizeWeights", "nw", Kind::Int, 1)};
    skin.compute = compute_skin;
    scene.add_type(skin);

    NodeType blend;
    blend.name = "blendShape";
    blend.base = filter_type;
    blend.api_types = {336};
    blend.attributes = {array(plain("weight", "w", Kind::Float)),
                        plain("origin", "or", Kind::Int),
                        array(compound("inputTarget", "it",
                                       {array(compound("inputTargetGroup", "itg",
                                                       {array(compound("inputTargetItem", "iti",
                                                                       {plain("inputGeomTarget", "igt", Kind::Mesh), plain("inputPointsTarget", "ipt", Kind::Points),
                                                                        plain("inputComponentsTarget", "ict", Kind::Indices)}))}))}))};
    blend.compute = compute_blend_shape;
    scene.add_type(blend);

    // Types that only hold values; what they mean to a renderer or a viewport does not matter here.
    struct Simple {
        const char* name;
        int api_type;
    };
    for (const Simple& simple : {Simple{"network", 4}, Simple{"objectSet", 471}, Simple{"displayLayer", 4}, Simple{"lambert", 371},
                                 Simple{"blinn", 4}, Simple{"shadingEngine", 320}, Simple{"dagPose", 4}, Simple{"unknown", 532},
                                 Simple{"script", 4}, Simple{"materialInfo", 4}, Simple{"displayLayerManager", 4}, Simple{"time", 4}}) {
        NodeType type;
        type.name = simple.name;
        type.base = base;
        type.api_types = {simple.api_type};
        type.attributes = {array(plain("dagSetMembers", "dsm", Kind::Message)), triple("color", "c", Kind::Float, 0.5),
                           triple("transparency", "it", Kind::Float), plain("outColor", "oc", Kind::Message),
                           plain("surfaceShader", "ss", Kind::Message), plain("visibility", "v", Kind::Bool, 1),
                           plain("isHistoricallyInteresting", "ihi", Kind::Int, 2), plain("drawInfo", "di", Kind::Message)};
        const std::string name = simple.name;
        auto more = [&](std::vector<Attribute*> attributes) { type.attributes.insert(type.attributes.end(), attributes.begin(), attributes.end()); };
        if (name == "script") more({plain("before", "b", Kind::String), plain("scriptType", "st", Kind::Int)});
        if (name == "materialInfo") more({plain("shadingGroup", "sg", Kind::Message), plain("material", "m", Kind::Message)});
        if (name == "displayLayer") more({plain("displayOrder", "do", Kind::Int), plain("identification", "id", Kind::Int)});
        if (name == "displayLayerManager") more({array(plain("displayLayerId", "dli", Kind::Int))});
        if (name == "shadingEngine") more({plain("renderableOnlySet", "ro", Kind::Bool), plain("partition", "pa", Kind::Message)});
        scene.add_type(type);
    }
    add_network_types(scene);
}

}  // namespace fake

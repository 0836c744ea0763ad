// Tests of the stand-in through the API's own classes, as a plug-in would use them. Prints each failed check and
// ends with their number.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include "host.h"
#include "mhrig_maya.h"

using namespace mhm;

static int failures = 0;
#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            std::printf("line %d: %s\n", __LINE__, #condition); \
            ++failures;                                         \
        }                                                       \
    } while (0)

extern "C" void fake_maya_start();

static MString utf8(const char* text) {
    MString string;
    string.setUTF8(text);
    return string;
}
static bool same(const MString& string, const char* text) { return !std::strcmp(string.asUTF8(), text); }
static void mel(const char* line) { CHECK(MGlobal::executeCommand(utf8(line), false, true)); }
static MObject node(const char* name) {
    MSelectionList list;
    MObject object;
    CHECK(list.add(utf8(name)));
    CHECK(list.getDependNode(0, object));
    return object;
}
static MDagPath path(const char* name) {
    MSelectionList list;
    MDagPath dag_path;
    MObject component;
    CHECK(list.add(utf8(name)));
    CHECK(list.getDagPath(0, dag_path, component));
    return dag_path;
}
static bool near(double a, double b) { return std::fabs(a - b) < 1e-6; }

static MObject triangle(const char* parent_name) {
    MFloatPointArray points;
    for (int i = 0; i < 3; ++i) points.append(MFloatPoint(float(i), float(i * i), 0.0f));
    MIntArray sizes, corners;
    sizes.append(3);
    for (int i = 0; i < 3; ++i) corners.append(i);
    MObject parent = node(parent_name);
    MFnMesh mesh(MObject::kNullObj);
    MStatus status;
    MObject shape = mesh.create(3, 1, points, sizes, corners, parent, &status);
    CHECK(status);
    return shape;
}

static void text_that_is_not_ascii_needs_utf8() {
    CHECK(same(utf8("角色 é"), "角色 é"));
    CHECK(!same(MString("é"), "é"));
}

static void a_path_multiplies_the_transforms_above() {
    mel("createNode transform -n up; setAttr up.t 1 2 3; setAttr up.rz 90");
    mel("createNode transform -n down -p up; setAttr down.t 10 0 0");
    const MMatrix world = path("|up|down").inclusiveMatrix();
    CHECK(near(world(3, 0), 1) && near(world(3, 1), 12) && near(world(3, 2), 3));
    MPlug plug = MFnDependencyNode(node("up")).findPlug(utf8("rotateZ"), true);
    CHECK(near(plug.asDouble(), 3.14159265358979 / 2));
    CHECK(same(plug.name(), "up.rotateZ"));
}

static void points_come_in_world_space_of_the_path_given() {
    mel("createNode transform -n m; setAttr m.t 5 0 0; createNode transform -n twin; setAttr twin.t 0 7 0");
    triangle("m");
    mel("parent -add -s mShape twin");
    for (int which = 0; which < 2; ++which) {
        MFnMesh mesh(path(which ? "|twin|mShape" : "|m|mShape"));
        MPointArray points;
        CHECK(mesh.getPoints(points, MSpace::kWorld));
        CHECK(points.length() == 3);
        CHECK(near(points[2].x, which ? 2 : 7) && near(points[2].y, which ? 11 : 4));
    }
    MObject shape = node("m|mShape");
    MPointArray points;
    CHECK(!MFnMesh(shape).getPoints(points, MSpace::kWorld));
    CHECK(MFnMesh(shape).getPoints(points, MSpace::kObject));
}

static void a_modifier_takes_back_and_repeats() {
    MObject up = node("up");
    MPlug plug = MFnDependencyNode(up).findPlug(utf8("translateX"), true);
    MDGModifier modifier;
    CHECK(modifier.newPlugValueDouble(plug, 42.0));
    CHECK(near(plug.asDouble(), 1));
    CHECK(modifier.doIt());
    CHECK(near(plug.asDouble(), 42));
    CHECK(modifier.undoIt());
    CHECK(near(plug.asDouble(), 1));
    CHECK(modifier.doIt());
    CHECK(near(plug.asDouble(), 42));
    CHECK(modifier.undoIt());
    mel("setAttr -lock on up.translateX");
    MDGModifier refused;
    CHECK(refused.newPlugValueDouble(plug, 1.5));
    CHECK(!refused.doIt());
    mel("setAttr -lock off up.translateX");
}

static void a_dag_modifier_makes_joints_under_a_parent() {
    MDagModifier modifier;
    MObject root = modifier.createNode(utf8("joint"));
    MObject tip = modifier.createNode(utf8("joint"), root);
    CHECK(modifier.renameNode(root, utf8("hip")));
    CHECK(modifier.renameNode(tip, utf8("knee")));
    CHECK(modifier.doIt());
    CHECK(same(path("knee").fullPathName(), "|hip|knee"));
    CHECK(path("knee").hasFn(MFn::kJoint) && path("knee").hasFn(MFn::kTransform) && !path("knee").hasFn(MFn::kMesh));
    CHECK(modifier.undoIt());
    MSelectionList list;
    CHECK(!list.add(utf8("knee")));
    CHECK(modifier.doIt());
    CHECK(list.add(utf8("knee")));
}

static void a_skin_cluster_deforms() {
    mel("createNode joint -n root; createNode joint -n arm -p root; setAttr arm.ty 1");
    mel("createNode transform -n skinned");
    triangle("skinned");
    mel("skinCluster -n skin root arm skinned");
    MObject cluster = node("skin");
    MFnSkinCluster skin(cluster);
    MDagPathArray influences;
    CHECK(skin.influenceObjects(influences) == 2);
    CHECK(same(influences[1].partialPathName(), "arm"));
    MFnSingleIndexedComponent component(MObject::kNullObj);
    MObject vertices = component.create(MFn::kMeshVertComponent);
    CHECK(component.setCompleteData(3));
    MIntArray columns;
    columns.append(0);
    columns.append(1);
    MDoubleArray weights;
    for (double weight : {1.0, 0.0, 0.5, 0.5, 0.0, 1.0}) weights.append(weight);
    CHECK(skin.setWeights(path("skinnedShape"), vertices, columns, weights, false));
    mel("setAttr arm.tx 4");
    MPointArray points;
    CHECK(MFnMesh(path("skinned|skinnedShape")).getPoints(points, MSpace::kWorld));
    CHECK(near(points[0].x, 0) && near(points[1].x, 1 + 2) && near(points[2].x, 2 + 4));
    MDoubleArray back;
    unsigned count = 0;
    CHECK(skin.getWeights(path("skinnedShape"), vertices, back, count) && count == 2 && near(back[2], 0.5));
    // The bind shape stays behind as an intermediate one.
    CHECK(MFnDagNode(path("skinnedShapeOrig")).isIntermediateObject());
}

static void a_blend_shape_deforms_by_dense_and_sparse_targets() {
    mel("createNode transform -n base; createNode transform -n target");
    triangle("base");
    triangle("target");
    MFloatPointArray moved;
    for (int i = 0; i < 3; ++i) moved.append(MFloatPoint(float(i), float(i * i), 2.0f));
    CHECK(MFnMesh(path("target|targetShape")).setPoints(moved, MSpace::kObject));
    mel("blendShape -n blend target base; setAttr blend.weight[0] 0.5");
    MPointArray points;
    CHECK(MFnMesh(path("base|baseShape")).getPoints(points, MSpace::kWorld));
    CHECK(near(points[1].z, 1));
    mel("setAttr -type pointArray blend.inputTarget[0].inputTargetGroup[1].inputTargetItem[6000].inputPointsTarget 1 0 8 0 1");
    mel("setAttr -type componentList blend.inputTarget[0].inputTargetGroup[1].inputTargetItem[6000].inputComponentsTarget 1 \"vtx[2]\"");
    mel("setAttr blend.weight[1] 1");
    CHECK(MFnMesh(path("base|baseShape")).getPoints(points, MSpace::kWorld));
    CHECK(near(points[2].y, 4 + 8) && near(points[1].y, 1));
    MObject deformer = node("blend");
    CHECK(MFnBlendShapeDeformer(deformer).numWeights() == 2);
}

// A node that doubles a number and sums an array, as a plug-in would write it.
class Doubler : public MPxNode {
public:
    MStatus compute(const MPlug& plug, MDataBlock& block) override {
        if (plug == output) {
            const double in = block.inputValue(input).asDouble();
            double sum = 0;
            MArrayDataHandle items = block.inputArrayValue(array);
            for (unsigned i = 0; i < items.elementCount(); ++i) {
                items.jumpToArrayElement(i);
                sum += items.inputValue().asFloat();
            }
            MDataHandle out = block.outputValue(output);
            out.setDouble(2 * in + sum);
            out.setClean();
            return MStatus();
        }
        return MStatus(MStatus::kUnknownParameter);
    }
    static void* create() { return new Doubler; }
    static MStatus initialize() {
        MFnNumericAttribute number;
        input = number.create(utf8("input"), utf8("in"), MFnNumericData::kDouble, 1.0);
        array = number.create(utf8("items"), utf8("its"), MFnNumericData::kFloat);
        number.setArray(true);
        output = number.create(utf8("output"), utf8("out"), MFnNumericData::kDouble);
        number.setWritable(false);
        addAttribute(input);
        addAttribute(array);
        addAttribute(output);
        attributeAffects(input, output);
        return attributeAffects(array, output);
    }
    static MObject input, array, output;
};
MObject Doubler::input, Doubler::array, Doubler::output;

static void a_blend_shape_takes_its_targets_as_data() {
    mel("createNode transform -n shaped; createNode blendShape -n bulk");
    MObject shape = triangle("shaped"), blend = node("bulk"), none;
    mel("connectAttr shapedShape.outMesh bulk.ip[0].ig; setAttr bulk.w[3] 0.5");
    MFnDependencyNode set(blend);
    MObject groups = set.attribute(utf8("inputTargetGroup")), items = set.attribute(utf8("inputTargetItem"));
    MObject deltas_of = set.attribute(utf8("inputPointsTarget")), vertices_of = set.attribute(utf8("inputComponentsTarget"));
    MPlug item = set.findPlug(utf8("inputTarget"), true).elementByLogicalIndex(0).child(groups).elementByLogicalIndex(3).child(items).elementByLogicalIndex(6000);
    MPointArray deltas;
    deltas.append(MPoint(0, 4, 0));
    MIntArray vertices;
    vertices.append(2);
    MFnPointArrayData points(none);
    MFnComponentListData list(none);
    MFnSingleIndexedComponent component(none);
    MObject point_data = points.create(deltas), list_data = list.create(), elements = component.create(MFn::kMeshVertComponent);
    CHECK(component.addElements(vertices) && list.add(elements));
    CHECK(item.child(deltas_of).setMObject(point_data) && item.child(vertices_of).setMObject(list_data));
    CHECK(!item.child(deltas_of).setMObject(list_data));
    mel("createNode transform -n seen; createNode mesh -n seenShape -p seen; connectAttr bulk.og[0] seenShape.inMesh");
    MPointArray found;
    CHECK(MFnMesh(path("seen")).getPoints(found, MSpace::kWorld));
    CHECK(near(found[2].y, 6) && near(found[1].y, 1));
}

static void locked_normals_stay_with_their_corners_through_deformers() {
    MObject shape = node("shapedShape");
    MVectorArray normals;
    normals.append(MVector(0, 0.6, 0.8));
    MIntArray faces, vertices;
    faces.append(0);
    vertices.append(2);
    MFnMesh mesh(shape);
    CHECK(mesh.setFaceVertexNormals(normals, faces, vertices, MSpace::kObject));
    MStringArray found;
    CHECK(MGlobal::executeCommand(utf8("fakeNormals seen"), found) && found.length() == 5);
    CHECK(same(found[0], "2") && same(found[1], "2") && same(found[2], "0"));
    vertices[0] = 3;
    CHECK(!mesh.setFaceVertexNormals(normals, faces, vertices, MSpace::kObject));
    vertices.append(1);
    CHECK(!mesh.setFaceVertexNormals(normals, faces, vertices, MSpace::kObject));
}

static void selection_and_units_round_trip() {
    mel("select -r up");
    MSelectionList list;
    CHECK(MGlobal::getActiveSelectionList(list) && list.length() == 1);
    mel("currentUnit -linear in; setAttr up.tx 1");
    CHECK(near(MFnDependencyNode(node("up")).findPlug(utf8("translateX"), true).asDouble(), 2.54));
    mel("currentUnit -linear cm; upAxis -ax z");
    CHECK(MGlobal::isZAxisUp());
    mel("upAxis -ax y");
}

static void undo_restores_a_deleted_branch() {
    MString before, after;
    CHECK(MGlobal::executeCommand(utf8("fakeHash"), before));
    mel("delete hip");
    CHECK(MGlobal::executeCommand(utf8("fakeHash"), after));
    CHECK(std::strcmp(before.asUTF8(), after.asUTF8()));
    mel("undo");
    CHECK(MGlobal::executeCommand(utf8("fakeHash"), after));
    CHECK(!std::strcmp(before.asUTF8(), after.asUTF8()));
}

static void a_name_with_two_owners_gives_both() {
    mel("createNode transform -n left; createNode transform -n same -p left; createNode transform -n right; createNode transform -n same -p right");
    MSelectionList list;
    CHECK(MGlobal::getSelectionListByName(utf8("same"), list) && list.length() == 2);
    CHECK(same(path("left|same").partialPathName(), "left|same"));
}

// Entry points, so that the program can load itself as a plug-in.
extern "C" MH_PLUGIN_EXPORT char MApiVersion[];
char MApiVersion[] = MH_TEXT(MAYA_YEAR) "0000";

MH_PLUGIN_EXPORT MStatus initializePlugin(MObject object) {
    MStatus status;
    MFnPlugin plugin(object, "test", "1.0", "Any", &status);
    if (!status) return status;
    return plugin.registerNode(utf8("doubler"), MTypeId(0x7f001u), Doubler::create, Doubler::initialize);
}
MH_PLUGIN_EXPORT MStatus uninitializePlugin(MObject object) {
    MStatus status;
    MFnPlugin plugin(object, "test", "1.0", "Any", &status);
    if (!status) return status;
    return plugin.deregisterNode(MTypeId(0x7f001u));
}

static void a_plugin_node_computes_and_holds_its_plugin(const char* self) {
    mel((std::string("loadPlugin \"") + self + "\"").c_str());
    mel("createNode doubler -n d; setAttr d.input 3; setAttr d.items[0] 0.5; setAttr d.items[4] 0.25");
    MPlug out = MFnDependencyNode(node("d")).findPlug(utf8("output"), true);
    CHECK(near(out.asDouble(), 6.75));
    mel("createNode transform -n driven; connectAttr d.output driven.tx; setAttr d.input 4");
    CHECK(near(path("driven").inclusiveMatrix()(3, 0), 8.75));
    CHECK(!MGlobal::executeCommand(utf8("unloadPlugin api")));
    mel("file -new -force");
    mel("unloadPlugin api");
    CHECK(!MGlobal::executeCommand(utf8("createNode doubler")));
}

int main(int, char** words) {
    std::setvbuf(stdout, nullptr, _IONBF, 0);
    fake_maya_start();
    fake::Host::get().sink = [](char level, const std::string& text) { std::printf("%c %s\n", level, text.c_str()); };
    text_that_is_not_ascii_needs_utf8();
    a_path_multiplies_the_transforms_above();
    points_come_in_world_space_of_the_path_given();
    a_modifier_takes_back_and_repeats();
    a_dag_modifier_makes_joints_under_a_parent();
    a_skin_cluster_deforms();
    a_blend_shape_deforms_by_dense_and_sparse_targets();
    a_blend_shape_takes_its_targets_as_data();
    locked_normals_stay_with_their_corners_through_deformers();
    selection_and_units_round_trip();
    undo_restores_a_deleted_branch();
    a_name_with_two_owners_gives_both();
    a_plugin_node_computes_and_holds_its_plugin(words[1]);
    std::printf("%d failed\n", failures);
    return failures != 0;
}

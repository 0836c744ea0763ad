// Node types that compute numbers: driven curves, small arithmetic, constraints.
#include <algorithm>
#include <cmath>

#include "scene.h"

namespace fake {
namespace {

const double kPi = 3.14159265358979323846;

/// inRotate1 and its components inRotateX1 …
Attribute* numbered(const std::string& long_name, const std::string& short_name, Kind kind, const std::string& number) {
    Attribute* parent = new_triple(long_name, short_name, kind, "XYZ");
    for (Attribute* child : parent->children) {
        child->long_name += number;
        child->short_name += number;
    }
    parent->long_name += number;
    parent->short_name += number;
    return parent;
}

double number(Node& node, const std::string& plug) {
    Scene& scene = Scene::get();
    const Plug found = scene.find_plug(&node, plug);
    return found.null() ? 0.0 : scene.evaluate(found).number;
}
Matrix matrix(Node& node, const std::string& plug) {
    Scene& scene = Scene::get();
    return scene.evaluate(scene.find_plug(&node, plug)).matrix;
}
std::string element(int index) { return '[' + std::to_string(index) + ']'; }
bool give(Value& value, const Plug& plug, double result) {
    value = Value::of(plug.attribute()->kind, result);
    return true;
}

/// Straight between keys, constant outside; input and output in what the user sees (degrees, centimetres).
bool compute_curve(Node& node, const Plug& plug, Value& value) {
    if (plug.attribute()->long_name != "output") return false;
    Scene& scene = Scene::get();
    const double input = number(node, "input");
    double last_in = 0, last_out = 0, result = 0;
    bool first = true;
    for (int index : scene.element_indices(scene.find_plug(&node, "keyTimeValue"))) {
        const double in = number(node, "keyTimeValue" + element(index) + ".keyTime"), out = number(node, "keyTimeValue" + element(index) + ".keyValue");
        if (input <= in) {
            result = first || in == last_in ? out : last_out + (out - last_out) * (input - last_in) / (in - last_in);
            return give(value, plug, plug.attribute()->kind == Kind::Angle ? result * kPi / 180.0 : result);
        }
        last_in = in;
        result = last_out = out;
        first = false;
    }
    return give(value, plug, plug.attribute()->kind == Kind::Angle ? result * kPi / 180.0 : result);
}

bool compute_unit_conversion(Node& node, const Plug& plug, Value& value) {
    return plug.attribute()->long_name == "output" && give(value, plug, number(node, "input") * number(node, "conversionFactor"));
}

bool compute_blend_weighted(Node& node, const Plug& plug, Value& value) {
    if (plug.attribute()->long_name != "output") return false;
    Scene& scene = Scene::get();
    double sum = 0;
    for (int index : scene.element_indices(scene.find_plug(&node, "input"))) sum += number(node, "input" + element(index)) * number(node, "weight" + element(index));
    return give(value, plug, sum);
}

bool compute_clamp(Node& node, const Plug& plug, Value& value) {
    const std::string& name = plug.attribute()->long_name;
    if (name.size() != 7 || name.compare(0, 6, "output") != 0) return false;
    const std::string axis = name.substr(6);
    return give(value, plug, std::min(std::max(number(node, "input" + axis), number(node, "min" + axis)), number(node, "max" + axis)));
}

bool compute_reverse(Node& node, const Plug& plug, Value& value) {
    const std::string& name = plug.attribute()->long_name;
    if (name.size() != 7 || name.compare(0, 6, "output") != 0) return false;
    return give(value, plug, 1.0 - number(node, "input" + name.substr(6)));
}

bool compute_pair_blend(Node& node, const Plug& plug, Value& value) {
    const std::string& name = plug.attribute()->long_name;
    if (name.compare(0, 9, "outRotate") != 0 || name.size() != 10) return false;
    const double weight = number(node, "weight");
    const std::string in = "inRotate" + name.substr(9);
    return give(value, plug, (1.0 - weight) * number(node, in + "1") + weight * number(node, in + "2"));
}

bool compute_euler_to_quat(Node& node, const Plug& plug, Value& value) {
    const std::string& name = plug.attribute()->long_name;
    if (name.compare(0, 10, "outputQuat") != 0 || name.size() != 11) return false;
    const double x = number(node, "inputRotateX") / 2, y = number(node, "inputRotateY") / 2, z = number(node, "inputRotateZ") / 2;
    const double cx = std::cos(x), sx = std::sin(x), cy = std::cos(y), sy = std::sin(y), cz = std::cos(z), sz = std::sin(z);
    switch (name[10]) {
        case 'X': return give(value, plug, sx * cy * cz - cx * sy * sz);
        case 'Y': return give(value, plug, cx * sy * cz + sx * cy * sz);
        case 'Z': return give(value, plug, cx * cy * sz - sx * sy * cz);
        default: return give(value, plug, cx * cy * cz + sx * sy * sz);
    }
}

Matrix translation(double x, double y, double z) { return {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1}; }

/// Angles of a rotation, x first.
std::array<double, 3> euler(Matrix m) {
    for (int row = 0; row < 3; ++row) {
        const double length = std::sqrt(m[row * 4] * m[row * 4] + m[row * 4 + 1] * m[row * 4 + 1] + m[row * 4 + 2] * m[row * 4 + 2]);
        for (int k = 0; k < 3 && length > 0; ++k) m[row * 4 + k] /= length;
    }
    const double y = std::asin(std::min(1.0, std::max(-1.0, -m[2])));
    if (std::fabs(m[2]) > 0.9999999) return {std::atan2(-m[9], m[5]), y, 0.0};
    return {std::atan2(m[6], m[10]), y, std::atan2(m[1], m[0])};
}

bool output_of(const Plug& plug, const char* stem, int& axis) {
    const std::string& name = plug.attribute()->long_name;
    const std::string wanted = stem;
    if (name.size() != wanted.size() + 1 || name.compare(0, wanted.size(), wanted) != 0) return false;
    axis = name.back() - 'X';
    return axis >= 0 && axis < 3;
}

bool compute_parent_constraint(Node& node, const Plug& plug, Value& value) {
    int axis = 0;
    const bool translates = output_of(plug, "constraintTranslate", axis);
    if (!translates && !output_of(plug, "constraintRotate", axis)) return false;
    Scene& scene = Scene::get();
    const Matrix back = matrix(node, "constraintParentInverseMatrix");
    double sum = 0, total = 0;
    for (int index : scene.element_indices(scene.find_plug(&node, "target"))) {
        const std::string target = "target" + element(index) + '.';
        auto n = [&](const char* name) { return number(node, target + name); };
        const double weight = n("targetWeight");
        Matrix world = {n("targetScaleX"), 0, 0, 0, 0, n("targetScaleY"), 0, 0, 0, 0, n("targetScaleZ"), 0, 0, 0, 0, 1};
        world = multiply(world, rotation(n("targetRotateX"), n("targetRotateY"), n("targetRotateZ"), int(n("targetRotateOrder"))));
        world = multiply(world, rotation(n("targetJointOrientX"), n("targetJointOrientY"), n("targetJointOrientZ"), 0));
        world = multiply(world, translation(n("targetTranslateX"), n("targetTranslateY"), n("targetTranslateZ")));
        world = multiply(world, matrix(node, target + "targetParentMatrix"));
        Matrix offset = rotation(n("targetOffsetRotateX"), n("targetOffsetRotateY"), n("targetOffsetRotateZ"), 0);
        offset = multiply(offset, translation(n("targetOffsetTranslateX"), n("targetOffsetTranslateY"), n("targetOffsetTranslateZ")));
        const Matrix place = multiply(multiply(offset, world), back);
        sum += weight * (translates ? place[12 + axis] : euler(place)[size_t(axis)]);
        total += weight;
    }
    return give(value, plug, total > 0 ? sum / total : 0.0);
}

using Vector = std::array<double, 3>;
Vector cross(const Vector& a, const Vector& b) { return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }
Vector unit(const Vector& v) {
    const double length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return length > 0 ? Vector{v[0] / length, v[1] / length, v[2] / length} : v;
}
/// Rows: aim, up made square to it, and the third.
Matrix frame(const Vector& aim, const Vector& up) {
    const Vector x = unit(aim), z = unit(cross(x, up)), y = cross(z, x);
    return {x[0], x[1], x[2], 0, y[0], y[1], y[2], 0, z[0], z[1], z[2], 0, 0, 0, 0, 1};
}

/// World up type "object": the object's position is up. The frames are those of the constrained node's parent.
bool compute_aim_constraint(Node& node, const Plug& plug, Value& value) {
    int axis = 0;
    if (!output_of(plug, "constraintRotate", axis)) return false;
    Scene& scene = Scene::get();
    const Matrix back = matrix(node, "constraintParentInverseMatrix");
    const Vector here = {number(node, "constraintTranslateX"), number(node, "constraintTranslateY"), number(node, "constraintTranslateZ")};
    Vector there = {0, 0, 0};
    double total = 0;
    for (int index : scene.element_indices(scene.find_plug(&node, "target"))) {
        const std::string target = "target" + element(index) + '.';
        auto n = [&](const char* name) { return number(node, target + name); };
        const Matrix place =
            multiply(multiply(translation(n("targetTranslateX"), n("targetTranslateY"), n("targetTranslateZ")), matrix(node, target + "targetParentMatrix")), back);
        const double weight = n("targetWeight");
        for (size_t k = 0; k < 3; ++k) there[k] += weight * place[12 + k];
        total += weight;
    }
    if (total <= 0) return give(value, plug, 0.0);
    const Matrix above = multiply(matrix(node, "worldUpMatrix"), back);
    Vector towards, up;
    for (size_t k = 0; k < 3; ++k) {
        towards[k] = there[k] / total - here[k];
        up[k] = above[12 + k] - here[k];
    }
    const Vector aim_axis = {number(node, "aimVectorX"), number(node, "aimVectorY"), number(node, "aimVectorZ")};
    const Vector up_axis = {number(node, "upVectorX"), number(node, "upVectorY"), number(node, "upVectorZ")};
    const Matrix turned = multiply(inverse(frame(aim_axis, up_axis)), frame(towards, up));
    return give(value, plug, euler(turned)[size_t(axis)]);
}

void add(Scene& scene, const char* name, const char* base, std::vector<Attribute*> attributes, std::function<bool(Node&, const Plug&, Value&)> compute) {
    NodeType type;
    type.name = name;
    type.base = scene.type(base);
    type.api_types = {4};
    type.dag = type.base->dag;
    type.attributes = std::move(attributes);
    type.compute = std::move(compute);
    scene.add_type(type);
}

std::vector<Attribute*> constraint_attributes() {
    return {array(compound("target", "tg",
                           {triple("targetTranslate", "tt", Kind::Distance), triple("targetRotate", "tr", Kind::Angle), triple("targetScale", "ts", Kind::Double, 1),
                            plain("targetRotateOrder", "tro", Kind::Int), triple("targetJointOrient", "tjo", Kind::Angle), plain("targetScaleCompensate", "tsc", Kind::Bool),
                            triple("targetInverseScale", "tis", Kind::Double, 1), triple("targetRotatePivot", "trp", Kind::Distance),
                            triple("targetRotateTranslate", "trt", Kind::Distance), triple("targetOffsetTranslate", "tot", Kind::Distance),
                            triple("targetOffsetRotate", "tor", Kind::Angle), plain("targetParentMatrix", "tpm", Kind::Matrix), plain("targetWeight", "tw", Kind::Double, 1)})),
            plain("constraintParentInverseMatrix", "cpim", Kind::Matrix), plain("constraintRotateOrder", "cro", Kind::Int),
            triple("constraintRotatePivot", "crp", Kind::Distance), triple("constraintRotateTranslate", "crt", Kind::Distance),
            triple("constraintTranslate", "ct", Kind::Distance), triple("constraintRotate", "cr", Kind::Angle)};
}

}  // namespace

void add_network_types(Scene& scene) {
    for (const auto& [name, kind] : {std::pair<const char*, Kind>{"animCurveUU", Kind::Double}, {"animCurveUL", Kind::Distance}, {"animCurveUA", Kind::Angle}})
        add(scene, name, "node",
            {plain("input", "i", Kind::Double), plain("output", "o", kind), plain("tangentType", "tan", Kind::Int), plain("weightedTangents", "wgt", Kind::Bool),
             array(compound("keyTimeValue", "ktv", {plain("keyTime", "kt", Kind::Double), plain("keyValue", "kv", Kind::Double)}))},
            compute_curve);
    add(scene, "unitConversion", "node", {plain("input", "i", Kind::Double), plain("output", "o", Kind::Double), plain("conversionFactor", "cf", Kind::Double, 1)},
        compute_unit_conversion);
    add(scene, "blendWeighted", "node",
        {array(plain("input", "i", Kind::Double)), array(plain("weight", "w", Kind::Double, 1)), plain("output", "o", Kind::Double)}, compute_blend_weighted);
    add(scene, "clamp", "node",
        {triple("min", "mn", Kind::Float, 0, "RGB"), triple("max", "mx", Kind::Float, 0, "RGB"), triple("input", "ip", Kind::Float, 0, "RGB"),
         triple("output", "op", Kind::Float, 0, "RGB")},
        compute_clamp);
    add(scene, "reverse", "node", {triple("input", "i", Kind::Float), triple("output", "o", Kind::Float)}, compute_reverse);
    add(scene, "pairBlend", "node",
        {plain("weight", "w", Kind::Double), numbered("inRotate", "ir", Kind::Angle, "1"), numbered("inRotate", "ir", Kind::Angle, "2"),
         triple("outRotate", "or", Kind::Angle)},
        compute_pair_blend);
    add(scene, "eulerToQuat", "node",
        {triple("inputRotate", "ir", Kind::Angle), plain("outputQuatX", "oqx", Kind::Double), plain("outputQuatY", "oqy", Kind::Double),
         plain("outputQuatZ", "oqz", Kind::Double), plain("outputQuatW", "oqw", Kind::Double)},
        compute_euler_to_quat);
    auto parent = constraint_attributes();
    parent.push_back(plain("interpType", "int", Kind::Int));
    add(scene, "parentConstraint", "transform", parent, compute_parent_constraint);
    auto aim = constraint_attributes();
    aim.push_back(triple("aimVector", "a", Kind::Double));
    aim.push_back(triple("upVector", "u", Kind::Double));
    aim.push_back(plain("worldUpType", "wut", Kind::Int));
    aim.push_back(plain("worldUpMatrix", "wum", Kind::Matrix));
    add(scene, "aimConstraint", "transform", aim, compute_aim_constraint);
}

}  // namespace fake

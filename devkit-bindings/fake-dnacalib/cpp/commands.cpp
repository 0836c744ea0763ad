// The commands. Those with a simple effect have it, so that tests see the bridge hand over every kind of argument; the
// others set a status that says so.
#include "dnacalib/DNACalib.h"
#include "instructions.h"
#include "live.h"
#include "model.h"
#include "status/Provider.h"

#include <algorithm>
#include <array>

namespace dnac {

namespace {

using stand_in::Floats;
using stand_in::Mesh;
using stand_in::Model;
using stand_in::Names;
using stand_in::Target;
using stand_in::Vectors;

const char* const COMMAND = "command";
const char* const DNA = "DNA in work";

Model& model_of(DNACalibDNAReader* output) {
    stand_in::needs(static_cast<dna::Reader*>(output), DNA, "running a command");
    return output->edited();
}

void set_status(int code, const char* message) {
    sc::StatusProvider::set({code, message});
}

// The message is the name of the command: tests know by it what was left out.
void lacks(const char* command) {
    set_status(9000, command);
}

template <typename T>
std::vector<T> copied(ConstArrayView<T> view) {
    return std::vector<T>(view.begin(), view.end());
}

Vectors vectors(ConstArrayView<float> xs, ConstArrayView<float> ys, ConstArrayView<float> zs) {
    return Vectors{copied(xs), copied(ys), copied(zs)};
}

std::array<Floats*, 3> axes(Vectors& vectors) {
    return {&vectors.xs, &vectors.ys, &vectors.zs};
}

void resize(Vectors& vectors, std::size_t count) {
    for (Floats* axis : axes(vectors)) {
        axis->resize(count);
    }
}

float combine(VectorOperation operation, float a, float b, float weight) {
    switch (operation) {
        case VectorOperation::Add:
            return a + b * weight;
        case VectorOperation::Subtract:
            return a - b * weight;
        case VectorOperation::Multiply:
            return a * (b * weight);
        default:
            return a * (1.0f - weight) + b * weight;
    }
}

float weight_of(const Floats& masks, std::size_t at) {
    return masks.empty() ? 1.0f : masks[at];
}

}  // namespace

Command::Command() {
    stand_in::born(this, COMMAND);
}

Command::~Command() {
    stand_in::died(this, COMMAND);
}

// Not in the stand-in.

CalculateMeshLowerLODsCommand::CalculateMeshLowerLODsCommand(MemoryResource*) {
}
CalculateMeshLowerLODsCommand::~CalculateMeshLowerLODsCommand() = default;
void CalculateMeshLowerLODsCommand::setMeshIndex(std::uint16_t) {
}
void CalculateMeshLowerLODsCommand::run(DNACalibDNAReader*) {
    lacks("CalculateMeshLowerLODs");
}

RemoveAnimatedMapCommand::RemoveAnimatedMapCommand(MemoryResource*) {
}
RemoveAnimatedMapCommand::~RemoveAnimatedMapCommand() = default;
void RemoveAnimatedMapCommand::setAnimatedMapIndex(std::uint16_t) {
}
void RemoveAnimatedMapCommand::setAnimatedMapIndices(ConstArrayView<std::uint16_t>) {
}
void RemoveAnimatedMapCommand::run(DNACalibDNAReader*) {
    lacks("RemoveAnimatedMap");
}

RemoveBlendShapeCommand::RemoveBlendShapeCommand(MemoryResource*) {
}
RemoveBlendShapeCommand::~RemoveBlendShapeCommand() = default;
void RemoveBlendShapeCommand::setBlendShapeIndex(std::uint16_t) {
}
void RemoveBlendShapeCommand::setBlendShapeIndices(ConstArrayView<std::uint16_t>) {
}
void RemoveBlendShapeCommand::run(DNACalibDNAReader*) {
    lacks("RemoveBlendShape");
}

RemoveJointAnimationCommand::RemoveJointAnimationCommand(MemoryResource*) {
}
RemoveJointAnimationCommand::~RemoveJointAnimationCommand() = default;
void RemoveJointAnimationCommand::setJointIndex(std::uint16_t) {
}
void RemoveJointAnimationCommand::setJointIndices(ConstArrayView<std::uint16_t>) {
}
void RemoveJointAnimationCommand::run(DNACalibDNAReader*) {
    lacks("RemoveJointAnimation");
}

RemoveJointCommand::RemoveJointCommand(MemoryResource*) {
}
RemoveJointCommand::~RemoveJointCommand() = default;
void RemoveJointCommand::setJointIndex(std::uint16_t) {
}
void RemoveJointCommand::setJointIndices(ConstArrayView<std::uint16_t>) {
}
void RemoveJointCommand::run(DNACalibDNAReader*) {
    lacks("RemoveJoint");
}

RemoveMeshCommand::RemoveMeshCommand(MemoryResource*) {
}
RemoveMeshCommand::~RemoveMeshCommand() = default;
void RemoveMeshCommand::setMeshIndex(std::uint16_t) {
}
void RemoveMeshCommand::setMeshIndices(ConstArrayView<std::uint16_t>) {
}
void RemoveMeshCommand::run(DNACalibDNAReader*) {
    lacks("RemoveMesh");
}

RotateCommand::RotateCommand(MemoryResource*) {
}
RotateCommand::~RotateCommand() = default;
void RotateCommand::setRotation(Vector3) {
}
void RotateCommand::setOrigin(Vector3) {
}
void RotateCommand::run(DNACalibDNAReader*) {
    lacks("Rotate");
}

SetLODsCommand::SetLODsCommand(MemoryResource*) {
}
SetLODsCommand::~SetLODsCommand() = default;
void SetLODsCommand::setLODs(ConstArrayView<std::uint16_t>) {
}
void SetLODsCommand::run(DNACalibDNAReader*) {
    lacks("SetLODs");
}

// Blend shapes.

ClearBlendShapesCommand::ClearBlendShapesCommand(MemoryResource*) {
}
ClearBlendShapesCommand::~ClearBlendShapesCommand() = default;
void ClearBlendShapesCommand::run(DNACalibDNAReader* output) {
    Model& model = model_of(output);
    model.channels.clear();
    model.channel_lods = stand_in::LodLists();
    model.mapping_meshes.clear();
    model.mapping_channels.clear();
    model.driven_inputs.clear();
    model.driven_outputs.clear();
    model.driven_lods.assign(model.lod_count, 0);
    for (Mesh& mesh : model.geometry) {
        mesh.targets.clear();
    }
}

PruneBlendShapeTargetsCommand::PruneBlendShapeTargetsCommand(MemoryResource*) {
}
PruneBlendShapeTargetsCommand::~PruneBlendShapeTargetsCommand() = default;
void PruneBlendShapeTargetsCommand::setThreshold(float threshold_) {
    threshold = threshold_;
}
void PruneBlendShapeTargetsCommand::run(DNACalibDNAReader* output) {
    const float limit = threshold * threshold;
    for (Mesh& mesh : model_of(output).geometry) {
        for (Target& target : mesh.targets) {
            Target kept;
            kept.channel = target.channel;
            for (std::size_t at = 0; at < target.vertices.size(); ++at) {
                const float x = target.deltas.xs[at], y = target.deltas.ys[at], z = target.deltas.zs[at];
                if (x * x + y * y + z * z > limit) {
                    kept.vertices.push_back(target.vertices[at]);
                    kept.deltas.xs.push_back(x);
                    kept.deltas.ys.push_back(y);
                    kept.deltas.zs.push_back(z);
                }
            }
            target = kept;
        }
    }
}

class SetBlendShapeTargetDeltasCommand::Impl {
public:
    std::size_t mesh = 0, target = 0;
    Vectors deltas;
    stand_in::Longs vertices;
    Floats masks;
    VectorOperation operation = VectorOperation::Interpolate;
};

SetBlendShapeTargetDeltasCommand::SetBlendShapeTargetDeltasCommand(MemoryResource*) : impl(new Impl) {
}
SetBlendShapeTargetDeltasCommand::~SetBlendShapeTargetDeltasCommand() = default;
void SetBlendShapeTargetDeltasCommand::setMeshIndex(std::uint16_t mesh) {
    impl->mesh = mesh;
}
void SetBlendShapeTargetDeltasCommand::setBlendShapeTargetIndex(std::uint16_t target) {
    impl->target = target;
}
void SetBlendShapeTargetDeltasCommand::setDeltas(ConstArrayView<float> xs, ConstArrayView<float> ys,
                                                 ConstArrayView<float> zs) {
    impl->deltas = vectors(xs, ys, zs);
}
void SetBlendShapeTargetDeltasCommand::setVertexIndices(ConstArrayView<std::uint32_t> vertices) {
    impl->vertices = copied(vertices);
}
void SetBlendShapeTargetDeltasCommand::setMasks(ConstArrayView<float> masks) {
    impl->masks = copied(masks);
}
void SetBlendShapeTargetDeltasCommand::setOperation(VectorOperation operation) {
    impl->operation = operation;
}
void SetBlendShapeTargetDeltasCommand::run(DNACalibDNAReader* output) {
    sc::StatusProvider::reset();
    Model& model = model_of(output);
    Mesh none;
    Mesh& mesh = impl->mesh < model.geometry.size() ? model.geometry[impl->mesh] : none;
    const std::size_t count = impl->deltas.xs.size();
    if (impl->vertices.empty()) {
        const auto own = impl->target < mesh.targets.size() ? mesh.targets[impl->target].vertices : stand_in::Longs();
        if (own.size() != count) {
            return set_status(3102, "no vertices for the deltas");
        }
        impl->vertices = own;
    }
    const std::size_t vertex_count = mesh.positions.xs.size();
    for (const std::uint32_t vertex : impl->vertices) {
        if (vertex >= vertex_count) {
            return set_status(3101, "a vertex is out of range");
        }
    }
    if (impl->vertices.size() != count) {
        return set_status(3103, "other numbers of deltas and of vertices");
    }
    if (!impl->masks.empty() && impl->masks.size() != count) {
        return set_status(3104, "other numbers of deltas and of masks");
    }
    if (impl->target >= mesh.targets.size()) {
        mesh.targets.resize(impl->target + 1);
    }
    Target& target = mesh.targets[impl->target];
    const std::array<Floats*, 3> given = axes(impl->deltas), stored = axes(target.deltas);
    Vectors dense;
    resize(dense, vertex_count);
    const std::array<Floats*, 3> values = axes(dense);
    // Deltas move to their vertices within one array, from the last to the first: wrong where they are not sorted.
    const std::size_t stored_count = std::min(target.vertices.size(), vertex_count);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::copy_n(stored[axis]->begin(), stored_count, values[axis]->begin());
        for (std::size_t at = stored_count; at-- > 0;) {
            const std::size_t to = target.vertices[at];
            if (to < vertex_count && to != at) {
                (*values[axis])[to] = (*values[axis])[at];
                (*values[axis])[at] = 0.0f;
            }
        }
        for (std::size_t at = 0; at < count; ++at) {
            float& value = (*values[axis])[impl->vertices[at]];
            value = combine(impl->operation, value, (*given[axis])[at], weight_of(impl->masks, at));
        }
    }
    target.vertices.clear();
    target.deltas = Vectors();
    for (std::size_t vertex = 0; vertex < vertex_count; ++vertex) {
        const float x = dense.xs[vertex], y = dense.ys[vertex], z = dense.zs[vertex];
        if (x != 0.0f || y != 0.0f || z != 0.0f) {
            target.vertices.push_back(static_cast<std::uint32_t>(vertex));
            target.deltas.xs.push_back(x);
            target.deltas.ys.push_back(y);
            target.deltas.zs.push_back(z);
        }
    }
}

// Names.

namespace {

// What the last call of a setter asked for.
struct Renaming {
    bool is_by_name = false;
    std::size_t index = 0;
    std::string old_name, new_name;

    // Puts the name into the list, which grows for an index past its end.
    void apply(Names& names) const {
        std::size_t at = index;
        if (is_by_name) {
            at = static_cast<std::size_t>(std::find(names.begin(), names.end(), old_name) - names.begin());
            if (at == names.size()) {
                return;
            }
        }
        names.resize(std::max(names.size(), at + 1));
        names[at] = new_name;
    }
};

}  // namespace

#define RENAMING(Class)                                                         \
    class Class::Impl : public Renaming {};                                     \
    Class::Class(MemoryResource*) : impl(new Impl) {                            \
    }                                                                           \
    Class::~Class() = default;                                                  \
    void Class::setName(std::uint16_t index, const char* new_name) {            \
        static_cast<Renaming&>(*impl) = Renaming{false, index, "", new_name};   \
    }                                                                           \
    void Class::setName(const char* old_name, const char* new_name) {           \
        static_cast<Renaming&>(*impl) = Renaming{true, 0, old_name, new_name};  \
    }

RENAMING(RenameAnimatedMapCommand)
RENAMING(RenameBlendShapeCommand)
RENAMING(RenameJointCommand)
RENAMING(RenameMeshCommand)

void RenameAnimatedMapCommand::run(DNACalibDNAReader* output) {
    impl->apply(model_of(output).maps);
}

void RenameBlendShapeCommand::run(DNACalibDNAReader* output) {
    impl->apply(model_of(output).channels);
}

void RenameJointCommand::run(DNACalibDNAReader* output) {
    Model& model = model_of(output);
    impl->apply(model.joints);
    const std::size_t count = model.joints.size();
    model.parents.resize(count, 0xFFFF);
    resize(model.translations, count);
    resize(model.rotations, count);
}

void RenameMeshCommand::run(DNACalibDNAReader* output) {
    Model& model = model_of(output);
    if (stand_in::obey(impl->new_name, "run")) {
        return;
    }
    impl->apply(model.meshes);
    model.geometry.resize(model.meshes.size());
}

// Neutral pose.

class SetNeutralJointRotationsCommand::Impl {
public:
    Vectors values;
};

SetNeutralJointRotationsCommand::SetNeutralJointRotationsCommand(MemoryResource*) : impl(new Impl) {
}
SetNeutralJointRotationsCommand::~SetNeutralJointRotationsCommand() = default;
void SetNeutralJointRotationsCommand::setRotations(ConstArrayView<float> xs, ConstArrayView<float> ys,
                                                   ConstArrayView<float> zs) {
    impl->values = vectors(xs, ys, zs);
}
void SetNeutralJointRotationsCommand::run(DNACalibDNAReader* output) {
    Model& model = model_of(output);
    model.rotations = impl->values;
    resize(model.rotations, model.joints.size());
}

class SetNeutralJointTranslationsCommand::Impl {
public:
    Vectors values;
};

SetNeutralJointTranslationsCommand::SetNeutralJointTranslationsCommand(MemoryResource*) : impl(new Impl) {
}
SetNeutralJointTranslationsCommand::~SetNeutralJointTranslationsCommand() = default;
void SetNeutralJointTranslationsCommand::setTranslations(ConstArrayView<float> xs, ConstArrayView<float> ys,
                                                         ConstArrayView<float> zs) {
    impl->values = vectors(xs, ys, zs);
}
void SetNeutralJointTranslationsCommand::run(DNACalibDNAReader* output) {
    Model& model = model_of(output);
    model.translations = impl->values;
    resize(model.translations, model.joints.size());
}

class SetSkinWeightsCommand::Impl {
public:
    std::size_t mesh = 0, vertex = 0;
    stand_in::Record record;
};

SetSkinWeightsCommand::SetSkinWeightsCommand(MemoryResource*) : impl(new Impl) {
}
SetSkinWeightsCommand::~SetSkinWeightsCommand() = default;
void SetSkinWeightsCommand::setMeshIndex(std::uint16_t mesh) {
    impl->mesh = mesh;
}
void SetSkinWeightsCommand::setVertexIndex(std::uint32_t vertex) {
    impl->vertex = vertex;
}
void SetSkinWeightsCommand::setWeights(ConstArrayView<float> weights) {
    impl->record.weights = copied(weights);
}
void SetSkinWeightsCommand::setJointIndices(ConstArrayView<std::uint16_t> joints) {
    impl->record.joints = copied(joints);
}
void SetSkinWeightsCommand::run(DNACalibDNAReader* output) {
    Model& model = model_of(output);
    if (impl->mesh >= model.geometry.size()) {
        return;
    }
    auto& records = model.geometry[impl->mesh].records;
    records.resize(std::max(records.size(), impl->vertex + 1));
    records[impl->vertex] = impl->record;
}

class SetVertexPositionsCommand::Impl {
public:
    std::size_t mesh = 0;
    Vectors positions;
    Floats masks;
    VectorOperation operation = VectorOperation::Interpolate;
};

SetVertexPositionsCommand::SetVertexPositionsCommand(MemoryResource*) : impl(new Impl) {
}
SetVertexPositionsCommand::~SetVertexPositionsCommand() = default;
void SetVertexPositionsCommand::setMeshIndex(std::uint16_t mesh) {
    impl->mesh = mesh;
}
void SetVertexPositionsCommand::setPositions(ConstArrayView<float> xs, ConstArrayView<float> ys,
                                             ConstArrayView<float> zs) {
    impl->positions = vectors(xs, ys, zs);
}
void SetVertexPositionsCommand::setMasks(ConstArrayView<float> masks) {
    impl->masks = copied(masks);
}
void SetVertexPositionsCommand::setOperation(VectorOperation operation) {
    impl->operation = operation;
}
void SetVertexPositionsCommand::run(DNACalibDNAReader* output) {
    sc::StatusProvider::reset();
    Model& model = model_of(output);
    const std::size_t count = impl->positions.xs.size();
    if (!impl->masks.empty() && impl->masks.size() != count) {
        return set_status(3201, "other numbers of positions and of masks");
    }
    if (impl->mesh >= model.geometry.size()) {
        return;
    }
    Vectors& stored = model.geometry[impl->mesh].positions;
    resize(stored, count);
    const std::array<Floats*, 3> values = axes(stored), given = axes(impl->positions);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t at = 0; at < count; ++at) {
            float& value = (*values[axis])[at];
            value = combine(impl->operation, value, (*given[axis])[at], weight_of(impl->masks, at));
        }
    }
}

// The whole rig.

ScaleCommand::ScaleCommand(MemoryResource*) {
}
ScaleCommand::~ScaleCommand() = default;
void ScaleCommand::setScale(float factor_) {
    factor = factor_;
}
void ScaleCommand::setOrigin(Vector3 origin_) {
    origin = origin_;
}
void ScaleCommand::run(DNACalibDNAReader* output) {
    if (factor == 1.0f) {
        return;
    }
    Model& model = model_of(output);
    const std::array<float, 3> about = {origin.x, origin.y, origin.z};
    const std::array<Floats*, 3> joints = axes(model.translations);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t joint = 0; joint < model.parents.size(); ++joint) {
            const float fixed = model.parents[joint] == joint ? about[axis] : 0.0f;
            float& value = (*joints[axis])[joint];
            value = (value - fixed) * factor + fixed;
        }
    }
    for (stand_in::Group& group : model.groups) {
        const std::size_t columns = group.inputs.size();
        for (std::size_t row = 0; row < group.outputs.size(); ++row) {
            if (group.outputs[row] % 9 < 3) {
                for (std::size_t column = 0; column < columns; ++column) {
                    group.values[row * columns + column] *= factor;
                }
            }
        }
    }
    for (Mesh& mesh : model.geometry) {
        const std::array<Floats*, 3> positions = axes(mesh.positions);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (float& value : *positions[axis]) {
                value = (value - about[axis]) * factor + about[axis];
            }
        }
        for (Target& target : mesh.targets) {
            for (Floats* values : axes(target.deltas)) {
                for (float& value : *values) {
                    value *= factor;
                }
            }
        }
    }
}

TranslateCommand::TranslateCommand(MemoryResource*) {
}
TranslateCommand::~TranslateCommand() = default;
void TranslateCommand::setTranslation(Vector3 vector_) {
    vector = vector_;
}
void TranslateCommand::run(DNACalibDNAReader* output) {
    Model& model = model_of(output);
    const std::array<float, 3> by = {vector.x, vector.y, vector.z};
    if (by == std::array<float, 3>{0.0f, 0.0f, 0.0f}) {
        return;
    }
    const std::array<Floats*, 3> joints = axes(model.translations);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t joint = 0; joint < model.parents.size(); ++joint) {
            if (model.parents[joint] == joint) {
                (*joints[axis])[joint] += by[axis];
            }
        }
        for (Mesh& mesh : model.geometry) {
            for (float& value : *axes(mesh.positions)[axis]) {
                value += by[axis];
            }
        }
    }
}

// Sequences.

class CommandSequence::Impl {
public:
    std::vector<Command*> commands;
};

CommandSequence::CommandSequence(MemoryResource*) : impl(new Impl) {
}
CommandSequence::~CommandSequence() {
    for (const Command* command : impl->commands) {
        stand_in::needs(command, COMMAND, "destroying a sequence of commands");
    }
}
void CommandSequence::add(Command* command) {
    stand_in::needs(command, COMMAND, "adding to a sequence");
    impl->commands.push_back(command);
}
void CommandSequence::remove(Command* command) {
    stand_in::needs(command, COMMAND, "taking out of a sequence");
    auto& commands = impl->commands;
    commands.erase(std::remove(commands.begin(), commands.end(), command), commands.end());
}
void CommandSequence::run(DNACalibDNAReader* output) {
    for (Command* command : impl->commands) {
        stand_in::needs(command, COMMAND, "running a sequence");
        command->run(output);
    }
}

}  // namespace dnac

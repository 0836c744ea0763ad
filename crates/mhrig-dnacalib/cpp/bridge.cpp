#include "mhrig-dnacalib/cpp/bridge.h"

#include "mhrig-dnacalib/src/bridge.rs.h"

#include <stdexcept>
#include <utility>

namespace mhrig_dnacalib {

namespace {

// The library has one status for the whole process.
Status status() {
    const sc::StatusCode code = sc::Status::get();
    if (sc::Status::isOk()) {
        return Status{0, rust::String()};
    }
    return Status{code.code, rust::String::lossy(code.message == nullptr ? "" : code.message)};
}

dnac::Vector3 vector(Floats values) {
    return dnac::Vector3{values[0], values[1], values[2]};
}

dnac::VectorOperation library_operation(Operation operation) {
    switch (operation) {
        case Operation::Add:
            return dnac::VectorOperation::Add;
        case Operation::Subtract:
            return dnac::VectorOperation::Subtract;
        case Operation::Multiply:
            return dnac::VectorOperation::Multiply;
        default:
            return dnac::VectorOperation::Interpolate;
    }
}

// A condition of a `dnac::ConditionalCommand`.
struct Asks {
    Question question;
    std::size_t count;
    std::string joint;

    bool operator()(dnac::Command*, dnac::DNACalibDNAReader* dna) const {
        switch (question) {
            case Question::Always:
                return true;
            case Question::MeshCountAtLeast:
                return dna->getMeshCount() >= count;
            case Question::LodCountAtLeast:
                return dna->getLODCount() >= count;
            case Question::JointExists:
                return has_joint(*dna);
            default:
                return false;
        }
    }

    bool has_joint(const dnac::DNACalibDNAReader& dna) const {
        const std::uint16_t joints = dna.getJointCount();
        for (std::uint16_t index = 0; index < joints; ++index) {
            const dnac::StringView name = dna.getJointName(index);
            if (joint.compare(0, std::string::npos, name.data(), name.size()) == 0) {
                return true;
            }
        }
        return false;
    }
};

}  // namespace

// Stands before a command wherever it runs: asks whether to go on, runs it, reports what came of it. No exception leaves
// it, since it is called by the library's own sequence.
class Program::Step final : public dnac::Command {
public:
    Step(Program& program_, std::size_t command_) : program(program_), command(command_) {
    }

    void run(dnac::DNACalibDNAReader* dna) override {
        Watch& watch = *program.watch;
        const Entry& entry = program.entries[command];
        if (!watch.before(command)) {
            return;
        }
        if (dna->getMeshCount() < entry.needed_meshes) {
            watch.threw(command, rust::String("there is no such mesh, and the library would crash"));
            return;
        }
        try {
            entry.command->run(dna);
            const Status now = status();
            watch.after(command, now.code, now.message);
        } catch (const std::exception& error) {
            watch.threw(command, rust::String::lossy(error.what()));
        } catch (...) {
            watch.threw(command, rust::String("an exception of unknown kind"));
        }
    }

private:
    Program& program;
    std::size_t command;
};

Program::~Program() {
    while (!entries.empty()) {
        entries.pop_back();
    }
}

std::size_t Program::add(std::unique_ptr<dnac::Command> command, std::size_t needed_meshes) {
    entries.push_back(Entry{std::move(command), needed_meshes});
    return entries.size() - 1;
}

Program::Step* Program::step(std::size_t command) {
    if (command >= entries.size()) {
        throw std::out_of_range("no such command");
    }
    auto made = std::make_unique<Step>(*this, command);
    Step* step = made.get();
    add(std::move(made));
    return step;
}

const char* Program::keep(const rust::String& text) {
    texts.emplace_back(text.data(), text.size());
    return texts.back().c_str();
}

template <typename T>
dnac::ConstArrayView<T> Program::keep(rust::Slice<const T> values) {
    auto copy = std::make_shared<std::vector<T>>(values.begin(), values.end());
    arrays.push_back(copy);
    const T* first = copy->data();
    return dnac::ConstArrayView<T>(first, copy->size());
}

template <typename T>
dnac::ConstArrayView<T> Program::keep(const rust::Vec<T>& values) {
    return keep(rust::Slice<const T>(values.data(), values.size()));
}

template <typename Command>
void Program::blend_with(Command& command, const Blend& blend) {
    if (blend.has_masks) {
        command.setMasks(keep(blend.masks));
    }
    command.setOperation(library_operation(blend.operation));
}

std::size_t Program::calculate_mesh_lower_lods(std::uint16_t mesh) {
    auto command = std::make_unique<dnac::CalculateMeshLowerLODsCommand>();
    command->setMeshIndex(mesh);
    return add(std::move(command), static_cast<std::size_t>(mesh) + 1);
}

std::size_t Program::set_vertex_positions(std::uint16_t mesh, const Vectors& positions, const Blend& blend) {
    auto command = std::make_unique<dnac::SetVertexPositionsCommand>();
    command->setMeshIndex(mesh);
    command->setPositions(keep(positions.xs), keep(positions.ys), keep(positions.zs));
    blend_with(*command, blend);
    return add(std::move(command));
}

std::size_t Program::set_neutral_joint_translations(const Vectors& values) {
    auto command = std::make_unique<dnac::SetNeutralJointTranslationsCommand>();
    command->setTranslations(keep(values.xs), keep(values.ys), keep(values.zs));
    return add(std::move(command));
}

std::size_t Program::set_neutral_joint_rotations(const Vectors& values) {
    auto command = std::make_unique<dnac::SetNeutralJointRotationsCommand>();
    command->setRotations(keep(values.xs), keep(values.ys), keep(values.zs));
    return add(std::move(command));
}

std::size_t Program::set_skin_weights(std::uint16_t mesh, std::uint32_t vertex, Floats weights,
                                      rust::Slice<const std::uint16_t> joints) {
    auto command = std::make_unique<dnac::SetSkinWeightsCommand>();
    command->setMeshIndex(mesh);
    command->setVertexIndex(vertex);
    command->setWeights(keep(weights));
    command->setJointIndices(keep(joints));
    return add(std::move(command));
}

std::size_t Program::set_blend_shape_target_deltas(std::uint16_t mesh, std::uint16_t target, const Vectors& deltas,
                                                   rust::Slice<const std::uint32_t> vertices,
                                                   const Blend& blend) {
    auto command = std::make_unique<dnac::SetBlendShapeTargetDeltasCommand>();
    command->setMeshIndex(mesh);
    command->setBlendShapeTargetIndex(target);
    command->setDeltas(keep(deltas.xs), keep(deltas.ys), keep(deltas.zs));
    if (!vertices.empty()) {
        command->setVertexIndices(keep(vertices));
    }
    blend_with(*command, blend);
    return add(std::move(command));
}

std::size_t Program::prune_blend_shape_targets(float threshold) {
    auto command = std::make_unique<dnac::PruneBlendShapeTargetsCommand>();
    command->setThreshold(threshold);
    return add(std::move(command));
}

std::size_t Program::clear_blend_shapes() {
    return add(std::make_unique<dnac::ClearBlendShapesCommand>());
}

template <typename Command, typename One, typename Many>
std::size_t Program::remove_with(rust::Slice<const RemovalSetter> setters, One one, Many many) {
    auto command = std::make_unique<Command>();
    for (const RemovalSetter& setter : setters) {
        if (setter.is_list) {
            (command.get()->*many)(keep(setter.indices));
        } else {
            (command.get()->*one)(setter.indices.at(0));
        }
    }
    return add(std::move(command));
}

std::size_t Program::remove(Item item, rust::Slice<const RemovalSetter> setters) {
    switch (item) {
        case Item::Joint:
            return remove_with<dnac::RemoveJointCommand>(setters, &dnac::RemoveJointCommand::setJointIndex,
                                                         &dnac::RemoveJointCommand::setJointIndices);
        case Item::JointAnimation:
            return remove_with<dnac::RemoveJointAnimationCommand>(
                setters, &dnac::RemoveJointAnimationCommand::setJointIndex,
                &dnac::RemoveJointAnimationCommand::setJointIndices);
        case Item::Mesh:
            return remove_with<dnac::RemoveMeshCommand>(setters, &dnac::RemoveMeshCommand::setMeshIndex,
                                                        &dnac::RemoveMeshCommand::setMeshIndices);
        case Item::BlendShape:
            return remove_with<dnac::RemoveBlendShapeCommand>(setters,
                                                              &dnac::RemoveBlendShapeCommand::setBlendShapeIndex,
                                                              &dnac::RemoveBlendShapeCommand::setBlendShapeIndices);
        case Item::AnimatedMap:
            return remove_with<dnac::RemoveAnimatedMapCommand>(
                setters, &dnac::RemoveAnimatedMapCommand::setAnimatedMapIndex,
                &dnac::RemoveAnimatedMapCommand::setAnimatedMapIndices);
        default:
            throw std::invalid_argument("no such thing to remove");
    }
}

template <typename Command>
std::size_t Program::rename_with(rust::Slice<const RenamingSetter> setters) {
    auto command = std::make_unique<Command>();
    for (const RenamingSetter& setter : setters) {
        const char* new_name = keep(setter.new_name);
        if (setter.is_by_name) {
            command->setName(keep(setter.old_name), new_name);
        } else {
            command->setName(setter.index, new_name);
        }
    }
    return add(std::move(command));
}

std::size_t Program::rename(Item item, rust::Slice<const RenamingSetter> setters) {
    switch (item) {
        case Item::Joint:
            return rename_with<dnac::RenameJointCommand>(setters);
        case Item::Mesh:
            return rename_with<dnac::RenameMeshCommand>(setters);
        case Item::BlendShape:
            return rename_with<dnac::RenameBlendShapeCommand>(setters);
        case Item::AnimatedMap:
            return rename_with<dnac::RenameAnimatedMapCommand>(setters);
        default:
            throw std::invalid_argument("no such thing to rename");
    }
}

std::size_t Program::rotate(float x, float y, float z, Floats origin) {
    auto command = std::make_unique<dnac::RotateCommand>();
    command->setRotation(dnac::Vector3{x, y, z});
    if (!origin.empty()) {
        command->setOrigin(vector(origin));
    }
    return add(std::move(command));
}

std::size_t Program::scale(float factor, Floats origin) {
    auto command = std::make_unique<dnac::ScaleCommand>();
    command->setScale(factor);
    if (!origin.empty()) {
        command->setOrigin(vector(origin));
    }
    return add(std::move(command));
}

std::size_t Program::translate(float x, float y, float z) {
    auto command = std::make_unique<dnac::TranslateCommand>();
    command->setTranslation(dnac::Vector3{x, y, z});
    return add(std::move(command));
}

std::size_t Program::set_lods(rust::Slice<const std::uint16_t> lods) {
    auto command = std::make_unique<dnac::SetLODsCommand>();
    command->setLODs(keep(lods));
    return add(std::move(command));
}

std::size_t Program::sequence(rust::Slice<const std::size_t> members, rust::Slice<const std::size_t> removed) {
    // A step of its own for each position, so that a position can be taken out again although its command stays at others.
    std::vector<dnac::Command*> steps;
    for (const std::size_t member : members) {
        steps.push_back(step(member));
    }
    auto command = std::make_unique<dnac::CommandSequence>();
    for (dnac::Command* added : steps) {
        command->add(added);
    }
    for (const std::size_t position : removed) {
        command->remove(steps.at(position));
    }
    return add(std::move(command));
}

std::size_t Program::conditional(Question question, std::size_t count, rust::Str joint, std::size_t then) {
    dnac::Command* watched = step(then);
    Asks asks{question, count, std::string(joint.data(), joint.size())};
    using Conditional = dnac::ConditionalCommand<dnac::Command, Asks>;
    return add(std::make_unique<Conditional>(watched, std::move(asks)));
}

void Program::run(std::size_t command, dnac::DNACalibDNAReader* dna, Watch& watch_) {
    Step* first = step(command);
    watch = &watch_;
    first->run(dna);
    watch = nullptr;
}

Status Session::read(rust::Slice<const std::uint8_t> bytes) {
    sc::StatusProvider::reset();
    source.reset(dnac::MemoryStream::create(bytes.size()));
    source->open();
    source->write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    source->close();
    Status now = status();
    if (now.code != 0) {
        return now;
    }
    reader.reset(dnac::BinaryStreamReader::create(source.get(), dnac::DataLayer::All, std::uint16_t(0)));
    reader->read();
    now = status();
    if (now.code != 0) {
        return now;
    }
    dna.reset(dnac::DNACalibDNAReader::create(reader.get()));
    return status();
}

Status Session::run(Program& program, std::size_t command, Watch& watch) {
    if (!dna) {
        throw std::logic_error("nothing was read");
    }
    program.run(command, dna.get(), watch);
    return status();
}

Status Session::write() {
    if (!dna) {
        throw std::logic_error("nothing was read");
    }
    sc::StatusProvider::reset();
    const Owned<dnac::MemoryStream> target(dnac::MemoryStream::create());
    const Owned<dnac::BinaryStreamWriter> writer(dnac::BinaryStreamWriter::create(target.get()));
    writer->setFrom(dna.get());
    writer->write();
    Status now = status();
    if (now.code != 0) {
        return now;
    }
    target->open();
    bytes_written.resize(static_cast<std::size_t>(target->size()));
    target->read(reinterpret_cast<char*>(bytes_written.data()), bytes_written.size());
    target->close();
    return status();
}

rust::Slice<const std::uint8_t> Session::written() const {
    return rust::Slice<const std::uint8_t>(bytes_written.data(), bytes_written.size());
}

std::unique_ptr<Program> new_program() {
    return std::make_unique<Program>();
}

std::unique_ptr<Session> new_session() {
    return std::make_unique<Session>();
}

rust::String library_version() {
    const dnac::StringView version = dnac::VersionInfo::getVersionString();
    return rust::String::lossy(version.data(), version.size());
}

}  // namespace mhrig_dnacalib

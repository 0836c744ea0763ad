// The commands, and the DNA that they run on. Names and signatures are the library's, as far as the bridge uses them.
#pragma once

#include "stand_in/streams.h"
#include "stand_in/views.h"

#include <memory>

namespace dnac {

using dna::BinaryStreamReader;
using dna::BinaryStreamWriter;
using dna::ConstArrayView;
using dna::DataLayer;
using dna::StringView;
using dna::Vector3;
using pma::MemoryResource;
using trio::MemoryStream;

class DNACalibDNAReader : public dna::Reader {
public:
    static DNACalibDNAReader* create(MemoryResource* memory = nullptr);
    // Copies what `reader` has.
    static DNACalibDNAReader* create(const dna::Reader* reader, MemoryResource* memory = nullptr);
    static void destroy(DNACalibDNAReader* instance);
    // The stand-in's own.
    virtual stand_in::Model& edited() = 0;
};

class Command {
public:
    Command();
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;
    virtual ~Command();
    virtual void run(DNACalibDNAReader* output) = 0;
};

enum class VectorOperation { Interpolate, Add, Subtract, Multiply };

class CalculateMeshLowerLODsCommand : public Command {
public:
    explicit CalculateMeshLowerLODsCommand(MemoryResource* memory = nullptr);
    ~CalculateMeshLowerLODsCommand() override;
    void setMeshIndex(std::uint16_t mesh);
    void run(DNACalibDNAReader* output) override;
};

class ClearBlendShapesCommand : public Command {
public:
    explicit ClearBlendShapesCommand(MemoryResource* memory = nullptr);
    ~ClearBlendShapesCommand() override;
    void run(DNACalibDNAReader* output) override;
};

class PruneBlendShapeTargetsCommand : public Command {
public:
    explicit PruneBlendShapeTargetsCommand(MemoryResource* memory = nullptr);
    ~PruneBlendShapeTargetsCommand() override;
    void setThreshold(float threshold);
    void run(DNACalibDNAReader* output) override;

private:
    float threshold = 0.0f;
};

class RemoveAnimatedMapCommand : public Command {
public:
    explicit RemoveAnimatedMapCommand(MemoryResource* memory = nullptr);
    ~RemoveAnimatedMapCommand() override;
    void setAnimatedMapIndex(std::uint16_t index);
    void setAnimatedMapIndices(ConstArrayView<std::uint16_t> indices);
    void run(DNACalibDNAReader* output) override;
};

class RemoveBlendShapeCommand : public Command {
public:
    explicit RemoveBlendShapeCommand(MemoryResource* memory = nullptr);
    ~RemoveBlendShapeCommand() override;
    void setBlendShapeIndex(std::uint16_t index);
    void setBlendShapeIndices(ConstArrayView<std::uint16_t> indices);
    void run(DNACalibDNAReader* output) override;
};

class RemoveJointAnimationCommand : public Command {
public:
    explicit RemoveJointAnimationCommand(MemoryResource* memory = nullptr);
    ~RemoveJointAnimationCommand() override;
    void setJointIndex(std::uint16_t index);
    void setJointIndices(ConstArrayView<std::uint16_t> indices);
    void run(DNACalibDNAReader* output) override;
};

class RemoveJointCommand : public Command {
public:
    explicit RemoveJointCommand(MemoryResource* memory = nullptr);
    ~RemoveJointCommand() override;
    void setJointIndex(std::uint16_t index);
    void setJointIndices(ConstArrayView<std::uint16_t> indices);
    void run(DNACalibDNAReader* output) override;
};

class RemoveMeshCommand : public Command {
public:
    explicit RemoveMeshCommand(MemoryResource* memory = nullptr);
    ~RemoveMeshCommand() override;
    void setMeshIndex(std::uint16_t index);
    void setMeshIndices(ConstArrayView<std::uint16_t> indices);
    void run(DNACalibDNAReader* output) override;
};

class RenameAnimatedMapCommand : public Command {
public:
    explicit RenameAnimatedMapCommand(MemoryResource* memory = nullptr);
    ~RenameAnimatedMapCommand() override;
    void setName(std::uint16_t index, const char* new_name);
    void setName(const char* old_name, const char* new_name);
    void run(DNACalibDNAReader* output) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl;
};

class RenameBlendShapeCommand : public Command {
public:
    explicit RenameBlendShapeCommand(MemoryResource* memory = nullptr);
    ~RenameBlendShapeCommand() override;
    void setName(std::uint16_t index, const char* new_name);
    void setName(const char* old_name, const char* new_name);
    void run(DNACalibDNAReader* output) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl;
};

class RenameJointCommand : public Command {
public:
    explicit RenameJointCommand(MemoryResource* memory = nullptr);
    ~RenameJointCommand() override;
    void setName(std::uint16_t index, const char* new_name);
    void setName(const char* old_name, const char* new_name);
    void run(DNACalibDNAReader* output) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl;
};

class RenameMeshCommand : public Command {
public:
    explicit RenameMeshCommand(MemoryResource* memory = nullptr);
    ~RenameMeshCommand() override;
    void setName(std::uint16_t index, const char* new_name);
    void setName(const char* old_name, const char* new_name);
    void run(DNACalibDNAReader* output) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl;
};

class RotateCommand : public Command {
public:
    explicit RotateCommand(MemoryResource* memory = nullptr);
    ~RotateCommand() override;
    void setRotation(Vector3 degrees);
    void setOrigin(Vector3 origin);
    void run(DNACalibDNAReader* output) override;
};

class ScaleCommand : public Command {
public:
    explicit ScaleCommand(MemoryResource* memory = nullptr);
    ~ScaleCommand() override;
    void setScale(float factor);
    void setOrigin(Vector3 origin);
    void run(DNACalibDNAReader* output) override;

private:
    float factor = 1.0f;
    Vector3 origin{0.0f, 0.0f, 0.0f};
};

class SetBlendShapeTargetDeltasCommand : public Command {
public:
    explicit SetBlendShapeTargetDeltasCommand(MemoryResource* memory = nullptr);
    ~SetBlendShapeTargetDeltasCommand() override;
    void setMeshIndex(std::uint16_t mesh);
    void setBlendShapeTargetIndex(std::uint16_t target);
    void setDeltas(ConstArrayView<float> xs, ConstArrayView<float> ys, ConstArrayView<float> zs);
    void setVertexIndices(ConstArrayView<std::uint32_t> vertices);
    void setMasks(ConstArrayView<float> masks);
    void setOperation(VectorOperation operation);
    void run(DNACalibDNAReader* output) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl;
};

class SetLODsCommand : public Command {
public:
    explicit SetLODsCommand(MemoryResource* memory = nullptr);
    ~SetLODsCommand() override;
    void setLODs(ConstArrayView<std::uint16_t> lods);
    void run(DNACalibDNAReader* output) override;
};

class SetNeutralJointRotationsCommand : public Command {
public:
    explicit SetNeutralJointRotationsCommand(MemoryResource* memory = nullptr);
    ~SetNeutralJointRotationsCommand() override;
    void setRotations(ConstArrayView<float> xs, ConstArrayView<float> ys, ConstArrayView<float> zs);
    void run(DNACalibDNAReader* output) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl;
};

class SetNeutralJointTranslationsCommand : public Command {
public:
    explicit SetNeutralJointTranslationsCommand(MemoryResource* memory = nullptr);
    ~SetNeutralJointTranslationsCommand() override;
    void setTranslations(ConstArrayView<float> xs, ConstArrayView<float> ys, ConstArrayView<float> zs);
    void run(DNACalibDNAReader* output) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl;
};

class SetSkinWeightsCommand : public Command {
public:
    explicit SetSkinWeightsCommand(MemoryResource* memory = nullptr);
    ~SetSkinWeightsCommand() override;
    void setMeshIndex(std::uint16_t mesh);
    void setVertexIndex(std::uint32_t vertex);
    void setWeights(ConstArrayView<float> weights);
    void setJointIndices(ConstArrayView<std::uint16_t> joints);
    void run(DNACalibDNAReader* output) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl;
};

class SetVertexPositionsCommand : public Command {
public:
    explicit SetVertexPositionsCommand(MemoryResource* memory = nullptr);
    ~SetVertexPositionsCommand() override;
    void setMeshIndex(std::uint16_t mesh);
    void setPositions(ConstArrayView<float> xs, ConstArrayView<float> ys, ConstArrayView<float> zs);
    void setMasks(ConstArrayView<float> masks);
    void setOperation(VectorOperation operation);
    void run(DNACalibDNAReader* output) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl;
};

class TranslateCommand : public Command {
public:
    explicit TranslateCommand(MemoryResource* memory = nullptr);
    ~TranslateCommand() override;
    void setTranslation(Vector3 vector);
    void run(DNACalibDNAReader* output) override;

private:
    Vector3 vector{0.0f, 0.0f, 0.0f};
};

// Holds pointers to commands and does not own them.
class CommandSequence : public Command {
public:
    explicit CommandSequence(MemoryResource* memory = nullptr);
    ~CommandSequence() override;
    void add(Command* command);
    void remove(Command* command);
    void run(DNACalibDNAReader* output) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl;
};

// Does not own the command either.
template <class Commanded, class Condition>
class ConditionalCommand : public Command {
public:
    ConditionalCommand(Commanded* command_, Condition condition_) : command(command_), condition(condition_) {
    }

    void run(DNACalibDNAReader* output) override {
        if (command != nullptr && condition(command, output)) {
            command->run(output);
        }
    }

private:
    Commanded* command;
    Condition condition;
};

}  // namespace dnac

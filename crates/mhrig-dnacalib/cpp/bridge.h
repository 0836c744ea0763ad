// The C++ side of the bridge: builds the library's commands, runs them on a DNA and keeps everything alive for as long
// as the library may look at it. What may be called when is said at the Rust side, src/bridge.rs.
#pragma once

#include <dnacalib/DNACalib.h>
#include <dnacalib/version/VersionInfo.h>
#include <status/Provider.h>

#include "rust/cxx.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace rust {
namespace behavior {

// cxx knows exceptions of the standard library only; any other one would end the process.
template <typename Try, typename Fail>
static void trycatch(Try&& attempt, Fail&& fail) noexcept {
    try {
        attempt();
    } catch (const std::exception& error) {
        fail(error.what());
    } catch (...) {
        fail("an exception of unknown kind");
    }
}

}  // namespace behavior
}  // namespace rust

namespace mhrig_dnacalib {

struct Status;
struct Vectors;
struct Blend;
struct RemovalSetter;
struct RenamingSetter;
struct Watch;
enum class Question : std::uint8_t;
enum class Item : std::uint8_t;

using Floats = rust::Slice<const float>;

// Commands and what they point to. A command that runs others is made after them and destroyed before them.
class Program {
public:
    Program() = default;
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    std::size_t calculate_mesh_lower_lods(std::uint16_t mesh);
    std::size_t set_vertex_positions(std::uint16_t mesh, const Vectors& positions, const Blend& blend);
    std::size_t set_neutral_joint_translations(const Vectors& values);
    std::size_t set_neutral_joint_rotations(const Vectors& values);
    std::size_t set_skin_weights(std::uint16_t mesh, std::uint32_t vertex, Floats weights,
                                 rust::Slice<const std::uint16_t> joints);
    std::size_t set_blend_shape_target_deltas(std::uint16_t mesh, std::uint16_t target, const Vectors& deltas,
                                              rust::Slice<const std::uint32_t> vertices, const Blend& blend);
    std::size_t prune_blend_shape_targets(float threshold);
    std::size_t clear_blend_shapes();
    std::size_t remove(Item item, rust::Slice<const RemovalSetter> setters);
    std::size_t rename(Item item, rust::Slice<const RenamingSetter> setters);
    std::size_t rotate(float x, float y, float z, Floats origin);
    std::size_t scale(float factor, Floats origin);
    std::size_t translate(float x, float y, float z);
    std::size_t set_lods(rust::Slice<const std::uint16_t> lods);
    std::size_t sequence(rust::Slice<const std::size_t> members, rust::Slice<const std::size_t> removed);
    std::size_t conditional(Question question, std::size_t count, rust::Str joint, std::size_t then);

    // Runs a command under the eyes of `watch`.
    void run(std::size_t command, dnac::DNACalibDNAReader* dna, Watch& watch);

private:
    class Step;

    struct Entry {
        std::unique_ptr<dnac::Command> command;
        // Number of meshes without which the library would read through a null pointer.
        std::size_t needed_meshes;
    };

    std::size_t add(std::unique_ptr<dnac::Command> command, std::size_t needed_meshes = 0);
    Step* step(std::size_t command);
    const char* keep(const rust::String& text);
    template <typename T>
    dnac::ConstArrayView<T> keep(rust::Slice<const T> values);
    template <typename T>
    dnac::ConstArrayView<T> keep(const rust::Vec<T>& values);
    template <typename Command>
    void blend_with(Command& command, const Blend& blend);
    template <typename Command, typename One, typename Many>
    std::size_t remove_with(rust::Slice<const RemovalSetter> setters, One one, Many many);
    template <typename Command>
    std::size_t rename_with(rust::Slice<const RenamingSetter> setters);

    std::deque<std::string> texts;
    std::deque<std::shared_ptr<void>> arrays;
    std::vector<Entry> entries;
    Watch* watch = nullptr;
};

// A DNA in the library's hands.
class Session {
public:
    Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Status read(rust::Slice<const std::uint8_t> bytes);
    Status run(Program& program, std::size_t command, Watch& watch);
    Status write();
    rust::Slice<const std::uint8_t> written() const;

private:
    template <typename T>
    struct Destroy {
        void operator()(T* instance) const {
            T::destroy(instance);
        }
    };
    template <typename T>
    using Owned = std::unique_ptr<T, Destroy<T>>;

    // In this order: the last one goes first.
    Owned<dnac::MemoryStream> source;
    Owned<dnac::BinaryStreamReader> reader;
    Owned<dnac::DNACalibDNAReader> dna;
    std::vector<std::uint8_t> bytes_written;
};

std::unique_ptr<Program> new_program();
std::unique_ptr<Session> new_session();
rust::String library_version();

}  // namespace mhrig_dnacalib

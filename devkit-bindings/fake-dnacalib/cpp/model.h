// A DNA of version 2.1 as plain lists, and its bytes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace stand_in {

using Shorts = std::vector<std::uint16_t>;
using Longs = std::vector<std::uint32_t>;
using Floats = std::vector<float>;
using Names = std::vector<std::string>;

struct Pair {
    std::string key, value;
};

struct Vectors {
    Floats xs, ys, zs;
};

struct LodLists {
    Shorts lods;
    std::vector<Shorts> rows;
};

struct Table {
    Shorts inputs, outputs;
    Floats from, to, slopes, cuts;
};

struct Group {
    Shorts lods, inputs, outputs;
    Floats values;
    Shorts joints;
};

struct Record {
    Floats weights;
    Shorts joints;
};

struct Target {
    Vectors deltas;
    Longs vertices;
    std::uint16_t channel = 0;
};

struct Mesh {
    Vectors positions;
    Floats us, vs;
    Vectors normals;
    Longs layout_positions, layout_coordinates, layout_normals;
    std::vector<Longs> faces;
    std::uint16_t most_influences = 0;
    std::vector<Record> records;
    std::vector<Target> targets;
};

struct Model {
    std::string name;
    std::uint16_t archetype = 0, gender = 0, age = 0;
    std::vector<Pair> metadata;
    std::uint16_t translation_unit = 0, rotation_unit = 0, x_axis = 0, y_axis = 0, z_axis = 0;
    std::uint16_t lod_count = 0, max_lod = 0;
    std::string complexity, database;

    LodLists joint_lods, channel_lods, map_lods, mesh_lods;
    Names gui_controls, raw_controls, joints, channels, maps, meshes;
    Shorts mapping_meshes, mapping_channels;
    Shorts parents;
    Vectors translations, rotations;

    std::uint16_t correctives = 0;
    Table gui_table;
    Shorts corrective_rows, corrective_columns;
    Floats corrective_values;
    std::uint16_t joint_rows = 0, joint_columns = 0;
    std::vector<Group> groups;
    Shorts driven_lods, driven_inputs, driven_outputs;
    Shorts animated_lods;
    Table animated_table;

    std::vector<Mesh> geometry;
};

// Bytes that are no DNA of this version; `code` is the library's.
struct NotRead : std::runtime_error {
    NotRead(int code_, const std::string& what) : std::runtime_error(what), code(code_) {
    }
    int code;
};

Model parse(const std::string& bytes);
std::string bytes_of(Model model);

}  // namespace stand_in

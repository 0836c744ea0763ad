#include "model.h"

#include <cstring>
#include <type_traits>

namespace stand_in {

namespace {

template <typename Number>
struct Bits {
    using Type = std::conditional_t<sizeof(Number) == 2, std::uint16_t, std::uint32_t>;
};

// Reads fields in file order; all numbers are big-endian.
class Source {
public:
    explicit Source(const std::string& bytes_) : bytes(bytes_) {
    }

    template <typename... Fields>
    void operator()(Fields&... fields) {
        (field(fields), ...);
    }

    void seek(std::uint32_t offset) {
        if (offset > bytes.size()) {
            throw NotRead(104, "Error seeking file");
        }
        at = offset;
    }

    template <typename Body>
    void mesh(Body&& body) {
        std::uint32_t end = 0;
        field(end);
        body();
        seek(end);
    }

    static constexpr bool writes = false;

private:
    const unsigned char* take(std::size_t size) {
        if (size > bytes.size() - at) {
            throw NotRead(101, "Error reading file");
        }
        at += size;
        return reinterpret_cast<const unsigned char*>(bytes.data()) + at - size;
    }

    template <typename Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
    void field(Number& number) {
        typename Bits<Number>::Type bits = 0;
        const unsigned char* from = take(sizeof(Number));
        for (std::size_t byte = 0; byte < sizeof(Number); ++byte) {
            bits = static_cast<typename Bits<Number>::Type>((bits << 8) | from[byte]);
        }
        std::memcpy(&number, &bits, sizeof(Number));
    }

    void field(std::string& text) {
        std::uint32_t size = 0;
        field(size);
        const unsigned char* from = take(size);
        text.assign(reinterpret_cast<const char*>(from), size);
    }

    template <typename Element>
    void field(std::vector<Element>& list) {
        std::uint32_t count = 0;
        field(count);
        if (count > bytes.size() - at) {
            throw NotRead(101, "Error reading file");
        }
        list.resize(count);
        for (Element& element : list) {
            field(element);
        }
    }

    template <typename Record, std::enable_if_t<std::is_class_v<Record>, int> = 0>
    void field(Record& record) {
        visit(*this, record);
    }

    const std::string& bytes;
    std::size_t at = 0;
};

class Sink {
public:
    template <typename... Fields>
    void operator()(Fields&... fields) {
        (field(fields), ...);
    }

    template <typename Body>
    void mesh(Body&& body) {
        const std::size_t place = bytes.size();
        std::uint32_t end = 0;
        field(end);
        body();
        patch(place);
    }

    // Puts the present position at `place`.
    void patch(std::size_t place) {
        for (int byte = 0; byte < 4; ++byte) {
            bytes[place + static_cast<std::size_t>(byte)] = static_cast<char>(bytes.size() >> (24 - 8 * byte));
        }
    }

    static constexpr bool writes = true;
    std::string bytes;

private:
    template <typename Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
    void field(Number& number) {
        typename Bits<Number>::Type bits = 0;
        std::memcpy(&bits, &number, sizeof(Number));
        for (std::size_t byte = sizeof(Number); byte-- > 0;) {
            bytes.push_back(static_cast<char>(bits >> (8 * byte)));
        }
    }

    void field(std::string& text) {
        auto size = static_cast<std::uint32_t>(text.size());
        field(size);
        bytes += text;
    }

    template <typename Element>
    void field(std::vector<Element>& list) {
        auto count = static_cast<std::uint32_t>(list.size());
        field(count);
        for (Element& element : list) {
            field(element);
        }
    }

    template <typename Record, std::enable_if_t<std::is_class_v<Record>, int> = 0>
    void field(Record& record) {
        visit(*this, record);
    }
};

template <typename Archive>
void visit(Archive& archive, Pair& pair) {
    archive(pair.key, pair.value);
}

template <typename Archive>
void visit(Archive& archive, Vectors& vectors) {
    archive(vectors.xs, vectors.ys, vectors.zs);
}

template <typename Archive>
void visit(Archive& archive, LodLists& lists) {
    archive(lists.lods, lists.rows);
}

template <typename Archive>
void visit(Archive& archive, Table& table) {
    archive(table.inputs, table.outputs, table.from, table.to, table.slopes, table.cuts);
}

template <typename Archive>
void visit(Archive& archive, Group& group) {
    archive(group.lods, group.inputs, group.outputs, group.values, group.joints);
}

template <typename Archive>
void visit(Archive& archive, Record& record) {
    archive(record.weights, record.joints);
}

template <typename Archive>
void visit(Archive& archive, Target& target) {
    archive(target.deltas, target.vertices, target.channel);
}

template <typename Archive>
void visit(Archive& archive, Mesh& mesh) {
    archive.mesh([&] {
        archive(mesh.positions, mesh.us, mesh.vs, mesh.normals, mesh.layout_positions, mesh.layout_coordinates,
                mesh.layout_normals, mesh.faces, mesh.most_influences, mesh.records, mesh.targets);
    });
}

constexpr int SECTIONS = 8;

// The sections in the order of the table; the one called behavior is where the controls start.
template <typename Archive>
void section(Archive& archive, Model& m, int number) {
    switch (number) {
        case 0:
            archive(m.name, m.archetype, m.gender, m.age, m.metadata, m.translation_unit, m.rotation_unit, m.x_axis,
                    m.y_axis, m.z_axis, m.lod_count, m.max_lod, m.complexity, m.database);
            break;
        case 1:
            archive(m.joint_lods, m.channel_lods, m.map_lods, m.mesh_lods, m.gui_controls, m.raw_controls, m.joints,
                    m.channels, m.maps, m.meshes, m.mapping_meshes, m.mapping_channels, m.parents, m.translations,
                    m.rotations);
            break;
        case 3:
            archive(m.correctives, m.gui_table, m.corrective_rows, m.corrective_columns, m.corrective_values);
            break;
        case 4:
            archive(m.joint_rows, m.joint_columns, m.groups);
            break;
        case 5:
            archive(m.driven_lods, m.driven_inputs, m.driven_outputs);
            break;
        case 6:
            archive(m.animated_lods, m.animated_table);
            break;
        case 7:
            archive(m.geometry);
            break;
        default:
            break;
    }
}

// Equal lists of LODs are stored once and numbered in order of first use.
void compact(LodLists& lists, std::size_t lods) {
    LodLists stored;
    for (std::size_t lod = 0; lod < lods; ++lod) {
        static const Shorts none;
        const std::size_t row = lod < lists.lods.size() ? lists.lods[lod] : lists.rows.size();
        const Shorts& members = row < lists.rows.size() ? lists.rows[row] : none;
        std::size_t found = 0;
        while (found < stored.rows.size() && stored.rows[found] != members) {
            ++found;
        }
        if (found == stored.rows.size()) {
            stored.rows.push_back(members);
        }
        stored.lods.push_back(static_cast<std::uint16_t>(found));
    }
    lists = stored;
}

constexpr std::size_t TABLE = 7;

}  // namespace

Model parse(const std::string& bytes) {
    if (bytes.compare(0, 3, "DNA") != 0) {
        throw NotRead(200, "DNA signature mismatched");
    }
    Source source(bytes);
    std::uint16_t generation = 0, version = 0;
    source.seek(3);
    source(generation, version);
    if (generation != 2 || version != 1) {
        throw NotRead(201, "DNA version mismatched, expected 2.1, got " + std::to_string(generation) + "." +
                               std::to_string(version));
    }
    std::uint32_t offsets[SECTIONS] = {};
    for (std::uint32_t& offset : offsets) {
        source(offset);
    }
    Model model;
    for (int number = 0; number < SECTIONS; ++number) {
        source.seek(offsets[number]);
        section(source, model, number);
    }
    return model;
}

std::string bytes_of(Model model) {
    for (LodLists* lists : {&model.joint_lods, &model.channel_lods, &model.map_lods, &model.mesh_lods}) {
        compact(*lists, model.lod_count);
    }
    Sink sink;
    sink.bytes = "DNA";
    std::uint16_t generation = 2, version = 1;
    sink(generation, version);
    sink.bytes.append(4 * SECTIONS, '\0');
    for (int number = 0; number < SECTIONS; ++number) {
        sink.patch(TABLE + 4 * static_cast<std::size_t>(number));
        section(sink, model, number);
    }
    return sink.bytes + "AND";
}

}  // namespace stand_in

// Streams, and readers and writers of DNA on them.
#pragma once

#include "stand_in/views.h"

namespace stand_in {

struct Model;

}  // namespace stand_in

namespace trio {

class BoundedIOStream {
public:
    virtual ~BoundedIOStream();
    virtual void open() = 0;
    virtual void close() = 0;
    virtual std::size_t read(char* destination, std::size_t size) = 0;
    virtual std::size_t write(const char* source, std::size_t size) = 0;
    virtual std::uint64_t tell() = 0;
    virtual void seek(std::uint64_t position) = 0;
    virtual std::uint64_t size() = 0;
};

class MemoryStream : public BoundedIOStream {
public:
    static MemoryStream* create(pma::MemoryResource* memory = nullptr);
    static MemoryStream* create(std::size_t initial_size, pma::MemoryResource* memory = nullptr);
    static void destroy(MemoryStream* instance);
};

}  // namespace trio

namespace dna {

enum class DataLayer { Descriptor, Definition, Behavior, Geometry, GeometryWithoutBlendShapes, AllWithoutBlendShapes, All };

class Reader {
public:
    virtual ~Reader();
    virtual std::uint16_t getLODCount() const = 0;
    virtual std::uint16_t getMeshCount() const = 0;
    virtual std::uint16_t getJointCount() const = 0;
    virtual StringView getJointName(std::uint16_t index) const = 0;
    // The stand-in's own: what the getters that it does not have would give.
    virtual const stand_in::Model& model() const = 0;
};

class BinaryStreamReader : public Reader {
public:
    static BinaryStreamReader* create(trio::BoundedIOStream* stream, DataLayer layer = DataLayer::All,
                                      std::uint16_t max_lod = 0, pma::MemoryResource* memory = nullptr);
    static void destroy(BinaryStreamReader* instance);
    virtual void read() = 0;
};

class Writer {
public:
    virtual ~Writer();
    void setFrom(const Reader* source, DataLayer layer = DataLayer::All, pma::MemoryResource* memory = nullptr);

protected:
    virtual void take(const stand_in::Model& model) = 0;
};

class BinaryStreamWriter : public Writer {
public:
    static BinaryStreamWriter* create(trio::BoundedIOStream* stream, pma::MemoryResource* memory = nullptr);
    static void destroy(BinaryStreamWriter* instance);
    virtual void write() = 0;
};

}  // namespace dna

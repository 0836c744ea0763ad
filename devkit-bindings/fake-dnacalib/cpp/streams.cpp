// Status, streams, readers and writers.
#include "dnacalib/DNACalib.h"
#include "dnacalib/version/VersionInfo.h"
#include "instructions.h"
#include "live.h"
#include "model.h"
#include "status/Provider.h"

#include <algorithm>
#include <cstring>

namespace sc {

namespace {

struct Kept {
    int code = 0;
    std::string message = "Ok";
} kept;

}  // namespace

bool Status::isOk() {
    return StatusProvider::isOk();
}

StatusCode Status::get() {
    return StatusProvider::get();
}

void StatusProvider::reset() {
    kept = Kept();
}

StatusCode StatusProvider::get() {
    return StatusCode{kept.code, kept.message.c_str()};
}

bool StatusProvider::isOk() {
    return kept.code == 0;
}

void StatusProvider::set(StatusCode status) {
    kept.code = status.code;
    kept.message = status.message;
}

}  // namespace sc

namespace trio {

namespace {

const char* const STREAM = "stream";

class Memory final : public MemoryStream {
public:
    explicit Memory(std::size_t size) : bytes(size, '\0') {
        stand_in::born(static_cast<BoundedIOStream*>(this), STREAM);
    }
    ~Memory() override {
        stand_in::died(static_cast<BoundedIOStream*>(this), STREAM);
    }
    void open() override {
        at = 0;
    }
    void close() override {
        at = 0;
    }
    std::size_t read(char* destination, std::size_t size) override {
        size = std::min(size, bytes.size() - at);
        std::memcpy(destination, bytes.data() + at, size);
        at += size;
        return size;
    }
    std::size_t write(const char* source, std::size_t size) override {
        bytes.resize(std::max(bytes.size(), at + size));
        std::memcpy(&bytes[at], source, size);
        at += size;
        return size;
    }
    std::uint64_t tell() override {
        return at;
    }
    void seek(std::uint64_t position) override {
        at = std::min(static_cast<std::size_t>(position), bytes.size());
    }
    std::uint64_t size() override {
        return bytes.size();
    }

private:
    std::string bytes;
    std::size_t at = 0;
};

}  // namespace

BoundedIOStream::~BoundedIOStream() = default;

MemoryStream* MemoryStream::create(pma::MemoryResource*) {
    return new Memory(0);
}

MemoryStream* MemoryStream::create(std::size_t initial_size, pma::MemoryResource*) {
    return new Memory(initial_size);
}

void MemoryStream::destroy(MemoryStream* instance) {
    stand_in::needs(static_cast<BoundedIOStream*>(instance), STREAM, "destroying a stream");
    delete instance;
}

}  // namespace trio

namespace dna {

namespace {

// The getters, on a model.
template <typename Base>
class Getters : public Base {
public:
    std::uint16_t getLODCount() const override {
        return held.lod_count;
    }
    std::uint16_t getMeshCount() const override {
        return static_cast<std::uint16_t>(held.meshes.size());
    }
    std::uint16_t getJointCount() const override {
        return static_cast<std::uint16_t>(held.joints.size());
    }
    StringView getJointName(std::uint16_t index) const override {
        const std::string& name = held.joints.at(index);
        return StringView(name.data(), name.size());
    }
    const stand_in::Model& model() const override {
        return held;
    }

protected:
    stand_in::Model held;
};

const char* const STREAM = "stream";
const char* const READER = "reader";
const char* const WRITER = "writer";
const char* const DNA = "DNA in work";

class StreamReader final : public Getters<BinaryStreamReader> {
public:
    explicit StreamReader(trio::BoundedIOStream* stream_) : stream(stream_) {
        stand_in::born(static_cast<Reader*>(this), READER);
    }
    ~StreamReader() override {
        stand_in::needs(stream, STREAM, "destroying the reader of a stream");
        stand_in::died(static_cast<Reader*>(this), READER);
    }
    void read() override {
        stand_in::needs(stream, STREAM, "reading");
        sc::StatusProvider::reset();
        try {
            stream->open();
            std::string bytes(static_cast<std::size_t>(stream->size()), '\0');
            bytes.resize(stream->read(&bytes[0], bytes.size()));
            stream->close();
            held = stand_in::parse(bytes);
            stand_in::obey(held.name, "read");
        } catch (const stand_in::NotRead& error) {
            sc::StatusProvider::set({error.code, error.what()});
        }
    }

private:
    trio::BoundedIOStream* stream;
};

class StreamWriter final : public BinaryStreamWriter {
public:
    explicit StreamWriter(trio::BoundedIOStream* stream_) : stream(stream_) {
        stand_in::born(static_cast<Writer*>(this), WRITER);
    }
    ~StreamWriter() override {
        stand_in::needs(stream, STREAM, "destroying the writer of a stream");
        stand_in::died(static_cast<Writer*>(this), WRITER);
    }
    void write() override {
        stand_in::needs(stream, STREAM, "writing");
        const std::string bytes = stand_in::bytes_of(held);
        stream->open();
        stream->write(bytes.data(), bytes.size());
        stream->close();
        stand_in::obey(held.name, "write");
    }

protected:
    void take(const stand_in::Model& model) override {
        held = model;
    }

private:
    trio::BoundedIOStream* stream;
    stand_in::Model held;
};

class InWork final : public Getters<dnac::DNACalibDNAReader> {
public:
    explicit InWork(const stand_in::Model& model) {
        held = model;
        stand_in::born(static_cast<Reader*>(this), DNA);
    }
    ~InWork() override {
        stand_in::died(static_cast<Reader*>(this), DNA);
    }
    stand_in::Model& edited() override {
        return held;
    }
};

}  // namespace

Reader::~Reader() = default;
Writer::~Writer() = default;

BinaryStreamReader* BinaryStreamReader::create(trio::BoundedIOStream* stream, DataLayer, std::uint16_t,
                                               pma::MemoryResource*) {
    stand_in::needs(stream, STREAM, "making a reader");
    return new StreamReader(stream);
}

void BinaryStreamReader::destroy(BinaryStreamReader* instance) {
    stand_in::needs(static_cast<Reader*>(instance), READER, "destroying a reader");
    delete instance;
}

void Writer::setFrom(const Reader* source, DataLayer, pma::MemoryResource*) {
    stand_in::needs(source, DNA, "taking over what is to be written");
    take(source->model());
}

BinaryStreamWriter* BinaryStreamWriter::create(trio::BoundedIOStream* stream, pma::MemoryResource*) {
    stand_in::needs(stream, STREAM, "making a writer");
    return new StreamWriter(stream);
}

void BinaryStreamWriter::destroy(BinaryStreamWriter* instance) {
    stand_in::needs(static_cast<Writer*>(instance), WRITER, "destroying a writer");
    delete instance;
}

}  // namespace dna

namespace dnac {

DNACalibDNAReader* DNACalibDNAReader::create(MemoryResource*) {
    return new dna::InWork(stand_in::Model());
}

DNACalibDNAReader* DNACalibDNAReader::create(const dna::Reader* reader, MemoryResource*) {
    stand_in::needs(reader, dna::READER, "making a copy to work on");
    return new dna::InWork(reader->model());
}

void DNACalibDNAReader::destroy(DNACalibDNAReader* instance) {
    stand_in::needs(static_cast<dna::Reader*>(instance), dna::DNA, "destroying a DNA in work");
    delete instance;
}

StringView VersionInfo::getVersionString() {
    static const std::string version = "0.0.0 stand-in";
    return StringView(version.data(), version.size());
}

}  // namespace dnac

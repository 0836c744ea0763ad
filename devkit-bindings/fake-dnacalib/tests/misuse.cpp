// Breaks one of the library's lifetime rules, to show that the stand-in notices: `misuse RULE` has to end by abort with
// a message, `misuse none` ends well.
#include <dnacalib/DNACalib.h>

#include <cstdio>
#include <cstring>
#include <memory>

namespace {

using dnac::BinaryStreamReader;
using dnac::CommandSequence;
using dnac::DNACalibDNAReader;
using dnac::MemoryStream;
using dnac::TranslateCommand;

void stream_before_reader() {
    MemoryStream* stream = MemoryStream::create();
    BinaryStreamReader* reader = BinaryStreamReader::create(stream);
    MemoryStream::destroy(stream);
    BinaryStreamReader::destroy(reader);
}

void reading_from_a_dead_stream() {
    MemoryStream* stream = MemoryStream::create();
    BinaryStreamReader* reader = BinaryStreamReader::create(stream);
    MemoryStream::destroy(stream);
    reader->read();
}

void command_before_sequence() {
    auto command = std::make_unique<TranslateCommand>();
    auto sequence = std::make_unique<CommandSequence>();
    sequence->add(command.get());
    command.reset();
    sequence.reset();
}

void running_a_dead_command() {
    DNACalibDNAReader* dna = DNACalibDNAReader::create();
    CommandSequence sequence;
    auto command = std::make_unique<TranslateCommand>();
    sequence.add(command.get());
    command.reset();
    sequence.run(dna);
}

void running_on_a_dead_dna() {
    DNACalibDNAReader* dna = DNACalibDNAReader::create();
    DNACalibDNAReader::destroy(dna);
    TranslateCommand command;
    command.run(dna);
}

void destroying_twice() {
    MemoryStream* stream = MemoryStream::create();
    MemoryStream::destroy(stream);
    MemoryStream::destroy(stream);
}

void forgetting() {
    MemoryStream::create();
}

void none() {
    MemoryStream* stream = MemoryStream::create();
    BinaryStreamReader* reader = BinaryStreamReader::create(stream);
    DNACalibDNAReader* dna = DNACalibDNAReader::create(reader);
    TranslateCommand command;
    CommandSequence sequence;
    sequence.add(&command);
    sequence.run(dna);
    DNACalibDNAReader::destroy(dna);
    BinaryStreamReader::destroy(reader);
    MemoryStream::destroy(stream);
}

struct Rule {
    const char* name;
    void (*broken)();
};

const Rule RULES[] = {
    {"stream-before-reader", stream_before_reader},
    {"reading-from-a-dead-stream", reading_from_a_dead_stream},
    {"command-before-sequence", command_before_sequence},
    {"running-a-dead-command", running_a_dead_command},
    {"running-on-a-dead-dna", running_on_a_dead_dna},
    {"destroying-twice", destroying_twice},
    {"forgetting", forgetting},
    {"none", none},
};

}  // namespace

int main(int count, char** words) {
    for (const Rule& rule : RULES) {
        if (count == 1) {
            std::puts(rule.name);
        } else if (std::strcmp(words[1], rule.name) == 0) {
            rule.broken();
            return 0;
        }
    }
    return count == 1 ? 0 : 2;
}

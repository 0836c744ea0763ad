// What the files of MEL commands share: results, flags, names, units.
#pragma once

#include <initializer_list>

#include "host.h"

namespace fake {

Outcome fail(const std::string& error);
Outcome one(const std::string& result);
std::string text_of(double number);

/// Flags with the number of words each takes, and what is left over.
struct Parsed {
    std::map<std::string, std::vector<std::string>> flags;
    std::vector<std::string> rest;
    std::string bad;

    bool has(const std::string& flag) const { return flags.count(flag) != 0; }
    std::string text(const std::string& flag, const std::string& otherwise = "") const {
        auto found = flags.find(flag);
        return found == flags.end() || found->second.empty() ? otherwise : found->second[0];
    }
    bool on(const std::string& flag, bool otherwise) const {
        if (!has(flag)) return otherwise;
        const std::string value = text(flag);
        return value == "1" || value == "on" || value == "true" || value == "yes";
    }
};

struct Flag {
    const char* short_name;
    const char* long_name;
    int words;
};

Parsed parse(const std::vector<std::string>& words, std::initializer_list<Flag> flags);
/// The one object of that name.
bool object(const std::string& name, std::pair<Path, Node*>& found, std::string& error);
bool plug_of(const std::string& text, Plug& plug, std::string& error);
/// The mesh itself, or the visible one below a transform.
Node* visible_mesh(Node* node);
bool truth(const std::string& word);

/// Commands that no real host has, and such as answer what tests told them to.
const std::map<std::string, Builtin>& fake_commands();

}  // namespace fake

// The host program: one line of MEL on standard input, its messages and results on standard output.
//
// For each line: any number of `I|W|E text` (info, warning, error), then `R text` for each result, then `S ok` or
// `S error`. Newlines and backslashes in texts are escaped. `--interactive` switches batch mode off.
#include <cstring>
#include <iostream>

#include "host.h"

extern "C" void fake_maya_start();

static std::string escaped(const std::string& text) {
    std::string out;
    for (char c : text) {
        if (c == '\\') out += "\\\\";
        else if (c == '\n') out += "\\n";
        else if (c == '\r') out += "\\r";
        else out += c;
    }
    return out;
}

int main(int count, char** words) {
    fake_maya_start();
    fake::Host& host = fake::Host::get();
    for (int i = 1; i < count; ++i)
        if (!std::strcmp(words[i], "--interactive")) host.batch = false;
    host.sink = [](char level, const std::string& text) { std::cout << level << ' ' << escaped(text) << '\n'; };
    std::string line;
    while (!host.quit && std::getline(std::cin, line)) {
        const fake::Outcome outcome = host.run(line, true);
        for (const std::string& result : outcome.results) std::cout << "R " << escaped(result) << '\n';
        std::cout << "S " << (outcome.ok ? "ok" : "error") << std::endl;
    }
    fake::Scene::get().flush_undo();
    return 0;
}

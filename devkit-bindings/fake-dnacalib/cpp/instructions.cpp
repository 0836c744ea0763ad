#include "instructions.h"

#include "status/Provider.h"

#include <sstream>
#include <stdexcept>

namespace stand_in {

bool obey(const std::string& name, const std::string& occasion) {
    std::istringstream words(name);
    std::string verb, when, message;
    words >> verb >> when;
    if (when != occasion) {
        return false;
    }
    int code = 0;
    if (verb == "fail") {
        words >> code;
    }
    std::getline(words >> std::ws, message);
    if (verb == "fail") {
        // As long as the code is not 0, so that bytes that are not UTF-8 can be asked for.
        if (message == "bytes") {
            message = "\xff\xfe";
        }
        sc::StatusProvider::set({code, message.c_str()});
        return true;
    }
    if (verb == "throw") {
        throw std::runtime_error(message);
    }
    if (verb == "throw-number") {
        throw 7;
    }
    return false;
}

}  // namespace stand_in

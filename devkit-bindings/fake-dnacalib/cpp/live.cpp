#include "live.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace stand_in {

namespace {

[[noreturn]] void end(const char* kind, const char* what) {
    std::fprintf(stderr, "stand-in dnacalib: a %s %s\n", kind, what);
    std::fflush(stderr);
    std::abort();
}

class Living {
public:
    ~Living() {
        if (!objects.empty()) {
            end(objects.begin()->second, "was never destroyed");
        }
    }

    std::mutex lock;
    std::map<const void*, const char*> objects;
};

Living& living() {
    static Living instance;
    return instance;
}

}  // namespace

void born(const void* object, const char* kind) {
    const std::lock_guard<std::mutex> guard(living().lock);
    living().objects[object] = kind;
}

void died(const void* object, const char* kind) {
    const std::lock_guard<std::mutex> guard(living().lock);
    const auto found = living().objects.find(object);
    if (found == living().objects.end() || std::strcmp(found->second, kind) != 0) {
        end(kind, "was destroyed twice");
    }
    living().objects.erase(found);
}

void needs(const void* object, const char* kind, const char* purpose) {
    const std::lock_guard<std::mutex> guard(living().lock);
    const auto found = living().objects.find(object);
    if (found == living().objects.end() || std::strcmp(found->second, kind) != 0) {
        std::fprintf(stderr, "stand-in dnacalib: %s: ", purpose);
        end(kind, "is not alive any more");
    }
}

}  // namespace stand_in

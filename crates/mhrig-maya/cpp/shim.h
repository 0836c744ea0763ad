// What the files of the shim share.
#pragma once

#include "bridge.h"
#include "mhrig_maya.h"

#if __has_include(<stdlib.h>)
#  include <stdlib.h>
#else  // the check of Windows names compiles without any library
extern "C" void* malloc(size_t size);
extern "C" void free(void* memory);
#endif

// Maya may throw in principle; nothing may pass on to Maya or to Rust. Builds without exceptions (the check of
// Windows names) leave the words out.
#if defined(__cpp_exceptions)
#  define MH_TRY try
#  define MH_CATCH(value) catch (...) { return value; }
#  define MH_CATCH_VOID catch (...) {}
#else
#  define MH_TRY
#  define MH_CATCH(value)
#  define MH_CATCH_VOID
#endif

// Objects of the shim take their memory from malloc: the plug-in then needs no operator new of a C++ library.
#define MH_MALLOC_NEW                                                            \
    static void* operator new(size_t size) { return malloc(size); }             \
    static void operator delete(void* memory) { free(memory); }

extern const MhHost kHost;

inline mhm::MString utf8(const char* text) {
    mhm::MString string;
    string.setUTF8(text);
    return string;
}
inline MhText view(const mhm::MString& string) {
    const char* data = string.asUTF8();
    size_t size = 0;
    while (data[size]) ++size;
    return MhText{data, size};
}
/// A text of Rust's as a string of Maya's. Zero bytes end it.
mhm::MString from_view(MhText text);

struct MhInvocation {
    mhm::MArgDatabase arguments;
    MhInvocation(const mhm::MSyntax& syntax, const mhm::MArgList& list, mhm::MStatus* status)
        : arguments(syntax, list, status) {}
};

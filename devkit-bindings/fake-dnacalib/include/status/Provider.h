// The status of the library: one for the whole process.
#pragma once

namespace sc {

struct StatusCode {
    int code;
    const char* message;
};

class Status {
public:
    static bool isOk();
    static StatusCode get();
};

class StatusProvider {
public:
    static void reset();
    static StatusCode get();
    static bool isOk();
    // Keeps a copy of the message.
    static void set(StatusCode status);
};

}  // namespace sc

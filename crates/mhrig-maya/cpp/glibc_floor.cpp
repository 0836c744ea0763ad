// What newer C libraries (2.29 to 2.35) define and the oldest one that has to load the plug-in (2.28) does not.
//
// Rust's standard library and the unwinder of the compiler ask for these names when they are linked on a newer system.
// Each is defined here, hidden, by means that the older library has. The names are given as labels, so that the
// declarations of whichever headers are installed do not matter. build.rs has the other half: functions that the older
// library has too, under an older version.

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {

// Before 2.33 the calls that read a file's status were macros over these; the first argument is the structure's version.
int __xstat64(int version, const char* path, void* status);
int __lxstat64(int version, const char* path, void* status);
int __fxstat64(int version, int file, void* status);
int __fxstatat64(int version, int folder, const char* path, void* status, int flags);

#define AS(name) __asm__(name)
int mhrig_stat64(const char* path, void* status) AS("stat64");
int mhrig_lstat64(const char* path, void* status) AS("lstat64");
int mhrig_fstat64(int file, void* status) AS("fstat64");
int mhrig_fstatat64(int folder, const char* path, void* status, int flags) AS("fstatat64");
int mhrig_gettid() AS("gettid");
int mhrig_addchdir(void* actions, const char* path) AS("posix_spawn_file_actions_addchdir_np");

enum { STATUS_VERSION = 1 };

int mhrig_stat64(const char* path, void* status) { return __xstat64(STATUS_VERSION, path, status); }
int mhrig_lstat64(const char* path, void* status) { return __lxstat64(STATUS_VERSION, path, status); }
int mhrig_fstat64(int file, void* status) { return __fxstat64(STATUS_VERSION, file, status); }
int mhrig_fstatat64(int folder, const char* path, void* status, int flags) {
    return __fxstatat64(STATUS_VERSION, folder, path, status, flags);
}

int mhrig_gettid() { return static_cast<int>(syscall(SYS_gettid)); }

// Starting a program in another folder; nothing in the plug-in starts programs.
int mhrig_addchdir(void*, const char*) { return ENOSYS; }

// The unwinder's way to the table of an address, since 2.35.
struct FoundObject {
    unsigned long long flags;
    void* map_start;
    void* map_end;
    void* link_map;
    void* eh_frame;
    unsigned long long reserved[7];
};
int mhrig_find_object(void* address, FoundObject* found) AS("_dl_find_object");

struct Search {
    uintptr_t address;
    FoundObject* found;
};

static int look_into(dl_phdr_info* object, size_t, void* context) {
    const Search& search = *static_cast<Search*>(context);
    const ElfW(Phdr)* table = nullptr;
    uintptr_t start = UINTPTR_MAX;
    uintptr_t end = 0;
    bool is_inside = false;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object->dlpi_phdr[i];
        const uintptr_t from = object->dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_GNU_EH_FRAME) table = &segment;
        if (segment.p_type != PT_LOAD) continue;
        const uintptr_t to = from + segment.p_memsz;
        if (from < start) start = from;
        if (to > end) end = to;
        if (search.address >= from && search.address < to) is_inside = true;
    }
    if (!is_inside || !table) return 0;
    *search.found = FoundObject();
    search.found->map_start = reinterpret_cast<void*>(start);
    search.found->map_end = reinterpret_cast<void*>(end);
    search.found->eh_frame = reinterpret_cast<void*>(object->dlpi_addr + table->p_vaddr);
    return 1;
}

int mhrig_find_object(void* address, FoundObject* found) {
    Search search = {reinterpret_cast<uintptr_t>(address), found};
    return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}

}  // extern "C"

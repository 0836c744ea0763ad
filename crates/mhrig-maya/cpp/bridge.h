/* What crosses between the C++ shim and Rust. Plain C types only; src/bridge/abi.rs mirrors this file.
 *
 * All functions are called on the main thread. Texts are UTF-8, not terminated, and valid until the call returns.
 * Functions that can fail return 0 when they did their work. */
#ifndef MHRIG_BRIDGE_H
#define MHRIG_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

#define MHRIG_BRIDGE_VERSION 4

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MhText {
    const char* data;
    size_t size;
} MhText;

/* Receives one text; the context is the caller's. */
typedef void (*MhTextSink)(void* context, MhText text);

typedef struct MhFlag {
    const char* short_name;
    const char* long_name;
    int32_t argument; /* a number of MSyntax::MArgType */
} MhFlag;

typedef struct MhCommand {
    const char* name;
    const MhFlag* flags;
    size_t flag_count;
    int32_t takes_objects;
} MhCommand;

typedef struct MhPlugin {
    uint32_t bridge_version;
    size_t host_size; /* what Rust takes sizeof(MhHost) for */
    const char* vendor;
    const char* version;
    const char* required_api;
    const MhCommand* commands;
    size_t command_count;
} MhPlugin;

/* Array sizes of a mesh, then the arrays in the caller's memory. */
typedef struct MhMeshSizes {
    size_t points, faces, corners, uvs, uv_corners;
} MhMeshSizes;

typedef struct MhMeshArrays {
    double* points;      /* 3 * points: world space, cm, the scene's up axis */
    int32_t* face_sizes; /* faces */
    int32_t* corners;    /* corners */
    float* uvs;          /* 2 * uvs */
    int32_t* uv_sizes;   /* faces: corners with a texture coordinate, the face's size or 0 */
    int32_t* uv_corners; /* uv_corners */
} MhMeshArrays;

/* A mesh to make. All corners have a texture coordinate, or none has: then uvs is 0. The normals that are given are
 * locked, the others are those of the faces. */
typedef struct MhNewMesh {
    size_t points, faces, corners, uvs, normals;
    const float* positions;      /* 3 * points: the parent's space, cm */
    const int32_t* face_sizes;   /* faces */
    const int32_t* face_corners; /* corners */
    const float* uv;             /* 2 * uvs */
    const int32_t* uv_corners;   /* corners */
    const float* normal;            /* 3 * normals: the parent's space */
    const int32_t* normal_faces;    /* normals: which corner of which face */
    const int32_t* normal_vertices; /* normals */
} MhNewMesh;

/* What a blend shape target moves, and how far. */
typedef struct MhShapeTarget {
    size_t vertices;
    const uint32_t* indices; /* vertices */
    const float* deltas;     /* 3 * vertices */
} MhShapeTarget;

/* Skin weights: those of vertex v stand from offsets[v] to offsets[v + 1]. */
typedef struct MhSkinWeights {
    size_t vertices, influences;
    const uint32_t* offsets; /* vertices + 1 */
    const uint16_t* columns; /* number of the influence within the cluster */
    const float* weights;
} MhSkinWeights;

enum { MH_MESH = 1, MH_TRANSFORM = 2, MH_INTERMEDIATE = 4 };

typedef struct MhMeshHandle MhMeshHandle;
typedef struct MhEdits MhEdits;
typedef struct MhInvocation MhInvocation;
typedef struct MhProgress MhProgress;

/* What Rust may ask of the host. */
typedef struct MhHost {
    /* level: 0 info, 1 warning, 2 error */
    void (*display)(int32_t level, MhText text);

    /* Arguments of the running command. */
    int32_t (*flag_is_set)(const MhInvocation* invocation, const char* flag);
    int32_t (*flag_bool)(const MhInvocation* invocation, const char* flag, int32_t* value);
    int32_t (*flag_int)(const MhInvocation* invocation, const char* flag, int32_t* value);
    int32_t (*flag_text)(const MhInvocation* invocation, const char* flag, void* context, MhTextSink sink);
    int32_t (*objects)(const MhInvocation* invocation, void* context, MhTextSink sink);
    void (*result_text)(MhText text);
    void (*result_texts)(const MhText* texts, size_t count);

    /* The application and the scene. */
    int32_t (*mel_texts)(const char* command, void* context, MhTextSink sink);
    int32_t (*mel_text)(const char* command, void* context, MhTextSink sink);
    int32_t (*mel_int)(const char* command, int32_t* result);

    /* The file of the scene, empty when it was never saved; on any thread. */
    void (*scene_file)(void* context, MhTextSink sink);

    /* Nodes, by full path. */
    int32_t (*node)(const char* path, uint32_t* kinds, void* context, MhTextSink type_name);
    int32_t (*shapes_below)(const char* path, void* context, MhTextSink shape_path);
    int32_t (*world_matrix)(const char* path, double* rows_of_4_by_4);
    int32_t (*number)(const char* path, const char* attribute, double* value);

    MhMeshHandle* (*mesh_open)(const char* path, MhMeshSizes* sizes);
    void (*mesh_read)(MhMeshHandle* mesh, const MhMeshArrays* arrays);
    void (*mesh_close)(MhMeshHandle* mesh);

    /* Edits that can be undone. */
    MhEdits* (*edits_begin)(void);
    int32_t (*edits_number)(MhEdits* edits, const char* path, const char* attribute, double value);
    int32_t (*edits_mel)(MhEdits* edits, const char* command);
    int32_t (*edits_do)(MhEdits* edits);
    int32_t (*edits_undo)(MhEdits* edits);
    void (*edits_end)(MhEdits* edits);

    /* Bulk data of nodes that edits made. Not undone by itself: it goes and comes with its node. The new mesh is an
     * intermediate shape called `name` below the transform. */
    int32_t (*mesh_create)(const char* parent, const char* name, const MhNewMesh* mesh);
    int32_t (*target_set)(const char* blend_shape, uint32_t number, const MhShapeTarget* target);
    int32_t (*skin_set)(const char* skin, const char* shape, const MhSkinWeights* weights);

    /* The main progress bar, and Esc. */
    MhProgress* (*progress_begin)(int32_t maximum, int32_t show);
    void (*progress_set)(MhProgress* progress, int32_t value, MhText status);
    int32_t (*progress_is_cancelled)(MhProgress* progress);
    void (*progress_end)(MhProgress* progress);
} MhHost;

/* What the shim calls in Rust. None of these unwinds. */
#if defined(__GNUC__) && !defined(_WIN32)
#pragma GCC visibility push(hidden)
#endif
const MhPlugin* mhrig_plugin(void);
/* 0 when the plug-in may load. */
int32_t mhrig_load(const MhHost* host);
void mhrig_unload(const MhHost* host);
/* Runs a command. `state` receives what undo, redo and drop take; null for a command that cannot be undone. */
int32_t mhrig_do(const MhHost* host, size_t command, MhInvocation* invocation, void** state);
int32_t mhrig_undo(const MhHost* host, void* state);
int32_t mhrig_redo(const MhHost* host, void* state);
void mhrig_drop(const MhHost* host, void* state);

/* The node mhRigLogic. These may be called on any thread, one at a time for a node. */
enum { MH_TRANSLATIONS, MH_ROTATIONS, MH_SCALES, MH_BLEND_SHAPES, MH_ANIMATED_MAPS, MH_OUTPUTS };
typedef struct MhNodeResult {
    MhText status;                     /* "ok", or what is wrong */
    const double* values[MH_OUTPUTS];  /* cm, radians, factors, weights; valid until the next call for this node */
    size_t counts[MH_OUTPUTS];
} MhNodeResult;
void* mhrig_node_new(void);
void mhrig_node_drop(void* node);
/* Opens the file unless it is open. 0 when it is; otherwise the result says why, and has been shown once. */
int32_t mhrig_node_open(const MhHost* host, void* node, MhText path, int32_t all_attributes, MhNodeResult* result);
void mhrig_node_control(void* node, uint32_t index, double value);
void mhrig_node_driver_angle(void* node, uint32_t index, double radians);
void mhrig_node_evaluate(const MhHost* host, void* node, int32_t lod, double translation_multiplier, MhNodeResult* result);
#if defined(__GNUC__) && !defined(_WIN32)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif

//! The Rust side of `cpp/bridge.h`, which says what everything means.

use std::ffi::{c_char, c_void};

pub(crate) const BRIDGE_VERSION: u32 = 4;

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Text {
    pub(crate) data: *const c_char,
    pub(crate) size: usize,
}

pub(crate) type TextSink = unsafe extern "C" fn(context: *mut c_void, text: Text);

#[repr(C)]
pub(crate) struct Flag {
    pub(crate) short_name: *const c_char,
    pub(crate) long_name: *const c_char,
    pub(crate) argument: i32,
}

#[repr(C)]
pub(crate) struct Command {
    pub(crate) name: *const c_char,
    pub(crate) flags: *const Flag,
    pub(crate) flag_count: usize,
    pub(crate) takes_objects: i32,
}

#[repr(C)]
pub(crate) struct Plugin {
    pub(crate) bridge_version: u32,
    pub(crate) host_size: usize,
    pub(crate) vendor: *const c_char,
    pub(crate) version: *const c_char,
    pub(crate) required_api: *const c_char,
    pub(crate) commands: *const Command,
    pub(crate) command_count: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeshSizes {
    pub(crate) points: usize,
    pub(crate) faces: usize,
    pub(crate) corners: usize,
    pub(crate) uvs: usize,
    pub(crate) uv_corners: usize,
}

#[repr(C)]
pub(crate) struct MeshArrays {
    pub(crate) points: *mut f64,
    pub(crate) face_sizes: *mut i32,
    pub(crate) corners: *mut i32,
    pub(crate) uvs: *mut f32,
    pub(crate) uv_sizes: *mut i32,
    pub(crate) uv_corners: *mut i32,
}

#[repr(C)]
pub(crate) struct NewMesh {
    pub(crate) points: usize,
    pub(crate) faces: usize,
    pub(crate) corners: usize,
    pub(crate) uvs: usize,
    pub(crate) normals: usize,
    pub(crate) positions: *const f32,
    pub(crate) face_sizes: *const i32,
    pub(crate) face_corners: *const i32,
    pub(crate) uv: *const f32,
    pub(crate) uv_corners: *const i32,
    pub(crate) normal: *const f32,
    pub(crate) normal_faces: *const i32,
    pub(crate) normal_vertices: *const i32,
}

#[repr(C)]
pub(crate) struct ShapeTarget {
    pub(crate) vertices: usize,
    pub(crate) indices: *const u32,
    pub(crate) deltas: *const f32,
}

#[repr(C)]
pub(crate) struct SkinWeights {
    pub(crate) vertices: usize,
    pub(crate) influences: usize,
    pub(crate) offsets: *const u32,
    pub(crate) columns: *const u16,
    pub(crate) weights: *const f32,
}

/// Kinds of output of the node: translations, rotations, scales, blend shapes, animated maps.
pub(crate) const OUTPUTS: usize = 5;

#[repr(C)]
pub(crate) struct NodeResult {
    pub(crate) status: Text,
    pub(crate) values: [*const f64; OUTPUTS],
    pub(crate) counts: [usize; OUTPUTS],
}

pub(crate) const MESH: u32 = 1;
pub(crate) const TRANSFORM: u32 = 2;
pub(crate) const INTERMEDIATE: u32 = 4;

macro_rules! opaque {
    ($($name:ident),*) => {$(
        #[repr(C)]
        pub(crate) struct $name {
            _private: [u8; 0],
        }
    )*};
}
opaque!(MeshHandle, Edits, Invocation, Progress);

#[repr(C)]
pub(crate) struct Host {
    pub(crate) display: unsafe extern "C" fn(level: i32, text: Text),

    pub(crate) flag_is_set: unsafe extern "C" fn(*const Invocation, flag: *const c_char) -> i32,
    pub(crate) flag_bool: unsafe extern "C" fn(*const Invocation, flag: *const c_char, *mut i32) -> i32,
    pub(crate) flag_int: unsafe extern "C" fn(*const Invocation, flag: *const c_char, *mut i32) -> i32,
    pub(crate) flag_text:
        unsafe extern "C" fn(*const Invocation, flag: *const c_char, *mut c_void, TextSink) -> i32,
    pub(crate) objects: unsafe extern "C" fn(*const Invocation, *mut c_void, TextSink) -> i32,
    pub(crate) result_text: unsafe extern "C" fn(text: Text),
    pub(crate) result_texts: unsafe extern "C" fn(texts: *const Text, count: usize),

    pub(crate) mel_texts: unsafe extern "C" fn(command: *const c_char, *mut c_void, TextSink) -> i32,
    pub(crate) mel_text: unsafe extern "C" fn(command: *const c_char, *mut c_void, TextSink) -> i32,
    pub(crate) mel_int: unsafe extern "C" fn(command: *const c_char, *mut i32) -> i32,

    pub(crate) scene_file: unsafe extern "C" fn(*mut c_void, TextSink),

    pub(crate) node: unsafe extern "C" fn(path: *const c_char, *mut u32, *mut c_void, TextSink) -> i32,
    pub(crate) shapes_below: unsafe extern "C" fn(path: *const c_char, *mut c_void, TextSink) -> i32,
    pub(crate) world_matrix: unsafe extern "C" fn(path: *const c_char, *mut f64) -> i32,
    pub(crate) number: unsafe extern "C" fn(path: *const c_char, attribute: *const c_char, *mut f64) -> i32,

    pub(crate) mesh_open: unsafe extern "C" fn(path: *const c_char, *mut MeshSizes) -> *mut MeshHandle,
    pub(crate) mesh_read: unsafe extern "C" fn(*mut MeshHandle, *const MeshArrays),
    pub(crate) mesh_close: unsafe extern "C" fn(*mut MeshHandle),

    pub(crate) edits_begin: unsafe extern "C" fn() -> *mut Edits,
    pub(crate) edits_number:
        unsafe extern "C" fn(*mut Edits, path: *const c_char, attribute: *const c_char, f64) -> i32,
    pub(crate) edits_mel: unsafe extern "C" fn(*mut Edits, command: *const c_char) -> i32,
    pub(crate) edits_do: unsafe extern "C" fn(*mut Edits) -> i32,
    pub(crate) edits_undo: unsafe extern "C" fn(*mut Edits) -> i32,
    pub(crate) edits_end: unsafe extern "C" fn(*mut Edits),

    pub(crate) mesh_create:
        unsafe extern "C" fn(parent: *const c_char, name: *const c_char, *const NewMesh) -> i32,
    pub(crate) target_set:
        unsafe extern "C" fn(blend_shape: *const c_char, number: u32, *const ShapeTarget) -> i32,
    pub(crate) skin_set:
        unsafe extern "C" fn(skin: *const c_char, shape: *const c_char, *const SkinWeights) -> i32,

    pub(crate) progress_begin: unsafe extern "C" fn(maximum: i32, show: i32) -> *mut Progress,
    pub(crate) progress_set: unsafe extern "C" fn(*mut Progress, value: i32, Text),
    pub(crate) progress_is_cancelled: unsafe extern "C" fn(*mut Progress) -> i32,
    pub(crate) progress_end: unsafe extern "C" fn(*mut Progress),
}

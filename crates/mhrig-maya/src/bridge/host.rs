//! Maya as Rust sees it: safe functions over the shim's table.

use std::ffi::{CString, c_void};
use std::marker::PhantomData;
use std::rc::Rc;

use super::abi;

/// How a message is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Info = 0,
    Warning = 1,
    Error = 2,
}

/// The host application. Exists on the main thread only.
#[derive(Clone, Copy)]
pub(crate) struct Host {
    table: &'static abi::Host,
    main_thread: PhantomData<Rc<()>>,
}

fn c_string(text: &str) -> CString {
    // A zero byte in a name or a command: what is left of it names nothing.
    CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default()
}

/// # Safety
/// `text` must be one of the shim's, during the call that brought it.
pub(super) unsafe fn owned(text: abi::Text) -> String {
    if text.data.is_null() {
        return String::new();
    }
    // SAFETY: text.
    let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.size) };
    String::from_utf8_lossy(bytes).into_owned()
}

pub(super) fn borrowed(text: &str) -> abi::Text {
    abi::Text { data: text.as_ptr().cast(), size: text.len() }
}

/// Collects texts; its context is the vector.
///
/// # Safety
/// `context` must be the `Vec<String>` that went in with it.
pub(super) unsafe extern "C" fn collect(context: *mut c_void, text: abi::Text) {
    // SAFETY: sink, and text.
    let (texts, text) = unsafe { (&mut *context.cast::<Vec<String>>(), owned(text)) };
    texts.push(text);
}

/// The texts that `call` sends to the sink it is given; `None` when it says it failed.
fn texts(call: impl FnOnce(*mut c_void, abi::TextSink) -> i32) -> Option<Vec<String>> {
    let mut texts: Vec<String> = Vec::new();
    (call((&raw mut texts).cast(), collect) == 0).then_some(texts)
}

impl Host {
    pub(super) fn new(table: &'static abi::Host) -> Self {
        Self { table, main_thread: PhantomData }
    }

    pub(crate) fn display(&self, level: Level, text: &str) {
        // SAFETY: table; the shim copies the text.
        unsafe { (self.table.display)(level as i32, borrowed(text)) }
    }

    pub(crate) fn result_text(&self, text: &str) {
        // SAFETY: table; the shim copies the text.
        unsafe { (self.table.result_text)(borrowed(text)) }
    }

    pub(crate) fn result_texts(&self, texts: &[String]) {
        let views: Vec<abi::Text> = texts.iter().map(|text| borrowed(text)).collect();
        // SAFETY: table; pointer and count are those of one slice, whose texts the shim copies.
        unsafe { (self.table.result_texts)(views.as_ptr(), views.len()) }
    }

    /// Runs MEL that gives an array of strings, outside the undo queue.
    pub(crate) fn mel_texts(&self, command: &str) -> Option<Vec<String>> {
        let command = c_string(command);
        // SAFETY: table, sink.
        texts(|context, sink| unsafe { (self.table.mel_texts)(command.as_ptr(), context, sink) })
    }

    /// Runs MEL that gives a string, outside the undo queue.
    pub(crate) fn mel_text(&self, command: &str) -> Option<String> {
        let command = c_string(command);
        // SAFETY: table, sink.
        let found = texts(|context, sink| unsafe { (self.table.mel_text)(command.as_ptr(), context, sink) });
        found?.into_iter().next()
    }

    /// Runs MEL that gives a whole number, outside the undo queue.
    pub(crate) fn mel_int(&self, command: &str) -> Option<i32> {
        let command = c_string(command);
        let mut value = 0;
        // SAFETY: table.
        let result = unsafe { (self.table.mel_int)(command.as_ptr(), &raw mut value) };
        (result == 0).then_some(value)
    }

    /// Kinds (see `abi`) and type name of the one node with this path.
    pub(crate) fn node(&self, path: &str) -> Option<(u32, String)> {
        let path = c_string(path);
        let mut kinds = 0;
        // SAFETY: table, sink.
        let found =
            texts(|context, sink| unsafe { (self.table.node)(path.as_ptr(), &raw mut kinds, context, sink) });
        Some((kinds, found?.into_iter().next().unwrap_or_default()))
    }

    /// Full paths of the shapes directly below a transform.
    pub(crate) fn shapes_below(&self, path: &str) -> Vec<String> {
        let path = c_string(path);
        // SAFETY: table, sink.
        texts(|context, sink| unsafe { (self.table.shapes_below)(path.as_ptr(), context, sink) })
            .unwrap_or_default()
    }

    /// The matrix to world space (row vectors: translation in the last row; cm, the scene's up axis).
    pub(crate) fn world_matrix(&self, path: &str) -> Option<[[f64; 4]; 4]> {
        let path = c_string(path);
        let mut rows = [[0.0; 4]; 4];
        // SAFETY: table; the place has the sixteen numbers that the shim writes.
        let result = unsafe { (self.table.world_matrix)(path.as_ptr(), (&raw mut rows).cast()) };
        (result == 0).then_some(rows)
    }

    /// A number in the scene's internal units: cm and radians.
    pub(crate) fn number(&self, path: &str, attribute: &str) -> Option<f64> {
        let (path, attribute) = (c_string(path), c_string(attribute));
        let mut value = 0.0;
        // SAFETY: table.
        let result = unsafe { (self.table.number)(path.as_ptr(), attribute.as_ptr(), &raw mut value) };
        (result == 0).then_some(value)
    }

    /// The arrays of the mesh shape with this path.
    pub(crate) fn mesh(&self, path: &str) -> Option<RawMesh> {
        let path = c_string(path);
        let mut sizes = abi::MeshSizes::default();
        // SAFETY: table.
        let handle = unsafe { (self.table.mesh_open)(path.as_ptr(), &raw mut sizes) };
        if handle.is_null() {
            return None;
        }
        let mut mesh = RawMesh {
            points: vec![[0.0; 3]; sizes.points],
            face_sizes: vec![0; sizes.faces],
            corners: vec![0; sizes.corners],
            uvs: vec![[0.0; 2]; sizes.uvs],
            uv_sizes: vec![0; sizes.faces],
            uv_corners: vec![0; sizes.uv_corners],
        };
        let arrays = abi::MeshArrays {
            points: mesh.points.as_mut_ptr().cast(),
            face_sizes: mesh.face_sizes.as_mut_ptr(),
            corners: mesh.corners.as_mut_ptr(),
            uvs: mesh.uvs.as_mut_ptr().cast(),
            uv_sizes: mesh.uv_sizes.as_mut_ptr(),
            uv_corners: mesh.uv_corners.as_mut_ptr(),
        };
        // SAFETY: handle; the arrays have the sizes that the shim gave a moment ago, and the handle's do not change.
        unsafe {
            (self.table.mesh_read)(handle, &raw const arrays);
            (self.table.mesh_close)(handle);
        }
        Some(mesh)
    }

    /// Makes the intermediate shape `name` below a transform, with positions in its space. Goes and comes with the
    /// transform.
    pub(crate) fn create_mesh(&self, parent: &str, name: &str, mesh: &NewMesh) -> bool {
        let (parent, name) = (c_string(parent), c_string(name));
        let is_whole = mesh.face_sizes.iter().map(|&size| i64::from(size)).sum::<i64>()
            == mesh.face_corners.len() as i64
            && (mesh.uvs.is_empty() || mesh.uv_corners.len() == mesh.face_corners.len())
            && [mesh.normal_faces.len(), mesh.normal_vertices.len()] == [mesh.normals.len(); 2];
        if !is_whole {
            return false;
        }
        let arrays = abi::NewMesh {
            points: mesh.positions.len(),
            faces: mesh.face_sizes.len(),
            corners: mesh.face_corners.len(),
            uvs: mesh.uvs.len(),
            normals: mesh.normals.len(),
            positions: mesh.positions.as_ptr().cast(),
            face_sizes: mesh.face_sizes.as_ptr(),
            face_corners: mesh.face_corners.as_ptr(),
            uv: mesh.uvs.as_ptr().cast(),
            uv_corners: mesh.uv_corners.as_ptr(),
            normal: mesh.normals.as_ptr().cast(),
            normal_faces: mesh.normal_faces.as_ptr(),
            normal_vertices: mesh.normal_vertices.as_ptr(),
        };
        // SAFETY: table; the pointers are those of slices with the lengths beside them, checked above where
        // lengths have to agree.
        unsafe { (self.table.mesh_create)(parent.as_ptr(), name.as_ptr(), &raw const arrays) == 0 }
    }

    /// Sets what target `number` of a blend shape moves, and how far. Goes and comes with the blend shape.
    pub(crate) fn set_shape_target(
        &self,
        blend_shape: &str,
        number: u32,
        vertices: &[u32],
        deltas: &[[f32; 3]],
    ) -> bool {
        if vertices.len() != deltas.len() {
            return false;
        }
        let blend_shape = c_string(blend_shape);
        let target = abi::ShapeTarget {
            vertices: vertices.len(),
            indices: vertices.as_ptr(),
            deltas: deltas.as_ptr().cast(),
        };
        // SAFETY: table; the pointers are those of slices of the length beside them, checked above.
        unsafe { (self.table.target_set)(blend_shape.as_ptr(), number, &raw const target) == 0 }
    }

    /// Sets all weights of a skin cluster; `offsets` has one entry more than there are vertices.
    pub(crate) fn set_skin_weights(
        &self,
        skin: &str,
        shape: &str,
        influences: usize,
        offsets: &[u32],
        weights: &[(u16, f32)],
    ) -> bool {
        let is_whole = offsets.is_sorted()
            && offsets.last().is_some_and(|&last| last as usize <= weights.len())
            && weights.iter().all(|&(column, _)| usize::from(column) < influences);
        if !is_whole {
            return false;
        }
        let (skin, shape) = (c_string(skin), c_string(shape));
        let (columns, weights): (Vec<u16>, Vec<f32>) = weights.iter().copied().unzip();
        let arrays = abi::SkinWeights {
            vertices: offsets.len() - 1,
            influences,
            offsets: offsets.as_ptr(),
            columns: columns.as_ptr(),
            weights: weights.as_ptr(),
        };
        // SAFETY: table; every place that the offsets name is within both arrays, which was checked above.
        unsafe { (self.table.skin_set)(skin.as_ptr(), shape.as_ptr(), &raw const arrays) == 0 }
    }

    /// An empty set of edits.
    pub(crate) fn edits(&self) -> Option<Edits> {
        // SAFETY: table.
        let handle = unsafe { (self.table.edits_begin)() };
        (!handle.is_null()).then_some(Edits { host: *self, handle })
    }

    /// Begins a long computation of `maximum` units; shown when `show`.
    pub(crate) fn progress(&self, maximum: i32, show: bool) -> Option<ProgressBar> {
        // SAFETY: table.
        let handle = unsafe { (self.table.progress_begin)(maximum, i32::from(show)) };
        (!handle.is_null()).then_some(ProgressBar { host: *self, handle })
    }
}

/// A mesh as the scene has it. Nothing about it is checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RawMesh {
    /// World space, cm, the scene's up axis.
    pub(crate) points: Vec<[f64; 3]>,
    pub(crate) face_sizes: Vec<i32>,
    pub(crate) corners: Vec<i32>,
    pub(crate) uvs: Vec<[f32; 2]>,
    /// Per face: its size where it has texture coordinates, 0 where not.
    pub(crate) uv_sizes: Vec<i32>,
    pub(crate) uv_corners: Vec<i32>,
}

/// A mesh to make: faces one after the other; texture coordinates at all corners, or none; normals that are locked,
/// each with the face and the vertex whose corner it is of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NewMesh {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) face_sizes: Vec<i32>,
    pub(crate) face_corners: Vec<i32>,
    pub(crate) uvs: Vec<[f32; 2]>,
    pub(crate) uv_corners: Vec<i32>,
    pub(crate) normals: Vec<[f32; 3]>,
    pub(crate) normal_faces: Vec<i32>,
    pub(crate) normal_vertices: Vec<i32>,
}

/// The arguments of the running command.
pub(crate) struct Arguments<'a> {
    host: &'a Host,
    invocation: *const abi::Invocation,
}

impl<'a> Arguments<'a> {
    /// # Safety
    /// `invocation` must stay valid for `'a`.
    pub(super) unsafe fn new(host: &'a Host, invocation: *const abi::Invocation) -> Self {
        Self { host, invocation }
    }

    pub(crate) fn is_set(&self, flag: &str) -> bool {
        let flag = c_string(flag);
        // SAFETY: table, handle.
        unsafe { (self.host.table.flag_is_set)(self.invocation, flag.as_ptr()) != 0 }
    }

    pub(crate) fn text(&self, flag: &str) -> Option<String> {
        let name = c_string(flag);
        // SAFETY: table, handle, sink.
        let found = texts(|context, sink| unsafe {
            (self.host.table.flag_text)(self.invocation, name.as_ptr(), context, sink)
        });
        found.filter(|_| self.is_set(flag))?.into_iter().next()
    }

    pub(crate) fn bool(&self, flag: &str) -> Option<bool> {
        let name = c_string(flag);
        let mut value = 0;
        // SAFETY: table, handle.
        let result = unsafe { (self.host.table.flag_bool)(self.invocation, name.as_ptr(), &raw mut value) };
        (result == 0 && self.is_set(flag)).then_some(value != 0)
    }

    pub(crate) fn int(&self, flag: &str) -> Option<i32> {
        let name = c_string(flag);
        let mut value = 0;
        // SAFETY: table, handle.
        let result = unsafe { (self.host.table.flag_int)(self.invocation, name.as_ptr(), &raw mut value) };
        (result == 0 && self.is_set(flag)).then_some(value)
    }

    /// What stands beside the flags.
    pub(crate) fn objects(&self) -> Vec<String> {
        // SAFETY: table, handle, sink.
        texts(|context, sink| unsafe { (self.host.table.objects)(self.invocation, context, sink) })
            .unwrap_or_default()
    }
}

/// Edits that can be taken back. Made first, done together.
pub(crate) struct Edits {
    host: Host,
    handle: *mut abi::Edits,
}

impl Edits {
    /// Adds: set a number, in internal units.
    pub(crate) fn set_number(&mut self, path: &str, attribute: &str, value: f64) -> bool {
        let (path, attribute) = (c_string(path), c_string(attribute));
        // SAFETY: table, handle.
        unsafe { (self.host.table.edits_number)(self.handle, path.as_ptr(), attribute.as_ptr(), value) == 0 }
    }

    /// Adds: run a statement of MEL that can be undone.
    pub(crate) fn run(&mut self, statement: &str) -> bool {
        let statement = c_string(statement);
        // SAFETY: table, handle.
        unsafe { (self.host.table.edits_mel)(self.handle, statement.as_ptr()) == 0 }
    }

    /// Does what was added since last time, or does again what was undone.
    pub(crate) fn apply(&mut self) -> bool {
        // SAFETY: table, handle.
        unsafe { (self.host.table.edits_do)(self.handle) == 0 }
    }

    pub(crate) fn undo(&mut self) -> bool {
        // SAFETY: table, handle.
        unsafe { (self.host.table.edits_undo)(self.handle) == 0 }
    }
}

impl Drop for Edits {
    fn drop(&mut self) {
        // SAFETY: table, handle.
        unsafe { (self.host.table.edits_end)(self.handle) }
    }
}

/// The main progress bar while a job runs.
pub(crate) struct ProgressBar {
    host: Host,
    handle: *mut abi::Progress,
}

impl ProgressBar {
    pub(crate) fn set(&mut self, value: i32, status: &str) {
        // SAFETY: table, handle.
        unsafe { (self.host.table.progress_set)(self.handle, value, borrowed(status)) }
    }

    /// Whether Esc was pressed.
    pub(crate) fn is_cancelled(&mut self) -> bool {
        // SAFETY: table, handle.
        unsafe { (self.host.table.progress_is_cancelled)(self.handle) != 0 }
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        // SAFETY: table, handle.
        unsafe { (self.host.table.progress_end)(self.handle) }
    }
}

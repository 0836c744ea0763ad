//! What C++ calls for the node `mhRigLogic`. Other than commands, nodes are evaluated on any thread: nothing here makes
//! a [`Host`]; messages go to the shim directly, which Maya allows everywhere.

use std::ffi::c_void;
use std::panic::{self, AssertUnwindSafe};

use mhrig::Severity;

use super::abi;
use super::guard::{DONE, FAILED};
use super::host::{Level, borrowed, collect, owned};
use crate::messages;
use crate::rig_node::{Notices, RigNode};

/// Runs what C++ called; a panic ends here.
fn guarded<T>(host: Option<&abi::Host>, call: &str, otherwise: T, work: impl FnOnce() -> T) -> T {
    match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(_) => {
            if let Some(host) = host {
                display(host, Level::Error, &messages::internal(call, "a panic"));
            }
            otherwise
        }
    }
}

fn display(host: &abi::Host, level: Level, text: &str) {
    // SAFETY: table; the shim copies the text.
    unsafe { (host.display)(level as i32, borrowed(text)) }
}

fn show(host: &abi::Host, notices: &Notices) {
    for (severity, line) in notices {
        let level = match severity {
            Severity::Error => Level::Error,
            Severity::Warning => Level::Warning,
            Severity::Info => Level::Info,
        };
        display(host, level, line);
    }
}

/// Points `result` at what the node holds.
fn fill(result: &mut abi::NodeResult, node: &RigNode) {
    let outputs = node.outputs();
    let values: [&[f64]; abi::OUTPUTS] = [
        &outputs.translations,
        &outputs.rotations,
        &outputs.scales,
        &outputs.blend_shapes,
        &outputs.animated_maps,
    ];
    result.status = borrowed(node.status());
    result.values = values.map(<[f64]>::as_ptr);
    result.counts = values.map(<[f64]>::len);
}

#[unsafe(no_mangle)]
extern "C" fn mhrig_node_new() -> *mut c_void {
    guarded(None, "new node", std::ptr::null_mut(), || Box::into_raw(Box::new(RigNode::default())).cast())
}

/// # Safety
/// `node` must be null or come from `mhrig_node_new`; it is gone afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn mhrig_node_drop(node: *mut c_void) {
    if !node.is_null() {
        // SAFETY: made by `Box::into_raw` above; the shim's destructor runs once.
        guarded(None, "drop node", (), || drop(unsafe { Box::from_raw(node.cast::<RigNode>()) }));
    }
}

/// # Safety
/// `host` must be the shim's table, `node` of `mhrig_node_new`, `result` a place to write to, `path` a text.
#[unsafe(no_mangle)]
unsafe extern "C" fn mhrig_node_open(
    host: *const abi::Host,
    node: *mut c_void,
    path: abi::Text,
    all_attributes: i32,
    result: *mut abi::NodeResult,
) -> i32 {
    // SAFETY: table; the shim evaluates a node on one thread at a time and passes its own result.
    let (host, result) = unsafe { (&*host, &mut *result) };
    // SAFETY: as above; null is the shim's when there was no memory.
    let Some(node) = (unsafe { node.cast::<RigNode>().as_mut() }) else { return FAILED };
    guarded(Some(host), "mhRigLogic", FAILED, || {
        // SAFETY: text.
        let path = unsafe { owned(path) };
        let scene = || {
            let mut found: Vec<String> = Vec::new();
            // SAFETY: table, sink.
            unsafe { (host.scene_file)((&raw mut found).cast(), collect) };
            found.pop().unwrap_or_default()
        };
        let (is_open, notices) = node.open(&path, all_attributes != 0, scene);
        show(host, &notices);
        fill(result, node);
        if is_open { DONE } else { FAILED }
    })
}

/// # Safety
/// `node` must come from `mhrig_node_new`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mhrig_node_control(node: *mut c_void, index: u32, value: f64) {
    // SAFETY: the shim evaluates a node on one thread at a time.
    if let Some(node) = unsafe { node.cast::<RigNode>().as_mut() } {
        guarded(None, "control", (), || node.set_control(index as usize, value));
    }
}

/// # Safety
/// `node` must come from `mhrig_node_new`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mhrig_node_driver_angle(node: *mut c_void, index: u32, radians: f64) {
    // SAFETY: the shim evaluates a node on one thread at a time.
    if let Some(node) = unsafe { node.cast::<RigNode>().as_mut() } {
        guarded(None, "driver", (), || node.set_driver_angle(index as usize, radians));
    }
}

/// # Safety
/// As for `mhrig_node_open`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mhrig_node_evaluate(
    host: *const abi::Host,
    node: *mut c_void,
    lod: i32,
    translation_multiplier: f64,
    result: *mut abi::NodeResult,
) {
    // SAFETY: table; the shim evaluates a node on one thread at a time and passes its own result.
    let (host, result) = unsafe { (&*host, &mut *result) };
    // SAFETY: as above.
    let Some(node) = (unsafe { node.cast::<RigNode>().as_mut() }) else { return };
    guarded(Some(host), "mhRigLogic", (), || {
        let notices = node.evaluate(lod, translation_multiplier);
        show(host, &notices);
        fill(result, node);
    });
}

//! What C++ calls.

use std::ffi::{CString, c_char, c_void};
use std::sync::OnceLock;

use super::abi;
use super::guard::{DONE, FAILED, guard, install_hook};
use super::host::{Arguments, Host, Level};
use crate::commands::{self, COMMANDS};
use crate::flags::CommandTable;
use crate::messages;

/// A command that changed the scene and can take it back.
pub(crate) trait Undoable {
    /// Restores the scene as it was before the command.
    fn undo(&mut self) -> Result<(), String>;
    /// Restores the scene as it was after the command.
    fn redo(&mut self) -> Result<(), String>;
}

/// The state that C++ keeps for a command: a box of a box, since a trait object is two words.
type State = Box<dyn Undoable>;

/// The tables of all commands in C's terms, with the strings they point at.
struct Tables {
    plugin: abi::Plugin,
    _commands: Vec<abi::Command>,
    _flags: Vec<Vec<abi::Flag>>,
    _strings: Vec<CString>,
}

// SAFETY: the pointers lead into the vectors beside them, which nothing changes after `build`.
unsafe impl Send for Tables {}
// SAFETY: as above; all access is reading.
unsafe impl Sync for Tables {}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| build(&COMMANDS))
}

fn build(commands: &[&CommandTable]) -> Tables {
    let mut strings = Vec::new();
    // The buffer of a CString does not move when the CString does.
    let mut c_string = |text: &str| -> *const c_char {
        let string = CString::new(text).unwrap_or_default();
        let pointer = string.as_ptr();
        strings.push(string);
        pointer
    };
    let flags: Vec<Vec<abi::Flag>> = commands
        .iter()
        .map(|table| {
            let row = |flag: &crate::flags::Flag| abi::Flag {
                short_name: c_string(flag.short),
                long_name: c_string(flag.long),
                argument: flag.kind.argument(),
            };
            table.flags().map(row).collect()
        })
        .collect();
    let rows: Vec<abi::Command> = commands
        .iter()
        .zip(&flags)
        .map(|(table, flags)| abi::Command {
            name: c_string(table.name),
            flags: flags.as_ptr(),
            flag_count: flags.len(),
            takes_objects: i32::from(table.objects.is_some()),
        })
        .collect();
    let plugin = abi::Plugin {
        bridge_version: abi::BRIDGE_VERSION,
        host_size: size_of::<abi::Host>(),
        vendor: c_string("MhRigCreator"),
        version: c_string(env!("CARGO_PKG_VERSION")),
        required_api: c_string("Any"),
        commands: rows.as_ptr(),
        command_count: rows.len(),
    };
    Tables { plugin, _commands: rows, _flags: flags, _strings: strings }
}

/// The host, from the pointer that C++ passes.
///
/// # Safety
/// `host` must be the shim's table.
unsafe fn host_from(host: *const abi::Host) -> Host {
    // SAFETY: table.
    Host::new(unsafe { &*host })
}

#[unsafe(no_mangle)]
extern "C" fn mhrig_plugin() -> *const abi::Plugin {
    &raw const tables().plugin
}

/// # Safety
/// `host` must be the shim's table.
#[unsafe(no_mangle)]
unsafe extern "C" fn mhrig_load(host: *const abi::Host) -> i32 {
    // SAFETY: table.
    let host = unsafe { host_from(host) };
    install_hook();
    guard("load", &host, || match commands::check_tables() {
        Ok(()) => DONE,
        Err(problem) => {
            host.display(Level::Error, &messages::internal("load", &problem));
            FAILED
        }
    })
}

/// # Safety
/// `host` must be the shim's table.
#[unsafe(no_mangle)]
unsafe extern "C" fn mhrig_unload(_host: *const abi::Host) {
    // No thread and no handle outlives a command or its place in the undo queue: there is nothing to let go of.
}

/// # Safety
/// `host` must be the shim's table, `invocation` valid for the call, `state` a place to write one pointer to.
#[unsafe(no_mangle)]
unsafe extern "C" fn mhrig_do(
    host: *const abi::Host,
    command: usize,
    invocation: *mut abi::Invocation,
    state: *mut *mut c_void,
) -> i32 {
    // SAFETY: table.
    let host = unsafe { host_from(host) };
    let Some(table) = COMMANDS.get(command) else { return FAILED };
    guard(table.name, &host, || {
        // SAFETY: the shim keeps the invocation until this returns.
        let arguments = unsafe { Arguments::new(&host, invocation) };
        match commands::run(table, &host, &arguments) {
            Ok(undoable) => {
                if let Some(undoable) = undoable {
                    let boxed: Box<State> = Box::new(undoable);
                    // SAFETY: the caller provides the place.
                    unsafe { *state = Box::into_raw(boxed).cast() };
                }
                DONE
            }
            Err(failure) => {
                failure.messages.iter().for_each(|text| host.display(Level::Error, text));
                FAILED
            }
        }
    })
}

/// # Safety
/// `state` must come from `mhrig_do` and not have been dropped.
unsafe fn with_state(
    call: &str,
    host: *const abi::Host,
    state: *mut c_void,
    work: impl FnOnce(&mut State) -> Result<(), String>,
) -> i32 {
    // SAFETY: table.
    let host = unsafe { host_from(host) };
    if state.is_null() {
        return FAILED;
    }
    guard(call, &host, || {
        // SAFETY: handle; the shim runs one call at a time.
        let state = unsafe { &mut *state.cast::<State>() };
        match work(state) {
            Ok(()) => DONE,
            Err(problem) => {
                // An empty one was told already.
                if !problem.is_empty() {
                    host.display(Level::Error, &messages::internal(call, &problem));
                }
                FAILED
            }
        }
    })
}

/// # Safety
/// As for `with_state`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mhrig_undo(host: *const abi::Host, state: *mut c_void) -> i32 {
    // SAFETY: passed on.
    unsafe { with_state("undo", host, state, |state| state.undo()) }
}

/// # Safety
/// As for `with_state`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mhrig_redo(host: *const abi::Host, state: *mut c_void) -> i32 {
    // SAFETY: passed on.
    unsafe { with_state("redo", host, state, |state| state.redo()) }
}

/// # Safety
/// `state` must be null or come from `mhrig_do`; it is gone afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn mhrig_drop(host: *const abi::Host, state: *mut c_void) {
    if state.is_null() {
        return;
    }
    // SAFETY: table.
    let host = unsafe { host_from(host) };
    guard("drop", &host, || {
        // SAFETY: made by `Box::into_raw` in `mhrig_do`; the shim's destructor runs once.
        drop(unsafe { Box::from_raw(state.cast::<State>()) });
        DONE
    });
}

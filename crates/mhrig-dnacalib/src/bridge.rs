//! The border to C++.
//!
//! Every function of `cpp/bridge.cpp` is safe to call with any argument: it checks positions, copies what it is given
//! into storage that lives as long as the command, and turns exceptions of any kind into errors. What the library asks
//! of its users is kept there by construction: a stream goes after its reader, a command after the sequence that
//! runs it. Two rules are left to this side: one [`Session`] at a time in the process, since the library's
//! status is global ([`crate::engine`] holds a lock), and nothing that C++ calls may panic ([`Watch::guard`]).

#![expect(unreachable_pub, reason = "cxx makes everything public")]

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use mhrig_report::{Cancelled, Job};

pub(crate) use ffi::{
    Blend, Item, Operation, Program, Question, RemovalSetter, RenamingSetter, Status, Vectors,
    library_version, new_program, new_session,
};

// SAFETY: the functions keep the promise at the top of this file; cxx checks their signatures against the header.
#[cxx::bridge(namespace = "mhrig_dnacalib")]
mod ffi {
    /// How values meet those that are there.
    enum Operation {
        Interpolate,
        Add,
        Subtract,
        Multiply,
    }

    /// Vectors, one list per axis, as the library takes them.
    struct Vectors {
        xs: Vec<f32>,
        ys: Vec<f32>,
        zs: Vec<f32>,
    }

    /// An operation, with a weight per value or without.
    struct Blend {
        operation: Operation,
        has_masks: bool,
        masks: Vec<f32>,
    }

    /// What a condition asks.
    enum Question {
        Always,
        Never,
        MeshCountAtLeast,
        LodCountAtLeast,
        JointExists,
    }

    /// What is removed or renamed.
    enum Item {
        Joint,
        JointAnimation,
        Mesh,
        BlendShape,
        AnimatedMap,
    }

    /// The library's status; code 0 is none.
    struct Status {
        code: i32,
        message: String,
    }

    /// One call of a setter of a removing command: a list, or the one number in it.
    struct RemovalSetter {
        indices: Vec<u16>,
        is_list: bool,
    }

    /// One call of the setter of a renaming command.
    struct RenamingSetter {
        is_by_name: bool,
        index: u16,
        old_name: String,
        new_name: String,
    }

    extern "Rust" {
        type Watch<'a>;
        unsafe fn before<'a>(self: &mut Watch<'a>, command: usize) -> bool;
        unsafe fn after<'a>(self: &mut Watch<'a>, command: usize, code: i32, message: &str);
        unsafe fn threw<'a>(self: &mut Watch<'a>, command: usize, message: &str);
    }

    unsafe extern "C++" {
        include!("mhrig-dnacalib/cpp/bridge.h");

        /// Commands, and what they point to. Each function returns the number of the command that it made.
        type Program;
        fn new_program() -> Result<UniquePtr<Program>>;
        fn calculate_mesh_lower_lods(self: Pin<&mut Program>, mesh: u16) -> Result<usize>;
        fn set_vertex_positions(
            self: Pin<&mut Program>,
            mesh: u16,
            positions: &Vectors,
            blend: &Blend,
        ) -> Result<usize>;
        fn set_neutral_joint_translations(self: Pin<&mut Program>, values: &Vectors) -> Result<usize>;
        fn set_neutral_joint_rotations(self: Pin<&mut Program>, values: &Vectors) -> Result<usize>;
        fn set_skin_weights(
            self: Pin<&mut Program>,
            mesh: u16,
            vertex: u32,
            weights: &[f32],
            joints: &[u16],
        ) -> Result<usize>;
        fn set_blend_shape_target_deltas(
            self: Pin<&mut Program>,
            mesh: u16,
            target: u16,
            deltas: &Vectors,
            vertices: &[u32],
            blend: &Blend,
        ) -> Result<usize>;
        fn prune_blend_shape_targets(self: Pin<&mut Program>, threshold: f32) -> Result<usize>;
        fn clear_blend_shapes(self: Pin<&mut Program>) -> Result<usize>;
        fn remove(self: Pin<&mut Program>, item: Item, setters: &[RemovalSetter]) -> Result<usize>;
        fn rename(self: Pin<&mut Program>, item: Item, setters: &[RenamingSetter]) -> Result<usize>;
        /// `origin`: three coordinates, or none.
        fn rotate(self: Pin<&mut Program>, x: f32, y: f32, z: f32, origin: &[f32]) -> Result<usize>;
        /// `origin`: three coordinates, or none.
        fn scale(self: Pin<&mut Program>, factor: f32, origin: &[f32]) -> Result<usize>;
        fn translate(self: Pin<&mut Program>, x: f32, y: f32, z: f32) -> Result<usize>;
        fn set_lods(self: Pin<&mut Program>, lods: &[u16]) -> Result<usize>;
        /// `members`: numbers of commands; `removed`: positions in that list that are taken out again.
        fn sequence(self: Pin<&mut Program>, members: &[usize], removed: &[usize]) -> Result<usize>;
        fn conditional(
            self: Pin<&mut Program>,
            question: Question,
            count: usize,
            joint: &str,
            then: usize,
        ) -> Result<usize>;

        /// A DNA in the library's hands.
        type Session;
        fn new_session() -> Result<UniquePtr<Session>>;
        fn read(self: Pin<&mut Session>, bytes: &[u8]) -> Result<Status>;
        /// The status is the one after the last command.
        unsafe fn run<'a>(
            self: Pin<&mut Session>,
            program: Pin<&mut Program>,
            command: usize,
            watch: &mut Watch<'a>,
        ) -> Result<Status>;
        fn write(self: Pin<&mut Session>) -> Result<Status>;
        /// What [`Session::write`] wrote.
        fn written(self: &Session) -> &[u8];

        fn library_version() -> Result<String>;
    }
}

/// What ended a run early.
pub(crate) enum Stop {
    /// A command failed.
    Failed {
        /// Its number in the program.
        command: usize,
        /// The library's status, 0 for an exception.
        code: i32,
        /// Its message.
        message: String,
    },
    /// The job was asked to stop.
    Cancelled(Cancelled),
    /// The receiver of the progress panicked.
    Panicked(Box<dyn Any + Send>),
}

/// Stands between the steps of a run: says whether to go on, and keeps the first reason not to.
pub(crate) struct Watch<'a> {
    job: &'a Job<'a>,
    /// Whether an error status of the library ends the run.
    stops_at_status: bool,
    stop: Option<Stop>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(job: &'a Job<'a>, stops_at_status: bool) -> Self {
        Self { job, stops_at_status, stop: None }
    }

    /// What ended the run. A panic of the receiver of the progress goes on here, where no C++ is on the stack.
    pub(crate) fn into_stop(self) -> Option<Stop> {
        match self.stop {
            Some(Stop::Panicked(payload)) => resume_unwind(payload),
            stop => stop,
        }
    }

    fn before(&mut self, _command: usize) -> bool {
        self.guard(|watch| {
            if watch.stop.is_none()
                && let Err(cancelled) = watch.job.check()
            {
                watch.stop = Some(Stop::Cancelled(cancelled));
            }
        });
        self.stop.is_none()
    }

    fn after(&mut self, command: usize, code: i32, message: &str) {
        self.guard(|watch| {
            if code != 0 && watch.stops_at_status {
                let message = message.to_owned();
                watch.stop.get_or_insert(Stop::Failed { command, code, message });
            }
            watch.job.progress.step();
        });
    }

    fn threw(&mut self, command: usize, message: &str) {
        self.guard(|watch| {
            let message = message.to_owned();
            watch.stop.get_or_insert(Stop::Failed { command, code: 0, message });
        });
    }

    /// A panic in a function that C++ called would end the process.
    fn guard(&mut self, call: impl FnOnce(&mut Self)) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| call(self))) {
            self.stop = Some(Stop::Panicked(payload));
        }
    }
}

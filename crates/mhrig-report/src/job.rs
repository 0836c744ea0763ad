use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The error of a job that was asked to stop and did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// A flag that one thread raises and a job looks at. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the job to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the job was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Receives the progress of a job. Methods may be called from any thread.
pub trait Progress: Sync {
    /// A stage begins; `steps` is how many [`Progress::step`] calls it expects, 0 when that is not known.
    fn stage(&self, name: &str, steps: usize);
    /// One step of the current stage is done.
    fn step(&self);
}

/// A [`Progress`] that says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _name: &str, _steps: usize) {}
    fn step(&self) {}
}

/// What a long computation gets from its caller: whom to tell, and when to stop.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// Receives the progress.
    pub progress: &'a dyn Progress,
    /// Tells when to stop.
    pub cancel: &'a Cancel,
}

impl Job<'_> {
    /// Returns an error once the job was asked to stop. Long loops call it at least four times a second.
    ///
    /// # Errors
    /// [`Cancelled`] when the flag is up.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.cancel.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

//! A job of the facade runs on threads of its own while Maya's main thread shows progress and looks for Esc.

use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use mhrig::{Cancel, Job, Progress};

use crate::bridge::{Host, ProgressBar};

/// How often Esc is looked for at least.
const POLL: Duration = Duration::from_millis(40);
/// Units of the progress bar.
const UNITS: i32 = 1000;

/// What the threads of a job tell the main thread.
enum Event {
    /// A stage began. The job goes on once the main thread has shown it and looked for Esc.
    Stage(String, usize, SyncSender<()>),
    Step,
    Done,
}

/// Passes progress on to the main thread.
struct Messenger(Mutex<SyncSender<Event>>);

impl Messenger {
    fn send(&self, event: Event) {
        // A closed channel: the main thread has given up, and nobody is interested.
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).send(event);
    }
}

impl Progress for Messenger {
    fn stage(&self, name: &str, steps: usize) {
        let (shown, wait) = sync_channel(1);
        self.send(Event::Stage(name.to_owned(), steps, shown));
        let _ = wait.recv();
    }

    fn step(&self) {
        // Never waits: a missed step moves the bar a little late.
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = sender.try_send(Event::Step);
    }
}

/// Runs `work` on `threads` threads (all processors when `None`) and shows the progress of its about `stages` stages.
/// All threads have ended when this returns.
///
/// # Panics
/// When `work` panics, with what it panicked with.
pub(crate) fn run<R: Send>(
    host: &Host,
    title: &str,
    stages: usize,
    threads: Option<usize>,
    work: impl FnOnce(Job<'_>) -> R + Send,
) -> R {
    let batch = host.mel_int("about -batch") != Some(0);
    let mut bar = if batch { None } else { host.progress(UNITS, true) };
    let cancel = Cancel::default();
    let (sender, events) = sync_channel(64);
    let messenger = Messenger(Mutex::new(sender.clone()));
    thread::scope(|scope| {
        let cancel = &cancel;
        let messenger = &messenger;
        let worker = scope.spawn(move || {
            // Tells the main thread when this thread ends, also by a panic.
            let _done = SendDone(sender);
            let job = Job { progress: messenger, cancel };
            let builder = rayon::ThreadPoolBuilder::new()
                .num_threads(threads.unwrap_or(0))
                .thread_name(|number| format!("mhrig-{number}"));
            let mut work = Some(work);
            let pooled = builder.build_scoped(
                |thread| thread.run(),
                |pool| pool.install(|| work.take().map(|work| work(job))),
            );
            match (pooled, work) {
                (Ok(Some(result)), _) => result,
                // No pool could be had: this thread does the work alone.
                (_, Some(work)) => work(job),
                _ => unreachable!("the work was taken without being done"),
            }
        });
        let mut shown = Shown { title, stages, stage: 0, steps: 0, step: 0, status: title.to_owned() };
        loop {
            let event = events.recv_timeout(POLL);
            match &event {
                Ok(Event::Stage(name, steps, _)) => shown.begin(name, *steps),
                Ok(Event::Step) => shown.step += 1,
                Ok(Event::Done) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if !matches!(event, Ok(Event::Step)) {
                poll(bar.as_mut(), &shown, cancel);
            }
            if let Ok(Event::Stage(_, _, acknowledge)) = event {
                let _ = acknowledge.send(());
            }
        }
        match worker.join() {
            Ok(result) => result,
            Err(payload) => std::panic::resume_unwind(payload),
        }
    })
}

struct SendDone(SyncSender<Event>);

impl Drop for SendDone {
    fn drop(&mut self) {
        let _ = self.0.send(Event::Done);
    }
}

/// What the progress bar shows.
struct Shown<'a> {
    title: &'a str,
    stages: usize,
    stage: usize,
    steps: usize,
    step: usize,
    status: String,
}

impl Shown<'_> {
    fn begin(&mut self, name: &str, steps: usize) {
        self.stage += 1;
        self.steps = steps;
        self.step = 0;
        self.status = format!("{}: {name}", self.title);
    }

    /// Never goes back, never gets past the end, however many stages there turn out to be.
    fn value(&self) -> i32 {
        let within = if self.steps == 0 { 0.0 } else { (self.step as f64 / self.steps as f64).min(1.0) };
        let done = self.stage.saturating_sub(1) as f64 + within;
        let total = self.stages.max(self.stage) as f64;
        ((done / total.max(1.0)) * f64::from(UNITS)) as i32
    }
}

fn poll(bar: Option<&mut ProgressBar>, shown: &Shown<'_>, cancel: &Cancel) {
    if let Some(bar) = bar {
        bar.set(shown.value(), &shown.status);
        if bar.is_cancelled() {
            cancel.cancel();
        }
    }
}

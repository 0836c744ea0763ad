//! Keeps two runs from writing to the same place at the same time.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use mhrig_report::{Finding, Severity};
use serde::{Deserialize, Serialize};

use crate::files::unwritable;
use crate::report::{Blame, Stop, TOOL};

/// How often a lock that comes and goes is tried.
const TRIES: usize = 100;

/// How long to wait between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// A run that takes over a dead one's lock is done with it long before this.
const TAKING_OVER: Duration = Duration::from_secs(10);

/// A file that says who is at work beside it. It goes when this value does.
///
/// A lock whose process is dead is taken over. That can be told on Linux and for a process of the same machine; of any
/// other the user has to judge, and the refusal names it.
#[derive(Debug)]
pub(crate) struct RunLock {
    file: PathBuf,
    /// Whether the folder was not there before.
    made_folder: bool,
}

impl RunLock {
    /// Takes the lock `file`, whose folder is made where it is missing.
    pub(crate) fn take(file: &Path) -> Result<Self, Stop> {
        let folder = file.parent().unwrap_or(Path::new("."));
        let made_folder = !folder.exists();
        let refused = |error: io::Error| unwritable(folder, &error);
        fs::create_dir_all(folder).map_err(refused)?;
        let me = Holder::this_process();
        let mut last = None;
        for _ in 0..TRIES {
            if me.put(file).map_err(refused)? {
                return Ok(Self { file: file.to_owned(), made_folder });
            }
            // Gone in the meantime, perhaps.
            let Some(holder) = Holder::read(file) else { continue };
            if !holder.is_dead(&me) {
                return Err(in_use(file, &holder));
            }
            remove_dead(file, &holder).map_err(refused)?;
            last = Some(holder);
        }
        Err(in_use(file, &last.unwrap_or_default()))
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // What cannot be removed is taken over by the next run.
        let _ = fs::remove_file(&self.file);
        if let Some(folder) = self.file.parent().filter(|_| self.made_folder) {
            // Only ever removes an empty folder.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Removes the lock of a dead process; one at a time, so that nobody removes the lock that another has just taken.
fn remove_dead(file: &Path, dead: &Holder) -> io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".takeover");
    let guard = file.with_file_name(name);
    match File::create_new(&guard) {
        Ok(_) => {
            let is_same = Holder::read(file).as_ref() == Some(dead);
            let removed = if is_same { fs::remove_file(file) } else { Ok(()) };
            fs::remove_file(&guard)?;
            removed
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let age = guard.metadata().and_then(|metadata| metadata.modified()).map(|time| time.elapsed());
            if age.is_ok_and(|age| age.is_ok_and(|age| age > TAKING_OVER)) {
                let _ = fs::remove_file(&guard);
            }
            std::thread::sleep(PAUSE);
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// A process, told apart from all others as far as the system lets us.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Holder {
    program: String,
    process: u32,
    /// When the process began, in the system's own count: another process of the same number began later.
    began: String,
    host: String,
    /// Which machine, whatever it is called.
    machine: String,
    /// Which start of the machine.
    boot: String,
    /// Within which process numbers mean the same process (of containers, each has its own).
    numbers: String,
}

impl Holder {
    fn this_process() -> Self {
        let text = |file: &str| fs::read_to_string(file).unwrap_or_default().trim().to_owned();
        let process = std::process::id();
        let numbers = fs::read_link("/proc/self/ns/pid");
        Self {
            program: format!("{} {}", TOOL.name, TOOL.version),
            process,
            began: begin_of(process).unwrap_or_default(),
            host: text("/proc/sys/kernel/hostname"),
            machine: text("/etc/machine-id"),
            boot: text("/proc/sys/kernel/random/boot_id"),
            numbers: numbers.map(|path| path.display().to_string()).unwrap_or_default(),
        }
    }

    /// Writes the lock whole, unless it is there; says whether it was written.
    fn put(&self, file: &Path) -> io::Result<bool> {
        let folder = file.parent().unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".mhrig-lock-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Other users have to see who is at work.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut new = builder.tempfile_in(folder)?;
        serde_json::to_writer(&mut new, self)?;
        new.write_all(b"\n")?;
        match new.persist_noclobber(file) {
            Ok(_) => Ok(true),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.error),
        }
    }

    /// Who has the lock; nobody known when its content says nothing.
    fn read(file: &Path) -> Option<Self> {
        let bytes = fs::read(file).ok()?;
        Some(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Whether the process is over for certain, as `observer` can see it.
    fn is_dead(&self, observer: &Self) -> bool {
        let here = |name: fn(&Self) -> &String| !name(self).is_empty() && name(self) == name(observer);
        if here(|holder| &holder.boot) && here(|holder| &holder.numbers) {
            return !self.began.is_empty() && begin_of(self.process).as_ref() != Some(&self.began);
        }
        // The machine was started anew.
        let are_known = !self.boot.is_empty() && !observer.boot.is_empty();
        here(|holder| &holder.machine)
            && here(|holder| &holder.host)
            && are_known
            && self.boot != observer.boot
    }
}

/// When process `process` of this machine began; `None` where there is none, or it cannot be told.
fn begin_of(process: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may hold anything; the begin is the 22nd field, the 20th after the name.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    // A process that has ended and is not yet collected by its parent does no more work.
    let state = fields.next()?;
    fields.nth(18).filter(|_| state != "Z").map(str::to_owned)
}

fn in_use(file: &Path, holder: &Holder) -> Stop {
    let name = |name: &str, unknown: &str| if name.is_empty() { unknown.to_owned() } else { name.to_owned() };
    let program = name(&holder.program, "an unknown program");
    let (process, host) = (holder.process, name(&holder.host, "an unknown machine"));
    let folder = file.parent().unwrap_or(Path::new(".")).display().to_string();
    let remedy = format!(
        "wait for that run, or choose another output folder; if it is over (the machine went down, say), delete {}",
        file.display()
    );
    let finding =
        Finding::new("OUTPUT_IN_USE", Severity::Error, folder, "another run is writing here", remedy);
    let finding = finding.with_values("no other run", format!("{program}, process {process} on {host}"));
    Stop::Blamed(finding, Blame::Environment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(file: &Path) -> Option<Finding> {
        match RunLock::take(file) {
            Err(Stop::Blamed(finding, Blame::Environment)) => Some(finding),
            _ => None,
        }
    }

    #[test]
    fn a_second_run_is_refused_and_told_who_is_first() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("mary/.mhrig-lock");
        let lock = RunLock::take(&file).unwrap();
        let finding = refusal(&file).unwrap();
        assert_eq!(finding.code, "OUTPUT_IN_USE");
        let process = format!("process {}", std::process::id());
        assert!(finding.found.as_ref().unwrap().contains(&process), "{finding:?}");
        assert!(finding.remedy.contains(".mhrig-lock"));
        drop(lock);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is left behind");
        RunLock::take(&file).unwrap();
    }

    #[test]
    fn locks_that_cannot_be_judged_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("lock");
        let me = Holder::this_process();
        let elsewhere = Holder { host: "farm-7".into(), process: 999_999_999, boot: "b".into(), ..me };
        for text in [String::new(), "{}".into(), serde_json::to_string(&elsewhere).unwrap()] {
            fs::write(&file, &text).unwrap();
            assert!(refusal(&file).is_some(), "{text}");
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
        assert!(refusal(&file).unwrap().found.unwrap().ends_with("process 999999999 on farm-7"));
    }

    #[test]
    fn of_many_runs_that_find_a_dead_lock_one_takes_it_over() {
        let me = Holder::this_process();
        // Elsewhere than on Linux it cannot be told.
        let can_judge = !me.began.is_empty() && !me.boot.is_empty();
        let knows_machine = can_judge && !me.machine.is_empty() && !me.host.is_empty();
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("lock");
        for (dead, can_judge) in [
            (Holder { began: "1".into(), ..me.clone() }, can_judge),
            (Holder { process: 999_999_999, ..me.clone() }, can_judge),
            (Holder { boot: "another".into(), ..me.clone() }, knows_machine),
        ] {
            assert_eq!(dead.is_dead(&me), can_judge, "{dead:?}");
            fs::write(&file, serde_json::to_string(&dead).unwrap()).unwrap();
            let takers: Vec<_> = std::thread::scope(|scope| {
                let takers: Vec<_> = (0..8).map(|_| scope.spawn(|| RunLock::take(&file).ok())).collect();
                takers.into_iter().filter_map(|taker| taker.join().unwrap()).collect()
            });
            assert_eq!(takers.len(), usize::from(can_judge));
        }
        let elsewhere = Holder { numbers: "pid:[1]".into(), began: "1".into(), ..me.clone() };
        assert!(!elsewhere.is_dead(&me), "process numbers of another container say nothing");
    }
}

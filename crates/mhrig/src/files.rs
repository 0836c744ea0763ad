use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mhrig_report::{Finding, Severity};
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::report::{Blame, Stop};

/// Files that are written together: all of them or none.
///
/// Contents go to temporary files beside their targets. [`OutputSet::commit`] moves them into place; a file that
/// is replaced is kept with the suffix `.bak`, one generation of it: the `.bak` of an earlier run goes. The new file
/// takes over the permissions of the old one. Whatever happens before leaves the targets as they were.
#[derive(Debug)]
pub struct OutputSet {
    replace: bool,
    pending: Vec<(NamedTempFile, PathBuf)>,
    created_folders: Vec<PathBuf>,
}

impl OutputSet {
    /// An empty set; `replace` allows existing files to be replaced.
    pub fn new(replace: bool) -> Self {
        Self { replace, pending: Vec::new(), created_folders: Vec::new() }
    }

    /// Refuses a target that exists and must not be replaced, or cannot be a file. Call it before long work.
    ///
    /// # Errors
    /// A finding `OUTPUT_EXISTS` or `OUTPUT_PATH`.
    pub fn check_target(&self, target: &Path) -> Result<(), Stop> {
        if target.is_dir() {
            return Err(stop(
                "OUTPUT_PATH",
                target,
                "is a folder, a file was to be written",
                "choose another name",
            ));
        }
        let above =
            target.ancestors().skip(1).find(|folder| !folder.as_os_str().is_empty() && folder.exists());
        if let Some(file) = above.filter(|above| !above.is_dir()) {
            return Err(stop(
                "OUTPUT_PATH",
                file,
                "is a file, a folder was expected",
                "choose another output folder",
            ));
        }
        if !self.replace && target.exists() {
            return Err(exists_already(target));
        }
        Ok(())
    }

    /// As [`OutputSet::check_target`] for several files of one run; two of them that are one file are refused too.
    ///
    /// # Errors
    /// As [`OutputSet::check_target`], and `OUTPUT_TWICE`.
    pub fn check_targets<'a>(&self, targets: impl IntoIterator<Item = &'a Path>) -> Result<(), Stop> {
        let mut places = Vec::new();
        for target in targets {
            self.check_target(target)?;
            let place = place_of(target);
            if places.contains(&place) {
                return Err(twice(target));
            }
            places.push(place);
        }
        Ok(())
    }

    /// Writes the content of `target` to a temporary file beside it, creating folders as needed.
    ///
    /// # Errors
    /// As [`OutputSet::check_targets`], and `OUTPUT_WRITE` when the system refuses.
    pub fn add(
        &mut self,
        target: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Stop> {
        self.check_target(target)?;
        if self.pending.iter().any(|(_, other)| place_of(other) == place_of(target)) {
            return Err(twice(target));
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        self.create_folders(folder).map_err(|error| unwritable(folder, &error))?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(TEMPORARY_PREFIX).suffix(TEMPORARY_SUFFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The process' umask applies, as for any file it creates.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(folder).map_err(|error| unwritable(folder, &error))?;
        let mut buffered = io::BufWriter::with_capacity(1 << 16, file.as_file_mut());
        write(&mut buffered).and_then(|()| buffered.flush()).map_err(|error| unwritable(target, &error))?;
        drop(buffered);
        file.as_file().sync_all().map_err(|error| unwritable(target, &error))?;
        if let Ok(old) = fs::metadata(target) {
            file.as_file().set_permissions(old.permissions()).map_err(|error| unwritable(target, &error))?;
        }
        self.pending.push((file, target.to_owned()));
        Ok(())
    }

    /// As [`OutputSet::add`], with the JSON text of `content`.
    ///
    /// # Errors
    /// As [`OutputSet::add`].
    pub fn add_json(&mut self, target: &Path, content: &impl Serialize) -> Result<(), Stop> {
        self.add(target, |file| {
            serde_json::to_writer_pretty(&mut *file, content)?;
            file.write_all(b"\n")
        })
    }

    /// Moves all files into place and returns their paths. When one of them cannot be moved, those already moved
    /// are taken back.
    ///
    /// # Errors
    /// `OUTPUT_WRITE` when the system refuses; `OUTPUT_EXISTS` when somebody else wrote a file meanwhile that may not
    /// be replaced.
    pub fn commit(mut self) -> Result<Vec<PathBuf>, Stop> {
        let mut moved: Vec<(PathBuf, Option<PathBuf>)> = Vec::new();
        for (file, target) in std::mem::take(&mut self.pending) {
            let result = put_into_place(file, &target, self.replace);
            match result {
                Ok(backup) => moved.push((target, backup)),
                Err(error) => {
                    for (target, backup) in moved.iter().rev() {
                        // Best effort: the first error is the one to report.
                        let _ = fs::remove_file(target);
                        if let Some(backup) = backup {
                            let _ = fs::rename(backup, target);
                        }
                    }
                    return Err(match error.kind() {
                        io::ErrorKind::AlreadyExists if !self.replace => exists_already(&target),
                        _ => unwritable(&target, &error),
                    });
                }
            }
        }
        self.created_folders.clear();
        let mut folders: Vec<_> = moved.iter().filter_map(|(target, _)| target.parent()).collect();
        folders.dedup();
        for folder in folders {
            sync_folder(folder);
        }
        Ok(moved.into_iter().map(|(target, _)| target).collect())
    }

    fn create_folders(&mut self, folder: &Path) -> io::Result<()> {
        let missing =
            folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(&folder)?;
            self.created_folders.push(folder);
        }
        Ok(())
    }
}

impl Drop for OutputSet {
    fn drop(&mut self) {
        self.pending.clear();
        for folder in self.created_folders.drain(..).rev() {
            // Only ever removes a folder that this set created and nobody else filled.
            let _ = fs::remove_dir(folder);
        }
    }
}

const TEMPORARY_PREFIX: &str = ".mhrig-";
const TEMPORARY_SUFFIX: &str = ".tmp";

/// Removes temporary files of a run that was killed in `folder`. Only for a folder that no other run writes to.
pub(crate) fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(TEMPORARY_PREFIX) && name.ends_with(TEMPORARY_SUFFIX) {
            // They do no harm but take space.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Moves a file that is no longer true out of the way: it becomes the `.bak` of its name.
pub(crate) fn retire(target: &Path) -> io::Result<()> {
    if target.exists() { fs::rename(target, backup_of(target)) } else { Ok(()) }
}

/// Where a file is or will be, however it is named: its folder without links, as far as it exists, and its name.
fn place_of(target: &Path) -> PathBuf {
    let absolute = std::path::absolute(target).unwrap_or_else(|_| target.to_owned());
    let existing =
        absolute.ancestors().skip(1).find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
    match existing {
        Some((folder, real)) => real.join(absolute.strip_prefix(folder).unwrap_or(&absolute)),
        None => absolute,
    }
}

fn twice(target: &Path) -> Stop {
    let finding = Finding::new(
        "OUTPUT_TWICE",
        Severity::Error,
        target.display().to_string(),
        "two files of this run would be one",
        "give each a name of its own",
    );
    Stop::Blamed(finding, Blame::Usage)
}

fn backup_of(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".bak");
    target.with_file_name(name)
}

/// Moves `file` to `target`; what stood there becomes the returned backup, if it may be replaced.
fn put_into_place(file: NamedTempFile, target: &Path, replace: bool) -> io::Result<Option<PathBuf>> {
    if !replace {
        return put_beside(file, target).map(|()| None);
    }
    let backup = if target.exists() {
        let backup = backup_of(target);
        fs::rename(target, &backup)?;
        Some(backup)
    } else {
        None
    };
    match file.persist(target) {
        Ok(_) => Ok(backup),
        Err(error) => {
            if let Some(backup) = &backup {
                let _ = fs::rename(backup, target);
            }
            Err(error.error)
        }
    }
}

/// Moves `file` to `target` where nothing is: another run may have put its file there since that was looked at.
fn put_beside(file: NamedTempFile, target: &Path) -> io::Result<()> {
    match file.persist_noclobber(target) {
        Ok(_) => Ok(()),
        // Some network file systems have no such move.
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists && !target.exists() => {
            error.file.persist(target).map(drop).map_err(|error| error.error)
        }
        Err(error) => Err(error.error),
    }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // The renames are done; a folder that cannot be synced (some network file systems) is no reason to fail.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) {}

fn stop(code: &'static str, path: &Path, message: &str, remedy: &str) -> Stop {
    let finding = Finding::new(code, Severity::Error, path.display().to_string(), message, remedy);
    Stop::Blamed(finding, Blame::Environment)
}

fn exists_already(target: &Path) -> Stop {
    let remedy = "give --force to replace it (the old file is kept as .bak), or choose another name";
    stop("OUTPUT_EXISTS", target, "exists already", remedy)
}

pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Stop {
    let remedy = match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a folder that may be written to"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some disk space, or choose another disk"
        }
        _ => "check the path and the disk",
    };
    stop("OUTPUT_WRITE", path, &format!("cannot be written: {error}"), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_appears_before_the_commit_and_everything_after_it() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("new/folder");
        let mut set = OutputSet::new(false);
        set.add(&out.join("a"), |file| file.write_all(b"A")).unwrap();
        set.add(&out.join("b"), |file| file.write_all(b"B")).unwrap();
        assert!(!out.join("a").exists() && !out.join("b").exists());
        set.commit().unwrap();
        assert_eq!(names(&out), ["a", "b"]);
    }

    #[test]
    fn a_dropped_set_leaves_no_file_and_no_folder() {
        let dir = tempfile::tempdir().unwrap();
        let mut set = OutputSet::new(false);
        set.add(&dir.path().join("new/folder/a"), |file| file.write_all(b"A")).unwrap();
        drop(set);
        assert!(names(dir.path()).is_empty());
    }

    #[test]
    fn of_two_runs_into_one_file_the_second_is_refused_and_takes_nothing_away() {
        let dir = tempfile::tempdir().unwrap();
        let (target, other) = (dir.path().join("a"), dir.path().join("b"));
        let [mut first, mut second] = [OutputSet::new(false), OutputSet::new(false)];
        first.add(&target, |file| file.write_all(b"first")).unwrap();
        second.add(&other, |file| file.write_all(b"second")).unwrap();
        second.add(&target, |file| file.write_all(b"second")).unwrap();
        first.commit().unwrap();
        let refused = second.commit().unwrap_err();
        assert!(matches!(refused, Stop::Blamed(finding, _) if finding.code == "OUTPUT_EXISTS"));
        assert_eq!(fs::read(&target).unwrap(), b"first");
        assert_eq!(names(dir.path()), ["a"]);
    }

    #[test]
    fn an_existing_file_is_replaced_only_when_allowed_and_kept_as_bak() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("a.dna");
        fs::write(&target, b"old").unwrap();
        let refused = OutputSet::new(false).add(&target, |file| file.write_all(b"new")).unwrap_err();
        assert!(matches!(refused, Stop::Blamed(finding, _) if finding.code == "OUTPUT_EXISTS"));
        assert_eq!(fs::read(&target).unwrap(), b"old");
        let mut set = OutputSet::new(true);
        set.add(&target, |file| file.write_all(b"new")).unwrap();
        set.commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(fs::read(dir.path().join("a.dna.bak")).unwrap(), b"old");
        assert_eq!(names(dir.path()), ["a.dna", "a.dna.bak"]);
    }

    #[test]
    fn a_commit_that_fails_half_way_takes_back_what_it_moved() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), b"old").unwrap();
        let mut set = OutputSet::new(true);
        set.add(&dir.path().join("a"), |file| file.write_all(b"new")).unwrap();
        set.add(&dir.path().join("b"), |file| file.write_all(b"new")).unwrap();
        // A folder that appeared in the meantime cannot be replaced by a file.
        fs::create_dir_all(dir.path().join("b")).unwrap();
        fs::create_dir_all(dir.path().join("b.bak/full")).unwrap();
        assert!(set.commit().is_err());
        assert_eq!(fs::read(dir.path().join("a")).unwrap(), b"old");
        assert_eq!(names(dir.path()), ["a", "b", "b.bak"]);
    }

    #[test]
    fn a_write_that_fails_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut set = OutputSet::new(false);
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let refused =
            set.add(&dir.path().join("a"), |file| file.write_all(b"half").and(Err(full()))).unwrap_err();
        assert!(refused.to_string().contains("cannot be written"));
        drop(set);
        assert!(names(dir.path()).is_empty());
    }

    #[test]
    fn a_file_in_place_of_a_folder_is_named() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("f"), b"").unwrap();
        let refused = OutputSet::new(false).check_target(&dir.path().join("f/out/a.dna")).unwrap_err();
        assert!(matches!(refused, Stop::Blamed(finding, _) if finding.place.ends_with("/f")));
    }
}

//! What fits compute of an archetype alone, kept beside it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use mhrig_archetype::{Archetype, Part};
use mhrig_fit::RowStore;
use sha2::{Digest, Sha256};

use crate::report::TOOL;

/// The folder for it in the archetype's; no part of the archetype, and may be deleted at any time.
const FOLDER: &str = ".mhrig-cache";

/// Length of the digest at the end of a file.
const DIGEST: usize = 32;

/// Hexadecimal digits of a hash in a file's name.
const DIGITS: usize = 16;

/// Files of rows beside an archetype, named by its content, by the program's version and by what they are rows of.
///
/// A file that is missing, damaged or of something else is as none; one that cannot be written (the folder is
/// read-only, the disk full) is not written. Results are the same, bit for bit, with the cache and without it.
#[derive(Debug)]
pub(crate) struct RowCache {
    folder: PathBuf,
    /// Begins the names of all files that belong to this content and version.
    prefix: String,
    parts: String,
}

impl RowCache {
    /// The cache of these parts of `archetype`.
    pub(crate) fn new<'a>(archetype: &Archetype, parts: impl Iterator<Item = &'a Part>) -> Self {
        let content = archetype.hash.get(..DIGITS).unwrap_or(&archetype.hash);
        let parts: Vec<String> = parts.map(|part| part.kind.to_string()).collect();
        Self {
            folder: archetype.dir.join(FOLDER),
            prefix: format!("rows-{content}-{}-", TOOL.version),
            parts: parts.join("+"),
        }
    }

    fn file(&self, variant: &str) -> PathBuf {
        let name = format!("{}/{variant}", self.parts);
        let digest = Sha256::digest(name.as_bytes());
        let digits: String = digest.iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(format!("{}{digits}", self.prefix))
    }

    /// Removes files of other contents and versions, and what killed runs left.
    fn clean(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("rows-") && !name.starts_with(&self.prefix) {
                // They do no harm but take space.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl RowStore for RowCache {
    fn load(&self, variant: &str) -> Option<Vec<u8>> {
        let mut bytes = fs::read(self.file(variant)).ok()?;
        let content = bytes.len().checked_sub(DIGEST)?;
        let is_whole = Sha256::digest(&bytes[..content]).as_slice() == &bytes[content..];
        bytes.truncate(content);
        is_whole.then_some(bytes)
    }

    fn save(&self, variant: &str, rows: &[u8]) {
        let write = || {
            fs::create_dir_all(&self.folder)?;
            let mut builder = tempfile::Builder::new();
            builder.prefix("rows-new-");
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                // Others who use the archetype may read it, as the umask says.
                builder.permissions(fs::Permissions::from_mode(0o666));
            }
            let mut file = builder.tempfile_in(&self.folder)?;
            file.write_all(rows)?;
            file.write_all(&Sha256::digest(rows))?;
            file.persist(self.file(variant)).map_err(|error| error.error)?;
            std::io::Result::Ok(())
        };
        if write().is_ok() {
            self.clean();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(folder: PathBuf) -> RowCache {
        RowCache { folder, prefix: "rows-abc-1-".into(), parts: "head+body".into() }
    }

    #[test]
    fn what_was_saved_is_loaded_unless_it_was_damaged_and_other_versions_go() {
        let dir = tempfile::tempdir().unwrap();
        let cache = cache(dir.path().join(FOLDER));
        assert!(cache.load("11-1").is_none());
        fs::create_dir_all(&cache.folder).unwrap();
        for old in ["rows-abc-0-0000", "rows-new-killed"] {
            fs::write(cache.folder.join(old), "").unwrap();
        }
        fs::write(cache.folder.join("mine"), "").unwrap();
        cache.save("11-1", b"content");
        assert_eq!(cache.load("11-1").as_deref(), Some(&b"content"[..]));
        assert!(cache.load("10-1").is_none());
        let mut names: Vec<_> =
            fs::read_dir(&cache.folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names.len(), 2, "{names:?}");
        let file = cache.file("11-1");
        let good = fs::read(&file).unwrap();
        for at in [0, good.len() - 1] {
            let mut bad = good.clone();
            bad[at] ^= 1;
            fs::write(&file, bad).unwrap();
            assert!(cache.load("11-1").is_none());
        }
        for length in 0..good.len() {
            fs::write(&file, &good[..length]).unwrap();
            assert!(cache.load("11-1").is_none(), "{length} bytes");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_no_error() {
        let dir = tempfile::tempdir().unwrap();
        // A file where the folder should be: refused for every user, root too.
        let folder = dir.path().join(FOLDER);
        fs::write(&folder, "").unwrap();
        let cache = cache(folder);
        cache.save("1", b"content");
        assert!(cache.load("1").is_none());
    }
}

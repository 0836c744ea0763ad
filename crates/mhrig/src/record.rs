use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use mhrig_report::{Finding, Job, Severity};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::report::Stop;

/// Bytes that are hashed between two looks at the cancel flag.
const HASHED_AT_A_TIME: usize = 1 << 20;

/// What a result was made from and what came out: whether it still holds can be told from this alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Version of the program.
    pub version: String,
    /// SHA-256 of the archetype.
    pub archetype: String,
    /// The options in force.
    pub options: String,
    /// Every file that was read for the person, in the order of reading.
    pub inputs: Vec<FileHash>,
    /// The files that were written, but for the report itself.
    pub outputs: Vec<FileHash>,
}

/// A file and what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileHash {
    /// The path as it was given.
    pub file: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// SHA-256 of its content, lower-case hexadecimal.
    pub sha256: String,
}

impl RunRecord {
    /// Whether a run with the start of `other` would read the same and work the same. Files may have moved, but not
    /// changed their names.
    pub(crate) fn has_inputs_of(&self, other: &Self) -> bool {
        let same = |(a, b): (&FileHash, &FileHash)| {
            Path::new(&a.file).file_name() == Path::new(&b.file).file_name() && a.has_content_of(b)
        };
        (&self.version, &self.archetype, &self.options) == (&other.version, &other.archetype, &other.options)
            && self.inputs.len() == other.inputs.len()
            && self.inputs.iter().zip(&other.inputs).all(same)
    }
}

impl FileHash {
    pub(crate) fn of_bytes(file: &Path, bytes: &[u8]) -> Self {
        Self {
            file: file.display().to_string(),
            bytes: bytes.len() as u64,
            sha256: hexadecimal(&Sha256::digest(bytes)),
        }
    }

    /// Hashes a file, which is never held in memory as a whole.
    pub(crate) fn of_file(file: &Path, job: Job<'_>) -> Result<Self, Stop> {
        let unreadable = |error: io::Error| {
            let place = file.display().to_string();
            let message = format!("cannot be read: {error}");
            let remedy = "check the path, the rights and the drive";
            Stop::from(Finding::new("FILE_UNREADABLE", Severity::Error, place, message, remedy))
        };
        let mut reader = File::open(file).map_err(unreadable)?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; HASHED_AT_A_TIME];
        let mut bytes = 0;
        loop {
            job.check()?;
            let read = reader.read(&mut buffer).map_err(unreadable)?;
            if read == 0 {
                break;
            }
            hash.update(buffer.get(..read).unwrap_or_default());
            bytes += read as u64;
        }
        Ok(Self { file: file.display().to_string(), bytes, sha256: hexadecimal(&hash.finalize()) })
    }

    pub(crate) fn has_content_of(&self, other: &Self) -> bool {
        (self.bytes, &self.sha256) == (other.bytes, &other.sha256)
    }
}

fn hexadecimal(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use mhrig_report::{Cancel, Silent};

    use super::*;

    fn record(file: &str) -> RunRecord {
        RunRecord {
            version: "1".into(),
            archetype: "a".into(),
            options: "o".into(),
            inputs: vec![FileHash::of_bytes(Path::new(file), b"mesh")],
            outputs: Vec::new(),
        }
    }

    #[test]
    fn a_file_and_its_bytes_have_the_same_hash() {
        let dir = tempfile::tempdir().unwrap();
        let file: PathBuf = dir.path().join("a");
        std::fs::write(&file, b"abc").unwrap();
        let cancel = Cancel::default();
        let hash = FileHash::of_file(&file, Job { progress: &Silent, cancel: &cancel }).unwrap();
        assert_eq!(hash, FileHash::of_bytes(&file, b"abc"));
        assert_eq!(hash.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn a_moved_file_is_the_same_and_a_renamed_or_changed_one_is_not() {
        assert!(record("x/head.obj").has_inputs_of(&record("y/head.obj")));
        assert!(!record("head.obj").has_inputs_of(&record("teeth.obj")));
        let mut changed = record("head.obj");
        changed.inputs[0].sha256 = "0".into();
        assert!(!changed.has_inputs_of(&record("head.obj")));
        let options = RunRecord { options: "other".into(), ..record("head.obj") };
        assert!(!options.has_inputs_of(&record("head.obj")));
    }
}

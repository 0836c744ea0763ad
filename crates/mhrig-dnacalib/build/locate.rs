//! Where the headers and the shared library are in a copy of the library's public repository.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// What the build takes from the copy.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Folder that holds `dnacalib/DNACalib.h`.
    pub(crate) include: PathBuf,
    /// The shared library, under the name that programs ask the system for or a longer one.
    pub(crate) library: PathBuf,
    /// Windows: the import library.
    pub(crate) import_library: Option<PathBuf>,
}

/// What is missing, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    Root,
    Folder(PathBuf),
    Headers { root: PathBuf, looked: Vec<PathBuf> },
    Library { root: PathBuf, platform: &'static str, looked: Vec<PathBuf>, stub: Option<PathBuf> },
    ImportLibrary { library: PathBuf },
    Platform(String),
}

const WHERE: &str =
    "set DNACALIB_ROOT to an unpacked copy of the public repository MetaHuman-DNA-Calibration";

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => write!(
                f,
                "the feature `dnacalib` needs Epic's library, and DNACALIB_ROOT is not set; {WHERE}, or build without the feature"
            ),
            Self::Folder(root) => {
                write!(f, "DNACALIB_ROOT is {}, which is not a folder; {WHERE}", root.display())
            }
            Self::Headers { root, looked } => write!(
                f,
                "there are no headers in {}: dnacalib/DNACalib.h is not in {}; {WHERE}",
                root.display(),
                list(looked)
            ),
            Self::Library { stub: Some(stub), .. } => write!(
                f,
                "{} is not a library but a pointer of Git LFS; run `git lfs pull` in the copy",
                stub.display()
            ),
            Self::Library { root, platform, looked, stub: None } => write!(
                f,
                "there are headers in {} but no shared library for {platform}: none in {}; build it with the CMake files \
                 of the repository and put it into lib/{platform}",
                root.display(),
                list(looked)
            ),
            Self::ImportLibrary { library } => write!(
                f,
                "{} has no import library dnacalib.lib beside it; the linker needs one, which a build with the CMake \
                 files of the repository makes",
                library.display()
            ),
            Self::Platform(os) => {
                write!(f, "dnacalib is not known to exist for {os}; build without the feature")
            }
        }
    }
}

fn list(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    if paths.is_empty() { "any folder lib".to_owned() } else { paths.join(", ") }
}

/// Finds both for the platform `os` (Rust's name of it).
///
/// Headers: as in the repository, or in `include` as a CMake installation has them. Library: as in the repository,
/// `lib/Maya<year>/<platform>`, of the newest year, or in `lib/<platform>`, `lib64`, `lib`, which go first since
/// somebody put them there.
pub(crate) fn locate(root: Option<&Path>, os: &str) -> Result<Found, Missing> {
    let (platform, name) = match os {
        "linux" => ("linux", "libdnacalib.so"),
        "windows" => ("windows", "dnacalib.dll"),
        "macos" => ("macos", "libdnacalib"),
        other => return Err(Missing::Platform(other.to_owned())),
    };
    let root = root.ok_or(Missing::Root)?;
    if !root.is_dir() {
        return Err(Missing::Folder(root.to_owned()));
    }
    let looked: Vec<PathBuf> =
        ["dnacalib/DNACalib/include", "DNACalib/include", "include"].map(|path| root.join(path)).to_vec();
    let include = looked.iter().find(|folder| folder.join("dnacalib/DNACalib.h").is_file());
    let Some(include) = include.cloned() else {
        return Err(Missing::Headers { root: root.to_owned(), looked });
    };
    let folders = library_folders(root, platform);
    let candidates: Vec<PathBuf> = folders.iter().flat_map(|folder| libraries(folder, name)).collect();
    let Some(library) = candidates.iter().find(|path| !is_stub(path)) else {
        let stub = candidates.into_iter().next();
        return Err(Missing::Library { root: root.to_owned(), platform, looked: folders, stub });
    };
    let beside = library.with_file_name("dnacalib.lib");
    let import_library = beside.is_file().then_some(beside);
    if os == "windows" && import_library.is_none() {
        return Err(Missing::ImportLibrary { library: library.clone() });
    }
    Ok(Found { include, library: library.clone(), import_library })
}

fn library_folders(root: &Path, platform: &str) -> Vec<PathBuf> {
    let lib = root.join("lib");
    let mut years: Vec<PathBuf> = fs::read_dir(&lib)
        .map(|entries| entries.flatten().map(|entry| entry.path().join(platform)).collect())
        .unwrap_or_default();
    years.retain(|folder| folder.is_dir());
    years.sort();
    years.reverse();
    let mut folders = vec![lib.join(platform), root.join("lib64"), lib];
    folders.retain(|folder| folder.is_dir());
    folders.extend(years);
    folders
}

/// The libraries of a folder, the plainest name first: `libdnacalib.so`, `libdnacalib.so.6`.
fn libraries(folder: &Path, name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_library = |path: &PathBuf| {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let extension = file.strip_prefix(name).unwrap_or("no");
        match name {
            "libdnacalib" => extension.starts_with('.') && extension.ends_with(".dylib"),
            _ => extension.is_empty() || extension.starts_with('.'),
        }
    };
    let mut found: Vec<PathBuf> = entries.filter(is_library).collect();
    found.sort();
    found
}

/// Whether the file is what Git leaves in place of a large one.
fn is_stub(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.len() < 1024)
        && fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"version https://git-lfs"))
}

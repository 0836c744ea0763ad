use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A plug-in that was built, for one Maya year.
#[derive(Clone, Debug)]
pub struct Plugin {
    /// The year.
    pub year: u16,
    /// The library; its file name is the plug-in's name in Maya.
    pub path: PathBuf,
}

/// The plug-ins to test. `MHRIG_PLUGINS` names a folder with `<year>/linux/mhrigcreator.so` for one or more years
/// (`scripts/check-plugin` makes it); otherwise it is the one of the default year that this build made along with its
/// tests.
///
/// # Panics
/// When there is none: the build has not made what it should have.
pub fn plugins() -> Vec<Plugin> {
    static FOUND: OnceLock<Vec<Plugin>> = OnceLock::new();
    FOUND.get_or_init(find).clone()
}

/// The oldest and the newest of [`plugins`], for tests that take long and do not depend on the year.
///
/// # Panics
/// As [`plugins`].
pub fn first_and_last_plugin() -> Vec<Plugin> {
    let all = plugins();
    let last = all.len().saturating_sub(1);
    all.into_iter()
        .enumerate()
        .filter(|(number, _)| *number == 0 || *number == last)
        .map(|(_, one)| one)
        .collect()
}

fn find() -> Vec<Plugin> {
    if let Some(dir) = std::env::var_os("MHRIG_PLUGINS") {
        let dir = PathBuf::from(dir);
        let path = |year: u16| dir.join(year.to_string()).join("linux").join("mhrigcreator.so");
        let found: Vec<Plugin> = fake_maya::YEARS
            .into_iter()
            .map(|year| Plugin { year, path: path(year) })
            .filter(|plugin| plugin.path.is_file())
            .collect();
        assert!(!found.is_empty(), "MHRIG_PLUGINS is {} and holds no plug-in", dir.display());
        return found;
    }
    let year: u16 = mhrig_maya::YEAR.parse().unwrap_or_default();
    vec![Plugin { year, path: installed(year, &beside_this_program()) }]
}

/// The plug-in is a library that this program depends on, so it lies in the same folder.
fn beside_this_program() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let library = program.parent().unwrap_or(Path::new(".")).join("libmhrig_maya.so");
    assert!(library.is_file(), "{} is missing; build it with `cargo build -p mhrig-maya`", library.display());
    library
}

/// A copy under the name that it has when it is installed. One for each test program: a library must not be written
/// over while a host has it loaded.
fn installed(year: u16, library: &Path) -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let program = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let dir = library.with_file_name("plug-ins").join(format!("{year}-{program}"));
    let copy = dir.join("mhrigcreator.so");
    let made = fs::create_dir_all(&dir).and_then(|()| fs::copy(library, &copy).map(drop));
    assert!(made.is_ok(), "cannot copy {} to {}: {made:?}", library.display(), copy.display());
    copy
}

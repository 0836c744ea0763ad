//! The names that the plug-in takes from Maya and gives to it, on Linux as built and on Windows as compiled by clang.
//!
//! `MHRIG_BLESS=1` writes the lists anew; review the difference: each line is a promise about four years of Maya.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mhrig_e2e::{Symbols, plugins, with_year_left_open};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn names(file: &str) -> PathBuf {
    root().join("devkit-bindings/names").join(file)
}

/// Compares with a file, or writes it.
fn golden(file: &Path, found: &str) {
    if std::env::var_os("MHRIG_BLESS").is_some() {
        fs::write(file, found).unwrap();
    }
    let written = fs::read_to_string(file).unwrap_or_default();
    assert!(
        written == found,
        "{} is out of date; run with MHRIG_BLESS=1 and review it\nmissing {:?}\nsurplus {:?}",
        file.display(),
        lines(found).difference(&lines(&written)).collect::<Vec<_>>(),
        lines(&written).difference(&lines(found)).collect::<Vec<_>>()
    );
}

fn lines(text: &str) -> BTreeSet<&str> {
    text.lines().collect()
}

/// Names that known plug-ins import, and names that only older headers vouch for.
struct Known {
    binary: BTreeSet<String>,
    headers: BTreeMap<String, String>,
}

/// Constructors and destructors have one name for complete objects and one for bases; either is a witness.
fn same_entity(name: &str) -> String {
    name.replace("C2E", "C1E").replace("D2Ev", "D1Ev")
}

impl Known {
    /// From the recorded lists: `column` is that of the platform's names in the list of methods.
    fn read(test: &str, union: &str, column: usize) -> Option<Self> {
        let dir = mhrig_testkit::shared_or_skip(test, "reference/data/maya-abi")?;
        let mut known = Self { binary: BTreeSet::new(), headers: BTreeMap::new() };
        for line in fs::read_to_string(dir.join(union)).unwrap().lines().skip(1) {
            known.binary.insert(same_entity(line.split('\t').next().unwrap()));
        }
        for line in fs::read_to_string(dir.join("methods.tsv")).unwrap().lines().skip(1) {
            let cells: Vec<&str> = line.split('\t').collect();
            if cells[2] == "binary" {
                known.binary.insert(same_entity(cells[column]));
            } else {
                known.headers.insert(same_entity(cells[column]), cells[2].to_owned());
            }
        }
        // Names of published headers that the lists above leave out.
        let is_windows = column == 7;
        for line in fs::read_to_string(names("headers.tsv")).unwrap().lines().skip(1) {
            let cells: Vec<&str> = line.split('\t').collect();
            let name = same_entity(cells[usize::from(is_windows)]);
            known.headers.entry(name).or_insert_with(|| cells[2].to_owned());
        }
        Some(known)
    }

    /// What vouches for a name.
    fn evidence(&self, name: &str) -> &str {
        let name = same_entity(name);
        if self.binary.contains(&name) {
            return "binary";
        }
        self.headers.get(&name).map_or("none", String::as_str)
    }
}

/// One line per name: the name and what vouches for it.
fn listing(imports: &BTreeSet<String>, known: &Known) -> String {
    imports.iter().fold(String::from("name\tevidence\n"), |mut out, name| {
        let _ = writeln!(out, "{name}\t{}", known.evidence(name));
        out
    })
}

fn recorded(file: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(names(file)).unwrap_or_default();
    let rows = text.lines().skip(1).filter_map(|line| line.split_once('\t'));
    rows.map(|(name, evidence)| (name.to_owned(), evidence.to_owned())).collect()
}

#[test]
fn the_library_exports_the_entry_points_alone() {
    for plugin in plugins() {
        let symbols = Symbols::of_elf(&plugin.path);
        let tail = format!("N8Autodesk4Maya16OpenMaya{}00007MObjectE", plugin.year);
        let expected = [
            "MApiVersion".to_owned(),
            format!("_Z16initializePlugin{tail}"),
            format!("_Z18uninitializePlugin{tail}"),
        ];
        assert_eq!(symbols.exports, expected.into_iter().collect(), "{}", plugin.path.display());
        assert!(symbols.binds_now, "{}: names are bound late", plugin.path.display());
    }
}

#[test]
fn nothing_but_maya_and_the_system_is_needed() {
    let allowed = [
        "libOpenMaya.so",
        "libOpenMayaAnim.so",
        "libFoundation.so",
        "libc.so.6",
        "libm.so.6",
        "ld-linux-x86-64.so.2",
        "libpthread.so.0",
        "libdl.so.2",
        "libstdc++.so.6",
    ];
    // All that is taken of the C++ library: the way to catch an exception.
    let cpp = ["__gxx_personality_v0", "__cxa_begin_catch", "__cxa_end_catch"];
    // These are of the C library in spite of their names.
    let c = ["__cxa_finalize", "__cxa_thread_atexit_impl", "__cxa_atexit"];
    for plugin in plugins() {
        let symbols = Symbols::of_elf(&plugin.path);
        let surplus: Vec<&String> =
            symbols.needed.iter().filter(|library| !allowed.contains(&library.as_str())).collect();
        assert!(surplus.is_empty(), "{}: {surplus:?}", plugin.path.display());
        let maya = format!("OpenMaya{}0000", plugin.year);
        let is_cpp = |name: &&String| {
            (name.starts_with("_Z") && !name.contains(&maya))
                || name.starts_with("__cxa")
                || name.starts_with("__gxx")
        };
        let surplus: Vec<&String> = symbols
            .imports
            .iter()
            .filter(is_cpp)
            .filter(|name| !cpp.contains(&name.as_str()) && !c.contains(&name.as_str()))
            .collect();
        assert!(surplus.is_empty(), "{}: {surplus:?}", plugin.path.display());
        let unwinder: Vec<&String> =
            symbols.imports.iter().filter(|name| name.starts_with("_Unwind")).collect();
        assert!(unwinder.is_empty(), "{}: {unwinder:?}", plugin.path.display());
    }
}

/// Maya 2024 to 2026 run on Rocky Linux 8, whose C library is 2.28; the year's `env/*.toml` says so.
#[test]
fn a_system_with_glibc_2_28_loads_the_library() {
    for plugin in plugins() {
        let settings = fs::read_to_string(root().join(format!("env/{}.toml", plugin.year))).unwrap();
        let line = settings.lines().find_map(|line| line.strip_prefix("glibc = ")).unwrap();
        let minor = |text: &str| text.trim_matches('"').split('.').nth(1).and_then(|part| part.parse().ok());
        let floor: u32 = minor(line).unwrap();
        let versions = Symbols::of_elf(&plugin.path).versions;
        let asked: Vec<u32> =
            versions.iter().filter_map(|version| minor(version.strip_prefix("GLIBC_")?)).collect();
        let newest = asked.iter().max().expect("the library asks for no version of the C library");
        assert!(*newest <= floor, "{}: {versions:?}", plugin.path.display());
    }
}

#[test]
fn the_symbols_of_each_year_are_the_recorded_ones() {
    for plugin in plugins() {
        let symbols = Symbols::of_elf(&plugin.path);
        let mut text = String::new();
        // Names of the C library change with the compiler and are checked by rule, not by list.
        let maya = symbols
            .needed
            .iter()
            .filter(|library| library.starts_with("libO") || library.starts_with("libF"));
        maya.for_each(|library| text += &format!("needs {library}\n"));
        symbols.exports.iter().for_each(|name| text += &format!("exports {name}\n"));
        let tag = format!("OpenMaya{}0000", plugin.year);
        let imports = symbols.imports.iter().filter(|name| name.contains(&tag));
        imports.for_each(|name| text += &format!("imports {name}\n"));
        golden(&root().join(format!("tests/golden/plugin-{}.txt", plugin.year)), &text);
    }
}

#[test]
fn every_name_for_linux_has_a_witness_or_was_reviewed() {
    let test = "every_name_for_linux_has_a_witness_or_was_reviewed";
    for plugin in plugins() {
        let imports = Symbols::of_elf(&plugin.path).maya_imports(plugin.year);
        if let Some(known) = Known::read(test, "imports-union-linux.tsv", 6) {
            golden(&names("imports-linux.tsv"), &listing(&imports, &known));
        }
        let recorded = recorded("imports-linux.tsv");
        assert_eq!(imports, recorded.keys().cloned().collect::<BTreeSet<_>>());
        check_reviewed("linux", &recorded);
    }
}

/// The reviewed list holds exactly the names that no known plug-in imports, each with a reason.
fn check_reviewed(platform: &str, recorded: &BTreeMap<String, String>) {
    let text = fs::read_to_string(names("unwitnessed.tsv")).unwrap();
    let reviewed: BTreeMap<&str, &str> = text
        .lines()
        .skip(1)
        .filter_map(|line| line.strip_prefix(platform)?.strip_prefix('\t')?.split_once('\t'))
        .collect();
    let unwitnessed: BTreeSet<&str> = recorded
        .iter()
        .filter(|(_, evidence)| *evidence != "binary")
        .map(|(name, _)| name.as_str())
        .collect();
    let known: BTreeSet<&str> = reviewed.keys().copied().collect();
    assert_eq!(known, unwitnessed, "names/unwitnessed.tsv, {platform}: review these names");
    assert!(reviewed.values().all(|reason| !reason.is_empty()));
    assert!(
        recorded.values().all(|evidence| evidence != "none"),
        "a name that nothing vouches for: {recorded:?}"
    );
}

fn clang() -> Option<String> {
    let candidates =
        ["clang++".to_owned()].into_iter().chain((14..=22).rev().map(|version| format!("clang++-{version}")));
    candidates.into_iter().find(|program| Command::new(program).arg("--version").output().is_ok())
}

#[test]
fn every_name_for_windows_has_a_witness_or_was_reviewed() {
    let test = "every_name_for_windows_has_a_witness_or_was_reviewed";
    let Some(clang) = clang() else {
        mhrig_testkit::skip(test, "clang++ is not installed");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    for year in fake_maya::YEARS {
        let (mut imports, mut own) = (BTreeSet::new(), BTreeSet::new());
        for source in ["plugin", "host", "node"] {
            let object = dir.path().join(format!("{source}-{year}.obj"));
            let output = Command::new(&clang)
                .args(["--target=x86_64-pc-windows-msvc", "-std=c++17", "-O1", "-ffreestanding"])
                .args(["-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-nostdinc++"])
                .arg(format!("-DMAYA_YEAR={year}"))
                .arg(format!("-I{}", root().join("devkit-bindings/include").display()))
                .arg(format!("-I{}", root().join("crates/mhrig-maya/cpp").display()))
                .arg("-c")
                .arg(root().join(format!("crates/mhrig-maya/cpp/{source}.cpp")))
                .arg("-o")
                .arg(&object)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let symbols = Symbols::of_coff(&object);
            imports.extend(symbols.imports);
            own.extend(symbols.exports);
        }
        let tag = format!("OpenMaya{year}0000");
        let maya: BTreeSet<String> = imports
            .difference(&own)
            .filter(|name| name.contains(&tag))
            .map(|name| with_year_left_open(name, year))
            .collect();
        if let Some(known) = Known::read(test, "imports-union-windows.tsv", 7) {
            golden(&names("imports-windows.tsv"), &listing(&maya, &known));
        }
        let recorded = recorded("imports-windows.tsv");
        assert_eq!(maya, recorded.keys().cloned().collect::<BTreeSet<_>>());
        check_reviewed("windows", &recorded);
    }
}

/// Mangled names of the methods that the headers declare without a body, by class, name and type.
fn declared(clang: &str, target: &str) -> BTreeMap<(String, String, String), String> {
    let include = root().join("devkit-bindings/include");
    let output = Command::new(clang)
        .arg(format!("--target={target}"))
        .args(["-std=c++17", "-ffreestanding", "-fno-exceptions", "-fno-rtti", "-DMAYA_YEAR=2026"])
        .args(["-Xclang", "-ast-dump=json", "-fsyntax-only", "-x", "c++"])
        .arg(include.join("mhrig_maya.h"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut found = BTreeMap::new();
    let mut open = vec![(&tree, "")];
    while let Some((node, class)) = open.pop() {
        let text = |key: &str| node[key].as_str().unwrap_or_default();
        let kind = text("kind");
        let class = if kind == "CXXRecordDecl" { text("name") } else { class };
        let inner = node["inner"].as_array().map(Vec::as_slice).unwrap_or_default();
        let has_body = inner.iter().any(|child| child["kind"] == "CompoundStmt");
        if ["CXXMethodDecl", "CXXConstructorDecl"].contains(&kind)
            && node["isImplicit"].is_null()
            && !has_body
            && let Some(mangled) = node["mangledName"].as_str()
        {
            let signature = node["type"]["qualType"].as_str().unwrap_or_default().to_owned();
            found.insert((class.to_owned(), text("name").to_owned(), signature), mangled.to_owned());
        }
        open.extend(inner.iter().map(|child| (child, class)));
    }
    found
}

/// A name for Linux says nothing of what a function returns, one for Windows does: a declaration whose first name is
/// recorded and whose second is not is wrong about its result, its access or whether it is static or virtual.
#[test]
fn declarations_are_right_about_what_linux_names_do_not_show() {
    let test = "declarations_are_right_about_what_linux_names_do_not_show";
    let Some(clang) = clang() else {
        mhrig_testkit::skip(test, "clang++ is not installed");
        return;
    };
    let Some(linux) = Known::read(test, "imports-union-linux.tsv", 6) else { return };
    let Some(windows) = Known::read(test, "imports-union-windows.tsv", 7) else { return };
    let for_linux = declared(&clang, "x86_64-unknown-linux-gnu");
    let for_windows = declared(&clang, "x86_64-pc-windows-msvc");
    assert!(for_linux.len() > 400, "{} declarations", for_linux.len());
    // Recorded for Linux alone, since Windows plug-ins have these from inline code.
    let linux_alone = ["MFnBase", "MFnComponent", "MFnData"];
    let mut wrong = Vec::new();
    for (declaration, name) in &for_linux {
        let recorded = linux.evidence(&with_year_left_open(name, 2026)) != "none";
        let (class, method, _) = declaration;
        if !recorded || (class == method && linux_alone.contains(&class.as_str())) {
            continue;
        }
        let other = for_windows.get(declaration).map(|name| with_year_left_open(name, 2026));
        if other.as_ref().is_none_or(|name| windows.evidence(name) == "none") {
            wrong.push(format!("{declaration:?}: {other:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn data_of_each_year_names_its_namespace() {
    for year in fake_maya::YEARS {
        let text = fs::read_to_string(root().join(format!("env/{year}.toml"))).unwrap();
        assert!(text.contains(&format!("year = {year}\n")));
        assert!(text.contains(&format!("namespace = \"OpenMaya{year}0000\"\n")));
    }
}

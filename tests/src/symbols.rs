use std::collections::BTreeSet;
use std::path::Path;

use object::read::elf::{Dyn, ElfFile64, FileHeader};
use object::{Endianness, Object, ObjectSymbol, elf};

/// The dynamic symbols of a library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    /// Names that others may use.
    pub exports: BTreeSet<String>,
    /// Names that others must provide.
    pub imports: BTreeSet<String>,
    /// Libraries that are loaded along.
    pub needed: Vec<String>,
    /// Flags of the dynamic section that bind all names at load.
    pub binds_now: bool,
    /// Versions of system libraries that have to be there, such as `GLIBC_2.28`.
    pub versions: BTreeSet<String>,
}

impl Symbols {
    /// Reads an ELF library.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn of_elf(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file: ElfFile64<'_, Endianness> =
            ElfFile64::parse(&*bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut symbols = Self::default();
        for symbol in file.dynamic_symbols() {
            let name = symbol.name().unwrap_or_default().to_owned();
            if symbol.is_undefined() {
                symbols.imports.insert(name);
            } else {
                symbols.exports.insert(name);
            }
        }
        symbols.imports.remove("");
        let endian = file.endian();
        let header = file.elf_header();
        let strings = header.sections(endian, &*bytes).ok().and_then(|sections| {
            let (dynamic, link) = sections.dynamic(endian, &*bytes).ok()??;
            let strings = sections.strings(endian, &*bytes, link).ok()?;
            Some((dynamic, strings))
        });
        if let Some((dynamic, strings)) = strings {
            for entry in dynamic {
                let tag = entry.tag32(endian);
                if tag == Some(elf::DT_NEEDED)
                    && let Ok(name) = entry.string(endian, strings)
                {
                    symbols.needed.push(String::from_utf8_lossy(name).into_owned());
                }
                if tag == Some(elf::DT_FLAGS) {
                    let flags = entry.val32(endian).unwrap_or_default();
                    symbols.binds_now = flags & elf::DF_BIND_NOW != 0;
                }
            }
        }
        symbols.versions = versions(header, endian, &bytes).unwrap_or_default();
        symbols
    }

    /// The names that an object file for Windows must be given, import prefixes taken off, and those that it gives.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn of_coff(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file = object::File::parse(&*bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let undefined = file.symbols().filter(ObjectSymbol::is_undefined);
        let name = |symbol: object::Symbol<'_, '_>| symbol.name().unwrap_or_default().to_owned();
        let imports = undefined
            .map(name)
            .filter(|name| !name.is_empty())
            .map(|name| name.strip_prefix("__imp_").map(str::to_owned).unwrap_or(name))
            .collect();
        let defined = file.symbols().filter(|symbol| symbol.is_definition() && symbol.is_global());
        let exports = defined.map(name).collect();
        Self { imports, exports, ..Self::default() }
    }

    /// The imports that are Maya's, with the year left open.
    pub fn maya_imports(&self, year: u16) -> BTreeSet<String> {
        let tag = format!("OpenMaya{year}0000");
        let own = self.imports.iter().filter(|name| name.contains(&tag));
        own.map(|name| with_year_left_open(name, year)).collect()
    }
}

fn versions(
    header: &elf::FileHeader64<Endianness>,
    endian: Endianness,
    bytes: &[u8],
) -> object::Result<BTreeSet<String>> {
    let sections = header.sections(endian, bytes)?;
    let mut found = BTreeSet::new();
    let Some((mut libraries, strings)) = sections.gnu_verneed(endian, bytes)? else { return Ok(found) };
    let strings = sections.strings(endian, bytes, strings)?;
    while let Some((_, mut versions)) = libraries.next()? {
        while let Some(version) = versions.next()? {
            found.insert(String::from_utf8_lossy(version.name(endian, strings)?).into_owned());
        }
    }
    Ok(found)
}

/// A mangled name as the lists have it: `YYYY` for the year.
pub fn with_year_left_open(name: &str, year: u16) -> String {
    name.replace(&format!("OpenMaya{year}0000"), "OpenMayaYYYY0000")
}

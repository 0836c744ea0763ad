//! Paths as scenes have them: with variables of the environment, and relative to the folder of the scene.

use std::path::{Path, PathBuf};

use mhrig_report::{Finding, Severity};

/// The file that `given` means in a scene that lies in `folder`: `$NAME`, `${NAME}` and `%NAME%` are variables of the
/// environment; a relative path starts at the folder. What exists under the path as it stands is taken as it stands.
///
/// # Errors
/// A finding with the code `PATH_VARIABLE` when a variable is not set.
pub fn scene_path(given: &str, folder: Option<&Path>) -> Result<PathBuf, Finding> {
    resolve(given, folder, |name| std::env::var(name).ok())
}

fn resolve(
    given: &str,
    folder: Option<&Path>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<PathBuf, Finding> {
    let within = |path: &str| match folder {
        Some(folder) if !path.is_empty() => folder.join(path),
        _ => PathBuf::from(path),
    };
    let plain = within(given);
    if given.is_empty() || plain.exists() {
        return Ok(plain);
    }
    match expand(given, variable) {
        Ok(path) => Ok(within(&path)),
        Err(name) => Err(Finding::new(
            "PATH_VARIABLE",
            Severity::Error,
            given,
            format!("the variable {name} is not set"),
            "set it before the program starts, or give the path without it",
        )),
    }
}

/// Puts in the variables; the name of the first that is not set otherwise.
fn expand(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['$', '%']) {
        let tail = &rest[at..];
        let Some((name, length)) = reference(tail) else {
            out.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        };
        out.push_str(&rest[..at]);
        out.push_str(&variable(name).ok_or_else(|| name.to_owned())?);
        rest = &tail[length..];
    }
    Ok(out + rest)
}

/// The variable that a text begins with, and how long its mention is.
fn reference(text: &str) -> Option<(&str, usize)> {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let inner = &text[1..];
    let (name, length) = if let Some(braced) = text.strip_prefix("${") {
        let (name, _) = braced.split_once('}')?;
        (name, name.len() + 3)
    } else if text.starts_with('%') {
        let (name, _) = inner.split_once('%')?;
        (name, name.len() + 2)
    } else {
        let end = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(inner.len());
        (&inner[..end], end + 1)
    };
    is_name(name).then_some((name, length))
}

/// Whether a path mentions variables that are put in to find the file.
pub(crate) fn has_variables(given: &str) -> bool {
    !given.is_empty() && !Path::new(given).exists() && expand(given, |_| None).is_err()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn variable(name: &str) -> Option<String> {
        match name {
            "SHOW" => Some("/show".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        }
    }

    #[test]
    fn variables_are_put_in_in_all_three_forms() {
        for (given, expected) in [
            ("$SHOW/a.dna", "/show/a.dna"),
            ("${SHOW}x/a.dna", "/showx/a.dna"),
            ("%SHOW%/头.dna", "/show/头.dna"),
            ("$SHOW$SHOW%SHOW%", "/show/show/show"),
            ("a${EMPTY}b", "ab"),
            ("plain", "plain"),
        ] {
            assert_eq!(expand(given, variable).as_deref(), Ok(expected), "{given}");
        }
    }

    #[test]
    fn what_is_no_mention_of_a_variable_stays() {
        for text in ["$", "a$/b", "100%", "50% of 60%", "$1", "${no name}", "${", "%%", "é$é"] {
            assert_eq!(expand(text, variable).as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        let finding = resolve("$NOWHERE/a.dna", None, variable).unwrap_err();
        assert_eq!((finding.code, finding.place.as_str()), ("PATH_VARIABLE", "$NOWHERE/a.dna"));
        assert!(finding.message.contains("NOWHERE"), "{finding:?}");
    }

    #[test]
    fn relative_paths_start_at_the_scene() {
        let folder = Path::new("/show/shot");
        let found = |given: &str, folder| resolve(given, folder, variable).unwrap();
        assert_eq!(found("../dna/a.dna", Some(folder)), Path::new("/show/shot/../dna/a.dna"));
        assert_eq!(found("/x/a.dna", Some(folder)), Path::new("/x/a.dna"));
        assert_eq!(found("$SHOW/a.dna", Some(folder)), Path::new("/show/a.dna"));
        assert_eq!(found("${EMPTY}dna/a.dna", Some(folder)), Path::new("/show/shot/dna/a.dna"));
        assert_eq!(found("a.dna", None), Path::new("a.dna"));
        assert_eq!(found("", Some(folder)), Path::new(""));
    }

    #[test]
    fn a_file_that_is_named_like_a_variable_is_that_file() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("$SHOW.dna"), "").unwrap();
        let found = resolve("$SHOW.dna", Some(dir.path()), variable).unwrap();
        assert_eq!(found, dir.path().join("$SHOW.dna"));
    }
}

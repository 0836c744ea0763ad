//! Node names: parts of paths, quoting for MEL, names that are nearly right.

/// The last part of a path, without namespace.
pub(crate) fn base_name(path: &str) -> &str {
    let last = path.rsplit('|').next().unwrap_or(path);
    last.rsplit(':').next().unwrap_or(last)
}

/// The path of the node above; empty at the top.
pub(crate) fn parent_path(path: &str) -> &str {
    path.rfind('|').map_or("", |at| &path[..at])
}

/// `text` as a MEL string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Number of letters to insert, drop or replace, letter case aside.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Up to three of `known` that are most like `wanted`, the most alike first; none that share little with it.
pub(crate) fn near<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = base_name(wanted);
    let limit = (wanted.chars().count() / 3).max(2);
    let mut ranked: Vec<(usize, &str)> = known
        .into_iter()
        .map(|name| (distance(wanted, base_name(name)), name))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    ranked.sort();
    ranked.dedup();
    ranked.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_path() {
        assert_eq!(base_name("|grp|a:b:head_lod0_mesh"), "head_lod0_mesh");
        assert_eq!(base_name("head"), "head");
        assert_eq!(parent_path("|grp|head|headShape"), "|grp|head");
        assert_eq!(parent_path("|grp"), "");
    }

    #[test]
    fn mel_strings_are_quoted() {
        assert_eq!(quoted("a\"b\\c\n"), "\"a\\\"b\\\\c\\n\"");
    }

    #[test]
    fn near_names_are_the_alike_ones() {
        let known = ["|head_lod0_mesh", "|grp|teeth_lod0_mesh", "|eyeLeft_lod0_mesh", "|persp"];
        assert_eq!(near("head_lodO_mesh", known)[0], "|head_lod0_mesh");
        assert_eq!(near("Head_LOD0_Mesh", known)[0], "|head_lod0_mesh");
        assert!(near("somethingElse", known).is_empty());
    }
}

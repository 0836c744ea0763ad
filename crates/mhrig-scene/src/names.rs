//! Names of meshes as applications write them.

/// The part of a node name after its last namespace.
pub(crate) fn without_namespace(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// Undoes the escapes that FBX writers of old versions put in place of characters they could not write:
/// `FBXASC` and three digits (`FBXASC058` is a colon).
pub(crate) fn unescape_fbx(name: &str) -> String {
    const ESCAPE: &str = "FBXASC";
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find(ESCAPE) {
        let digits = rest.get(at + ESCAPE.len()..at + ESCAPE.len() + 3);
        let code =
            digits.filter(|d| d.bytes().all(|b| b.is_ascii_digit())).and_then(|d| d.parse::<u8>().ok());
        out.push_str(&rest[..at]);
        if let Some(code) = code.filter(|code| (b' '..=b'~').contains(code)) {
            out.push(char::from(code));
            rest = &rest[at + ESCAPE.len() + 3..];
        } else {
            out.push_str(ESCAPE);
            rest = &rest[at + ESCAPE.len()..];
        }
    }
    out.push_str(rest);
    out
}

/// Whether an exporter wrote this name because the mesh had none.
pub(crate) fn is_meaningless(name: &str) -> bool {
    let lower = name.trim_matches(['(', ')', '"']).to_ascii_lowercase();
    let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(['.', '_', '-', ' ']);
    matches!(
        stem,
        "" | "default"
            | "defaultobject"
            | "object"
            | "obj"
            | "mesh"
            | "group"
            | "grp"
            | "none"
            | "null"
            | "noname"
            | "unnamed"
            | "untitled"
            | "off"
            | "polysurface"
            | "defaultgroup"
            | "root"
            | "scene"
            | "model"
    )
}

/// What the name may have been before an exporter appended to it: `A_A` and `A_AShape` (object and mesh name, as
/// Blender joins them), `A.001` (Blender's copies), `AShape` (Maya's shapes). Best first, without `name` itself.
pub(crate) fn before_exporter(name: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut add = |candidate: &str| {
        if !candidate.is_empty() && candidate != name && !names.iter().any(|n| n == candidate) {
            names.push(candidate.to_owned());
        }
    };
    let copy = strip_copy_number(name);
    add(copy);
    let shape = copy.strip_suffix("Shape").unwrap_or(copy);
    add(shape);
    for joined in [copy, shape] {
        let half = joined.len() / 2;
        if joined.len() % 2 == 1 && joined.as_bytes()[half] == b'_' && joined[..half] == joined[half + 1..] {
            add(&joined[..half]);
        }
    }
    names
}

/// `head.001` → `head`.
fn strip_copy_number(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, digits)) if digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_cut_off() {
        assert_eq!(without_namespace("a:b:head"), "head");
        assert_eq!(without_namespace("head"), "head");
        assert_eq!(without_namespace(":head"), "head");
        assert_eq!(without_namespace("a:"), "");
    }

    #[test]
    fn fbx_escapes_are_undone() {
        assert_eq!(unescape_fbx("rigFBXASC058headFBXASC0460"), "rig:head.0");
        assert_eq!(unescape_fbx("20FBXASC032Sided"), "20 Sided");
        assert_eq!(unescape_fbx("FBXASC"), "FBXASC");
        assert_eq!(unescape_fbx("FBXASC9é"), "FBXASC9é");
        assert_eq!(unescape_fbx("FBXASC999x"), "FBXASC999x");
    }

    #[test]
    fn names_of_exporters_are_meaningless() {
        for name in ["default", "Object.1", "mesh_0", "(null)", "polySurface12", "Group1", ""] {
            assert!(is_meaningless(name), "{name}");
        }
        for name in ["head", "head_lod0_mesh", "body", "objective", "mesh_head"] {
            assert!(!is_meaningless(name), "{name}");
        }
    }

    #[test]
    fn what_exporters_append_is_seen() {
        assert_eq!(before_exporter("head_head.001"), ["head_head", "head"]);
        assert_eq!(before_exporter("headShape"), ["head"]);
        assert_eq!(before_exporter("head"), [""; 0]);
        assert_eq!(before_exporter("é_é"), ["é"]);
        assert_eq!(before_exporter("_"), [""; 0]);
    }
}

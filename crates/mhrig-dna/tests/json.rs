//! The JSON form: shape of the reference library, and nothing lost.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use mhrig_dna::{Dna, DnaError, FileVersion, JsonStyle, Layer, LayerContent, LayerKind};
use mhrig_testkit::{assert_same_bytes, shared_or_skip};

fn vectors(test: &str) -> Option<Vec<(PathBuf, PathBuf)>> {
    let folder = shared_or_skip(test, "vectors/dna")?;
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut pairs: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|json| (json.with_extension("dna"), json))
        .collect();
    pairs.sort();
    assert!(pairs.len() >= 10);
    Some(pairs)
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

#[test]
fn reference_style_is_the_text_of_the_reference_library() {
    let Some(pairs) = vectors("JSON of the DNA vectors") else { return };
    for (dna, json) in pairs {
        let text = Dna::from_bytes(&read(&dna)).unwrap().to_json(JsonStyle::Reference).unwrap();
        assert_same_bytes(&json.display().to_string(), &read(&json), &text);
    }
}

#[test]
fn text_of_the_reference_library_is_read() {
    let Some(pairs) = vectors("reading JSON of the DNA vectors") else { return };
    for (dna, json) in pairs {
        let what = json.display().to_string();
        let from_json = Dna::from_json(&read(&json)).unwrap_or_else(|error| panic!("{what}: {error}"));
        // Six digits lose some, but text made from what was read is the same again.
        assert_same_bytes(&what, &read(&json), &from_json.to_json(JsonStyle::Reference).unwrap());
        assert_eq!(from_json.file_size(), read(&dna).len() as u64, "{what}");
    }
}

#[test]
fn exact_style_is_valid_json_and_reads_back_to_the_same_bytes() {
    let Some(pairs) = vectors("exact JSON of the DNA vectors") else { return };
    for (path, _) in pairs {
        let bytes = read(&path);
        let text = Dna::from_bytes(&bytes).unwrap().to_json(JsonStyle::Exact).unwrap();
        let valid: Result<serde_json::Value, _> = serde_json::from_slice(&text);
        assert!(valid.is_ok(), "{}: {valid:?}", path.display());
        let back = Dna::from_json(&text).unwrap().to_bytes().unwrap();
        assert_same_bytes(&path.display().to_string(), &bytes, &back);
    }
}

/// A file with everything that is hard to put into JSON.
fn awkward() -> Dna {
    let mut dna = Dna::new(FileVersion::new(8));
    dna.descriptor.name.0 = b"not \xff UTF-8".to_vec();
    dna.descriptor.complexity = "a \"quoted\" \\ name\nwith\u{0}controls\u{7f} and ümläut".into();
    dna.definition.neutral_joint_translations.xs = vec![
        f32::NAN,
        f32::from_bits(0xffc0_1234),
        f32::from_bits(0x7f80_0001),
        f32::INFINITY,
        f32::NEG_INFINITY,
        -0.0,
        f32::MIN_POSITIVE,
        f32::from_bits(1),
        0.1,
        1.0 / 3.0,
        16777217.0,
        f32::MAX,
    ];
    dna.layers.push(Layer::raw(*b"zz\xe9\"", 3, 7, b"hello!!\0".to_vec()));
    dna.layers[1].surplus = vec![1, 2, 3];
    dna.ensure_layer(LayerKind::DescriptorExt);
    dna.ensure_layer(LayerKind::MachineLearnedBehaviorExt);
    dna.descriptor_ext.face_winding_order = 1;
    dna.descriptor_ext.rotation_sign.y = -1;
    dna
}

#[test]
fn exact_style_keeps_what_json_has_no_form_for() {
    let bytes = awkward().to_bytes().unwrap();
    let text = awkward().to_json(JsonStyle::Exact).unwrap();
    let value: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(value["desc1.1"]["complexity"], "a \"quoted\" \\ name\nwith\u{0}controls\u{7f} and ümläut");
    assert_eq!(value["zzé\"3.7"], "aGVsbG8hIQA=");
    let back = Dna::from_json(&text).unwrap();
    assert_same_bytes("through JSON", &bytes, &back.to_bytes().unwrap());
    let compact = serde_json::to_vec(&value).unwrap();
    let back = Dna::from_json(&compact).unwrap();
    assert_same_bytes("through JSON of other white space", &bytes, &back.to_bytes().unwrap());
}

#[test]
fn a_layer_of_unknown_version_stays_raw() {
    let mut dna = Dna::new(FileVersion::new(5));
    dna.layers.push(Layer::raw(*b"geom", 1, 2, vec![0; 4]));
    let back = Dna::from_json(&dna.to_json(JsonStyle::Exact).unwrap()).unwrap();
    assert_eq!(back.layers.last().unwrap().content, LayerContent::Raw(vec![0; 4]));
    assert_eq!(back, dna);
}

#[test]
fn what_is_wrong_is_named_with_line_and_path() {
    let text = String::from_utf8(Dna::new(FileVersion::new(5)).to_json(JsonStyle::Exact).unwrap()).unwrap();
    let cases = [
        ("\"age\": 0", "\"age\": 65536", "desc.age", "a whole number from 0 to 65535"),
        ("\"age\": 0", "\"age\": \"old\"", "desc.age", "a whole number from 0 to 65535"),
        ("\"age\": 0", "\"years\": 0", "desc", "no member \"years\" here"),
        ("\"age\": 0", "\"gender\": 0", "desc", "\"gender\" only once"),
        ("\"age\": 0,", "", "desc", "an object with a member \"age\""),
        (
            "\"jointHierarchy\": []",
            "\"jointHierarchy\": [0, 1, -1]",
            "defn.jointHierarchy[2]",
            "a whole number from 0 to 65535",
        ),
        ("\"meshes\": []", "\"meshes\": [{}]", "geom.meshes[0]", "an object with a member \"positions\""),
        ("\"xs\": []", "\"xs\": [1e39]", "defn.neutralJointTranslations.xs[0]", "a number of 32 bits"),
        ("\"lodCount\": 0", "\"lodCount\": 34", "", "a descriptor with at most 33 LODs instead of 34"),
        ("\"generation\": 2", "\"generation\": 1", "version", "generation 2"),
        ("\"geom1.1\"", "\"geom1.3\"", "", "no member \"geom1.3\" here"),
    ];
    for (old, new, expected_path, expected_text) in cases {
        let changed = text.replacen(old, new, 1);
        assert_ne!(changed, text, "{old}");
        match Dna::from_json(changed.as_bytes()) {
            Err(DnaError::Json { line, path, expected, .. }) => {
                assert_eq!((path.as_str(), expected.as_str()), (expected_path, expected_text), "{new}");
                assert!(line >= 1);
            }
            other => panic!("{new}: {other:?}"),
        }
    }
    let error = Dna::from_json(text.replacen("\"age\": 0", "\"age\": x", 1).as_bytes()).unwrap_err();
    let line = 1 + text.lines().position(|line| line.contains("\"age\"")).unwrap();
    assert!(error.to_string().starts_with(&format!("line {line}, column 16 (desc.age): ")), "{error}");
}

#[test]
fn text_cut_at_any_byte_is_an_error() {
    let text = awkward().to_json(JsonStyle::Exact).unwrap();
    for cut in 0..text.len() {
        assert!(Dna::from_json(&text[..cut]).is_err(), "cut to {cut} bytes");
    }
}

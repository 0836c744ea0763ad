//! Which expressions get a corrective when they are shown together, and by which rule.

/// How the shape of a combination follows from its components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The first component carries the others along: their displacement is turned by the rotation that it gives to the
    /// surface there. A smile on an open jaw.
    Carry,
    /// Displacements add as they are; the shape is sculpted to be added. Lips that close over an open jaw.
    Add,
    /// Each component's displacement is turned by half of the rotation that the others give to the surface there. For two
    /// components that is the mean of "the first on top of the second" and "the second on top of the first".
    Turn,
    /// What components move in common is moved once: the sum less, along the bisector of both displacements, the smaller
    /// length times the cosine between them. Two equal displacements give that displacement, square ones their sum.
    Saturate,
    /// The first component holds what it moves; the others add only where it does not. A shut lid stays shut whatever the
    /// eye looks at.
    Hold,
}

/// Expressions that are corrected when shown together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Combination {
    /// Names of controls after `CTRL_expressions.`.
    pub(crate) components: Vec<String>,
    pub(crate) rule: Rule,
}

/// `@` stands for L or R, `%` for U or D; a line without either is one combination.
const PATTERNS: [(Rule, &[&str]); 36] = [
    (Rule::Carry, &["jawOpen", "mouthCornerPull@"]),
    (Rule::Carry, &["jawOpen", "mouthCornerDepress@"]),
    (Rule::Carry, &["jawOpen", "mouthStretch@"]),
    (Rule::Carry, &["jawOpen", "mouthDimple@"]),
    (Rule::Carry, &["jawOpen", "mouthUpperLipRaise@"]),
    (Rule::Carry, &["jawOpen", "mouthLowerLipDepress@"]),
    (Rule::Carry, &["jawOpen", "mouthFunnel%@"]),
    (Rule::Carry, &["jawOpen", "mouthLipsPurse%@"]),
    (Rule::Add, &["jawOpen", "mouthLipsTogether%@"]),
    (Rule::Carry, &["jawOpen", "mouthCheekBlow@"]),
    (Rule::Carry, &["jawOpen", "jawLeft"]),
    (Rule::Carry, &["jawOpen", "jawRight"]),
    (Rule::Carry, &["jawOpen", "mouthLeft"]),
    (Rule::Carry, &["jawOpen", "mouthRight"]),
    (Rule::Carry, &["jawOpen", "tongueOut"]),
    (Rule::Turn, &["eyeLookDown@", "eyeLookLeft@"]),
    (Rule::Turn, &["eyeLookDown@", "eyeLookRight@"]),
    (Rule::Turn, &["eyeLookUp@", "eyeLookLeft@"]),
    (Rule::Turn, &["eyeLookUp@", "eyeLookRight@"]),
    (Rule::Turn, &["mouthCornerPullL", "mouthCornerPullR"]),
    (Rule::Carry, &["jawOpen", "mouthCornerPullL", "mouthCornerPullR"]),
    (Rule::Hold, &["eyeBlink@", "eyeLookDown@"]),
    (Rule::Hold, &["eyeBlink@", "eyeLookUp@"]),
    (Rule::Hold, &["eyeBlink@", "eyeLookLeft@"]),
    (Rule::Hold, &["eyeBlink@", "eyeLookRight@"]),
    (Rule::Saturate, &["eyeBlink@", "eyeSquintInner@"]),
    (Rule::Saturate, &["eyeBlink@", "eyeCheekRaise@"]),
    (Rule::Saturate, &["eyeSquintInner@", "eyeCheekRaise@"]),
    (Rule::Saturate, &["eyeBlink@", "eyeSquintInner@", "eyeCheekRaise@"]),
    (Rule::Saturate, &["eyeCheekRaise@", "mouthCornerPull@"]),
    (Rule::Saturate, &["noseWrinkle@", "browDown@"]),
    (Rule::Saturate, &["noseWrinkle@", "mouthUpperLipRaise@"]),
    (Rule::Saturate, &["mouthCornerPull@", "mouthDimple@"]),
    (Rule::Saturate, &["mouthCornerPull@", "mouthStretch@"]),
    (Rule::Saturate, &["mouthLipsPurse%@", "mouthFunnel%@"]),
    (Rule::Saturate, &["browRaiseIn@", "browRaiseOuter@"]),
];

/// All combinations, each after those whose components it includes.
pub(crate) fn combinations() -> Vec<Combination> {
    let mut combinations = Vec::new();
    for (rule, pattern) in PATTERNS {
        let has = |mark| pattern.iter().any(|name: &&str| name.contains(mark));
        let halves: &[&str] = if has('%') { &["U", "D"] } else { &[""] };
        let sides: &[&str] = if has('@') { &["L", "R"] } else { &[""] };
        for half in halves {
            for side in sides {
                let fill = |name: &&str| name.replace('%', half).replace('@', side);
                combinations.push(Combination { components: pattern.iter().map(fill).collect(), rule });
            }
        }
    }
    combinations.sort_by_key(|combination| combination.components.len());
    combinations
}

/// The channel of a combination in MetaHuman's manner: region letters, and the side at the end;
/// `jawOpen` with `mouthCornerPullL` is `Jopen_McornerPull_L`. `_cor` marks a corrective of both sides.
pub(crate) fn combination_name(components: &[String]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut sides: Vec<String> = Vec::new();
    for component in components {
        let (stem, side) = split_side(component);
        if !side.is_empty() && !sides.iter().any(|known| known == side) {
            sides.push(side.to_owned());
        }
        let at = stem.find(|c: char| c.is_ascii_uppercase()).unwrap_or(stem.len());
        let (region, what) = stem.split_at(at);
        let letter = match region {
            "brow" => "B",
            "eye" => "E",
            "nose" => "NS",
            "cheek" => "C",
            "mouth" => "M",
            "jaw" => "J",
            "neck" => "NK",
            "head" => "H",
            "tongue" => "T",
            other => other,
        };
        let word = format!("{letter}{}", lower_first(what));
        if !words.contains(&word) {
            words.push(word);
        }
    }
    let side = if sides.len() > 1 { "cor".to_owned() } else { sides.concat() };
    if !side.is_empty() {
        words.push(side);
    }
    words.join("_")
}

/// The channel of a single control: `mouthPressUL` is `mouth_press_UL`, `neckSwallowPh1` is `neck_swallow_ph1`.
pub(crate) fn channel_name(control: &str) -> String {
    let (stem, side) = split_side(control);
    let (stem, phase) = match stem.find("Ph") {
        Some(at) => (&stem[..at], Some(&stem[at + 2..])),
        None => (stem, None),
    };
    let at = stem.find(|c: char| c.is_ascii_uppercase()).unwrap_or(stem.len());
    let (region, what) = stem.split_at(at);
    let mut parts = vec![region.to_owned()];
    if !what.is_empty() {
        parts.push(lower_first(what));
    }
    if !side.is_empty() {
        parts.push(side.to_owned());
    }
    if let Some(phase) = phase {
        parts.push(format!("ph{phase}"));
    }
    parts.join("_")
}

/// Splits the side off a control's name; the side is empty for a control of the centre.
fn split_side(control: &str) -> (&str, &str) {
    for side in ["UL", "UR", "DL", "DR", "L", "R"] {
        if let Some(stem) = control.strip_suffix(side)
            && stem.ends_with(|c: char| c.is_ascii_lowercase())
        {
            return control.split_at(stem.len());
        }
    }
    (control, "")
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controls::main_controls;

    #[test]
    fn channels_are_called_as_in_a_metahuman() {
        let names = ["browDownL", "jawOpen", "mouthPressUL", "eyeLookLeftR", "tongueOut", "neckSwallowPh3"];
        let channels = names.map(channel_name);
        assert_eq!(
            channels,
            ["brow_down_L", "jaw_open", "mouth_press_UL", "eye_lookLeft_R", "tongue_out", "neck_swallow_ph3"]
        );
        let name = |components: &[&str]| {
            combination_name(&components.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(name(&["jawOpen", "mouthCornerPullL"]), "Jopen_McornerPull_L");
        assert_eq!(name(&["jawOpen", "mouthFunnelUL"]), "Jopen_Mfunnel_UL");
        assert_eq!(name(&["jawOpen", "mouthCornerPullL", "mouthCornerPullR"]), "Jopen_McornerPull_cor");
    }

    #[test]
    fn combinations_are_of_known_controls_and_in_order_of_layers() {
        let controls = main_controls();
        let combinations = combinations();
        for (at, combination) in combinations.iter().enumerate() {
            for component in &combination.components {
                assert!(controls.iter().any(|control| control.name == *component), "{component}");
            }
            let includes_later = combinations[at + 1..]
                .iter()
                .any(|later| later.components.iter().all(|name| combination.components.contains(name)));
            assert!(!includes_later, "{:?} comes before its parts", combination.components);
        }
        let mut names: Vec<String> =
            combinations.iter().map(|combination| combination_name(&combination.components)).collect();
        names.extend(controls.iter().map(|control| channel_name(&control.name)));
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "names of channels are not unique");
    }
}

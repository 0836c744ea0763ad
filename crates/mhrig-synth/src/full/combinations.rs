//! Which controls of a full-size head get a corrective when they are shown together.

use std::collections::BTreeSet;

use super::tables::TableControl;
use crate::SynthError;
use crate::combinations::combinations as demo_combinations;

/// Numbers of controls, ascending.
pub(crate) type Combination = Vec<usize>;

/// Correctives of a head.
pub(crate) const CORRECTIVES: usize = 545;
/// Of these, pairs of the tongue.
pub(crate) const TONGUE_PAIRS: usize = 21;
/// Three and four controls together, at most.
const TRIPLES: usize = 130;
const QUADS: usize = 45;

/// Controls that stay out of combinations.
const ALONE: [&str; 8] = ["teeth", "tongue", "Sticky", "Ph", "Pupil", "eyelashes", "Parallel", "neckThroat"];

/// Where a control shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) centre: nalgebra::Vector3<f64>,
    pub(crate) radius_cm: f64,
}

pub(crate) fn is_of_tongue(control: &str) -> bool {
    control.starts_with("tongue")
}

/// The combinations, each after those that it includes. The demo human's are among them; the others are controls of one
/// side (or the middle) that show in the same place, the closest first, and with them the mirrored ones.
pub(crate) fn combinations(
    controls: &[TableControl],
    extents: &[Extent],
) -> Result<Vec<Combination>, SynthError> {
    let mut chosen = Chosen { controls, known: BTreeSet::new(), list: Vec::new() };
    let tongue: Vec<usize> = (0..controls.len()).filter(|&at| is_of_tongue(controls[at].name)).collect();
    for (place, &a) in tongue.iter().enumerate() {
        for &b in &tongue[place + 1..] {
            if chosen.list.len() < TONGUE_PAIRS && controls[a].gui != controls[b].gui {
                chosen.add(vec![a, b]);
            }
        }
    }
    for combination in demo_combinations() {
        let numbers = combination.components.iter().map(|name| find(controls, name));
        let numbers: Vec<usize> = numbers.collect::<Result<_, _>>()?;
        if !numbers.iter().any(|&at| is_of_tongue(controls[at].name)) {
            chosen.add(numbers);
        }
    }

    let pairs = pairs(controls, extents);
    let pair_count = CORRECTIVES.saturating_sub(TRIPLES + QUADS);
    let mut pairs = pairs.into_iter();
    while chosen.list.len() + 1 < pair_count {
        let Some(pair) = pairs.next() else { break };
        chosen.add_both_sides(pair);
    }
    for (size, most) in [(3, pair_count + TRIPLES), (4, pair_count + TRIPLES + QUADS)] {
        chosen.grow(size, most);
    }
    // Where there were too few of the larger ones, pairs make up for them.
    while chosen.list.len() < CORRECTIVES {
        let Some(pair) = pairs.next() else { break };
        chosen.add(pair);
    }
    chosen.list.truncate(CORRECTIVES);
    if chosen.list.len() < CORRECTIVES {
        return Err(SynthError::Mismatch {
            what: "combinations of controls".to_owned(),
            expected: CORRECTIVES.to_string(),
            found: chosen.list.len().to_string(),
        });
    }
    let mut list = chosen.list;
    list.sort_by_key(Vec::len);
    Ok(list)
}

pub(crate) fn find(controls: &[TableControl], name: &str) -> Result<usize, SynthError> {
    controls.iter().position(|control| control.name == name).ok_or_else(|| SynthError::Mismatch {
        what: "raw control".to_owned(),
        expected: name.to_owned(),
        found: "nothing".to_owned(),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Centre,
}

fn side(control: &str) -> Side {
    match control.as_bytes().last() {
        Some(b'L') => Side::Left,
        Some(b'R') => Side::Right,
        _ => Side::Centre,
    }
}

struct Chosen<'a> {
    controls: &'a [TableControl],
    known: BTreeSet<Combination>,
    list: Vec<Combination>,
}

impl Chosen<'_> {
    fn add(&mut self, mut combination: Combination) -> bool {
        combination.sort_unstable();
        let is_new = self.known.insert(combination.clone());
        if is_new {
            self.list.push(combination);
        }
        is_new
    }

    fn add_both_sides(&mut self, combination: Combination) {
        let mirrored: Vec<usize> = combination.iter().map(|&at| self.mirrored(at)).collect();
        self.add(combination);
        self.add(mirrored);
    }

    fn mirrored(&self, control: usize) -> usize {
        let name = self.controls[control].name;
        let other = match side(name) {
            Side::Left => format!("{}R", &name[..name.len() - 1]),
            Side::Right => format!("{}L", &name[..name.len() - 1]),
            Side::Centre => return control,
        };
        self.controls.iter().position(|control| control.name == other).unwrap_or(control)
    }

    /// Adds combinations of `size` controls all of whose parts are there already, up to `most` combinations.
    fn grow(&mut self, size: usize, most: usize) {
        let smaller: Vec<Combination> =
            self.list.iter().filter(|combination| combination.len() + 1 == size).cloned().collect();
        for combination in &smaller {
            if combination.iter().any(|&at| side(self.controls[at].name) == Side::Right) {
                continue;
            }
            for next in combination[combination.len() - 1] + 1..self.controls.len() {
                if self.list.len() + 2 > most {
                    return;
                }
                let mut whole = combination.clone();
                whole.push(next);
                let has_parts = (0..size).all(|left_out| {
                    let mut part = whole.clone();
                    part.remove(left_out);
                    self.known.contains(&part)
                });
                if has_parts && side(self.controls[next].name) != Side::Right {
                    self.add_both_sides(whole);
                }
            }
        }
    }
}

/// Pairs of the left side and the middle that may be shown together, those that show closest together first.
fn pairs(controls: &[TableControl], extents: &[Extent]) -> Vec<Combination> {
    let members: Vec<usize> = (0..controls.len())
        .filter(|&at| side(controls[at].name) != Side::Right)
        .filter(|&at| !ALONE.iter().any(|word| controls[at].name.contains(word)))
        .collect();
    let mut pairs: Vec<(f64, Combination)> = Vec::new();
    for (place, &a) in members.iter().enumerate() {
        for &b in &members[place + 1..] {
            if controls[a].gui == controls[b].gui {
                continue;
            }
            let apart = (extents[a].centre - extents[b].centre).norm();
            pairs.push((apart / (extents[a].radius_cm + extents[b].radius_cm), vec![a, b]));
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    pairs.into_iter().map(|(_, pair)| pair).collect()
}

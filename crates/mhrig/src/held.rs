//! Joints that the user holds or places.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mhrig_fit::{Constraint, ConstraintKind, FitTemplate};
use mhrig_report::{Finding, Severity};
use mhrig_rig::Neutral;
use nalgebra::Vector3;

use crate::dna_file::read_dna;
use crate::placing::PartTemplate;
use crate::report::{Blame, Stop};

/// What the user says of single joints.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct UserJoints {
    /// Joints that stay where [`UserJoints::from`] has them, or the archetype where no files are given. A name that
    /// ends in `*` stands for all that begin so.
    pub lock: Vec<String>,
    /// Joints with their world positions, cm, Y up.
    pub place: Vec<(String, [f64; 3])>,
    /// DNA files of an earlier build of the person.
    pub from: Vec<PathBuf>,
}

/// Reads `JOINT=X,Y,Z`.
pub fn parse_place(text: &str) -> Option<(String, [f64; 3])> {
    let (name, numbers) = text.split_once('=')?;
    let numbers: Vec<f64> = numbers
        .split(',')
        .map(|number| number.trim().parse().ok().filter(|n: &f64| n.is_finite()))
        .collect::<Option<_>>()?;
    let name = name.trim();
    Some((name.to_owned(), numbers.try_into().ok()?)).filter(|_| !name.is_empty())
}

type Positions = BTreeMap<String, Vector3<f64>>;

impl UserJoints {
    /// The constraints of each part.
    pub(crate) fn resolve(&self, templates: &[PartTemplate<'_>]) -> Result<Vec<Vec<Constraint>>, Stop> {
        let fits: Vec<&FitTemplate> = templates.iter().map(|part| &part.template).collect();
        let mut wanted: Positions = BTreeMap::new();
        if !self.lock.is_empty() {
            let (places, what) = if self.from.is_empty() {
                (rest_positions(&fits), "the archetype")
            } else {
                (self.earlier_positions()?, "the files given with --from")
            };
            for lock in &self.lock {
                wanted.extend(locked(lock, &places, what)?);
            }
        }
        for (name, position) in &self.place {
            if wanted.insert(name.clone(), Vector3::from(*position)).is_some() {
                let message = "the joint is told twice where to go";
                return Err(usage("JOINT_TWICE", name, message, "lock it, or give one place for it"));
            }
        }
        for name in wanted.keys() {
            if !fits.iter().any(|fit| fit.hierarchy().find(name).is_some()) {
                return Err(unknown(name, fits.iter().flat_map(|fit| fit.hierarchy().names())));
            }
        }
        let of_part = |fit: &&FitTemplate| {
            let constraint = |(name, &position): (&String, &Vector3<f64>)| {
                let joint = fit.hierarchy().find(name)?;
                Some(Constraint { joint, position, kind: ConstraintKind::User })
            };
            wanted.iter().filter_map(constraint).collect()
        };
        Ok(fits.iter().map(of_part).collect())
    }

    /// World positions of all joints of the files; of joints that several have, the first file's.
    fn earlier_positions(&self) -> Result<Positions, Stop> {
        let mut positions = Positions::new();
        for file in &self.from {
            let (dna, _) = read_dna(file)?;
            let neutral = Neutral::from_dna(&dna).map_err(|error| {
                let remedy =
                    "give a DNA file that was built, `mhrig validate` says what is wrong with this one";
                Finding::new(
                    "DNA_NEUTRAL",
                    Severity::Error,
                    file.display().to_string(),
                    error.to_string(),
                    remedy,
                )
            })?;
            let neutral = neutral.upright(&dna.descriptor.coordinate_system);
            let world = neutral.pose.world(&neutral.hierarchy);
            for (name, joint) in neutral.hierarchy.names().iter().zip(&world) {
                positions.entry(name.clone()).or_insert(joint.translation.vector);
            }
        }
        Ok(positions)
    }
}

fn rest_positions(fits: &[&FitTemplate]) -> Positions {
    let joints = fits.iter().flat_map(|fit| fit.hierarchy().names().iter().zip(fit.rest_positions()));
    let mut positions = Positions::new();
    for (name, position) in joints {
        positions.entry(name.clone()).or_insert(*position);
    }
    positions
}

/// The joints that `lock` names, with their places.
fn locked(lock: &str, places: &Positions, what: &str) -> Result<Vec<(String, Vector3<f64>)>, Stop> {
    let names = |name: &str| match lock.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == lock,
    };
    let found: Vec<(String, Vector3<f64>)> =
        places.iter().filter(|(name, _)| names(name)).map(|(name, at)| (name.clone(), *at)).collect();
    if found.is_empty() {
        let Stop::Blamed(finding, blame) = unknown(lock, places.keys()) else { return Ok(found) };
        return Err(Stop::Blamed(Finding { message: format!("{what} has no such joint"), ..finding }, blame));
    }
    Ok(found)
}

/// How many joints a finding suggests.
const SUGGESTED: usize = 5;

fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> Stop {
    let wanted = name.trim_end_matches('*').to_lowercase();
    let is_like = |known: &str| {
        let known = known.to_lowercase();
        !wanted.is_empty() && (known.contains(&wanted) || wanted.contains(&known))
    };
    let mut like: Vec<&str> = known.map(String::as_str).filter(|known| is_like(known)).collect();
    like.sort_unstable();
    like.dedup();
    like.truncate(SUGGESTED);
    let remedy = if like.is_empty() {
        "`mhrig fit -v` lists the joints with their names".to_owned()
    } else {
        format!("joints with names like it: {}", like.join(", "))
    };
    usage("JOINT_UNKNOWN", name, "the archetype has no such joint", &remedy)
}

fn usage(code: &'static str, place: &str, message: &str, remedy: &str) -> Stop {
    Stop::Blamed(Finding::new(code, Severity::Error, place, message, remedy), Blame::Usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_all_that_begin_so_and_a_wrong_name_gets_suggestions() {
        let places: Positions = ["spine_01", "spine_02", "head"]
            .iter()
            .map(|name| ((*name).to_owned(), Vector3::zeros()))
            .collect();
        assert_eq!(locked("spine_*", &places, "x").unwrap().len(), 2);
        assert_eq!(locked("head", &places, "x").unwrap().len(), 1);
        let Err(Stop::Blamed(finding, Blame::Usage)) = locked("spine", &places, "x") else { panic!() };
        assert_eq!(finding.code, "JOINT_UNKNOWN");
        assert!(finding.remedy.contains("spine_01, spine_02"), "{}", finding.remedy);
    }
}

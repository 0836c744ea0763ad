//! Skin weights that come with a person's scene, as weights of DNA meshes.

use std::collections::BTreeMap;
use std::path::Path;

use mhrig_calib::MeshWeights;
use mhrig_dna::Dna;
use mhrig_report::{Finding, Job, Severity};
use mhrig_scene::{SceneError, SceneSkin, read_skins};

use crate::meshes::MeshSource;
use crate::report::Stop;

/// The skins of all files that meshes come from. A scene in memory has none.
pub(crate) fn load_skins(source: &MeshSource, job: Job<'_>) -> Result<Vec<SceneSkin>, Stop> {
    let MeshSource::Files { paths, .. } = source else { return Ok(Vec::new()) };
    let mut skins = Vec::new();
    for path in paths.iter().filter(|path| !path.is_dir()) {
        skins.extend(skins_of(path, job)?);
    }
    Ok(skins)
}

fn skins_of(file: &Path, job: Job<'_>) -> Result<Vec<SceneSkin>, Stop> {
    read_skins(file, job).map_err(|error| match error {
        SceneError::Cancelled(cancelled) => Stop::Cancelled(cancelled),
        error => Stop::from(error.to_finding()),
    })
}

/// The weights of meshes of `dna`; `meshes` are numbers in it with the names that they have in the scene. Says which
/// meshes have none and which joints are not the DNA's.
pub(crate) fn scene_weights(
    dna: &Dna,
    meshes: &[(usize, String)],
    skins: &[SceneSkin],
    findings: &mut Vec<Finding>,
) -> Vec<MeshWeights> {
    let joints: BTreeMap<String, u16> = {
        let names = dna.definition.joint_names.iter().zip(0..);
        names.map(|(name, number)| (name.to_string(), number)).collect()
    };
    let mut found = Vec::new();
    for (mesh, name) in meshes {
        let Some(skin) = skins.iter().find(|skin| skin.mesh == *name) else {
            findings.push(Finding::new(
                "WEIGHTS_MISSING",
                Severity::Warning,
                name,
                "the mesh comes without skin weights and keeps those of the template",
                "give a Maya ASCII or FBX scene with the bound mesh, or build with --weights template",
            ));
            continue;
        };
        let numbers: Vec<Option<u16>> = skin.joints.iter().map(|joint| joints.get(joint).copied()).collect();
        let mut lost: BTreeMap<&str, f64> = BTreeMap::new();
        let mut known = |&(joint, weight): &(u16, f32)| {
            let joint = usize::from(joint);
            let number = numbers.get(joint).copied().flatten();
            if number.is_none() && weight > 0.0 {
                let name = skin.joints.get(joint).map_or("", String::as_str);
                *lost.entry(name).or_default() += f64::from(weight);
            }
            number.map(|number| (number, weight))
        };
        let influences =
            skin.influences.iter().map(|vertex| vertex.iter().filter_map(&mut known).collect()).collect();
        let weights = MeshWeights { mesh: *mesh, influences };
        for (joint, weight) in lost {
            let message = format!(
                "the joint {joint:?} is not in the DNA; its weights, {weight:.3} in all, went to the other influences"
            );
            let remedy = "bind the mesh to the joints of the rig, under their names";
            findings.push(Finding::new("WEIGHTS_JOINT", Severity::Warning, name, message, remedy));
        }
        found.push(weights);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_find_their_joints_by_name_and_say_what_they_did_not_find() {
        let mut dna = Dna::default();
        dna.definition.joint_names = ["root", "jaw"].map(Into::into).to_vec();
        let skin = SceneSkin {
            mesh: "a".to_owned(),
            joints: ["jaw", "hat", "root"].map(str::to_owned).to_vec(),
            influences: vec![vec![(0, 0.5), (1, 0.25), (2, 0.25)], vec![(2, 1.0)]],
        };
        let mut findings = Vec::new();
        let meshes = [(3, "a".to_owned()), (4, "b".to_owned())];
        let weights = scene_weights(&dna, &meshes, &[skin], &mut findings);
        let influences = vec![vec![(1, 0.5), (0, 0.25)], vec![(0, 1.0)]];
        assert_eq!(weights, [MeshWeights { mesh: 3, influences }]);
        let codes: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["WEIGHTS_JOINT", "WEIGHTS_MISSING"]);
        assert!(findings[0].message.contains("hat"));
    }
}

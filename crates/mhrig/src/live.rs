//! A DNA evaluated inside another program, one frame after the other: what a node of a host application stands on.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use mhrig_dna::{rotation_unit, translation_unit};
use mhrig_report::{Finding, Severity};
use mhrig_rig::{Driver, Instance, Rig, RigOptions};

use crate::dna_file::{read_dna, rig_of};

/// Values for the host, in centimetres and radians whatever the file's units are.
///
/// Joint values are packed by kind: one entry for each attribute that can move (or each of all joints, if asked for),
/// ascending by joint and axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveOutputs {
    /// Neutral plus delta, cm.
    pub translations: Vec<f64>,
    /// Euler angles, radians, on top of the neutral orientation.
    pub rotations: Vec<f64>,
    /// Factors.
    pub scales: Vec<f64>,
    /// Weights of blend shape channels.
    pub blend_shapes: Vec<f64>,
    /// Animated map values.
    pub animated_maps: Vec<f64>,
}

/// One character that is evaluated; the rig behind it is shared by all that were opened from the same file.
#[derive(Debug)]
pub struct LiveRig {
    rig: Arc<LoadedRig>,
    instance: Instance,
    all_attributes: bool,
    outputs: LiveOutputs,
}

#[derive(Debug)]
struct LoadedRig {
    rig: Arc<Rig>,
    stamp: Stamp,
    drivers: Vec<Driver>,
    /// Joint × 9 + attribute of what can move at any LOD, ascending.
    variable: Vec<u16>,
    cm: f64,
    findings: Vec<Finding>,
}

/// When a file was written and how long it is: enough to notice that it was built anew.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    written: Option<SystemTime>,
    len: u64,
}

impl Stamp {
    fn of(file: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(file).ok()?;
        Some(Self { written: metadata.modified().ok(), len: metadata.len() })
    }
}

fn loaded(file: &Path) -> Result<Arc<LoadedRig>, Vec<Finding>> {
    static RIGS: Mutex<Option<HashMap<PathBuf, Weak<LoadedRig>>>> = Mutex::new(None);
    let mut rigs = RIGS.lock().unwrap_or_else(PoisonError::into_inner);
    let rigs = rigs.get_or_insert_default();
    let stamp = Stamp::of(file);
    if let Some(known) = rigs.get(file).and_then(Weak::upgrade)
        && Some(&known.stamp) == stamp.as_ref()
    {
        return Ok(known);
    }
    let (dna, _) = read_dna(file).map_err(|finding| vec![finding])?;
    let mut findings = Vec::new();
    let rig = rig_of(file, &dna, &RigOptions::default(), &mut findings)?;
    let cm = if dna.descriptor.translation_unit == translation_unit::M { 100.0 } else { 1.0 };
    debug_assert_eq!(rig.is_radians(), dna.descriptor.rotation_unit == rotation_unit::RADIANS);
    let stamp = stamp.unwrap_or(Stamp { written: None, len: 0 });
    let (drivers, variable) = (rig.drivers(), rig.variable_joint_attributes_of_all_lods());
    let loaded = LoadedRig { drivers, variable, rig: Arc::new(rig), stamp, cm, findings };
    let loaded = Arc::new(loaded);
    rigs.retain(|_, known| known.strong_count() > 0);
    rigs.insert(file.to_owned(), Arc::downgrade(&loaded));
    Ok(loaded)
}

impl LiveRig {
    /// Opens a DNA at rest: controls zero, driver joints unturned. `all_attributes` puts every attribute of every joint
    /// into the outputs instead of those that can move.
    ///
    /// # Errors
    /// What keeps the file from being read or evaluated, as findings.
    pub fn open(file: &Path, all_attributes: bool) -> Result<Self, Vec<Finding>> {
        let rig = loaded(file)?;
        let mut instance = Instance::new(Arc::clone(&rig.rig));
        // Cannot fail: the values are finite and the controls those of this rig.
        let _ = instance.set_drivers_to_rest();
        Ok(Self { rig, instance, all_attributes, outputs: LiveOutputs::default() })
    }

    /// What is odd in the file, but does not stop an evaluation.
    pub fn findings(&self) -> &[Finding] {
        &self.rig.findings
    }

    /// Whether the file at this path is still the one that was opened. A file that went away counts as the same.
    pub fn is_current(&self, file: &Path) -> bool {
        Stamp::of(file).is_none_or(|stamp| stamp == self.rig.stamp)
    }

    /// Number of raw controls.
    pub fn control_count(&self) -> usize {
        self.instance.raw_controls().len()
    }

    /// Number of LODs.
    pub fn lod_count(&self) -> usize {
        self.rig.rig.lod_count()
    }

    /// Names of the joints whose rotation drives raw controls, in the order of [`LiveRig::set_driver`].
    pub fn driver_joints(&self) -> Vec<String> {
        let names = &self.rig.rig.names().joints;
        let name = |driver: &Driver| Some(names.get(driver.joint?.index())?.clone());
        self.rig.drivers.iter().map(|driver| name(driver).unwrap_or_default()).collect()
    }

    /// Sets a raw control; one that the rig does not have, or a value that is not finite, is left out.
    pub fn set_control(&mut self, control: usize, value: f32) {
        if value.is_finite() {
            let _ = self.instance.set_raw_control(control, value);
        }
    }

    /// Turns a driver joint: Euler angles in radians inside its neutral orientation, in the order x, y, z.
    pub fn set_driver(&mut self, driver: usize, angles_rad: [f64; 3]) {
        let Some(driver) = self.rig.drivers.get(driver) else { return };
        let half = angles_rad.map(|angle| (angle * 0.5).sin_cos());
        let [(sx, cx), (sy, cy), (sz, cz)] = half;
        // The product of the rotations about z, y and x.
        let quaternion = [
            sx * cy * cz - cx * sy * sz,
            cx * sy * cz + sx * cy * sz,
            cx * cy * sz - sx * sy * cz,
            cx * cy * cz + sx * sy * sz,
        ];
        let driver = driver.clone();
        let _ = self.instance.set_driver(&driver, quaternion.map(|component| component as f32));
    }

    /// Evaluates at an LOD; one that the rig does not have becomes the coarsest.
    ///
    /// # Errors
    /// A finding when values overflow.
    pub fn evaluate(&mut self, lod: usize) -> Result<&LiveOutputs, Finding> {
        let rig = Arc::clone(&self.rig.rig);
        let lod = lod.min(rig.lod_count().saturating_sub(1));
        if lod != self.instance.lod() {
            // A change of LOD resets driver quaternions.
            let raw = self.instance.raw_controls().to_vec();
            let changed = self.instance.set_lod(lod).and_then(|()| self.instance.set_raw_controls(&raw));
            changed.map_err(|error| overflow(&error.to_string()))?;
        }
        self.instance.calculate().map_err(|error| overflow(&error.to_string()))?;
        let (neutral, deltas) = (rig.neutral(), self.instance.joints());
        let to_rad = if rig.is_radians() { 1.0 } else { std::f64::consts::PI / 180.0 };
        let outputs = &mut self.outputs;
        for values in [&mut outputs.translations, &mut outputs.rotations, &mut outputs.scales] {
            values.clear();
        }
        let mut put = |slot: usize| {
            let delta = f64::from(deltas[slot]);
            match slot % 9 {
                0..3 => outputs.translations.push((f64::from(neutral[slot]) + delta) * self.rig.cm),
                3..6 => outputs.rotations.push(delta * to_rad),
                _ => outputs.scales.push(1.0 + delta),
            }
        };
        if self.all_attributes {
            (0..deltas.len()).for_each(&mut put);
        } else {
            // Those of all LODs: the connections of a scene do not change with the LOD.
            self.rig.variable.iter().for_each(|&slot| put(usize::from(slot)));
        }
        outputs.blend_shapes.clear();
        outputs.blend_shapes.extend(self.instance.blend_shapes().iter().map(|&weight| f64::from(weight)));
        outputs.animated_maps.clear();
        outputs.animated_maps.extend(self.instance.animated_maps().iter().map(|&value| f64::from(value)));
        Ok(&self.outputs)
    }
}

fn overflow(error: &str) -> Finding {
    let remedy = "set the controls to values that the rig was made for, 0 to 1";
    Finding::new("NOT_FINITE", Severity::Error, "evaluation", error.to_owned(), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_named() {
        let findings = LiveRig::open(Path::new("/no/such/head.dna"), false).map(drop).unwrap_err();
        assert_eq!(findings[0].code, "DNA_UNREADABLE");
        assert!(findings[0].place.contains("head.dna"));
    }
}

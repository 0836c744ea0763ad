use std::sync::Arc;

use fearless_simd::dispatch;

use crate::linear_joints::LinearScratch;
use crate::operations::{MlTurn, OperationResults, turned};
use crate::rbf::RbfScratch;
use crate::{EvaluationError, Rig, RotationOutput, Semantics};

/// The state of one character: control values in, joints, blend shapes and animated maps out.
///
/// An evaluation allocates nothing. Values stay from one evaluation to the next, and some are read by the next
/// (a network or an RBF pose that reads a corrective sees that of the frame before), so frames of a clip belong
/// on one instance, in order.
#[derive(Clone, Debug)]
pub struct Instance {
    rig: Arc<Rig>,
    lod: usize,
    gui: Vec<f32>,
    controls: Vec<f32>,
    clamped: Vec<f32>,
    masks: Vec<f32>,
    joints: Vec<f32>,
    blend_shapes: Vec<f32>,
    animated_maps: Vec<f32>,
    linear_scratch: LinearScratch,
    network_scratch: [Vec<f32>; 2],
    rbf_scratch: RbfScratch,
    operation_results: OperationResults,
}

impl Instance {
    /// An instance at rest, at LOD 0.
    pub fn new(rig: Arc<Rig>) -> Self {
        let names = &rig.names;
        let network_width = rig.networks.scratch_len();
        let mut instance = Self {
            lod: 0,
            gui: vec![0.0; names.gui_controls.len()],
            controls: vec![0.0; rig.layout.len()],
            clamped: vec![0.0; rig.layout.len() + 1],
            masks: vec![1.0; rig.networks.len()],
            joints: vec![0.0; names.joints.len() * rig.joint_stride()],
            blend_shapes: vec![0.0; names.blend_shape_channels.len()],
            animated_maps: vec![0.0; names.animated_maps.len()],
            linear_scratch: rig.linear.scratch(),
            network_scratch: [vec![0.0; network_width], vec![0.0; network_width]],
            rbf_scratch: rig.rbf.scratch(),
            operation_results: rig.operations.results(),
            rig,
        };
        instance.reset();
        instance
    }

    /// The rig that this is an instance of.
    pub fn rig(&self) -> &Arc<Rig> {
        &self.rig
    }

    /// Goes back to the state of a new instance.
    pub fn reset(&mut self) {
        self.lod = 0;
        self.gui.fill(0.0);
        self.controls.fill(0.0);
        self.masks.fill(1.0);
        self.reset_lod();
    }

    /// The LOD that is evaluated.
    pub fn lod(&self) -> usize {
        self.lod
    }

    /// Changes the LOD. A change puts everything but GUI values, raw controls and masks back to rest, and the w of
    /// driver quaternions to 1: set raw controls after it.
    ///
    /// # Errors
    /// [`EvaluationError::Lod`] for an LOD that the rig does not have; a rig for comparisons takes the coarsest.
    pub fn set_lod(&mut self, lod: usize) -> Result<(), EvaluationError> {
        let count = self.rig.lod_count;
        if lod >= count && !self.rig.options.compat {
            return Err(EvaluationError::Lod { found: lod, count });
        }
        if lod != self.lod {
            self.reset_lod();
            self.lod = lod.min(count - 1);
        }
        Ok(())
    }

    fn reset_lod(&mut self) {
        self.controls[self.rig.layout.raw_count..].fill(0.0);
        for &control in &self.rig.ones {
            self.controls[control] = 1.0;
        }
        self.rig.reset_joints(&mut self.joints);
        self.blend_shapes.fill(0.0);
        self.animated_maps.fill(0.0);
        self.operation_results.reset();
    }

    /// GUI control values.
    pub fn gui_controls(&self) -> &[f32] {
        &self.gui
    }

    /// Sets all GUI controls. They have no effect before [`Instance::map_gui_to_raw`].
    ///
    /// # Errors
    /// When the number of values is wrong, or one is not finite (allowed in a rig for comparisons).
    pub fn set_gui_controls(&mut self, values: &[f32]) -> Result<(), EvaluationError> {
        check("GUI controls", &self.rig.names.gui_controls, values, self.rig.options.compat)?;
        self.gui.copy_from_slice(values);
        Ok(())
    }

    /// Sets one GUI control.
    ///
    /// # Errors
    /// When there is no such control, or the value is not finite.
    pub fn set_gui_control(&mut self, control: usize, value: f32) -> Result<(), EvaluationError> {
        let names = &self.rig.names.gui_controls;
        set("GUI control", names, &mut self.gui, control, value, self.rig.options.compat)
    }

    /// Computes all raw controls from the GUI controls; one that no row of the table names becomes 0.
    pub fn map_gui_to_raw(&mut self) {
        let raw = &mut self.controls[..self.rig.layout.raw_count];
        if self.rig.has_gui_mapping() {
            self.rig.gui_to_raw.evaluate(&self.gui, raw, usize::MAX);
        } else {
            raw.fill(0.0);
        }
    }

    /// Computes GUI controls that give the present raw controls, as far as there are any.
    pub fn map_raw_to_gui(&mut self) {
        self.rig.gui_to_raw.reverse(&self.controls[..self.rig.layout.raw_count], &mut self.gui);
    }

    /// Raw control values.
    pub fn raw_controls(&self) -> &[f32] {
        &self.controls[self.rig.layout.raw()]
    }

    /// Sets all raw controls.
    ///
    /// # Errors
    /// When the number of values is wrong, or one is not finite (allowed in a rig for comparisons).
    pub fn set_raw_controls(&mut self, values: &[f32]) -> Result<(), EvaluationError> {
        check("raw controls", &self.rig.names.raw_controls, values, self.rig.options.compat)?;
        self.controls[..values.len()].copy_from_slice(values);
        Ok(())
    }

    /// Sets one raw control.
    ///
    /// # Errors
    /// When there is no such control, or the value is not finite.
    pub fn set_raw_control(&mut self, control: usize, value: f32) -> Result<(), EvaluationError> {
        let raw = &mut self.controls[..self.rig.layout.raw_count];
        set("raw control", &self.rig.names.raw_controls, raw, control, value, self.rig.options.compat)
    }

    /// Scales the output of one network; 0 leaves it out.
    ///
    /// # Errors
    /// When there is no such network, or the value is not finite.
    pub fn set_network_mask(&mut self, network: usize, value: f32) -> Result<(), EvaluationError> {
        let limit = self.masks.len();
        let mask = self.masks.get_mut(network);
        let mask = mask.ok_or(EvaluationError::Index { what: "network", found: network, limit })?;
        if !value.is_finite() && !self.rig.options.compat {
            return Err(EvaluationError::NotFinite {
                control: format!("the mask of network {network}"),
                value,
            });
        }
        *mask = value;
        Ok(())
    }

    /// Scales the output of the networks of a region of a mesh. By the newer semantics a network obeys the first
    /// region that lists it, by the older ones the last that was set.
    ///
    /// # Errors
    /// When there is no such region, or the value is not finite.
    pub fn set_region_mask(&mut self, mesh: usize, region: usize, value: f32) -> Result<(), EvaluationError> {
        let rig = Arc::clone(&self.rig);
        let networks = rig.networks.of_region(mesh, region);
        let networks =
            networks.ok_or(EvaluationError::Index { what: "mesh region", found: region, limit: 0 })?;
        for &network in networks {
            let obeys = rig.options.semantics == Semantics::V10_3
                || rig.networks.first_region(network) == Some((mesh, region));
            if obeys {
                self.set_network_mask(network, value)?;
            }
        }
        Ok(())
    }

    /// Evaluates the rig at the present controls.
    ///
    /// # Errors
    /// [`EvaluationError::NotFiniteOutput`] when values overflowed; the outputs then hold them. Never in a rig for
    /// comparisons.
    pub fn calculate(&mut self) -> Result<(), EvaluationError> {
        let rig = &*self.rig;
        let (controls, scratch) = (&mut self.controls, &mut self.network_scratch);
        if rig.operations.is_empty() {
            rig.networks.evaluate(self.lod, &self.masks, controls, scratch);
        } else {
            let (networks, results) = (&rig.networks, &mut self.operation_results);
            rig.operations.evaluate(self.lod, networks, &self.masks, controls, scratch, results);
        }
        rig.rbf.evaluate(self.lod, &mut self.controls, &mut self.rbf_scratch);
        let (psd_base, controls) = (rig.layout.psds().start, &mut self.controls);
        dispatch!(rig.level, _simd => rig.psds.evaluate(self.lod, psd_base, controls, &mut self.clamped));
        self.calculate_joints();
        let rig = &*self.rig;
        rig.channels.evaluate(self.lod, &self.controls, &mut self.blend_shapes);
        rig.maps.evaluate(&self.controls, &mut self.animated_maps, rig.map_rows_of_lod[self.lod]);
        if rig.options.compat { Ok(()) } else { self.check_outputs() }
    }

    fn calculate_joints(&mut self) {
        let rig = &*self.rig;
        let (lod, controls, joints) = (self.lod, &self.controls, &mut self.joints);
        let converts = rig.options.rotation_output == RotationOutput::Quaternion;
        let is_stale = rig.options.compat && rig.options.semantics == Semantics::V10_3;
        if !rig.ml_joints.is_empty() {
            // Their values are added to what is there.
            rig.reset_joints(joints);
        }
        if converts && !is_stale {
            // Rotation axes without a row have to be zero angles, not what the last conversion left there.
            for &joint in &rig.converted[lod] {
                let start = usize::from(joint) * 10 + 3;
                joints[start..start + 3].fill(0.0);
            }
        }
        let after_group = |group: usize, joints: &mut [f32]| {
            if converts && is_stale {
                for &joint in &rig.converted_by_group[group][lod] {
                    rig.convert_rotation(joints, joint);
                }
            }
        };
        rig.linear.evaluate(rig.level, lod, controls, &mut self.linear_scratch, joints, after_group);
        if converts && !is_stale {
            for &joint in &rig.converted[lod] {
                rig.convert_rotation(joints, joint);
            }
        }
        rig.quaternions
            .evaluate(lod, controls, |joint, rotation| rig.write_rotation(joints, joint, rotation));
        let identity_for_zero = !rig.options.compat;
        rig.twist_swings.evaluate(controls, identity_for_zero, |joint, rotation| {
            rig.write_rotation(joints, joint, rotation)
        });
        for delta in rig.ml_joints.deltas(lod, controls) {
            let first = delta.joint * rig.joint_stride();
            let last = first + rig.joint_stride() - 3;
            for axis in 0..3 {
                joints[first + axis] += delta.translation[axis];
                joints[last + axis] += delta.scale[axis];
            }
            match delta.rotation {
                MlTurn::None => {}
                MlTurn::Euler(angles) if !converts => {
                    for axis in 0..3 {
                        joints[first + 3 + axis] += angles[axis];
                    }
                }
                MlTurn::Euler(angles) => {
                    let rotation = rig.read_rotation(joints, delta.joint);
                    let turn = rig.angles.to_quaternion(angles);
                    rig.write_rotation(joints, delta.joint, turned(rotation, turn));
                }
                MlTurn::Quaternion(turn) => {
                    let rotation = rig.read_rotation(joints, delta.joint);
                    rig.write_rotation(joints, delta.joint, turned(rotation, turn));
                }
            }
        }
    }

    fn check_outputs(&self) -> Result<(), EvaluationError> {
        let outputs = [&self.controls, &self.joints, &self.blend_shapes, &self.animated_maps];
        if dispatch!(self.rig.level, _simd => outputs.into_iter().all(|values| all_finite(values))) {
            return Ok(());
        }
        let names = &self.rig.names;
        let mut first = None;
        let mut count = 0;
        let mut look = |values: &[f32], name: &dyn Fn(usize) -> String| {
            for (at, value) in values.iter().enumerate().filter(|(_, value)| !value.is_finite()) {
                count += 1;
                first.get_or_insert_with(|| format!("{} = {value}", name(at)));
            }
        };
        look(&self.controls, &|at| format!("control {at}"));
        look(&self.joints, &|at| self.rig.slot_name(at));
        look(&self.blend_shapes, &|at| names.blend_shape_channels[at].clone());
        look(&self.animated_maps, &|at| names.animated_maps[at].clone());
        Err(EvaluationError::NotFiniteOutput { first: first.unwrap_or_default(), count })
    }

    /// The whole control space, see [`ControlLayout`](crate::ControlLayout).
    pub fn controls(&self) -> &[f32] {
        &self.controls
    }

    /// Correctives.
    pub fn psds(&self) -> &[f32] {
        &self.controls[self.rig.layout.psds()]
    }

    /// Controls that networks wrote.
    pub fn ml_controls(&self) -> &[f32] {
        &self.controls[self.rig.layout.ml()]
    }

    /// Controls that RBF poses wrote.
    pub fn rbf_controls(&self) -> &[f32] {
        &self.controls[self.rig.layout.rbf()]
    }

    /// Joint deltas, [`Rig::joint_stride`] per joint: translation in the file's unit, rotation as the options ask
    /// (Euler angles in the file's unit), scale as an offset from 1.
    pub fn joints(&self) -> &[f32] {
        &self.joints
    }

    /// Weights of blend shape channels.
    pub fn blend_shapes(&self) -> &[f32] {
        &self.blend_shapes
    }

    /// Animated map values, 0 to 1.
    pub fn animated_maps(&self) -> &[f32] {
        &self.animated_maps
    }
}

/// Whether all of `values` are finite, in a form that the compiler turns into vector code.
#[inline(always)]
fn all_finite(values: &[f32]) -> bool {
    const EXPONENT: u32 = 0x7f80_0000;
    !values.iter().fold(false, |found, value| found | (value.to_bits() & EXPONENT == EXPONENT))
}

fn check(
    what: &'static str,
    names: &[String],
    values: &[f32],
    allows_any: bool,
) -> Result<(), EvaluationError> {
    if values.len() != names.len() {
        return Err(EvaluationError::Length { what, expected: names.len(), found: values.len() });
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(at) if !allows_any => {
            Err(EvaluationError::NotFinite { control: names[at].clone(), value: values[at] })
        }
        _ => Ok(()),
    }
}

fn set(
    what: &'static str,
    names: &[String],
    values: &mut [f32],
    control: usize,
    value: f32,
    allows_any: bool,
) -> Result<(), EvaluationError> {
    let limit = names.len();
    let (Some(slot), Some(name)) = (values.get_mut(control), names.get(control)) else {
        return Err(EvaluationError::Index { what, found: control, limit });
    };
    if !value.is_finite() && !allows_any {
        return Err(EvaluationError::NotFinite { control: name.clone(), value });
    }
    *slot = value;
    Ok(())
}

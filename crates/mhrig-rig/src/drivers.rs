use mhrig_geom::JointId;

use crate::{EvaluationError, Instance, Rig};

/// Four raw controls that hold the rotation of a driver joint, and that joint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// Raw controls x, y, z, w: the joint's rotation inside its neutral orientation.
    pub controls: [u16; 4],
    /// The joint that the controls are named after, if the rig has it.
    pub joint: Option<JointId>,
}

impl Rig {
    /// Driver quaternions: raw controls that RBF solvers or twist and swing setups read four at a time, or that are
    /// named `joint.x` to `joint.w` or `joint.qx` to `joint.qw`; in the order of their first control.
    pub fn drivers(&self) -> Vec<Driver> {
        let mut found: Vec<[u16; 4]> = Vec::new();
        for solver in self.rbf.solvers().iter().filter(|solver| solver.reads_rotations()) {
            found.extend(solver.inputs().as_chunks::<4>().0);
        }
        let raw_count = self.layout.raw_count;
        found.extend(
            self.twist_swings.inputs().filter(|inputs| inputs.iter().all(|&c| usize::from(c) < raw_count)),
        );
        let names = &self.names.raw_controls;
        for (control, name) in names.iter().enumerate() {
            for components in [["x", "y", "z", "w"], ["qx", "qy", "qz", "qw"]] {
                let Some(stem) = name.strip_suffix(components[0]).filter(|stem| stem.ends_with('.')) else {
                    continue;
                };
                let own = names[control..].iter().take(4).map(|name| name.strip_prefix(stem));
                if own.eq(components.map(Some)) {
                    found.push(std::array::from_fn(|offset| (control + offset) as u16));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        let joint = |controls: &[u16; 4]| {
            let stem = names[usize::from(controls[0])].rsplit_once('.')?.0;
            self.names.joints.iter().position(|joint| joint == stem).map(|joint| JointId(joint as u16))
        };
        found.into_iter().map(|controls| Driver { joint: joint(&controls), controls }).collect()
    }
}

impl Instance {
    /// Sets a driver to a rotation, `[x, y, z, w]`.
    ///
    /// # Errors
    /// When a component is not finite.
    pub fn set_driver(&mut self, driver: &Driver, rotation: [f32; 4]) -> Result<(), EvaluationError> {
        for (&control, value) in driver.controls.iter().zip(rotation) {
            self.set_raw_control(usize::from(control), value)?;
        }
        Ok(())
    }

    /// Sets every driver to no rotation, which is where an assembled rig stands at rest.
    ///
    /// # Errors
    /// None in practice.
    pub fn set_drivers_to_rest(&mut self) -> Result<(), EvaluationError> {
        for driver in self.rig().drivers() {
            self.set_driver(&driver, [0.0, 0.0, 0.0, 1.0])?;
        }
        Ok(())
    }
}

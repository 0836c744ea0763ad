use mhrig_dna::{TwistSwing, TwistSwingBehavior};

use crate::checks::Checks;
use crate::euler::{IDENTITY, Quat, inverse, multiply, normalize, slerp};
use crate::layout::ControlLayout;

/// Shares of a driver's swing and twist on output joints (riglogic.md 10).
#[derive(Clone, Debug, Default)]
pub(crate) struct TwistSwings {
    setups: Vec<Setup>,
}

#[derive(Clone, Debug)]
struct Setup {
    inputs: [u16; 4],
    /// Component of a quaternion.
    axis: usize,
    swing: Option<Outputs>,
    twists: Vec<Outputs>,
}

#[derive(Clone, Debug)]
struct Outputs {
    /// Joint, and how much of the rotation is taken away.
    joints: Vec<(u16, f32)>,
}

impl TwistSwings {
    pub(crate) fn new(
        checks: &mut Checks,
        behavior: &TwistSwingBehavior,
        layout: &ControlLayout,
        joint_count: usize,
    ) -> Self {
        let mut setups: Vec<Setup> = Vec::new();
        for (s, swing) in behavior.swings.iter().enumerate() {
            let path = format!("twsw.swings[{s}]");
            if let Some((inputs, axis, outputs)) = read(checks, &path, "swing", swing, layout, joint_count) {
                setups.push(Setup { inputs, axis, swing: Some(outputs), twists: Vec::new() });
            }
        }
        for (t, twist) in behavior.twists.iter().enumerate() {
            let path = format!("twsw.twists[{t}]");
            let Some((inputs, axis, outputs)) = read(checks, &path, "twist", twist, layout, joint_count)
            else {
                continue;
            };
            let attached = setups.iter_mut().find(|setup| setup.swing.is_some() && setup.inputs == inputs);
            match attached {
                Some(setup) => {
                    if !setup.twists.is_empty() {
                        let message =
                            "a second twist on the controls of one swing; the reference mixes them up";
                        checks.warn("TWIST_TWICE", path, message, "join the two twists into one");
                    }
                    setup.twists.push(outputs);
                }
                None => setups.push(Setup { inputs, axis, swing: None, twists: vec![outputs] }),
            }
        }
        Self { setups }
    }

    /// Joints that are turned, and the controls that turn them.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = [u16; 4]> + '_ {
        self.setups.iter().map(|setup| setup.inputs)
    }

    /// Joints that are turned.
    pub(crate) fn joints(&self) -> impl Iterator<Item = u16> + '_ {
        let outputs = self.setups.iter().flat_map(|setup| setup.swing.iter().chain(&setup.twists));
        outputs.flat_map(|outputs| outputs.joints.iter().map(|&(joint, _)| joint))
    }

    /// Calls `write` with each output joint and its rotation; `identity_for_zero` makes a driver of zero length
    /// count as no rotation, where the reference gives NaN.
    pub(crate) fn evaluate(
        &self,
        controls: &[f32],
        identity_for_zero: bool,
        mut write: impl FnMut(usize, Quat),
    ) {
        for setup in &self.setups {
            let mut driver: Quat = setup.inputs.map(|input| controls[usize::from(input)]);
            if identity_for_zero && is_zero(driver) {
                driver = IDENTITY;
            }
            let twist = twist_of(driver, setup.axis);
            let base = if let Some(swing) = &setup.swing {
                let base = inverse(twist);
                let away = inverse(multiply(driver, base));
                for &(joint, weight) in &swing.joints {
                    write(usize::from(joint), multiply(base, slerp(away, IDENTITY, weight)));
                }
                base
            } else {
                twist
            };
            for outputs in &setup.twists {
                for &(joint, weight) in &outputs.joints {
                    write(usize::from(joint), slerp(base, IDENTITY, weight));
                }
            }
        }
    }
}

/// Whether a driver has no length to speak of.
pub(crate) fn is_zero(q: Quat) -> bool {
    q.iter().all(|c| c.abs() < 1e-12)
}

/// The part of `q` that turns about an axis; the identity where there is none.
fn twist_of(q: Quat, axis: usize) -> Quat {
    if q[axis] == 0.0 && q[3] == 0.0 {
        return IDENTITY;
    }
    let mut twist = [0.0, 0.0, 0.0, q[3]];
    twist[axis] = q[axis];
    normalize(twist)
}

fn read(
    checks: &mut Checks,
    path: &str,
    kind: &str,
    setup: &TwistSwing,
    layout: &ControlLayout,
    joint_count: usize,
) -> Option<([u16; 4], usize, Outputs)> {
    let inputs = &setup.input_control_indices;
    let joints = &setup.output_joint_indices;
    let mut is_good = checks.length(|| format!("{path}.{kind}InputControlIndices"), 4, inputs.len());
    is_good &=
        checks.indices(|| format!("{path}.{kind}InputControlIndices"), inputs, layout.len(), "control");
    is_good &= checks.indices(|| format!("{path}.{kind}OutputJointIndices"), joints, joint_count, "joint");
    is_good &=
        checks.length(|| format!("{path}.{kind}BlendWeights"), joints.len(), setup.blend_weights.len());
    is_good &= checks.finite(|| format!("{path}.{kind}BlendWeights"), &setup.blend_weights);
    let axis = checks.choice(|| format!("{path}.twistAxis"), setup.twist_axis, &[0usize, 1, 2])?;
    let inputs = <[u16; 4]>::try_from(inputs.as_slice()).ok().filter(|_| is_good)?;
    let joints = joints.iter().copied().zip(setup.blend_weights.iter().copied()).collect();
    Some((inputs, axis, Outputs { joints }))
}

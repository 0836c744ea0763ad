//! Eye aims and drivers, and what goes with the head.
//!
//! The eyes' sliders do not reach the raw controls directly: they turn `LOC_L_eyeDriver` and `LOC_R_eyeDriver`, which
//! the aims can turn as well; the drivers' rotation becomes slider values again, and those go through the DNA's own
//! rows. So a look is one thing, whoever gives it.

use mhrig_scene::{
    Connection, Constraint, ConstraintKind, ConstraintTarget, CurveOutput, DrivenCurve, Plug, RigScene,
    Shape, TransformNode, UtilityKind, UtilityNode, place_of,
};
use nalgebra::Vector3;

use super::names::{self, Namespace, SIDES};

/// How far a slider at its end turns an eye, degrees: up, down, to a side.
const UP_DEG: f64 = 30.0;
const DOWN_DEG: f64 = 40.0;
const SIDE_DEG: f64 = 40.0;

/// Distances in front of and above an eye, in distances between the eyes.
const AIM_DISTANCE: f64 = 8.0;
const UP_DISTANCE: f64 = 2.0;
const AIM_SIZE: f64 = 0.25;

const AIM_COLORS: [u8; 2] = [6, 13];
const CENTRE_COLOR: u8 = 17;

/// What the eyes need to know: places in the upright frame of the rigging group.
pub(super) struct EyePlaces {
    /// Name of the joint that the drivers go with.
    pub(super) leader: String,
    pub(super) leader_at: Vector3<f64>,
    /// Left and right eye joint.
    pub(super) eyes: [Vector3<f64>; 2],
}

/// The plug that stands for a slider of an eye.
pub(super) struct EyePlug {
    /// The slider, such as `CTRL_L_eye.translateX`.
    pub(super) slider: Plug,
    /// What to read in its place.
    pub(super) plug: Plug,
}

fn connect(scene: &mut RigScene, from: Plug, to: Plug) {
    scene.connections.push(Connection { from, to });
}

/// Builds the eye setup and returns what stands for the eyes' sliders.
pub(super) fn add_eyes(
    scene: &mut RigScene,
    places: &EyePlaces,
    group: &str,
    namespace: &Namespace,
    both_eyes: bool,
) -> Vec<EyePlug> {
    let [left, right] = places.eyes;
    let apart = (left - right).norm().max(1.0);
    let middle = (left + right) / 2.0;
    let front = Vector3::new(0.0, 0.0, AIM_DISTANCE * apart);
    let size = AIM_SIZE * apart;
    let drivers = namespace.of(names::EYE_DRIVERS);
    scene.transforms.push(
        TransformNode::group(drivers.clone(), Some(group))
            .at(places.leader_at.into())
            .with_shape(Shape::Locator { size }),
    );
    let aims = namespace.of(names::EYES_AIM);
    scene.transforms.push(TransformNode::group(aims.clone(), Some(group)).at((middle + front).into()));
    let control = namespace.of(names::EYES_AIM_CONTROL);
    scene.transforms.push(
        TransformNode::group(control.clone(), Some(&aims))
            .with_shape(Shape::Curve { points: ring(apart) })
            .with_color(CENTRE_COLOR)
            .with_locked(["rotateX", "rotateY", "rotateZ", "scaleX", "scaleY", "scaleZ", "visibility"]),
    );
    let mut plugs = Vec::new();
    for (number, side) in SIDES.into_iter().enumerate() {
        let eye = places.eyes[number];
        let driver = namespace.of(format!("LOC_{side}_eyeDriver"));
        let up = namespace.of(format!("LOC_{side}_eyeAimUp"));
        let from_leader = eye - places.leader_at;
        scene.transforms.push(
            TransformNode::group(driver.clone(), Some(&drivers))
                .at(from_leader.into())
                .with_shape(Shape::Locator { size }),
        );
        let line = TransformNode {
            is_template: true,
            ..TransformNode::group(namespace.of(names::look_direction(side)), Some(&driver))
                .with_shape(Shape::Curve { points: vec![[0.0; 3], front.into()] })
                .with_color(AIM_COLORS[number])
        };
        scene.transforms.push(line);
        let above = from_leader + Vector3::new(0.0, UP_DISTANCE * apart, 0.0);
        scene.transforms.push(
            TransformNode::group(up.clone(), Some(&drivers))
                .at(above.into())
                .with_shape(Shape::Locator { size }),
        );
        let aim_group = namespace.of(format!("GRP_{side}_eyeAim"));
        let aim = namespace.of(format!("CTRL_{side}_eyeAim"));
        let offset = eye - middle;
        scene.transforms.push(TransformNode::group(aim_group.clone(), Some(&control)).at(offset.into()));
        scene.transforms.push(
            TransformNode::group(aim.clone(), Some(&aim_group))
                .with_shape(Shape::Curve { points: ring(apart / 4.0) })
                .with_color(AIM_COLORS[number])
                .with_locked(["rotateX", "rotateY", "rotateZ", "scaleX", "scaleY", "scaleZ", "visibility"]),
        );
        // Both aims meet in the middle when the switch is on.
        let converge = namespace.of(format!("GRP_{side}_eyeAim_translateX"));
        scene.curves.push(DrivenCurve {
            name: converge.clone(),
            output: CurveOutput::Length,
            keys: vec![[0.0, offset.x], [1.0, 0.0]],
        });
        let switch = Plug::new(namespace.of(names::CONVERGENCE_SWITCH), "translateY");
        connect(scene, switch, Plug::new(&*converge, "input"));
        connect(scene, Plug::new(&*converge, "output"), Plug::new(&*aim_group, "translateX"));

        let constraint = format!("{driver}_aimConstraint1");
        scene.constraints.push(Constraint {
            name: constraint.clone(),
            node: driver.clone(),
            kind: ConstraintKind::Aim { aim: [0.0, 0.0, 1.0], up: [0.0, 1.0, 0.0], up_object: up },
            targets: vec![target(aim)],
        });
        plugs.extend(add_driver(scene, side, &driver, &constraint, namespace, both_eyes));
    }
    follow(scene, &drivers, &places.leader);
    plugs
}

/// The blend of slider and aim at one driver, and the slider values that follow from it.
fn add_driver(
    scene: &mut RigScene,
    side: &str,
    driver: &str,
    constraint: &str,
    namespace: &Namespace,
    both_eyes: bool,
) -> [EyePlug; 2] {
    let blend = format!("{driver}_pairBlend");
    let utility =
        |name: &str, kind, values: Vec<(String, f64)>| UtilityNode { name: name.to_owned(), kind, values };
    scene.utilities.push(utility(&blend, UtilityKind::PairBlend, Vec::new()));
    let switch = Plug::new(namespace.of(names::LOOK_AT_SWITCH), "translateY");
    connect(scene, switch, Plug::new(&*blend, "weight"));
    for axis in ["X", "Y", "Z"] {
        let from = Plug::new(constraint, format!("constraintRotate{axis}"));
        connect(scene, from, Plug::new(&*blend, format!("inRotate{axis}2")));
        let out = Plug::new(&*blend, format!("outRotate{axis}"));
        connect(scene, out, Plug::new(driver, format!("rotate{axis}")));
    }
    let control = namespace.of(names::eye_control(side));
    // A look up is a turn about -x, one to the left about +y.
    let looks = [
        ("Y", "X", vec![[-1.0, DOWN_DEG], [0.0, 0.0], [1.0, -UP_DEG]]),
        ("X", "Y", vec![[-1.0, -SIDE_DEG], [1.0, SIDE_DEG]]),
    ];
    looks.map(|(slider_axis, axis, keys)| {
        let slider = Plug::new(&*control, format!("translate{slider_axis}"));
        let mut source = slider.clone();
        if both_eyes {
            let sum = format!("{control}_translate{slider_axis}_sum");
            scene.utilities.push(utility(&sum, UtilityKind::BlendWeighted, Vec::new()));
            connect(scene, source, Plug::new(&*sum, "input[0]"));
            let both = Plug::new(namespace.of(names::BOTH_EYES), format!("translate{slider_axis}"));
            connect(scene, both, Plug::new(&*sum, "input[1]"));
            source = Plug::new(&*sum, "output");
        }
        let board = format!("{driver}_rotate{axis}");
        let back: Vec<[f64; 2]> = keys.iter().map(|&[slider, angle]| [angle, slider]).collect();
        scene.curves.push(DrivenCurve { name: board.clone(), output: CurveOutput::Angle, keys });
        connect(scene, source, Plug::new(&*board, "input"));
        connect(scene, Plug::new(&*board, "output"), Plug::new(&*blend, format!("inRotate{axis}1")));

        let degrees = format!("{driver}_rotate{axis}_degrees");
        let factor = vec![("conversionFactor".to_owned(), 180.0 / std::f64::consts::PI)];
        scene.utilities.push(utility(&degrees, UtilityKind::UnitConversion, factor));
        connect(scene, Plug::new(driver, format!("rotate{axis}")), Plug::new(&*degrees, "input"));
        let look = format!("{driver}_look{slider_axis}");
        let mut back = back;
        back.sort_by(|a, b| a[0].total_cmp(&b[0]));
        scene.curves.push(DrivenCurve { name: look.clone(), output: CurveOutput::Number, keys: back });
        connect(scene, Plug::new(&*degrees, "output"), Plug::new(&*look, "input"));
        EyePlug { slider, plug: Plug::new(look, "output") }
    })
}

fn target(node: String) -> ConstraintTarget {
    ConstraintTarget { node, weight: 1.0, offset_translate: [0.0; 3], offset_rotate: [0.0; 3] }
}

/// Makes `node` go with a joint, from where it is. The offset is found when the scene is complete.
fn follow(scene: &mut RigScene, node: &str, joint: &str) {
    let constraint = format!("{node}_parentConstraint1");
    scene.constraints.push(Constraint {
        name: constraint.clone(),
        node: node.to_owned(),
        kind: ConstraintKind::Parent,
        targets: vec![target(joint.to_owned())],
    });
    drive_place(scene, &constraint, node);
}

/// Makes `node` go with the head while `switch` is 1, and stay in the world while it is 0.
pub(super) fn follow_head(scene: &mut RigScene, node: &str, head: &str, switch: &str, namespace: &Namespace) {
    let constraint = format!("{node}_parentConstraint1");
    let world = namespace.of(names::WORLD);
    let mut targets = vec![target(head.to_owned()), target(world)];
    targets[0].weight = 0.0;
    scene.constraints.push(Constraint {
        name: constraint.clone(),
        node: node.to_owned(),
        kind: ConstraintKind::Parent,
        targets,
    });
    let weights = [0, 1].map(|target| {
        scene.constraints.last().map(|constraint| constraint.weight_attribute(target)).unwrap_or_default()
    });
    let switch_plug = Plug::new(namespace.of(switch), "translateY");
    let reverse = format!("{node}_stays");
    scene.utilities.push(UtilityNode {
        name: reverse.clone(),
        kind: UtilityKind::Reverse,
        values: Vec::new(),
    });
    let [to_head, to_world] = weights;
    connect(scene, switch_plug.clone(), Plug::new(&*constraint, to_head));
    connect(scene, switch_plug, Plug::new(&*reverse, "inputX"));
    connect(scene, Plug::new(&*reverse, "outputX"), Plug::new(&*constraint, to_world));
    drive_place(scene, &constraint, node);
}

fn drive_place(scene: &mut RigScene, constraint: &str, node: &str) {
    for attribute in ["Translate", "Rotate"] {
        for axis in ["X", "Y", "Z"] {
            let from = Plug::new(constraint, format!("constraint{attribute}{axis}"));
            let to = Plug::new(node, format!("{}{axis}", attribute.to_lowercase()));
            connect(scene, from, to);
        }
    }
}

/// Fills in the offsets of all parent constraints, so that at rest every node is where it is.
pub(super) fn settle_offsets(scene: &mut RigScene) {
    let mut constraints = std::mem::take(&mut scene.constraints);
    let world = scene.rest_world();
    for constraint in constraints.iter_mut().filter(|c| c.kind == ConstraintKind::Parent) {
        let Some(node) = world.get(constraint.node.as_str()) else { continue };
        for target in &mut constraint.targets {
            let Some(inverse) = world.get(target.node.as_str()).and_then(|world| world.try_inverse()) else {
                continue;
            };
            (target.offset_translate, target.offset_rotate) = place_of(&(inverse * node));
        }
    }
    drop(world);
    scene.constraints = constraints;
}

/// An octagon in the plane that faces the reader.
fn ring(radius: f64) -> Vec<[f64; 3]> {
    (0..=8)
        .map(|step| {
            let (sin, cos) = (f64::from(step % 8) * std::f64::consts::FRAC_PI_4).sin_cos();
            // Seven digits are more than a drawing needs, and the same on every machine.
            [cos, sin].map(|c| (c * radius * 1e4).round() / 1e4)
        })
        .map(|[x, y]| [x, y, 0.0])
        .collect()
}

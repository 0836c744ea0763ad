//! The face board: a control per slider of the DNA, laid out by region of the face, the character's left on the left
//! of the character.

use std::collections::BTreeMap;

use mhrig_scene::{CustomAttribute, Limit, Shape, TransformNode};

use super::names::{self, Namespace};

/// A control of the board, and the ranges of its attributes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BoardControl {
    /// Name without namespace.
    pub(super) name: String,
    /// Long names of attributes with their limits.
    pub(super) attributes: BTreeMap<String, Limit>,
}

/// Regions from the top of the board to its bottom, by the word after the side in the name of a control.
const REGIONS: [&str; 11] =
    ["switches", "brow", "eye", "eyelashes", "ear", "nose", "mouth", "tongue", "teeth", "jaw", "neck"];
/// Where a control of no known region stands.
const OTHER: &str = "other";

/// Sizes in units of a slider: a slider runs from 0 to 1.
const CELL_WIDTH: f64 = 4.2;
const CELL_HEIGHT: f64 = 3.4;
const REGION_GAP: f64 = 0.8;
/// Between the two columns in the middle, in cells; and from the middle to the first column of a side.
const CENTRE_STEP: f64 = 1.25;
const FIRST_COLUMN: f64 = 1.75;
/// Columns of each side: as few as keep the board from being much higher than wide.
const WING_COLUMNS: std::ops::RangeInclusive<usize> = 3..=8;
const MOST_HEIGHT_PER_WIDTH: f64 = 1.5;
const KNOB: f64 = 0.18;

/// Index colours of a host: the character's left, right, and centre.
const LEFT_COLOR: u8 = 6;
const RIGHT_COLOR: u8 = 13;
const CENTRE_COLOR: u8 = 17;
const FRAME_COLOR: u8 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Centre,
}

/// `CTRL_L_brow_down` is the control `down` of the left brow.
fn side_and_region(name: &str) -> (Side, &str) {
    let mut words = name.split('_').skip(1);
    let first = words.next().unwrap_or_default();
    let (side, region) = match first {
        "L" => (Side::Left, words.next()),
        "R" => (Side::Right, words.next()),
        "C" => (Side::Centre, words.next()),
        other => (Side::Centre, Some(other)),
    };
    let region = region.unwrap_or_default();
    let is_switch = name.ends_with("Switch") || name.contains("ollowHead");
    let known = REGIONS.into_iter().find(|known| {
        // teethU, jaw, eyeAim …: the region is the beginning of the word.
        region == *known || (region.starts_with(known) && !matches!(*known, "eye" | "ear"))
    });
    (side, if is_switch { "switches" } else { known.unwrap_or(OTHER) })
}

/// Region and side (`left`, `right`, `centre`) of the control `name`.
pub(super) fn region_of(name: &str) -> (&str, &'static str) {
    let (side, region) = side_and_region(name);
    let side = match side {
        Side::Left => "left",
        Side::Right => "right",
        Side::Centre => "centre",
    };
    (region, side)
}

/// Where a control stands on the board.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    control: usize,
    side: Side,
    at: [f64; 2],
}

/// Where everything stands: controls, the top of each region by its name, and how high the board is.
struct Layout {
    places: Vec<Place>,
    regions: Vec<(&'static str, f64)>,
    height: f64,
    half_width: f64,
}

/// Lays the controls out, with as many columns as they need.
fn layout(controls: &[BoardControl]) -> Layout {
    let fits = |wing: &usize| {
        let layout = layout_with(controls, *wing);
        layout.height <= 2.0 * layout.half_width * MOST_HEIGHT_PER_WIDTH
    };
    let wing = WING_COLUMNS.clone().find(fits).unwrap_or(*WING_COLUMNS.end());
    layout_with(controls, wing)
}

/// Lays the controls out: regions below each other; in a region the left ones to the right of the middle (the board
/// looks at the reader, as the character does), the right ones mirrored, the others in the middle; `wing` columns on
/// each side.
fn layout_with(controls: &[BoardControl], wing: usize) -> Layout {
    let (mut places, mut regions) = (Vec::new(), Vec::new());
    let mut top = 0.0;
    for region in REGIONS.into_iter().chain([OTHER]) {
        let members = |side: Side| -> Vec<usize> {
            let fits = |&c: &usize| side_and_region(&controls[c].name) == (side, region);
            (0..controls.len()).filter(fits).collect()
        };
        let [left, right, centre] = [Side::Left, Side::Right, Side::Centre].map(members);
        if left.is_empty() && right.is_empty() && centre.is_empty() {
            continue;
        }
        regions.push((region, top));
        let rows_of = |count: usize, columns: usize| count.div_ceil(columns);
        let rows = rows_of(left.len(), wing).max(rows_of(right.len(), wing));
        let centre_rows = rows_of(centre.len(), 2);
        let mut place = |control: usize, side: Side, x: f64, row: usize| {
            let y = top - (row as f64 + 0.5) * CELL_HEIGHT;
            places.push(Place { control, side, at: [x, y] });
        };
        for (number, &control) in centre.iter().enumerate() {
            let in_row = if number / 2 == centre_rows - 1 && centre.len() % 2 == 1 { 1 } else { 2 };
            let x = if in_row == 1 { 0.0 } else { ((number % 2) as f64 - 0.5) * CENTRE_STEP * CELL_WIDTH };
            place(control, Side::Centre, x, number / 2);
        }
        for (side, sign, members) in [(Side::Left, 1.0, &left), (Side::Right, -1.0, &right)] {
            for (number, &control) in members.iter().enumerate() {
                let x = sign * ((number % wing) as f64 + FIRST_COLUMN) * CELL_WIDTH;
                place(control, side, x, number / wing);
            }
        }
        top -= rows.max(centre_rows) as f64 * CELL_HEIGHT + REGION_GAP;
    }
    // Half a cell for the last column, one for the names of the regions.
    let half_width = (wing as f64 + FIRST_COLUMN + 0.5) * CELL_WIDTH;
    Layout { places, regions, height: -top, half_width }
}

/// Adds the nodes of the board below `group`. `anchor` is where its side towards the character has to be, and its
/// control of the eyes, or its middle; `height_cm` how high the board is to become.
pub(super) fn add_board(
    transforms: &mut Vec<TransformNode>,
    controls: &[BoardControl],
    group: &str,
    namespace: &Namespace,
    anchor: [f64; 3],
    height_cm: f64,
) {
    let Layout { places, regions, height, half_width } = layout(controls);
    let scale = if height > 0.0 { height_cm / height } else { 1.0 };
    let eye = places.iter().find(|place| controls[place.control].name == names::BOTH_EYES);
    let eye = eye.or_else(|| {
        places.iter().find(|place| controls[place.control].name == names::eye_control(names::SIDES[0]))
    });
    let eye_height = eye.map_or(-height / 2.0, |place| place.at[1]);
    let board = namespace.of(names::BOARD);
    let mut top = TransformNode::group(board.clone(), Some(group));
    let rounded = |length: f64| (length * 1e4).round() / 1e4;
    top.translate = [rounded(anchor[0] + half_width * scale), anchor[1] - eye_height * scale, anchor[2]];
    top.scale = [scale; 3];
    transforms.push(top);
    let label = |name: String, parent: &str, at: [f64; 2], text: String| TransformNode {
        is_template: true,
        ..TransformNode::group(namespace.of(name), Some(parent))
            .at([at[0], at[1], 0.0])
            .with_shape(Shape::Label { text })
    };
    for (region, top) in regions {
        let at = [-half_width, top - CELL_HEIGHT / 2.0];
        transforms.push(label(format!("TXT_region_{region}"), &board, at, region.to_uppercase()));
    }
    for place in &places {
        let control = &controls[place.control];
        let stem = control.name.strip_prefix("CTRL_").unwrap_or(&control.name);
        let frame = namespace.of(format!("FRM_{stem}"));
        let x = control.attributes.get("translateX").copied();
        let y = control.attributes.get("translateY").copied();
        transforms.push(TransformNode {
            is_template: true,
            ..TransformNode::group(frame.clone(), Some(&board))
                .at([place.at[0], place.at[1], 0.0])
                .with_shape(Shape::Curve { points: frame_points(x, y) })
                .with_color(FRAME_COLOR)
        });
        let at = [-CELL_WIDTH / 2.0 + 0.2, -CELL_HEIGHT / 2.0 + 0.2];
        transforms.push(label(format!("TXT_{stem}"), &frame, at, label_of(&control.name)));
        let color = match place.side {
            Side::Left => LEFT_COLOR,
            Side::Right => RIGHT_COLOR,
            Side::Centre => CENTRE_COLOR,
        };
        transforms.push(control_node(control, &frame, namespace, color));
    }
}

fn control_node(control: &BoardControl, frame: &str, namespace: &Namespace, color: u8) -> TransformNode {
    let mut node = TransformNode::group(namespace.of(&control.name), Some(frame))
        .with_shape(Shape::Curve { points: knob_points() })
        .with_color(color);
    const AXES: [&str; 3] = ["translateX", "translateY", "translateZ"];
    for (axis, name) in AXES.into_iter().enumerate() {
        node.limits[axis] = control.attributes.get(name).copied();
    }
    let all = names::JOINT_ATTRIBUTES.into_iter().chain(["visibility"]);
    node.locked = all.filter(|name| !control.attributes.contains_key(*name)).map(str::to_owned).collect();
    for (name, limit) in &control.attributes {
        if !names::JOINT_ATTRIBUTES.contains(&name.as_str()) {
            let (name, limit) = (name.clone(), Some(*limit));
            node.attributes.push(CustomAttribute { name, value: 0.0, limit, keyable: true });
        }
    }
    node
}

/// `CTRL_L_brow_raiseIn` → `raise in`: the region is written beside, the side is seen.
fn label_of(control: &str) -> String {
    let (_, region) = side_and_region(control);
    let stem = control.strip_prefix("CTRL_").unwrap_or(control);
    let stem = ["L_", "R_", "C_"].iter().find_map(|side| stem.strip_prefix(side)).unwrap_or(stem);
    let own = stem.strip_prefix(region).and_then(|rest| rest.strip_prefix('_')).unwrap_or(stem);
    let mut words = String::new();
    let mut was_lower = false;
    // an acronym that the next word follows without a capital
    let own = own.replace("GUI", "Gui_");
    for c in own.strip_suffix("Switch").unwrap_or(&own).chars() {
        if c == '_' || (c.is_uppercase() && was_lower) {
            words.push(' ');
        }
        if c != '_' {
            words.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    words
}

/// A rectangle, or a line with a tick at 0, around where the knob can go.
fn frame_points(x: Option<Limit>, y: Option<Limit>) -> Vec<[f64; 3]> {
    let (x, y) = match (x, y) {
        (Some(x), Some(y)) => (x, y),
        (Some(x), None) => (x, Limit { min: -KNOB, max: KNOB }),
        (None, Some(y)) => (Limit { min: -KNOB, max: KNOB }, y),
        (None, None) => {
            let own = Limit { min: -KNOB, max: KNOB };
            (own, own)
        }
    };
    let corners = [[x.min, y.min], [x.max, y.min], [x.max, y.max], [x.min, y.max], [x.min, y.min]];
    corners.map(|[x, y]| [x, y, 0.0]).to_vec()
}

fn knob_points() -> Vec<[f64; 3]> {
    [[KNOB, 0.0], [0.0, KNOB], [-KNOB, 0.0], [0.0, -KNOB], [KNOB, 0.0]].map(|[x, y]| [x, y, 0.0]).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(name: &str) -> BoardControl {
        let limit = Limit { min: 0.0, max: 1.0 };
        BoardControl { name: name.into(), attributes: [("translateY".to_owned(), limit)].into() }
    }

    #[test]
    fn left_and_right_mirror_each_other_and_regions_do_not_overlap() {
        let names = [
            "CTRL_L_brow_down",
            "CTRL_R_brow_down",
            "CTRL_L_brow_raiseIn",
            "CTRL_R_brow_raiseIn",
            "CTRL_L_eye_blink",
            "CTRL_R_eye_blink",
            "CTRL_C_jaw",
            "CTRL_C_jaw_fwdBack",
            "CTRL_neck_throatUpDown",
        ];
        let controls: Vec<BoardControl> = names.into_iter().map(control).collect();
        let Layout { places, regions, .. } = layout(&controls);
        let at = |name: &str| {
            let number = controls.iter().position(|control| control.name == name).unwrap();
            places.iter().find(|place| place.control == number).unwrap().at
        };
        for (left, right) in
            [("CTRL_L_brow_down", "CTRL_R_brow_down"), ("CTRL_L_eye_blink", "CTRL_R_eye_blink")]
        {
            assert_eq!(at(left)[0], -at(right)[0]);
            assert_eq!(at(left)[1], at(right)[1]);
            assert!(at(left)[0] > 0.0, "the character's left is at +x");
        }
        assert!(at("CTRL_L_brow_down")[1] > at("CTRL_L_eye_blink")[1]);
        assert!(at("CTRL_L_eye_blink")[1] > at("CTRL_C_jaw")[1]);
        assert!(at("CTRL_C_jaw")[1] > at("CTRL_neck_throatUpDown")[1]);
        let titles: Vec<&str> = regions.iter().map(|(region, _)| *region).collect();
        assert_eq!(titles, ["brow", "eye", "jaw", "neck"]);
        for (number, a) in places.iter().enumerate() {
            for b in &places[..number] {
                let apart = (a.at[0] - b.at[0]).abs() > 1.0 || (a.at[1] - b.at[1]).abs() > 1.0;
                assert!(apart, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn labels_are_words() {
        for (control, label) in [
            ("CTRL_L_brow_raiseIn", "raise in"),
            ("CTRL_R_mouth_lipsTogetherU", "lips together u"),
            ("CTRL_C_jaw", "jaw"),
            ("CTRL_C_jaw_fwdBack", "fwd back"),
            ("CTRL_lookAtSwitch", "look at"),
            ("CTRL_faceGUIfollowHead", "face gui follow head"),
            ("CTRL_neck_throatUpDown", "throat up down"),
        ] {
            assert_eq!(label_of(control), label);
        }
    }

    #[test]
    fn a_control_keeps_to_its_range_and_locks_the_rest() {
        let node = control_node(&control("CTRL_C_jaw"), "FRM", &Namespace::default(), 1);
        assert_eq!(node.limits[1], Some(Limit { min: 0.0, max: 1.0 }));
        assert!(node.locked.iter().any(|name| name == "translateX"));
        assert!(!node.locked.iter().any(|name| name == "translateY"));
    }
}

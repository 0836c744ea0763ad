//! Which controls the head has, which slider drives them, and which of the 52 expressions they show.

/// A side of the face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A half of the mouth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Upper,
    Lower,
}

/// Where the motion of a control comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A share of one of the 52 expressions: that of a side, of a half of the mouth, of both, or the whole.
    Shape { name: String, side: Option<Side>, half: Option<Half> },
    /// Phase 1 to 4 of swallowing, which the 52 expressions do not have.
    Swallow(u8),
}

/// One row from a slider to a raw control: `raw = slope · slider + cut` within `from ..= to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GuiRow {
    pub(crate) from: f32,
    pub(crate) to: f32,
    pub(crate) slope: f32,
    pub(crate) cut: f32,
}

/// One raw control that shows an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MainControl {
    /// Name after `CTRL_expressions.`.
    pub(crate) name: String,
    /// Slider that drives it.
    pub(crate) gui: String,
    /// Rows of the slider, more than one for phases.
    pub(crate) rows: Vec<GuiRow>,
    pub(crate) source: Source,
}

const RISING: GuiRow = GuiRow { from: 0.0, to: 1.0, slope: 1.0, cut: 0.0 };
const FALLING: GuiRow = GuiRow { from: -1.0, to: 0.0, slope: -1.0, cut: 0.0 };

/// Shapes of one side. `@` stands for L or R, `#` for Left or Right.
const SIDED: [(&str, &str, &str, GuiRow); 15] = [
    ("browDown@", "browDown#", "CTRL_@_brow_down.ty", RISING),
    ("browRaiseOuter@", "browOuterUp#", "CTRL_@_brow_raiseOut.ty", RISING),
    ("eyeBlink@", "eyeBlink#", "CTRL_@_eye_blink.ty", RISING),
    ("eyeWiden@", "eyeWide#", "CTRL_@_eye_blink.ty", FALLING),
    ("eyeSquintInner@", "eyeSquint#", "CTRL_@_eye_squintInner.ty", RISING),
    ("eyeCheekRaise@", "cheekSquint#", "CTRL_@_eye_cheekRaise.ty", RISING),
    ("eyeLookUp@", "eyeLookUp#", "CTRL_@_eye.ty", RISING),
    ("eyeLookDown@", "eyeLookDown#", "CTRL_@_eye.ty", FALLING),
    ("noseWrinkle@", "noseSneer#", "CTRL_@_nose.ty", RISING),
    ("mouthCornerPull@", "mouthSmile#", "CTRL_@_mouth_cornerPull.ty", RISING),
    ("mouthDimple@", "mouthDimple#", "CTRL_@_mouth_dimple.ty", RISING),
    ("mouthCornerDepress@", "mouthFrown#", "CTRL_@_mouth_cornerDepress.ty", RISING),
    ("mouthStretch@", "mouthStretch#", "CTRL_@_mouth_stretch.ty", RISING),
    ("mouthUpperLipRaise@", "mouthUpperUp#", "CTRL_@_mouth_upperLipRaise.ty", RISING),
    ("mouthLowerLipDepress@", "mouthLowerDown#", "CTRL_@_mouth_lowerLipDepress.ty", RISING),
];

/// Eye directions: left and right are the character's, in and out are towards and away from the nose.
const LOOKS: [(&str, &str, &str, GuiRow); 4] = [
    ("eyeLookLeftL", "eyeLookOutLeft", "CTRL_L_eye.tx", RISING),
    ("eyeLookRightL", "eyeLookInLeft", "CTRL_L_eye.tx", FALLING),
    ("eyeLookLeftR", "eyeLookInRight", "CTRL_R_eye.tx", RISING),
    ("eyeLookRightR", "eyeLookOutRight", "CTRL_R_eye.tx", FALLING),
];

/// Shapes of both sides that have a control for each side.
const SPLIT_BY_SIDE: [(&str, &str, &str); 6] = [
    ("browRaiseIn@", "browInnerUp", "CTRL_@_brow_raiseIn.ty"),
    ("mouthCheekBlow@", "cheekPuff", "CTRL_@_mouth_suckBlow.ty"),
    ("mouthUpperLipRollIn@", "mouthRollUpper", "CTRL_@_mouth_lipsRollU.ty"),
    ("mouthLowerLipRollIn@", "mouthRollLower", "CTRL_@_mouth_lipsRollD.ty"),
    ("jawChinRaiseU@", "mouthShrugUpper", "CTRL_@_jaw_ChinRaiseU.ty"),
    ("jawChinRaiseD@", "mouthShrugLower", "CTRL_@_jaw_ChinRaiseD.ty"),
];

/// Shapes of the whole mouth that have a control for each quarter. `%` stands for U or D.
const SPLIT_BY_QUARTER: [(&str, &str, &str); 3] = [
    ("mouthLipsPurse%@", "mouthPucker", "CTRL_@_mouth_purse%.ty"),
    ("mouthFunnel%@", "mouthFunnel", "CTRL_@_mouth_funnel%.ty"),
    ("mouthLipsTogether%@", "mouthClose", "CTRL_@_mouth_lipsTogether%.ty"),
];

const CENTRE: [(&str, &str, &str, GuiRow); 7] = [
    ("mouthLeft", "mouthLeft", "CTRL_C_mouth.tx", RISING),
    ("mouthRight", "mouthRight", "CTRL_C_mouth.tx", FALLING),
    ("tongueOut", "tongueOut", "CTRL_C_tongue_inOut.ty", RISING),
    ("jawOpen", "jawOpen", "CTRL_C_jaw.ty", RISING),
    ("jawLeft", "jawLeft", "CTRL_C_jaw.tx", RISING),
    ("jawRight", "jawRight", "CTRL_C_jaw.tx", FALLING),
    ("jawFwd", "jawForward", "CTRL_C_jaw_fwdBack.ty", RISING),
];

const SWALLOW_PHASES: u8 = 4;

/// All controls that show an expression, in the order of the raw controls.
pub(crate) fn main_controls() -> Vec<MainControl> {
    let mut controls = Vec::new();
    let mut push = |name: String, gui: String, rows: Vec<GuiRow>, source: Source| {
        controls.push(MainControl { name, gui, rows, source });
    };
    let sides = [(Side::Left, "L", "Left"), (Side::Right, "R", "Right")];
    let shape = |name: &str, side, half| Source::Shape { name: name.to_owned(), side, half };
    let halves = [(Half::Upper, "U"), (Half::Lower, "D")];
    for (name, pattern, gui, row) in SIDED {
        for (_, letter, word) in sides {
            let source = shape(&pattern.replace('#', word), None, None);
            push(name.replace('@', letter), gui.replace('@', letter), vec![row], source);
        }
    }
    for (name, whole, gui, row) in LOOKS {
        let source = shape(whole, None, None);
        push(name.to_owned(), gui.to_owned(), vec![row], source);
    }
    for (name, whole, gui) in SPLIT_BY_SIDE {
        for (side, letter, _) in sides {
            let source = shape(whole, Some(side), None);
            push(name.replace('@', letter), gui.replace('@', letter), vec![RISING], source);
        }
    }
    for (half, letter) in halves {
        for (_, side_letter, word) in sides {
            let source = shape(&format!("mouthPress{word}"), None, Some(half));
            let name = format!("mouthPress{letter}{side_letter}");
            push(name, format!("CTRL_{side_letter}_mouth_press{letter}.ty"), vec![RISING], source);
        }
    }
    for (name, whole, gui) in SPLIT_BY_QUARTER {
        for (half, letter) in halves {
            for (side, side_letter, _) in sides {
                let fill = |text: &str| text.replace('%', letter).replace('@', side_letter);
                let source = shape(whole, Some(side), Some(half));
                push(fill(name), fill(gui), vec![RISING], source);
            }
        }
    }
    for (name, whole, gui, row) in CENTRE {
        let source = shape(whole, None, None);
        push(name.to_owned(), gui.to_owned(), vec![row], source);
    }
    for phase in 1..=SWALLOW_PHASES {
        let name = format!("neckSwallowPh{phase}");
        push(name, "CTRL_C_neck_swallow.ty".to_owned(), ramp(phase), Source::Swallow(phase));
    }
    controls
}

/// The two rows of phase `phase` of a slider: up from the previous phase's peak to its own, and down to the next's.
/// Peaks are at 1/5 … 4/5, so that the slider's end is rest again.
fn ramp(phase: u8) -> Vec<GuiRow> {
    let steps = f32::from(SWALLOW_PHASES + 1);
    let [before, peak, after] = [phase - 1, phase, phase + 1].map(|step| f32::from(step) / steps);
    vec![
        GuiRow { from: before, to: peak, slope: steps, cut: -f32::from(phase - 1) },
        GuiRow { from: peak, to: after, slope: -steps, cut: f32::from(phase + 1) },
    ]
}

/// The raw controls that together show expression `shape` of the 52 when each of them is 1, such as
/// `CTRL_expressions.mouthPressUL` and `CTRL_expressions.mouthPressDL` for `mouthPressLeft`.
pub fn shape_controls(shape: &str) -> Vec<String> {
    let controls = main_controls().into_iter();
    let of_shape = controls
        .filter(|control| matches!(&control.source, Source::Shape { name, .. } if name.as_str() == shape));
    of_shape.map(|control| format!("CTRL_expressions.{}", control.name)).collect()
}

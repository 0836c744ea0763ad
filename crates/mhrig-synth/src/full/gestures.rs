//! What the controls do that the demo human's 52 expressions do not show: bumps on the skin, and moves of single joints.

use nalgebra::Vector3;

/// A smooth bump: the skin around some joints goes one way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bump {
    pub(crate) centre: Vector3<f64>,
    /// Displacement at the centre, cm.
    pub(crate) path: Vector3<f64>,
    pub(crate) radius_cm: f64,
}

/// A bump by name. `@` stands for L or R, `%` for U or D and `^` for Upper or Lower. Directions are those of the left side:
/// outwards, up, front.
pub(crate) struct Gesture {
    pub(crate) control: &'static str,
    /// The bump is in the middle between these joints.
    pub(crate) joints: &'static [&'static str],
    pub(crate) towards: [f64; 3],
    pub(crate) size_cm: f64,
    pub(crate) radius_cm: f64,
}

const fn g(
    control: &'static str,
    joints: &'static [&'static str],
    towards: [f64; 3],
    size_cm: f64,
    radius_cm: f64,
) -> Gesture {
    Gesture { control, joints, towards, size_cm, radius_cm }
}

const LID_U: &[&str] = &["FACIAL_@_EyelidUpperA2"];
const LID_D: &[&str] = &["FACIAL_@_EyelidLowerA2"];
const EYE: &[&str] = &["FACIAL_@_EyelidUpperA2", "FACIAL_@_EyelidLowerA2"];
const LIP: &[&str] = &["FACIAL_@_Lip^1"];
const LIP_U: &[&str] = &["FACIAL_@_LipUpper1"];
const LIP_D: &[&str] = &["FACIAL_@_LipLower1"];
const LIP_U_C: &[&str] = &["FACIAL_C_LipUpper1"];
const LIP_D_C: &[&str] = &["FACIAL_C_LipLower1"];
const LIPS: &[&str] = &["FACIAL_@_LipUpper1", "FACIAL_@_LipLower1"];
const MOUTH: &[&str] = &["FACIAL_C_LipUpper1", "FACIAL_C_LipLower1"];
const CORNER: &[&str] = &["FACIAL_@_LipCorner1"];
const CHEEK: &[&str] = &["FACIAL_@_CheekOuter2", "FACIAL_@_CheekLower1"];
const NOSTRIL: &[&str] = &["FACIAL_@_NostrilThickness1"];
const CHIN: &[&str] = &["FACIAL_@_Chin1"];
const THROAT: &[&str] = &["FACIAL_C_AdamsApple"];
const UNDER_CHIN: &[&str] = &["FACIAL_C_UnderChin"];

pub(crate) const GESTURES: [Gesture; 68] = [
    g("browLateral@", &["FACIAL_@_ForeheadInA1"], [-0.9, -0.1, -0.1], 0.5, 2.6),
    g("earUp@", &["FACIAL_@_Ear1"], [0.0, 1.0, -0.3], 0.5, 3.2),
    g("eyeLidPress@", EYE, [0.0, -0.2, 0.3], 0.15, 1.8),
    g("eyeFaceScrunch@", &["FACIAL_@_CheekInner1", "FACIAL_@_ForeheadMid1"], [-0.4, 0.4, 0.4], 0.6, 3.6),
    g("eyeUpperLidUp@", LID_U, [0.0, 1.0, -0.1], 0.25, 1.2),
    g("eyeRelax@", LID_U, [0.0, -1.0, 0.1], 0.3, 1.3),
    g("eyeLowerLidDown@", LID_D, [0.0, -1.0, 0.0], 0.25, 1.3),
    g("eyeLowerLidUp@", LID_D, [0.0, 1.0, 0.1], 0.3, 1.3),
    g("noseNostrilDepress@", NOSTRIL, [0.0, -1.0, -0.2], 0.3, 1.5),
    g("noseNostrilDilate@", NOSTRIL, [1.0, 0.1, 0.0], 0.3, 1.5),
    g("noseNostrilCompress@", NOSTRIL, [-1.0, 0.0, 0.0], 0.25, 1.5),
    g("noseWrinkleUpper@", &["FACIAL_@_NoseUpper"], [-0.3, 0.8, 0.2], 0.3, 1.9),
    g("noseNasolabialDeepen@", &["FACIAL_@_NasolabialFurrow"], [-0.2, 0.3, -0.7], 0.25, 2.0),
    g("mouthCheekSuck@", CHEEK, [-1.0, 0.0, -0.3], 0.9, 3.4),
    g("mouthLipsBlow@", LIPS, [0.3, 0.0, 1.0], 0.5, 2.0),
    g("mouthUp", MOUTH, [0.0, 1.0, 0.0], 0.6, 3.4),
    g("mouthDown", MOUTH, [0.0, -1.0, 0.0], 0.6, 3.4),
    g("mouthStretchLipsClose@", LIPS, [0.8, 0.2, -0.3], 0.5, 2.8),
    g("mouthLipsTowards%@", LIP, [-0.6, 0.0, 0.5], 0.4, 1.8),
    g("mouthUpperLipBite@", LIP_U, [0.0, -0.5, -0.8], 0.4, 1.8),
    g("mouthLowerLipBite@", LIP_D, [0.0, 0.5, -0.8], 0.5, 1.8),
    g("mouthLipsTighten%@", LIP, [-0.3, 0.0, -0.6], 0.25, 1.7),
    g("mouthLipsPress@", LIPS, [0.0, 0.1, -0.5], 0.25, 2.0),
    g("mouthSharpCornerPull@", CORNER, [0.7, 0.7, -0.3], 1.0, 2.6),
    g("mouthStickyUC", LIP_U_C, [0.0, -1.0, 0.0], 0.3, 1.0),
    g("mouthStickyUIN@", LIP_U, [0.0, -1.0, 0.0], 0.3, 1.0),
    g("mouthStickyUOUT@", &["FACIAL_@_LipUpperOuter1"], [0.0, -1.0, 0.0], 0.3, 1.0),
    g("mouthStickyDC", LIP_D_C, [0.0, 1.0, 0.0], 0.3, 1.0),
    g("mouthStickyDIN@", LIP_D, [0.0, 1.0, 0.0], 0.3, 1.0),
    g("mouthStickyDOUT@", &["FACIAL_@_LipLowerOuter1"], [0.0, 1.0, 0.0], 0.3, 1.0),
    g("mouthLipsSticky@Ph1", CORNER, [-0.2, 0.0, 0.1], 0.2, 1.5),
    g("mouthLipsSticky@Ph2", &["FACIAL_@_LipUpperOuter1"], [-0.2, 0.0, 0.1], 0.2, 1.7),
    g("mouthLipsSticky@Ph3", LIP_U, [-0.1, 0.0, 0.1], 0.2, 1.9),
    g("mouthLipsPush%@", LIP, [0.0, 0.0, 1.0], 0.5, 1.9),
    g("mouthLipsPull%@", LIP, [0.0, 0.0, -1.0], 0.4, 1.9),
    g("mouthLipsThin%@", LIP, [0.0, 0.1, -0.5], 0.2, 1.4),
    g("mouthLipsThick%@", LIP, [0.0, 0.0, 0.8], 0.25, 1.4),
    g("mouthLipsThinInward%@", LIP, [0.0, 0.0, -0.4], 0.15, 1.3),
    g("mouthLipsThickInward%@", LIP, [0.0, 0.0, 0.4], 0.15, 1.3),
    g("mouthCornerSharpen%@", CORNER, [0.3, 0.0, -0.3], 0.2, 1.2),
    g("mouthCornerRounder%@", CORNER, [-0.3, 0.0, 0.2], 0.2, 1.2),
    g("mouthUpperLipTowardsTeeth@", LIP_U, [0.0, 0.0, -1.0], 0.3, 1.7),
    g("mouthLowerLipTowardsTeeth@", LIP_D, [0.0, 0.0, -1.0], 0.3, 1.7),
    g("mouthUpperLipShiftLeft", LIP_U_C, [1.0, 0.0, 0.0], 0.4, 2.2),
    g("mouthUpperLipShiftRight", LIP_U_C, [-1.0, 0.0, 0.0], 0.4, 2.2),
    g("mouthLowerLipShiftLeft", LIP_D_C, [1.0, 0.0, 0.0], 0.4, 2.2),
    g("mouthLowerLipShiftRight", LIP_D_C, [-1.0, 0.0, 0.0], 0.4, 2.2),
    g("mouthUpperLipRollOut@", LIP_U, [0.0, 0.5, 0.8], 0.3, 1.7),
    g("mouthLowerLipRollOut@", LIP_D, [0.0, -0.5, 0.8], 0.35, 1.7),
    g("mouthCornerUp@", CORNER, [0.0, 1.0, -0.1], 0.5, 2.2),
    g("mouthCornerDown@", CORNER, [0.0, -1.0, -0.1], 0.5, 2.2),
    g("mouthCornerWide@", CORNER, [1.0, 0.0, -0.3], 0.5, 2.2),
    g("mouthCornerNarrow@", CORNER, [-1.0, 0.0, 0.3], 0.5, 2.2),
    g("jawClench@", &["FACIAL_@_Masseter"], [1.0, 0.0, 0.2], 0.4, 2.8),
    g("jawChinCompress@", CHIN, [0.0, 0.5, -0.6], 0.3, 2.4),
    g("jawOpenExtreme", &["FACIAL_C_Chin1"], [0.0, -1.0, -0.3], 0.6, 4.5),
    g("neckStretch@", &["FACIAL_@_NeckA1", "FACIAL_@_NeckB1"], [0.6, -0.2, 0.6], 0.6, 4.0),
    g("neckMastoidContract@", &["FACIAL_@_NeckA2"], [0.4, 0.0, 0.8], 0.5, 3.4),
    g("neckThroatDown", THROAT, [0.0, -1.0, 0.1], 0.7, 2.6),
    g("neckThroatUp", THROAT, [0.0, 1.0, 0.1], 0.7, 2.6),
    g("neckDigastricDown", UNDER_CHIN, [0.0, -1.0, 0.1], 0.5, 3.0),
    g("neckDigastricUp", UNDER_CHIN, [0.0, 1.0, 0.1], 0.4, 3.0),
    g("neckThroatExhale", THROAT, [0.0, 0.0, 0.8], 0.3, 3.2),
    g("neckThroatInhale", THROAT, [0.0, 0.1, -0.9], 0.35, 3.2),
    g("eyelashesDownIN@", &["FACIAL_@_EyelashesUpperA1"], [0.0, -1.0, 0.0], 0.15, 0.6),
    g("eyelashesDownOUT@", &["FACIAL_@_EyelashesUpperA3"], [0.0, -1.0, 0.0], 0.15, 0.6),
    g("eyelashesUpIN@", &["FACIAL_@_EyelashesUpperA1"], [0.0, 1.0, 0.0], 0.15, 0.6),
    g("eyelashesUpOUT@", &["FACIAL_@_EyelashesUpperA3"], [0.0, 1.0, 0.0], 0.15, 0.6),
];

/// A joint that a control moves by itself: translation in cm and turn in degrees, both along the axes of the world.
pub(crate) struct Move {
    pub(crate) control: &'static str,
    pub(crate) joints: &'static [&'static str],
    pub(crate) shift_cm: [f64; 3],
    pub(crate) turn_deg: [f64; 3],
}

const fn m(
    control: &'static str,
    joints: &'static [&'static str],
    shift_cm: [f64; 3],
    turn_deg: [f64; 3],
) -> Move {
    Move { control, joints, shift_cm, turn_deg }
}

const TONGUE: &[&str] = &["FACIAL_C_Tongue2", "FACIAL_C_Tongue3"];
const TIP: &[&str] = &["FACIAL_C_Tongue4"];
const TEETH_U: &[&str] = &["FACIAL_C_TeethUpper"];
const TEETH_D: &[&str] = &["FACIAL_C_TeethLower"];
const JAW: &[&str] = &["FACIAL_C_Jaw", "FACIAL_C_LowerLipRotation"];
const NO: [f64; 3] = [0.0; 3];

pub(crate) const MOVES: [Move; 34] = [
    m("tongueUp", TONGUE, [0.0, 0.2, 0.0], [-12.0, 0.0, 0.0]),
    m("tongueDown", TONGUE, [0.0, -0.1, 0.0], [10.0, 0.0, 0.0]),
    m("tongueLeft", TONGUE, NO, [0.0, 12.0, 0.0]),
    m("tongueRight", TONGUE, NO, [0.0, -12.0, 0.0]),
    m("tongueIn", TONGUE, [0.0, 0.0, -0.4], NO),
    m("tongueBendUp", TONGUE, NO, [-20.0, 0.0, 0.0]),
    m("tongueBendDown", TONGUE, NO, [20.0, 0.0, 0.0]),
    m("tongueTwistLeft", TONGUE, NO, [0.0, 0.0, -15.0]),
    m("tongueTwistRight", TONGUE, NO, [0.0, 0.0, 15.0]),
    m("tongueTipUp", TIP, NO, [-30.0, 0.0, 0.0]),
    m("tongueTipDown", TIP, NO, [25.0, 0.0, 0.0]),
    m("tongueTipLeft", TIP, NO, [0.0, 25.0, 0.0]),
    m("tongueTipRight", TIP, NO, [0.0, -25.0, 0.0]),
    m("tongueWide", &["FACIAL_L_TongueSide2", "FACIAL_L_TongueSide3"], [0.2, 0.0, 0.0], NO),
    m("tongueNarrow", &["FACIAL_L_TongueSide2", "FACIAL_L_TongueSide3"], [-0.2, 0.0, 0.0], NO),
    m("tonguePress", TONGUE, [0.0, 0.25, 0.1], NO),
    m("tongueRoll", &["FACIAL_L_TongueSide2", "FACIAL_L_TongueSide3"], [-0.1, 0.25, 0.0], NO),
    m("tongueThick", &["FACIAL_C_TongueUpper2", "FACIAL_C_TongueUpper3"], [0.0, 0.2, 0.0], NO),
    m("tongueThin", &["FACIAL_C_TongueUpper2", "FACIAL_C_TongueUpper3"], [0.0, -0.15, 0.0], NO),
    m("teethUpU", TEETH_U, [0.0, 0.3, 0.0], NO),
    m("teethDownU", TEETH_U, [0.0, -0.3, 0.0], NO),
    m("teethLeftU", TEETH_U, [0.3, 0.0, 0.0], NO),
    m("teethRightU", TEETH_U, [-0.3, 0.0, 0.0], NO),
    m("teethBackU", TEETH_U, [0.0, 0.0, -0.3], NO),
    m("teethFwdU", TEETH_U, [0.0, 0.0, 0.3], NO),
    m("teethUpD", TEETH_D, [0.0, 0.3, 0.0], NO),
    m("teethDownD", TEETH_D, [0.0, -0.3, 0.0], NO),
    m("teethLeftD", TEETH_D, [0.3, 0.0, 0.0], NO),
    m("teethRightD", TEETH_D, [-0.3, 0.0, 0.0], NO),
    m("teethBackD", TEETH_D, [0.0, 0.0, -0.3], NO),
    m("teethFwdD", TEETH_D, [0.0, 0.0, 0.3], NO),
    m("jawBack", JAW, [0.0, 0.0, -0.4], NO),
    m("jawOpenExtreme", JAW, NO, [6.0, 0.0, 0.0]),
    m("eyeParallelLookDirection", &["FACIAL_L_EyeParallel", "FACIAL_R_EyeParallel"], NO, [0.0, 0.5, 0.0]),
];

/// How a pupil grows, as a share of its size.
pub(crate) const PUPILS: [(&str, f64); 2] = [("eyePupilWide@", 0.35), ("eyePupilNarrow@", -0.25)];

//! What sliders do to raw controls, as curves and connections.

use mhrig_scene::{Connection, CurveOutput, DrivenCurve, Plug, UtilityKind, UtilityNode};

/// What drives one raw control.
#[derive(Clone, Debug, PartialEq)]
pub struct RawDrive {
    /// The raw control.
    pub target: Plug,
    /// What the nodes in between are called.
    pub(super) stem: String,
    /// Sliders, and the keys of their curves.
    pub(super) sources: Vec<(Plug, Vec<[f64; 2]>)>,
}

/// Curves, small arithmetic and connections from sliders to raw controls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DriveNetwork {
    /// One per slider and raw control.
    pub curves: Vec<DrivenCurve>,
    /// Sums and clamps.
    pub utilities: Vec<UtilityNode>,
    /// What leads where.
    pub connections: Vec<Connection>,
}

impl RawDrive {
    /// The sliders that drive it.
    pub fn sliders(&self) -> impl Iterator<Item = &Plug> {
        self.sources.iter().map(|(slider, _)| slider)
    }

    /// The same with those sliders alone that `has` knows; `None` when none is left.
    pub fn with_sliders(&self, has: impl Fn(&Plug) -> bool) -> Option<Self> {
        let mut drive = self.clone();
        drive.sources.retain(|(slider, _)| has(slider));
        (!drive.sources.is_empty()).then_some(drive)
    }
}

impl DriveNetwork {
    /// Adds what drives one raw control.
    pub fn add(&mut self, drive: &RawDrive) {
        let stem = &drive.stem;
        let mut outputs = Vec::new();
        for (number, (slider, keys)) in drive.sources.iter().enumerate() {
            let name = match number {
                0 => stem.clone(),
                more => format!("{stem}_{more}"),
            };
            self.connect(slider.clone(), Plug::new(&*name, "input"));
            self.curves.push(DrivenCurve {
                name: name.clone(),
                output: CurveOutput::Number,
                keys: keys.clone(),
            });
            outputs.push(Plug::new(name, "output"));
        }
        let mut source = match outputs.as_slice() {
            [] => return,
            [only] => only.clone(),
            several => {
                let sum = format!("{stem}_sum");
                self.utility(&sum, UtilityKind::BlendWeighted, Vec::new());
                for (number, output) in several.iter().enumerate() {
                    self.connect(output.clone(), Plug::new(&*sum, format!("input[{number}]")));
                }
                Plug::new(sum, "output")
            }
        };
        let is_within = drive.sources.iter().flat_map(|(_, keys)| keys).all(|k| (0.0..=1.0).contains(&k[1]));
        if outputs.len() > 1 || !is_within {
            let clamp = format!("{stem}_clamp");
            let range = vec![("minR".to_owned(), 0.0), ("maxR".to_owned(), 1.0)];
            self.utility(&clamp, UtilityKind::Clamp, range);
            self.connect(source, Plug::new(&*clamp, "inputR"));
            source = Plug::new(clamp, "outputR");
        }
        self.connect(source, drive.target.clone());
    }

    fn connect(&mut self, from: Plug, to: Plug) {
        self.connections.push(Connection { from, to });
    }

    fn utility(&mut self, name: &str, kind: UtilityKind, values: Vec<(String, f64)>) {
        self.utilities.push(UtilityNode { name: name.to_owned(), kind, values });
    }
}

use mhrig_dna::Dna;

use super::settings::{ExpressionSettings, is_named};
use crate::CalibError;
use crate::check::{count, index};

/// One control at a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Component {
    /// Number in the control space.
    pub control: u16,
    /// Its value, 0 to 1.
    pub value: f32,
}

/// An expression: a control and the pose in which it is fully on.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Name of the raw, ML or RBF pose control; of a corrective the name that the settings give it, or the names of its
    /// components joined by `+`.
    pub name: String,
    /// Number in the control space.
    pub control: u16,
    /// For a corrective, the controls that are on when it is, at their values; none for a main expression.
    pub components: Vec<Component>,
    /// 0 for a main expression; for a corrective one more than the highest layer among correctives of subsets of its
    /// components.
    pub layer: u32,
    /// How far its own control is on in its pose: 1 for a main expression, its weight for a corrective.
    pub activation: f32,
    /// Everything else that is on in its pose: components and other correctives.
    pub complex: Vec<Component>,
}

impl Expression {
    /// Whether it corrects a combination of others.
    pub fn is_corrective(&self) -> bool {
        !self.components.is_empty()
    }
}

/// The expressions of a rig and how they build on one another.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ExpressionGraph {
    expressions: Vec<Expression>,
}

impl ExpressionGraph {
    /// Finds the expressions of `dna`: one per control, in the order of the control space. Layers follow from the
    /// inclusion of component sets; two correctives of the same components count as one above the other.
    ///
    /// # Errors
    /// [`CalibError::Count`] or [`CalibError::Index`] for an inconsistent corrective matrix, [`CalibError::Name`] for an
    /// expression of the settings that the rig does not have.
    pub fn from_dna(dna: &Dna, settings: &ExpressionSettings) -> Result<Self, CalibError> {
        let raw = &dna.definition.raw_control_names;
        let psds = usize::from(dna.behavior.controls.psd_count);
        let ml = &dna.machine_learned_behavior.ml_control_names;
        let poses: Vec<String> = match dna.rbf_behavior_ext.pose_control_names.as_slice() {
            [] => dna.rbf_behavior.poses.iter().map(|pose| pose.name.to_string()).collect(),
            names => names.iter().map(ToString::to_string).collect(),
        };
        let controls = raw.len() + psds + ml.len() + poses.len();
        index("number of controls", 0, controls, usize::from(u16::MAX))?;
        let first_psd = raw.len();

        let matrix = &dna.behavior.controls.psds;
        count(matrix.columns.len(), matrix.rows.len(), || "bhvr.controls.psds.columns".to_owned())?;
        count(matrix.values.len(), matrix.rows.len(), || "bhvr.controls.psds.values".to_owned())?;
        let mut cells: Vec<Vec<(u16, f32)>> = vec![Vec::new(); psds];
        for (at, (&row, (&column, &value))) in
            matrix.rows.iter().zip(matrix.columns.iter().zip(&matrix.values)).enumerate()
        {
            let psd = usize::from(row).wrapping_sub(first_psd);
            index("bhvr.controls.psds.rows", at, psd, psds)?;
            index("bhvr.controls.psds.columns", at, usize::from(column), controls)?;
            cells[psd].push((column, value));
        }
        let bases: Vec<Vec<u16>> = (0..psds).map(|psd| base_components(&cells, psd, first_psd)).collect();
        let names = NamedCorrectives::new(dna, settings, &bases)?;

        let mut expressions: Vec<Expression> = Vec::with_capacity(controls);
        let main = |control: usize, name: String| Expression {
            name,
            control: control as u16,
            components: Vec::new(),
            layer: 0,
            activation: 1.0,
            complex: Vec::new(),
        };
        expressions.extend(raw.iter().enumerate().map(|(at, name)| main(at, name.to_string())));
        for psd in 0..psds {
            let components = bases[psd].iter().map(|&control| {
                let weight = cells[psd].iter().find(|(column, _)| *column == control).map(|cell| cell.1);
                let value = names.multiplier(psd, control).unwrap_or_else(|| full_at(weight.unwrap_or(1.0)));
                Component { control, value }
            });
            let components: Vec<Component> = components.collect();
            let name = names.of(psd).unwrap_or_else(|| {
                let part = |c: &Component| match raw.get(usize::from(c.control)) {
                    Some(name) => name.to_str().rsplit('.').next().unwrap_or_default().to_owned(),
                    None => format!("#{}", c.control),
                };
                components.iter().map(part).collect::<Vec<_>>().join("+")
            });
            expressions.push(Expression { components, ..main(first_psd + psd, name) });
        }
        let after = raw.len() + psds;
        expressions.extend(ml.iter().enumerate().map(|(at, name)| main(after + at, name.to_string())));
        let after = after + ml.len();
        expressions.extend(poses.into_iter().enumerate().map(|(at, name)| main(after + at, name)));

        set_layers(&mut expressions, &bases, first_psd);
        set_poses(&mut expressions, &cells, &bases, first_psd);
        Ok(Self { expressions })
    }

    /// All expressions, by number in the control space.
    pub fn expressions(&self) -> &[Expression] {
        &self.expressions
    }

    /// The expression of that name: a control's name with or without the part before the dot, or a corrective's.
    pub fn find(&self, name: &str) -> Option<&Expression> {
        let whole = self.expressions.iter().find(|expression| expression.name == name);
        whole.or_else(|| self.expressions.iter().find(|expression| is_named(&expression.name, name)))
    }

    /// Numbers of expressions, layer after layer.
    pub fn layers(&self) -> Vec<Vec<usize>> {
        let count = self.expressions.iter().map(|e| e.layer as usize + 1).max().unwrap_or(0);
        let mut layers = vec![Vec::new(); count];
        for (at, expression) in self.expressions.iter().enumerate() {
            layers[expression.layer as usize].push(at);
        }
        layers
    }
}

/// The value of a component at which a cell of this weight is fully on.
fn full_at(weight: f32) -> f32 {
    if weight > 1.0 { 1.0 / weight } else { 1.0 }
}

/// The controls that a corrective depends on, correctives among them replaced by their own; ascending, each once.
fn base_components(cells: &[Vec<(u16, f32)>], psd: usize, first_psd: usize) -> Vec<u16> {
    let mut base = Vec::new();
    let mut open = vec![psd];
    let mut seen = vec![psd];
    while let Some(psd) = open.pop() {
        for &(column, _) in &cells[psd] {
            match usize::from(column).checked_sub(first_psd).filter(|&psd| psd < cells.len()) {
                Some(inner) if !seen.contains(&inner) => {
                    seen.push(inner);
                    open.push(inner);
                }
                Some(_) => {}
                None => base.push(column),
            }
        }
    }
    base.sort_unstable();
    base.dedup();
    base
}

/// Whether all of `part` is in `whole`; both ascending.
fn is_subset(part: &[u16], whole: &[u16]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|control| rest.any(|other| other == control))
}

/// Correctives whose pose is within that of `psd`: of subsets of its components, or of the same with a lower number.
fn below<'a>(bases: &'a [Vec<u16>], psd: usize) -> impl Iterator<Item = usize> + 'a {
    let own = &bases[psd];
    let is_below = move |other: &usize| {
        let base = &bases[*other];
        !base.is_empty()
            && (base.len() < own.len() || (base.len() == own.len() && *other < psd))
            && is_subset(base, own)
    };
    (0..bases.len()).filter(is_below)
}

fn set_layers(expressions: &mut [Expression], bases: &[Vec<u16>], first_psd: usize) {
    // Subsets are shorter, or as long and earlier: in this order everything below a corrective comes before it.
    let mut order: Vec<usize> = (0..bases.len()).filter(|&psd| !bases[psd].is_empty()).collect();
    order.sort_by_key(|&psd| (bases[psd].len(), psd));
    for psd in order {
        let below = below(bases, psd).map(|other| expressions[first_psd + other].layer).max();
        expressions[first_psd + psd].layer = below.unwrap_or(0) + 1;
    }
}

fn set_poses(
    expressions: &mut [Expression],
    cells: &[Vec<(u16, f32)>],
    bases: &[Vec<u16>],
    first_psd: usize,
) {
    for psd in 0..bases.len() {
        let components = expressions[first_psd + psd].components.clone();
        if components.is_empty() {
            continue;
        }
        let active = |other: usize| {
            // Values of controls in this pose; a corrective among the columns counts as on.
            let value = |column: u16| match components.iter().find(|c| c.control == column) {
                Some(component) => component.value.clamp(0.0, 1.0),
                None if usize::from(column) >= first_psd && usize::from(column) < first_psd + bases.len() => {
                    1.0
                }
                None => 0.0,
            };
            let weight: f32 = cells[other].iter().map(|cell| cell.1).product();
            cells[other].iter().fold(weight, |product, &(column, _)| product * value(column)).min(1.0)
        };
        let mut complex = components.clone();
        for other in 0..bases.len() {
            if other != psd && !bases[other].is_empty() && is_subset(&bases[other], &bases[psd]) {
                let value = active(other);
                if value != 0.0 {
                    complex.push(Component { control: (first_psd + other) as u16, value });
                }
            }
        }
        let expression = &mut expressions[first_psd + psd];
        expression.activation = active(psd);
        expression.complex = complex;
    }
}

/// Names and multipliers of correctives in the settings, by corrective.
struct NamedCorrectives {
    names: Vec<Option<String>>,
    multipliers: Vec<Vec<(u16, f32)>>,
}

impl NamedCorrectives {
    fn new(dna: &Dna, settings: &ExpressionSettings, bases: &[Vec<u16>]) -> Result<Self, CalibError> {
        let raw = &dna.definition.raw_control_names;
        let find = |name: &str| {
            let found = raw.iter().position(|control| is_named(&control.to_str(), name));
            found
                .map(|at| at as u16)
                .ok_or_else(|| CalibError::Name { command: "expressions.json", name: name.to_owned() })
        };
        let mut named = Self { names: vec![None; bases.len()], multipliers: vec![Vec::new(); bases.len()] };
        for (name, components) in &settings.targets {
            let mut base = components.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>()?;
            base.sort_unstable();
            base.dedup();
            let Some(psd) = bases.iter().position(|other| *other == base) else {
                return Err(CalibError::Name { command: "expressions.json: targets", name: name.clone() });
            };
            named.names[psd] = Some(name.clone());
        }
        for (name, values) in &settings.multipliers {
            let psd = named.names.iter().position(|known| known.as_ref() == Some(name));
            let Some(psd) = psd else {
                return Err(CalibError::Name {
                    command: "expressions.json: multipliers",
                    name: name.clone(),
                });
            };
            for (component, &value) in values {
                if !(value.is_finite() && value > 0.0 && value <= 1.0) {
                    return Err(CalibError::Option {
                        option: "expressions.json: multipliers",
                        found: format!("{value} for {component} in {name}"),
                        expected: "above 0 and at most 1",
                    });
                }
                named.multipliers[psd].push((find(component)?, value));
            }
        }
        Ok(named)
    }

    fn of(&self, psd: usize) -> Option<String> {
        self.names[psd].clone()
    }

    fn multiplier(&self, psd: usize, control: u16) -> Option<f32> {
        self.multipliers[psd].iter().find(|(component, _)| *component == control).map(|pair| pair.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mhrig_dna::{PsdMatrix, Text};

    fn rig() -> Dna {
        let mut dna = Dna::default();
        dna.definition.raw_control_names =
            ["CTRL.jawOpen", "CTRL.smile", "CTRL.blink"].map(Text::from).to_vec();
        let controls = &mut dna.behavior.controls;
        controls.psd_count = 4;
        // 3: jaw+smile, 4: jaw+smile+blink, 5: smile+blink at half the smile, 6: like 3.
        controls.psds = PsdMatrix {
            rows: vec![4, 3, 4, 3, 4, 5, 5, 6, 6],
            columns: vec![2, 0, 0, 1, 1, 1, 2, 1, 0],
            values: vec![1.0, 1.0, 1.0, 1.0, 0.5, 2.0, 1.0, 1.0, 1.0],
        };
        dna
    }

    #[test]
    fn layers_follow_from_the_inclusion_of_components() {
        let graph = ExpressionGraph::from_dna(&rig(), &ExpressionSettings::default()).unwrap();
        let layers: Vec<u32> = graph.expressions().iter().map(|e| e.layer).collect();
        assert_eq!(layers, [0, 0, 0, 1, 3, 1, 2]);
        assert_eq!(graph.find("jawOpen+smile").map(|e| e.control), Some(3));
        assert_eq!(graph.find("smile").map(|e| e.control), Some(1));
    }

    #[test]
    fn a_pose_has_all_that_the_rig_switches_on_in_it() {
        let graph = ExpressionGraph::from_dna(&rig(), &ExpressionSettings::default()).unwrap();
        let component = |control, value| Component { control, value };
        let three = &graph.expressions()[4];
        assert_eq!(three.activation, 0.5);
        let expected = [(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0), (5, 1.0), (6, 1.0)];
        assert_eq!(three.complex, expected.map(|(c, v)| component(c, v)));
        let half = &graph.expressions()[5];
        assert_eq!(half.components, [component(1, 0.5), component(2, 1.0)]);
        assert_eq!(half.activation, 1.0);
    }

    #[test]
    fn settings_name_correctives_and_say_where_they_were_sculpted() {
        let json = serde_json::json!({
            "targets": {"laugh": ["smile", "CTRL.jawOpen"]},
            "multipliers": {"laugh": {"jawOpen": 0.25}},
        });
        let settings = ExpressionSettings::from_json(&json).unwrap();
        let graph = ExpressionGraph::from_dna(&rig(), &settings).unwrap();
        assert_eq!(graph.find("laugh").unwrap().components[0], Component { control: 0, value: 0.25 });
        for bad in [
            serde_json::json!({"targets": {"laugh": ["grin"]}}),
            serde_json::json!({"multipliers": {"laugh": {"jawOpen": 0.25}}}),
            serde_json::json!({"targets": {"laugh": ["smile", "jawOpen"]}, "multipliers": {"laugh": {"smile": 2}}}),
        ] {
            let settings = ExpressionSettings::from_json(&bad).unwrap();
            assert!(ExpressionGraph::from_dna(&rig(), &settings).is_err(), "{bad}");
        }
    }
}

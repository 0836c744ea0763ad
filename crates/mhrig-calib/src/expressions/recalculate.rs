use std::collections::{BTreeMap, BTreeSet};

use mhrig_dna::{Dna, Vectors3};
use mhrig_report::Job;
use nalgebra::Vector3;
use rayon::prelude::*;
use serde::Serialize;

use super::columns::Columns;
use super::graph::{Component, Expression, ExpressionGraph};
use super::matching::{JointMatch, MatchOptions, MatchTask, MatchVertex, STILL_CM};
use super::posing::{Affine, Pose, Skeleton, SkinTable};
use super::settings::ExpressionSettings;
use super::shapes::{Shapes, Sparse};
use crate::CalibError;
use crate::check::{count, index, mesh_place};
use crate::units::{cm_per_unit, file_length};

/// The expressions of a DNA, ready to be posed.
#[derive(Clone, Debug)]
pub struct ExpressionRig {
    pub(crate) graph: ExpressionGraph,
    pub(crate) skeleton: Skeleton,
    pub(crate) columns: Columns,
    pub(crate) shapes: Shapes,
    pub(crate) skins: Vec<SkinTable>,
    pub(crate) cm_per_unit: f64,
}

impl ExpressionRig {
    /// Reads controls, joints, joint groups, blend shapes and skin weights of `dna`.
    ///
    /// # Errors
    /// [`CalibError::Count`] or [`CalibError::Index`] for inconsistent parts, [`CalibError::Name`] for settings that do
    /// not fit, [`CalibError::Unsupported`] for an unusual order of rotations, [`CalibError::Cancelled`].
    pub fn from_dna(dna: &Dna, settings: &ExpressionSettings, job: &Job<'_>) -> Result<Self, CalibError> {
        let graph = ExpressionGraph::from_dna(dna, settings)?;
        let controls = graph.expressions().len();
        let meshes = (0..dna.geometry.meshes.len()).into_par_iter();
        let skins = meshes.map(|mesh| {
            job.check()?;
            SkinTable::new(dna, mesh)
        });
        Ok(Self {
            skeleton: Skeleton::from_dna(dna)?,
            columns: Columns::from_dna(dna, controls)?,
            shapes: Shapes::from_dna(dna, controls)?,
            skins: skins.collect::<Result<_, _>>()?,
            cm_per_unit: cm_per_unit(&dna.descriptor),
            graph,
        })
    }

    /// The expressions.
    pub fn graph(&self) -> &ExpressionGraph {
        &self.graph
    }

    /// Joint values of a control at 1 in the file's units: attribute (joint × 9 + tx ty tz rx ry rz sx sy sz) and value,
    /// by attribute.
    pub fn joint_values(&self, control: u16) -> &[(u16, f32)] {
        self.columns.of(control)
    }

    /// The sculpt of an expression: posed positions of all vertices of a mesh in the pose in which the expression is
    /// fully on, cm. `dna` is the model that the rig was read from.
    ///
    /// # Errors
    /// [`CalibError::Index`] for an expression or mesh that does not exist.
    pub fn sculpt(&self, dna: &Dna, expression: usize, mesh: usize) -> Result<Vec<[f64; 3]>, CalibError> {
        index("expression", 0, expression, self.graph.expressions().len())?;
        index("geom.meshes", 0, mesh, self.skins.len().min(dna.geometry.meshes.len()))?;
        let active = active_in(&self.graph.expressions()[expression]);
        let pose = self.skeleton.pose(&self.columns, &active);
        let mut positions: Vec<Vector3<f64>> =
            dna.geometry.meshes[mesh].positions.iter().map(|p| Vector3::from(p.map(f64::from))).collect();
        for component in &active {
            for (vertex, delta) in self.shapes.deltas(dna, component.control, mesh) {
                positions[vertex as usize] +=
                    Vector3::from(delta.map(f64::from)) * f64::from(component.value);
            }
        }
        let skin = &self.skins[mesh];
        let posed = positions.iter().enumerate().map(|(vertex, &position)| {
            let posed = skin.blend(vertex, &pose).map_or(position, |blend| blend.of(position));
            (posed * self.cm_per_unit).into()
        });
        Ok(posed.collect())
    }
}

/// The meshes of LOD 0.
fn top_meshes<'a>(dna: &'a Dna, rig: &ExpressionRig) -> impl Iterator<Item = usize> + use<'a> {
    let meshes = rig.skins.len();
    let members = dna.definition.lod_mesh_mapping.members(0).iter();
    members.map(|&member| usize::from(member)).filter(move |&mesh| mesh < meshes)
}

/// Everything that is on in the pose of an expression.
pub(crate) fn active_in(expression: &Expression) -> Vec<Component> {
    let own = Component { control: expression.control, value: expression.activation };
    expression.complex.iter().copied().chain([own]).collect()
}

/// A change of one expression.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ExpressionEdit {
    /// Its number in the control space.
    pub control: u16,
    /// New joint values in the file's units, as [`ExpressionRig::joint_values`] gives them; `None` leaves them.
    pub joints: Option<Vec<(u16, f32)>>,
    /// New sculpts: mesh number, and the posed position of every vertex in the pose in which the expression is fully
    /// on, cm.
    pub sculpts: Vec<(usize, Vec<[f32; 3]>)>,
}

/// Whether a recalculation may give an expression blend shapes on meshes where it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum NewTargets {
    /// On meshes of LOD 0, where the sculpt cannot be kept otherwise.
    #[default]
    WhereNeeded,
    /// No: the number of targets stays, and what only a new one could hold is lost.
    Never,
}

/// What is to be kept, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecalculateOptions {
    /// Whether new targets may be made.
    pub new_targets: NewTargets,
    /// Whether correctives get new joint values when the joint values below them changed, so that joints in their pose
    /// stay where they were. Without it only blend shapes follow.
    pub solve_corrective_joints: bool,
    /// Whether correctives keep their deltas, and get another target, in the mixed-mesh case: one of their components
    /// was edited, and they deform other meshes than their components, neither set holding the other (or they were
    /// sculpted with a component below 1).
    pub keep_mixed_correctives: bool,
    /// Gives expressions joint values that explain as much of their sculpts as joints can; `None` leaves joint values to
    /// the edits.
    pub matching: Option<MatchOptions>,
    /// Deltas that a recalculation makes new and that are not longer than this are left out, cm. Existing ones are pruned
    /// by [`crate::prune`].
    pub negligible_cm: f64,
}

impl Default for RecalculateOptions {
    fn default() -> Self {
        Self {
            new_targets: NewTargets::default(),
            solve_corrective_joints: true,
            keep_mixed_correctives: true,
            matching: None,
            negligible_cm: 1e-6,
        }
    }
}

/// What a recalculation did.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct RecalculateReport {
    /// Layers of correctives.
    pub layers: usize,
    /// Expressions that were computed.
    pub calculated: usize,
    /// Of them, expressions whose blend shapes changed.
    pub changed_shapes: usize,
    /// Of them, correctives whose joint values changed.
    pub changed_joints: usize,
    /// Correctives that kept their deltas and got another target, see [`RecalculateOptions::keep_mixed_correctives`].
    pub kept_correctives: Vec<String>,
    /// Blend shape targets that were made.
    pub new_targets: usize,
    /// How much of each sculpt joints explain, where they were matched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matched: Vec<JointMatch>,
    /// Largest change of a blend shape delta, cm.
    pub largest_change_cm: f64,
    /// Vertices whose posed surface is flat, so that no delta can move it; they kept theirs.
    pub flat_vertices: usize,
}

/// Applies changes to the joints or to expressions and computes every expression that they reach anew, layer by layer:
/// sculpts stay (or become those that are given), blend shapes take the difference. With P the blended skin matrix of a
/// vertex in the new pose, N its neutral position and S its sculpt, the deltas of the pose are P⁻¹ S − N; what components
/// and lower correctives give is taken off, and the rest is the expression's own (mh4m.md 3.4 to 3.6).
///
/// `joint_translations_cm`: new neutral translations of all joints, or `None`. The neutral meshes stay.
///
/// # Errors
/// As [`ExpressionRig::from_dna`]; [`CalibError::Count`], [`CalibError::Index`] or [`CalibError::NotFinite`] for edits that
/// do not fit. `dna` is unchanged then.
pub fn recalculate(
    dna: &mut Dna,
    joint_translations_cm: Option<&[[f64; 3]]>,
    edits: &[ExpressionEdit],
    settings: &ExpressionSettings,
    options: &RecalculateOptions,
    job: &Job<'_>,
) -> Result<RecalculateReport, CalibError> {
    job.progress.stage("read expressions", 0);
    let rig = ExpressionRig::from_dna(dna, settings, job)?;
    let computed = compute(dna, &rig, joint_translations_cm, edits, options, job)?;
    let controls: Vec<u16> = computed.changed_columns.iter().copied().collect();
    computed.columns.write(dna, &controls);
    let report = computed.write_shapes(dna, &rig);
    if let Some(stored) = computed.translations {
        dna.definition.neutral_joint_translations = Vectors3::from_vectors(&stored);
    }
    Ok(report)
}

/// What a recalculation comes to, not yet written.
struct Computed {
    columns: Columns,
    changed_columns: BTreeSet<u16>,
    shapes: BTreeMap<(u16, usize), Sparse>,
    translations: Option<Vec<[f32; 3]>>,
    report: RecalculateReport,
}

impl Computed {
    fn write_shapes(&self, dna: &mut Dna, rig: &ExpressionRig) -> RecalculateReport {
        let mut report = self.report.clone();
        for ((control, mesh), deltas) in &self.shapes {
            let name = &rig.graph.expressions()[usize::from(*control)].name;
            let name = name.rsplit('.').next().unwrap_or(name);
            if rig.shapes.write(dna, *control, *mesh, name, deltas) {
                report.new_targets += 1;
            }
        }
        report
    }
}

fn compute(
    dna: &Dna,
    rig: &ExpressionRig,
    joint_translations_cm: Option<&[[f64; 3]]>,
    edits: &[ExpressionEdit],
    options: &RecalculateOptions,
    job: &Job<'_>,
) -> Result<Computed, CalibError> {
    check_edits(dna, rig, edits)?;
    let unit = rig.cm_per_unit;
    let translations = match joint_translations_cm {
        Some(given) => {
            count(given.len(), rig.skeleton.len(), || "joint translations".to_owned())?;
            let stored: Vec<[f32; 3]> = given.iter().map(|t| t.map(|c| file_length(c, unit))).collect();
            if let Some(at) = stored.iter().position(|t| !t.iter().all(|c| c.is_finite())) {
                return Err(CalibError::NotFinite { place: "joint translations".to_owned(), at });
            }
            Some(stored)
        }
        None => None,
    };
    let skeleton = match &translations {
        Some(stored) => {
            let vectors = stored.iter().map(|t| Vector3::from(t.map(f64::from))).collect();
            Skeleton::with_translations(dna, vectors)?
        }
        None => rig.skeleton.clone(),
    };
    let mut state = NewState::new(rig, skeleton, edits, translations.is_some(), options);
    if options.matching.is_some() {
        state.mass = vec![0.0; rig.skeleton.len()];
        top_meshes(dna, rig).for_each(|mesh| rig.skins[mesh].add_mass(&mut state.mass));
    }
    let layers = rig.graph.layers();
    let dirty = state.dirty.iter().filter(|dirty| **dirty).count();
    match &options.matching {
        Some(matching) => {
            let matched = if matching.all { dirty } else { edits.len() };
            job.progress.stage("match joints and recalculate expressions", dirty + matched);
        }
        None => job.progress.stage("recalculate expressions", dirty),
    }
    for layer in &layers {
        state.calculate_layer(dna, layer, job)?;
    }
    job.check()?;
    let NewState { columns, changed_columns, shapes, mut report, .. } = state;
    report.layers = layers.len().saturating_sub(1);
    Ok(Computed { columns, changed_columns, shapes, translations, report })
}

fn check_edits(dna: &Dna, rig: &ExpressionRig, edits: &[ExpressionEdit]) -> Result<(), CalibError> {
    for (at, edit) in edits.iter().enumerate() {
        index("edits", at, usize::from(edit.control), rig.columns.control_count())?;
        for (place, &(output, value)) in edit.joints.iter().flatten().enumerate() {
            index(&format!("edits[{at}].joints"), place, usize::from(output), rig.skeleton.len() * 9)?;
            if !value.is_finite() {
                return Err(CalibError::NotFinite { place: format!("edits[{at}].joints"), at: place });
            }
        }
        for (mesh, sculpt) in &edit.sculpts {
            index(&format!("edits[{at}].sculpts"), 0, *mesh, rig.skins.len())?;
            let place = || format!("sculpt of {} for {}", edit.control, mesh_place(dna, *mesh));
            count(sculpt.len(), dna.geometry.meshes[*mesh].positions.len(), place)?;
            if let Some(at) = sculpt.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
                return Err(CalibError::NotFinite { place: place(), at });
            }
        }
    }
    Ok(())
}

/// What becomes of a rig while its layers are computed; the old state is in the model and in `rig`.
struct NewState<'a> {
    rig: &'a ExpressionRig,
    skeleton: Skeleton,
    columns: Columns,
    changed_columns: BTreeSet<u16>,
    /// New deltas per control and mesh.
    shapes: BTreeMap<(u16, usize), Sparse>,
    edits: BTreeMap<u16, &'a ExpressionEdit>,
    dirty: Vec<bool>,
    options: &'a RecalculateOptions,
    /// Skin weight of each joint at LOD 0, where joints are matched.
    mass: Vec<f64>,
    report: RecalculateReport,
}

/// What one expression came to.
#[derive(Default)]
struct Calculated {
    shapes: Vec<(usize, Sparse)>,
    largest_change: f64,
    flat_vertices: usize,
}

impl<'a> NewState<'a> {
    fn new(
        rig: &'a ExpressionRig,
        skeleton: Skeleton,
        edits: &'a [ExpressionEdit],
        joints_moved: bool,
        options: &'a RecalculateOptions,
    ) -> Self {
        let by_control: BTreeMap<u16, &ExpressionEdit> =
            edits.iter().map(|edit| (edit.control, edit)).collect();
        let mut columns = rig.columns.clone();
        let mut changed_columns = BTreeSet::new();
        for (&control, edit) in &by_control {
            if let Some(joints) = &edit.joints {
                columns.set(control, joints.clone());
                if columns.of(control) != rig.columns.of(control) {
                    changed_columns.insert(control);
                }
            }
        }
        let is_dirty = |expression: &Expression| {
            joints_moved
                || options.matching.is_some_and(|matching| matching.all)
                || by_control.contains_key(&expression.control)
                || expression.complex.iter().any(|c| by_control.contains_key(&c.control))
        };
        let dirty = rig.graph.expressions().iter().map(is_dirty).collect();
        Self {
            rig,
            skeleton,
            columns,
            changed_columns,
            shapes: BTreeMap::new(),
            edits: by_control,
            dirty,
            options,
            mass: Vec::new(),
            report: RecalculateReport::default(),
        }
    }

    fn calculate_layer(&mut self, dna: &Dna, layer: &[usize], job: &Job<'_>) -> Result<(), CalibError> {
        let expressions = self.rig.graph.expressions();
        let mut pending = Vec::new();
        for expression in layer.iter().map(|&at| &expressions[at]) {
            if !self.dirty[usize::from(expression.control)] || expression.activation == 0.0 {
                continue;
            }
            if self.keeps_corrective(expression) {
                self.report.kept_correctives.push(expression.name.clone());
                continue;
            }
            pending.push(expression);
        }
        let matched = self.match_joints(dna, &pending, job)?;
        for expression in &pending {
            let is_left = expression.is_corrective() && !matched.contains(&expression.control);
            if is_left && self.options.solve_corrective_joints {
                self.solve_joints(expression);
            }
        }
        let this = &*self;
        let results: Vec<(u16, Calculated)> = pending
            .par_iter()
            .map_init(Scratch::default, |scratch, expression| {
                job.check()?;
                let calculated = this.calculate(dna, expression, scratch);
                job.progress.step();
                Ok((expression.control, calculated))
            })
            .collect::<Result<_, CalibError>>()?;
        for (control, calculated) in results {
            self.report.calculated += 1;
            self.report.changed_shapes += usize::from(!calculated.shapes.is_empty());
            self.report.flat_vertices += calculated.flat_vertices;
            let change = calculated.largest_change * self.rig.cm_per_unit;
            self.report.largest_change_cm = self.report.largest_change_cm.max(change);
            for (mesh, deltas) in calculated.shapes {
                self.shapes.insert((control, mesh), deltas);
            }
        }
        Ok(())
    }

    /// Gives the expressions that are to be matched their joint values; returns which of them have any sculpt to match.
    fn match_joints(
        &mut self,
        dna: &Dna,
        pending: &[&Expression],
        job: &Job<'_>,
    ) -> Result<BTreeSet<u16>, CalibError> {
        let Some(matching) = self.options.matching else { return Ok(BTreeSet::new()) };
        let is_wanted = |expression: &&&Expression| {
            let edit = self.edits.get(&expression.control);
            let is_sculpted = edit.is_some_and(|edit| !edit.sculpts.is_empty());
            edit.is_none_or(|edit| edit.joints.is_none()) && (matching.all || is_sculpted)
        };
        let wanted: Vec<&Expression> = pending.iter().filter(is_wanted).copied().collect();
        let this = &*self;
        let found = wanted.par_iter().map(|expression| {
            job.check()?;
            let found = this.match_task(dna, expression, &matching).solve(job)?;
            job.progress.step();
            Ok(found.map(|found| (expression.control, found)))
        });
        let found: Vec<Option<_>> = found.collect::<Result<_, CalibError>>()?;
        let mut matched = BTreeSet::new();
        for (control, (column, report)) in found.into_iter().flatten() {
            matched.insert(control);
            self.report.matched.push(report);
            self.columns.set(control, column);
            if self.columns.of(control) != self.rig.columns.of(control) {
                self.changed_columns.insert(control);
            }
        }
        Ok(matched)
    }

    /// What there is to match: the vertices of LOD 0 with what they are without the expression and what they are to be.
    fn match_task<'t>(
        &'t self,
        dna: &Dna,
        expression: &'t Expression,
        options: &'t MatchOptions,
    ) -> MatchTask<'t> {
        let rig = self.rig;
        let unit = rig.cm_per_unit;
        let old_pose = rig.skeleton.pose(&rig.columns, &active_in(expression));
        let without = self.skeleton.pose(&self.columns, &expression.complex);
        let activation = f64::from(expression.activation);
        let edit = self.edits.get(&expression.control);
        let mut starts = vec![self.columns.of(expression.control).to_vec()];
        if expression.is_corrective() && self.is_above_a_change(expression) {
            starts.push(self.compensated(expression));
        }
        let mut task = MatchTask {
            skeleton: &self.skeleton,
            columns: &self.columns,
            skins: &rig.skins,
            expression,
            cm_per_unit: unit,
            options,
            mass: &self.mass,
            starts,
            vertices: Vec::new(),
            sculpt_squares: 0.0,
            before_squares: 0.0,
        };
        for mesh in top_meshes(dna, rig) {
            let positions = &dna.geometry.meshes[mesh].positions;
            let mut old_complex = vec![Vector3::<f64>::zeros(); positions.len()];
            let mut new_complex = old_complex.clone();
            let add = |sums: &mut Vec<Vector3<f64>>, deltas: Sparse, value: f64| {
                for (vertex, delta) in deltas {
                    sums[vertex as usize] += Vector3::from(delta.map(f64::from)) * value;
                }
            };
            for component in &expression.complex {
                let value = f64::from(component.value);
                add(&mut old_complex, rig.shapes.deltas(dna, component.control, mesh), value);
                add(&mut new_complex, self.new_deltas(dna, component.control, mesh), value);
            }
            let mut old_whole = old_complex.clone();
            add(&mut old_whole, rig.shapes.deltas(dna, expression.control, mesh), activation);
            let sculpt = edit.and_then(|edit| edit.sculpts.iter().find(|(of, _)| *of == mesh));
            let skin = &rig.skins[mesh];
            for (vertex, position) in positions.iter().enumerate() {
                let neutral = Vector3::from(position.map(f64::from));
                let old_blend = skin.blend(vertex, &old_pose).unwrap_or_else(Affine::identity);
                let old_sculpt = old_blend.of(neutral + old_whole[vertex]);
                let target = match sculpt {
                    Some((_, sculpt)) => keep_if_equal(sculpt[vertex], old_sculpt, unit),
                    None => old_sculpt,
                } * unit;
                let base = neutral + new_complex[vertex];
                let rest = skin.blend(vertex, &without).map_or(base, |blend| blend.of(base)) * unit;
                let left = target - old_blend.of(neutral + old_complex[vertex]) * unit;
                let moved = (target - rest).norm();
                task.sculpt_squares += moved * moved;
                task.before_squares += left.norm_squared();
                let base = base * unit;
                task.vertices.push(MatchVertex { mesh, vertex, base, target, is_moved: moved > STILL_CM });
            }
        }
        task
    }

    /// The mixed-mesh case, or a target that was sculpted with a component below 1: the corrective stays, and its target
    /// becomes the new complex pose with it.
    fn keeps_corrective(&self, expression: &Expression) -> bool {
        if !self.options.keep_mixed_correctives || self.edits.contains_key(&expression.control) {
            return false;
        }
        let edited = expression.complex.iter().any(|c| self.edits.contains_key(&c.control));
        if !expression.is_corrective() || !edited {
            return false;
        }
        if expression.components.iter().any(|component| component.value < 1.0) {
            return true;
        }
        let own: BTreeSet<usize> = self.rig.shapes.meshes(expression.control).into_iter().collect();
        let of_components: BTreeSet<usize> =
            expression.components.iter().flat_map(|c| self.rig.shapes.meshes(c.control)).collect();
        !own.is_subset(&of_components) && !of_components.is_subset(&own)
    }

    /// Gives a corrective the joint values that leave the joints in its pose where they were.
    fn solve_joints(&mut self, expression: &Expression) {
        let control = expression.control;
        let given = self.edits.get(&control).is_some_and(|edit| edit.joints.is_some());
        if given || !self.is_above_a_change(expression) {
            return;
        }
        let column = self.compensated(expression);
        self.columns.set(control, column);
        if self.columns.of(control) != self.rig.columns.of(control) {
            self.changed_columns.insert(control);
            self.report.changed_joints += 1;
        }
    }

    fn is_above_a_change(&self, expression: &Expression) -> bool {
        expression.complex.iter().any(|c| self.changed_columns.contains(&c.control))
    }

    /// The joint values of a corrective that make up for what changed below it.
    fn compensated(&self, expression: &Expression) -> Vec<(u16, f32)> {
        let control = expression.control;
        // Per attribute, the difference and the size of what it is a difference of.
        let mut sums: BTreeMap<u16, (f64, f64)> = BTreeMap::new();
        for component in expression.complex.iter().filter(|c| self.changed_columns.contains(&c.control)) {
            for (columns, sign) in [(&self.rig.columns, 1.0), (&self.columns, -1.0)] {
                for &(output, value) in columns.of(component.control) {
                    let is_rotation = (3..6).contains(&(output % 9));
                    // Rotations of such joints are multiplied; a difference of angles means nothing there.
                    if !(is_rotation && self.skeleton.is_quaternion(usize::from(output / 9))) {
                        let share = f64::from(component.value) * f64::from(value);
                        let sum = sums.entry(output).or_default();
                        sum.0 += sign * share;
                        sum.1 += share.abs();
                    }
                }
            }
        }
        let activation = f64::from(expression.activation);
        let mut column: BTreeMap<u16, f64> =
            self.columns.of(control).iter().map(|&(output, value)| (output, f64::from(value))).collect();
        for (output, (difference, size)) in sums {
            // What cancels but for the rounding of stored values is no change.
            if difference.abs() > 4.0 * f64::from(f32::EPSILON) * size {
                *column.entry(output).or_default() += difference / activation;
            }
        }
        column.into_iter().map(|(output, value)| (output, value as f32)).collect()
    }

    fn calculate(&self, dna: &Dna, expression: &Expression, scratch: &mut Scratch) -> Calculated {
        let active = active_in(expression);
        let old_pose = self.rig.skeleton.pose(&self.rig.columns, &active);
        let new_pose = self.skeleton.pose(&self.columns, &active);
        let edit = self.edits.get(&expression.control);
        let poses_differ = old_pose != new_pose;
        let mut calculated = Calculated::default();
        for mesh in 0..self.rig.skins.len() {
            let sculpt = edit.and_then(|edit| edit.sculpts.iter().find(|(of, _)| *of == mesh));
            let sculpt = sculpt.map(|(_, positions)| positions.as_slice());
            let complex_changed =
                expression.complex.iter().any(|c| self.shapes.contains_key(&(c.control, mesh)));
            if !poses_differ && !complex_changed && sculpt.is_none() {
                continue;
            }
            let has_target = !self.rig.shapes.on_mesh(expression.control, mesh).is_empty();
            if !has_target && !self.may_add_target(dna, mesh) {
                continue;
            }
            let task = MeshTask {
                state: self,
                dna,
                expression,
                mesh,
                sculpt,
                old_pose: &old_pose,
                new_pose: &new_pose,
            };
            if let Some(deltas) = task.calculate(scratch, &mut calculated) {
                calculated.shapes.push((mesh, deltas));
            }
        }
        calculated
    }

    fn may_add_target(&self, dna: &Dna, mesh: usize) -> bool {
        self.options.new_targets == NewTargets::WhereNeeded
            && top_meshes(dna, self.rig).any(|member| member == mesh)
    }

    /// What a control adds to a mesh after the change, as far as it was computed yet.
    fn new_deltas(&self, dna: &Dna, control: u16, mesh: usize) -> Sparse {
        match self.shapes.get(&(control, mesh)) {
            Some(deltas) => deltas.clone(),
            None => self.rig.shapes.deltas(dna, control, mesh),
        }
    }
}

/// Per-vertex sums, cleared by the list of vertices that were touched.
#[derive(Default)]
struct Scratch {
    sums: Vec<VertexSums>,
    touched: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct VertexSums {
    is_touched: bool,
    old_complex: Vector3<f64>,
    new_complex: Vector3<f64>,
    own: Option<[f32; 3]>,
}

impl Scratch {
    fn at(&mut self, vertex: u32) -> &mut VertexSums {
        let sums = &mut self.sums[vertex as usize];
        if !sums.is_touched {
            sums.is_touched = true;
            self.touched.push(vertex);
        }
        sums
    }

    fn clear(&mut self) {
        for &vertex in &self.touched {
            self.sums[vertex as usize] = VertexSums::default();
        }
        self.touched.clear();
    }
}

/// One expression on one mesh.
struct MeshTask<'a> {
    state: &'a NewState<'a>,
    dna: &'a Dna,
    expression: &'a Expression,
    mesh: usize,
    sculpt: Option<&'a [[f32; 3]]>,
    old_pose: &'a Pose,
    new_pose: &'a Pose,
}

impl MeshTask<'_> {
    /// The new deltas, `None` when they are the old ones.
    fn calculate(&self, scratch: &mut Scratch, calculated: &mut Calculated) -> Option<Sparse> {
        let positions = &self.dna.geometry.meshes[self.mesh].positions;
        scratch.clear();
        if scratch.sums.len() < positions.len() {
            scratch.sums.resize(positions.len(), VertexSums::default());
        }
        self.gather(scratch);
        let skin = &self.state.rig.skins[self.mesh];
        let unit = self.state.rig.cm_per_unit;
        let negligible = self.state.options.negligible_cm / unit;
        let activation = f64::from(self.expression.activation);
        scratch.touched.sort_unstable();
        let mut deltas = Sparse::new();
        let mut is_changed = false;
        for &vertex in &scratch.touched {
            let sums = &scratch.sums[vertex as usize];
            let own = sums.own.unwrap_or_default();
            let at = vertex as usize;
            let old_blend = skin.blend(at, self.old_pose);
            let new_blend = skin.blend(at, self.new_pose);
            let is_still = old_blend == new_blend && sums.old_complex == sums.new_complex;
            let mut delta = own;
            if !is_still || self.sculpt.is_some() {
                let neutral = Vector3::from(positions.get(at).unwrap_or_default().map(f64::from));
                let old_delta = sums.old_complex + Vector3::from(own.map(f64::from)) * activation;
                let old_sculpt = old_blend.unwrap_or_else(Affine::identity).of(neutral + old_delta);
                let sculpt = match self.sculpt {
                    Some(sculpt) => keep_if_equal(sculpt[at], old_sculpt, unit),
                    None => old_sculpt,
                };
                // Where nothing moves, not even rounding should.
                if !(is_still && sculpt == old_sculpt) {
                    match new_blend.unwrap_or_else(Affine::identity).solve(sculpt) {
                        Some(unposed) => {
                            let new = (unposed - neutral - sums.new_complex) / activation;
                            delta = new.map(|c| c as f32).into();
                        }
                        None => calculated.flat_vertices += 1,
                    }
                }
            }
            let length = |d: [f32; 3]| Vector3::from(d.map(f64::from)).norm();
            if sums.own.is_none() && length(delta) <= negligible {
                delta = own;
            }
            let change = length(std::array::from_fn(|axis| delta[axis] - own[axis]));
            calculated.largest_change = calculated.largest_change.max(change);
            is_changed |= delta != own;
            if sums.own.is_some() || delta != [0.0; 3] {
                deltas.push((vertex, delta));
            }
        }
        is_changed.then_some(deltas)
    }

    /// Marks the vertices that the expression can reach and sums what moves them.
    fn gather(&self, scratch: &mut Scratch) {
        let rig = self.state.rig;
        for pose in [self.old_pose, self.new_pose] {
            for joint in pose.moved() {
                for &vertex in rig.skins[self.mesh].vertices_of(joint) {
                    scratch.at(vertex);
                }
            }
        }
        for component in &self.expression.complex {
            let value = f64::from(component.value);
            for (vertex, delta) in rig.shapes.deltas(self.dna, component.control, self.mesh) {
                scratch.at(vertex).old_complex += Vector3::from(delta.map(f64::from)) * value;
            }
            for (vertex, delta) in self.state.new_deltas(self.dna, component.control, self.mesh) {
                scratch.at(vertex).new_complex += Vector3::from(delta.map(f64::from)) * value;
            }
        }
        for (vertex, delta) in rig.shapes.deltas(self.dna, self.expression.control, self.mesh) {
            scratch.at(vertex).own = Some(delta);
        }
        if let Some(sculpt) = self.sculpt {
            for vertex in 0..sculpt.len() as u32 {
                scratch.at(vertex);
            }
        }
    }
}

/// A given position, or the exact one where the given one is that rounded to f32.
fn keep_if_equal(given_cm: [f32; 3], exact: Vector3<f64>, unit: f64) -> Vector3<f64> {
    let rounded: [f32; 3] = (exact * unit).map(|c| c as f32).into();
    if rounded == given_cm { exact } else { Vector3::from(given_cm.map(f64::from)) / unit }
}

/// Lets blend shapes take what it will cost to set joint values of at most the thresholds of `prune` to 0 (which
/// [`crate::prune_joint_values`] does), so that every sculpt stays. `None` when there are no such values.
pub(crate) fn make_up_for_pruned_joints(
    dna: &mut Dna,
    prune: &crate::PruneThresholds,
    settings: &ExpressionSettings,
    job: &Job<'_>,
) -> Result<Option<RecalculateReport>, CalibError> {
    let limits = prune.joint_limits(&dna.descriptor);
    if limits == [0.0; 3] {
        return Ok(None);
    }
    let graph = ExpressionGraph::from_dna(dna, settings)?;
    let columns = Columns::from_dna(dna, graph.expressions().len())?;
    let stays = |&(output, value): &(u16, f32)| f64::from(value.abs()) > limits[usize::from(output % 9) / 3];
    let edits: Vec<ExpressionEdit> = (0..columns.control_count() as u16)
        .filter(|&control| !columns.of(control).iter().all(stays))
        .map(|control| ExpressionEdit {
            control,
            joints: Some(columns.of(control).iter().copied().filter(stays).collect()),
            sculpts: Vec::new(),
        })
        .collect();
    if edits.is_empty() {
        return Ok(None);
    }
    let options = RecalculateOptions {
        new_targets: NewTargets::Never,
        solve_corrective_joints: false,
        keep_mixed_correctives: false,
        ..RecalculateOptions::default()
    };
    let rig = ExpressionRig::from_dna(dna, settings, job)?;
    let computed = compute(dna, &rig, None, &edits, &options, job)?;
    Ok(Some(computed.write_shapes(dna, &rig)))
}

use mhrig_geom::{JointId, fit_sphere};
use mhrig_report::Job;
use nalgebra::Vector3;

use crate::chains::Chain;
use crate::subtree::SubtreeMaps;
use crate::template::vector;
use crate::{
    Character, Constraint, FitError, FitOptions, FitTemplate, JointPlacement, MappingEffect, Placement, Rule,
    StrategySet, Targets,
};

/// A joint counts as skinned when the weights of its vertices sum to more than this.
pub(crate) const LEAST_SKIN_WEIGHT: f64 = 0.5;

/// Places every joint of `template` for the vertex positions `targets`.
///
/// Each joint is placed by the first strategy that has evidence for it, in the order of [`crate::Strategy`];
/// `constraints` come before all others (the last one of a joint counts). World anchors stay at rest. Only
/// positions are found: rotations are those of the template.
///
/// # Errors
/// [`FitError`] when the job is cancelled, or constraints or targets are not of this template.
pub fn fit(
    template: &FitTemplate,
    targets: &Targets<'_>,
    constraints: &[Constraint],
    options: &FitOptions,
    job: Job<'_>,
) -> Result<Placement, FitError> {
    check_inputs(template, targets, constraints)?;
    job.check()?;
    match options.strategy_set {
        StrategySet::Seed => {
            let mut fit = Fit::new(template, targets, &template.chains);
            if !options.moves_anchors {
                fit.place_anchors();
            }
            fit.place_constraints(constraints);
            fit.place_mapped(options.mapping_effect, true);
            fit.place_eyes();
            job.check()?;
            fit.place_skinned_and_chained();
            job.check()?;
            Ok(fit.place_rest(options))
        }
        StrategySet::Best => {
            Character::new(vec![template]).fit_part(0, &[targets], constraints, options, job)
        }
    }
}

pub(crate) fn check_inputs(
    template: &FitTemplate,
    targets: &Targets<'_>,
    constraints: &[Constraint],
) -> Result<(), FitError> {
    let joints = template.hierarchy.len();
    for (index, constraint) in constraints.iter().enumerate() {
        let joint = constraint.joint.index();
        if joint >= joints || !constraint.position.iter().all(|c| c.is_finite()) {
            return Err(FitError::Constraint { index, joint, position: constraint.position.into(), joints });
        }
    }
    for (mesh, expected) in template.meshes.iter().map(|mesh| mesh.mesh.positions.len()).enumerate() {
        if let Some(found) = targets.positions(mesh).map(<[_]>::len).filter(|&found| found != expected) {
            return Err(FitError::Targets { mesh, expected, found });
        }
    }
    Ok(())
}

/// A fit in progress.
pub(crate) struct Fit<'a> {
    template: &'a FitTemplate,
    targets: &'a Targets<'a>,
    /// The chains in force, one entry per joint.
    chains: &'a [Option<Chain>],
    pub(crate) placed: Vec<Option<JointPlacement>>,
}

impl<'a> Fit<'a> {
    pub(crate) fn new(
        template: &'a FitTemplate,
        targets: &'a Targets<'a>,
        chains: &'a [Option<Chain>],
    ) -> Self {
        Self { template, targets, chains, placed: vec![None; template.hierarchy.len()] }
    }

    fn is_placed(&self, joint: JointId) -> bool {
        self.placed[joint.index()].is_some()
    }

    fn is_held(&self, joint: JointId) -> bool {
        let rule = self.placed[joint.index()].map(|placement| placement.rule);
        matches!(rule, Some(Rule::Constraint(_) | Rule::Anchor))
    }

    pub(crate) fn place_anchors(&mut self) {
        for (index, placed) in self.placed.iter_mut().enumerate() {
            if self.template.is_anchor[index] {
                *placed = Some(JointPlacement::new(self.template.rest[index], Rule::Anchor, 0, 0.0));
            }
        }
    }

    pub(crate) fn place_constraints(&mut self, constraints: &[Constraint]) {
        for constraint in constraints {
            let rule = Rule::Constraint(constraint.kind);
            self.placed[constraint.joint.index()] =
                Some(JointPlacement::new(constraint.position, rule, 1, 0.0));
        }
    }

    /// Applies the mapping rows whose mesh is there to joints that no constraint holds.
    pub(crate) fn place_mapped(&mut self, effect: MappingEffect, takes_volumetric: bool) {
        // What a scene would show: every joint's position, children following when a parent is written.
        let mut scene = self.template.rest.clone();
        let mut written = vec![None; scene.len()];
        let rows = self.template.rows.iter();
        for row in rows.filter(|row| takes_volumetric || row.offset.is_none()) {
            let Some(positions) = self.targets.positions(row.mesh) else { continue };
            if self.is_held(row.joint) {
                continue;
            }
            let position = vector(positions[row.vertex.index()]) + row.offset.unwrap_or_default();
            let rule =
                Rule::Vertex { mesh: row.mesh, vertex: row.vertex, is_volumetric: row.offset.is_some() };
            written[row.joint.index()] = Some(JointPlacement::new(position, rule, 1, 0.0));
            if effect == MappingEffect::CarriesChildren {
                let shift = position - scene[row.joint.index()];
                let mut below = vec![row.joint];
                while let Some(joint) = below.pop() {
                    scene[joint.index()] += shift;
                    below.extend_from_slice(&self.template.children[joint.index()]);
                }
            }
        }
        for (index, placement) in written.into_iter().enumerate() {
            let Some(mut placement) = placement else { continue };
            if effect == MappingEffect::CarriesChildren {
                placement.position = scene[index];
            }
            self.placed[index] = Some(placement);
        }
    }

    pub(crate) fn place_eyes(&mut self) {
        for eye in &self.template.eyes {
            let Some(positions) = self.targets.positions(eye.mesh) else { continue };
            if self.is_placed(eye.joint) {
                continue;
            }
            let points: Vec<_> = positions.iter().map(|&p| vector(p)).collect();
            let Some(sphere) = fit_sphere(&points) else { continue };
            let rule = Rule::EyeSphere { mesh: eye.mesh, scale: sphere.radius / eye.radius };
            let position = sphere.center + eye.offset;
            self.placed[eye.joint.index()] =
                Some(JointPlacement::new(position, rule, points.len(), sphere.residual));
        }
    }

    /// Skin transfer for joints without a chain, then chains whose ends have a place, then skin transfer for chain
    /// joints that have none, then what chains that opens.
    pub(crate) fn place_skinned_and_chained(&mut self) {
        let transfers = transfer_skin(self.template, self.targets);
        for takes_chain_joints in [false, true] {
            for (index, transfer) in transfers.iter().enumerate() {
                let is_free = self.placed[index].is_none();
                if is_free && (takes_chain_joints || self.chains[index].is_none()) {
                    self.placed[index] = *transfer;
                }
            }
            self.place_chained();
        }
    }

    /// Places chain joints whose ends have a place, until there are no more.
    pub(crate) fn place_chained(&mut self) {
        loop {
            let mut has_changed = false;
            for (index, chain) in self.chains.iter().enumerate() {
                let Some(chain) = chain.filter(|_| self.placed[index].is_none()) else { continue };
                let ends = [chain.from, chain.to].map(|end| self.placed[end.index()]);
                let [Some(from), Some(to)] = ends else { continue };
                let rule = Rule::Chain { from: chain.from, to: chain.to, weight: chain.weight };
                let position = chain.position(&from.position, &to.position);
                let evidence = if chain.from == chain.to { 1 } else { 2 };
                let placement = JointPlacement::new(position, rule, evidence, 0.0);
                let confidence = from.confidence.min(to.confidence);
                self.placed[index] = Some(placement.resting_on(confidence));
                has_changed = true;
            }
            if !has_changed {
                return;
            }
        }
    }

    /// Subtree fit, inheritance and rigid follow for whatever has no place yet.
    pub(crate) fn place_rest(mut self, options: &FitOptions) -> Placement {
        let is_evidence = |placement: &&JointPlacement| !matches!(placement.rule, Rule::Anchor);
        let evidence: Vec<Option<Vector3<f64>>> = self
            .placed
            .iter()
            .map(|placed| placed.as_ref().filter(is_evidence).map(|p| p.position))
            .collect();
        let mut maps = SubtreeMaps::new(self.template, &evidence, options);
        // Chain joints wait: their ends may get a place here.
        for takes_chain_joints in [false, true] {
            for &joint in self.template.hierarchy.top_down() {
                let is_chain = self.chains[joint.index()].is_some();
                if !self.is_placed(joint) && (takes_chain_joints || !is_chain) {
                    self.placed[joint.index()] = Some(self.place_by_surroundings(joint, &mut maps));
                    if takes_chain_joints {
                        self.place_chained();
                    }
                }
            }
            self.place_chained();
        }
        let stay = |(index, placed): (usize, Option<JointPlacement>)| {
            let rule = Rule::RigidFollow { ancestor: None };
            placed.unwrap_or_else(|| JointPlacement::new(self.template.rest[index], rule, 0, 0.0))
        };
        Placement { joints: self.placed.into_iter().enumerate().map(stay).collect() }
    }

    fn place_by_surroundings(&self, joint: JointId, maps: &mut SubtreeMaps<'_>) -> JointPlacement {
        let rest = &self.template.rest;
        if let Some(map) = maps.own(joint) {
            let position = map.linear * rest[joint.index()] + map.translation;
            let rule = Rule::SubtreeFit { scale: map.scale };
            return JointPlacement::new(position, rule, map.evidence, map.residual_cm);
        }
        let mut ancestor = self.template.hierarchy.parent(joint);
        while let Some(next) = ancestor.filter(|&next| !self.is_placed(next)) {
            ancestor = self.template.hierarchy.parent(next);
        }
        let from_ancestor = ancestor.and_then(|next| Some((next, self.placed[next.index()]?)));
        match (from_ancestor, maps.nearest(joint)) {
            (Some((ancestor, placed)), Some((from, map))) => {
                let away = rest[joint.index()] - rest[ancestor.index()];
                let rule = Rule::Inherited { from, scale: map.scale };
                let position = placed.position + map.linear * away;
                JointPlacement::new(position, rule, map.evidence, map.residual_cm)
                    .resting_on(placed.confidence)
            }
            (Some((ancestor, placed)), None) => {
                let away = rest[joint.index()] - rest[ancestor.index()];
                let rule = Rule::RigidFollow { ancestor: Some(ancestor) };
                JointPlacement::new(placed.position + away, rule, 1, 0.0).resting_on(placed.confidence)
            }
            (None, _) => {
                JointPlacement::new(rest[joint.index()], Rule::RigidFollow { ancestor: None }, 0, 0.0)
            }
        }
    }
}

/// Per joint: rest position plus the weighted mean displacement of the vertices that it influences, over all meshes
/// that are there; `None` where the weights sum to too little.
pub(crate) fn transfer_skin(template: &FitTemplate, targets: &Targets<'_>) -> Vec<Option<JointPlacement>> {
    #[derive(Clone, Copy)]
    struct Sum {
        weight: f64,
        shift: Vector3<f64>,
        square: f64,
        vertices: usize,
    }
    let mut sums =
        vec![Sum { weight: 0.0, shift: Vector3::zeros(), square: 0.0, vertices: 0 }; template.rest.len()];
    for (number, mesh) in template.meshes.iter().enumerate() {
        let Some(positions) = targets.positions(number) else { continue };
        for (vertex, (from, to)) in mesh.mesh.positions.iter().zip(positions).enumerate() {
            let shift = vector(*to) - vector(*from);
            let square = shift.norm_squared();
            for (joint, weight) in mesh.skin.influences(vertex) {
                let (sum, weight) = (&mut sums[joint.index()], f64::from(weight));
                sum.weight += weight;
                sum.shift += shift * weight;
                sum.square += square * weight;
                sum.vertices += usize::from(weight > 0.0);
            }
        }
    }
    let placement = |(sum, rest): (&Sum, &Vector3<f64>)| {
        (sum.weight > LEAST_SKIN_WEIGHT).then(|| {
            let mean = sum.shift / sum.weight;
            let residual = (sum.square / sum.weight - mean.norm_squared()).max(0.0).sqrt();
            JointPlacement::new(rest + mean, Rule::Skin { weight: sum.weight }, sum.vertices, residual)
        })
    };
    sums.iter().zip(&template.rest).map(placement).collect()
}

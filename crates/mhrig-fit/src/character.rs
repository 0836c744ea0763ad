use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use mhrig_report::{Cancelled, Job};
use rayon::prelude::*;

use crate::patches::{Rows, Surface, compute_rows};
use crate::row_bytes::{decode, encode, variant_name};
use crate::seed::{Fit, check_inputs};
use crate::warp::Warp;
use crate::{
    Constraint, FilledMesh, FitError, FitOptions, FitTemplate, Placement, RowStore, StrategySet, Targets,
};

/// The parts of one character, whose surfaces are evidence for the joints of all of them.
///
/// A body mesh ends at the neck and a head mesh at the chest; the joints between them are surrounded by surface
/// only where both are looked at together. What depends on the templates alone is computed by the first fit that
/// needs it and kept; a fit after that is a few sparse products.
#[derive(Debug)]
pub struct Character<'t> {
    parts: Vec<&'t FitTemplate>,
    /// By which meshes of which part are there.
    prepared: Mutex<BTreeMap<Vec<Vec<bool>>, Arc<Prepared>>>,
    warps: Mutex<BTreeMap<WarpKey, Option<Arc<Warp>>>>,
    store: Option<Box<dyn RowStore>>,
}

/// Part, missing mesh, and which meshes of the part are there.
type WarpKey = (usize, usize, Vec<bool>);

#[derive(Debug)]
struct Prepared {
    surface: Surface,
    rows: Vec<Rows>,
}

impl<'t> Character<'t> {
    /// The character with these parts. Joints of one name in several parts are one joint.
    pub fn new(parts: Vec<&'t FitTemplate>) -> Self {
        Self { parts, prepared: Mutex::default(), warps: Mutex::default(), store: None }
    }

    /// As this one, taking from `store` what an earlier run computed, and leaving there what this one computes.
    pub fn with_row_store(self, store: impl RowStore + 'static) -> Self {
        Self { store: Some(Box::new(store)), ..self }
    }

    /// The parts.
    pub fn parts(&self) -> &[&'t FitTemplate] {
        &self.parts
    }

    /// Places the joints of part `part`, with the evidence of all parts when the options' set is
    /// [`StrategySet::Best`]; as [`crate::fit`] otherwise.
    ///
    /// `targets` has one entry per part. Joints that the part shares with another that was placed before are
    /// to be `constraints`. Should a part have no number `part` or no targets, nothing is placed.
    ///
    /// # Errors
    /// [`FitError`] when the job is cancelled, or constraints or targets are not of these parts.
    pub fn fit_part(
        &self,
        part: usize,
        targets: &[&Targets<'_>],
        constraints: &[Constraint],
        options: &FitOptions,
        job: Job<'_>,
    ) -> Result<Placement, FitError> {
        if targets.len() != self.parts.len() {
            return Err(FitError::Parts { expected: self.parts.len(), found: targets.len() });
        }
        let (Some(&template), Some(&own)) = (self.parts.get(part), targets.get(part)) else {
            return Err(FitError::Parts { expected: self.parts.len(), found: part + 1 });
        };
        if options.strategy_set == StrategySet::Seed {
            return crate::fit(template, own, constraints, options, job);
        }
        check_inputs(template, own, constraints)?;
        for (template, targets) in self.parts.iter().zip(targets) {
            check_inputs(template, targets, &[])?;
        }
        job.check()?;
        let prepared = self.prepare(targets, job)?;
        let mut fit = Fit::new(template, own, &template.exact_chains);
        if !options.moves_anchors {
            fit.place_anchors();
        }
        fit.place_constraints(constraints);
        fit.place_mapped(options.mapping_effect, false);
        fit.place_eyes();
        job.check()?;
        if let Some(positions) = prepared.surface.positions(targets) {
            let rows = &prepared.rows[part];
            let placed = &fit.placed;
            let place = |joint: usize| match (&placed[joint], &rows[joint]) {
                (None, Some(row)) => Some(row.place(&prepared.surface, &positions)),
                (placed, _) => *placed,
            };
            fit.placed = (0..rows.len()).into_par_iter().map(place).collect();
        }
        job.check()?;
        fit.place_chained();
        fit.place_skinned_and_chained();
        Ok(fit.place_rest(options))
    }

    /// Computes what fits of these targets need, if that has not been done: for callers that want to spend the time
    /// at a moment of their own.
    ///
    /// # Errors
    /// [`Cancelled`] when the job was asked to stop.
    pub fn warm_up(&self, targets: &[&Targets<'_>], job: Job<'_>) -> Result<(), Cancelled> {
        self.prepare(targets, job).map(|_| ())
    }

    fn prepare(&self, targets: &[&Targets<'_>], job: Job<'_>) -> Result<Arc<Prepared>, Cancelled> {
        let is_there = |(template, targets): (&&FitTemplate, &&Targets<'_>)| -> Vec<bool> {
            (0..template.meshes.len()).map(|mesh| targets.positions(mesh).is_some()).collect()
        };
        let present: Vec<Vec<bool>> = self.parts.iter().zip(targets).map(is_there).collect();
        // Not locked while computing: the threads that compute may be at work on other characters' fits, too.
        let known = |prepared: &BTreeMap<_, Arc<Prepared>>| prepared.get(&present).cloned();
        let locked = || self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prepared) = known(&locked()) {
            return Ok(prepared);
        }
        let surface = Surface::new(&self.parts, |part, mesh| present[part][mesh]);
        let rows = self.rows(&surface, &present, job)?;
        let prepared = Arc::new(Prepared { rows, surface });
        Ok(Arc::clone(locked().entry(present).or_insert(prepared)))
    }

    /// The rows of all parts, from the store where it has them.
    fn rows(&self, surface: &Surface, present: &[Vec<bool>], job: Job<'_>) -> Result<Vec<Rows>, Cancelled> {
        let variant = variant_name(present);
        let joints: Vec<usize> = self.parts.iter().map(|part| part.rest.len()).collect();
        let stored = self.store.as_ref().and_then(|store| store.load(&variant));
        if let Some(rows) = stored.and_then(|bytes| decode(&bytes, &joints, surface.rest.len())) {
            return Ok(rows);
        }
        let rows = (0..self.parts.len()).map(|part| compute_rows(&self.parts, part, surface, job));
        let rows: Vec<Rows> = rows.collect::<Result<_, _>>()?;
        if let Some(store) = &self.store {
            store.save(&variant, &encode(&rows));
        }
        Ok(rows)
    }

    /// Guesses mesh `mesh` of part `part` from the part's other meshes by a smooth warp of the space between the
    /// template and the target. `None` when the part has no such mesh or none of the meshes it could be guessed from.
    pub fn fill_by_warp(&self, part: usize, mesh: usize, targets: &Targets<'_>) -> Option<FilledMesh> {
        let template = *self.parts.get(part)?;
        let present: Vec<bool> =
            (0..template.meshes.len()).map(|mesh| targets.positions(mesh).is_some()).collect();
        let locked = || self.warps.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (part, mesh, present);
        let known = locked().get(&key).cloned();
        let warp = known.unwrap_or_else(|| {
            let warp = Warp::new(template, mesh, &key.2).map(Arc::new);
            locked().entry(key).or_insert(warp).clone()
        });
        warp?.fill(mesh, targets)
    }
}

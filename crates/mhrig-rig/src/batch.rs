use std::sync::Arc;

use mhrig_report::{Cancelled, Job};
use rayon::prelude::*;

use crate::{EvaluationError, Frame, FrameControls, Instance, Rig};

/// Why a batch has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The job was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A frame was refused or has no finite result.
    #[error("clip {clip}, frame {frame}")]
    Frame {
        /// Number of the clip.
        clip: usize,
        /// Number of the frame in the clip.
        frame: usize,
        /// Why.
        #[source]
        source: EvaluationError,
    },
}

/// Evaluates independent clips in parallel, each on an instance of its own with its frames in order, and returns
/// what `take` makes of each frame: by clip, then by frame. The result does not depend on the number of threads.
///
/// # Errors
/// [`BatchError`]: cancelled, or the first frame (by clip and frame number) that has no result.
pub fn evaluate_clips<C, T>(
    rig: &Arc<Rig>,
    clips: &[C],
    controls: FrameControls,
    job: &Job,
    take: impl Fn(&Instance) -> T + Sync,
) -> Result<Vec<Vec<T>>, BatchError>
where
    C: AsRef<[Frame]> + Sync,
    T: Send,
{
    job.progress.stage("evaluate", clips.len());
    let evaluate = |(clip, frames): (usize, &C)| {
        let mut instance = Instance::new(Arc::clone(rig));
        let frames = frames.as_ref().iter().enumerate();
        let results = frames.map(|(frame, values)| {
            job.check()?;
            let outcome = instance.evaluate_frame(values, controls);
            outcome.map_err(|source| BatchError::Frame { clip, frame, source })?;
            Ok(take(&instance))
        });
        let results = results.collect::<Result<Vec<T>, BatchError>>();
        job.progress.step();
        results
    };
    // Collecting into results first keeps the choice of the reported error independent of timing.
    let results: Vec<_> = clips.par_iter().enumerate().map(evaluate).collect();
    job.check()?;
    results.into_iter().collect()
}

use std::sync::{Mutex, PoisonError};

use mhrig_calib::{CalibError, Command, Engine, Outcome};
use mhrig_dna::{Dna, FileVersion, ValidateOptions};
use mhrig_report::Job;

use crate::ENGINE;
use crate::bridge::{Status, Stop, Watch, new_program, new_session};
use crate::commands::{Builder, failed, thrown};

/// The newest files that the library reads.
const NEWEST: FileVersion = FileVersion::new(1);

/// The library's status is global.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The engine of the linked library. Unlike the native one it leaves the model as it was when a command fails,
/// commands before the failed one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DnacalibEngine {
    /// Whether to go on after an error as the library does, and to give back what it then has.
    pub compat: bool,
}

impl Engine for DnacalibEngine {
    fn name(&self) -> &'static str {
        ENGINE
    }

    fn run(&self, dna: &mut Dna, command: &Command, job: &Job<'_>) -> Result<Outcome, CalibError> {
        job.check()?;
        if dna.version != NEWEST {
            return Err(CalibError::NewerFile { engine: ENGINE, found: dna.version, newest: NEWEST });
        }
        // The library follows every index that it reads.
        let findings = dna.validate(&ValidateOptions::default());
        if let Some(bad) = findings.into_iter().find(|finding| finding.code == "INDEX_RANGE") {
            let text = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
            return Err(CalibError::Unsound {
                engine: ENGINE,
                path: bad.path,
                message: bad.message,
                expected: text(bad.expected),
                found: text(bad.found),
            });
        }
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let mut program = new_program().map_err(|error| thrown("commands", &error))?;
        let mut builder = Builder::new(program.pin_mut());
        let first = builder.add(command, "")?;
        let bytes = dna.to_bytes().map_err(|source| CalibError::Handover {
            engine: ENGINE,
            place: "the file for the library",
            source,
        })?;
        let mut session = new_session().map_err(|error| thrown("reading", &error))?;
        checked("reading", session.pin_mut().read(&bytes))?;
        drop(bytes);
        let mut watch = Watch::new(job, !self.compat);
        // SAFETY: C++ forgets `watch` before it returns.
        let ran = unsafe { session.pin_mut().run(builder.program.as_mut(), first, &mut watch) };
        match watch.into_stop() {
            None => {}
            Some(Stop::Failed { command, code, message }) => {
                return Err(failed(&builder.place(command), code, message));
            }
            Some(Stop::Cancelled(cancelled)) => return Err(cancelled.into()),
            Some(Stop::Panicked(_)) => return Err(failed("progress", 0, "a panic".to_owned())),
        }
        let status = ran.map_err(|error| thrown(command.name(), &error))?;
        checked("writing", session.pin_mut().write())?;
        *dna = Dna::from_bytes(session.written()).map_err(|source| CalibError::Handover {
            engine: ENGINE,
            place: "the file that the library wrote",
            source,
        })?;
        let status = (status.code != 0).then(|| failed(command.name(), status.code, status.message));
        Ok(Outcome { status, findings: Vec::new() })
    }
}

/// An exception or an error status as an error.
fn checked(place: &str, result: Result<Status, cxx::Exception>) -> Result<(), CalibError> {
    match result {
        Ok(Status { code: 0, .. }) => Ok(()),
        Ok(Status { code, message }) => Err(failed(place, code, message)),
        Err(error) => Err(thrown(place, &error)),
    }
}

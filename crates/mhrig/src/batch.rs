use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use mhrig_archetype::Archetype;
use mhrig_report::{Finding, Job, Severity, Silent};
use mhrig_scene::{ReadOptions, input_files};
use serde::Serialize;
use serde_json::Value;

use crate::build::{ArchetypeId, BuildRequest, PersonFiles, build_with};
use crate::files::{OutputSet, remove_leftovers, retire, unwritable};
use crate::meshes::MeshSource;
use crate::people::{Person, Source, find_people};
use crate::person::{Rig, character, load_archetype, prepare};
use crate::record::{FileHash, RunRecord};
use crate::report::{Blame, Recorder, Report, Status, Stop, TOOL, Tool};
use crate::run_lock::RunLock;

/// Asks for the DNA files of many people.
#[derive(Clone, Debug, Default)]
pub struct BatchRequest {
    /// Who: a folder with one folder or scene per person, a JSON manifest, or a text with one path a line.
    pub people: PathBuf,
    /// Where the files go: a folder per person, and the summary.
    pub out_dir: PathBuf,
    /// How each of them is built. Its meshes, folder, name, truth and permission to replace files are set per person.
    pub build: BuildRequest,
    /// Keeps results whose inputs, archetype, options and program have not changed, and makes the others.
    pub resume: bool,
    /// Makes everything again.
    pub force: bool,
    /// The part of the people that this run takes; all of them by default.
    pub shard: Option<Shard>,
}

/// One of several runs that share a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 1.
    pub number: usize,
    /// Of how many.
    pub of: usize,
}

impl Shard {
    fn takes(self, person: usize) -> bool {
        person % self.of.max(1) + 1 == self.number
    }
}

/// How it went with a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PersonStatus {
    /// The files are there.
    Ok,
    /// There are none: the report says why.
    Failed,
    /// The run was interrupted before.
    Open,
}

/// A person's line of the summary.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PersonLine {
    /// Name of the person.
    pub name: String,
    /// How it went.
    pub status: PersonStatus,
    /// Whether the result is that of an earlier run.
    #[serde(skip)]
    pub kept: bool,
    /// The report, relative to the output folder; empty where there is none.
    pub report: String,
    /// Errors in the report.
    pub errors: usize,
    /// Warnings in the report.
    pub warnings: usize,
    /// Joints of all parts.
    pub joints: usize,
    /// Meshes that were repaired.
    pub repaired: usize,
    /// Decorative meshes that were made from the others.
    pub filled: usize,
    /// Largest change of a distance between two meshes against the archetype, cm.
    pub distance_cm: Option<f64>,
    /// Mean distance of the joints to their true places, cm, where the truth was given.
    pub mean_error_cm: Option<f64>,
    /// The greatest one, cm.
    pub max_error_cm: Option<f64>,
    /// The worst finding's code.
    pub code: String,
    /// Its place.
    #[serde(rename = "where")]
    pub place: String,
    /// What it says.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

/// What a batch has to say.
#[derive(Clone, Debug, Serialize)]
pub struct BatchDetails {
    /// Which archetype was used.
    pub archetype: ArchetypeId,
    /// People that were built now.
    pub built: usize,
    /// People whose earlier results hold.
    pub kept: usize,
    /// People who failed.
    pub failed: usize,
    /// People whom an interrupted run did not get to.
    pub open: usize,
    /// Everyone, in the order of the list.
    pub people: Vec<PersonLine>,
    /// The summary's files.
    pub outputs: Vec<PathBuf>,
}

/// The summary's file: what it says depends on the results alone, not on how many runs they took.
#[derive(Serialize)]
struct Summary<'a> {
    tool: Tool,
    archetype: &'a ArchetypeId,
    people: &'a [PersonLine],
}

/// Builds the DNA files of many people. A person who fails does not stop the others. Status [`Status::Findings`] says
/// that some failed; of an interrupted batch the report has the details so far.
pub fn batch(request: &BatchRequest, job: Job<'_>) -> Report<BatchDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    let mut report = recorder.finish(result, true);
    if report.details.as_ref().is_some_and(|details| details.open > 0) {
        report.status = Status::Cancelled;
    }
    report
}

fn run(request: &BatchRequest, recorder: &mut Recorder<'_>) -> Result<BatchDetails, Stop> {
    check_shard(request.shard)?;
    let archetype = load_archetype(&request.build.archetype, recorder)?;
    let people = find_people(&request.people, &request.out_dir, &archetype)?.into_iter().enumerate();
    let people = people.filter(|(number, _)| request.shard.is_none_or(|shard| shard.takes(*number)));
    let people: Vec<Person> = people.map(|(_, person)| person).collect();
    let summaries = [summary_file(request, "json"), summary_file(request, "csv")];
    refuse_earlier_results(request, &people, &summaries)?;
    // Shards have summaries, and so locks, of their own; each person has one more.
    let _lock = RunLock::take(&summary_file(request, "lock"))?;
    let templates = prepare(&archetype, request.build.parts, recorder)?;
    let character = character(&archetype, &templates);
    let rig = Rig { templates: &templates, character: &character };
    let all = Batch { request, archetype: &archetype, rig, options: options(&request.build) };
    let lines = recorder.stage("people", |findings, job| {
        let (lines, noticed) = all.build_all(&people, job);
        findings.extend(noticed);
        Ok(lines)
    })?;
    let count = |status: PersonStatus| lines.iter().filter(|line| line.status == status).count();
    let kept = lines.iter().filter(|line| line.kept).count();
    let mut details = BatchDetails {
        archetype: ArchetypeId::of(&archetype),
        built: count(PersonStatus::Ok) - kept,
        kept,
        failed: count(PersonStatus::Failed),
        open: count(PersonStatus::Open),
        people: lines,
        outputs: Vec::new(),
    };
    // Also when interrupted: who reads the summary has to see what is open.
    let [json, csv] = summaries;
    let mut outputs = OutputSet::new(true);
    let summary = Summary { tool: TOOL, archetype: &details.archetype, people: &details.people };
    outputs.add_json(&json, &summary)?;
    outputs.add(&csv, |file| file.write_all(csv_text(&details.people).as_bytes()))?;
    details.outputs = outputs.commit()?;
    Ok(details)
}

fn check_shard(shard: Option<Shard>) -> Result<(), Stop> {
    match shard {
        Some(Shard { number, of }) if number == 0 || number > of => {
            let finding = Finding::new(
                "SHARD",
                Severity::Error,
                "--shard",
                "there is no such part of the batch",
                "number the runs from 1: --shard 1/4, 2/4, 3/4, 4/4",
            );
            Err(Stop::Blamed(finding.with_values("1/n to n/n", format!("{number}/{of}")), Blame::Usage))
        }
        _ => Ok(()),
    }
}

fn summary_file(request: &BatchRequest, suffix: &str) -> PathBuf {
    let name = match request.shard {
        Some(Shard { number, of }) => format!("summary_{number}_of_{of}.{suffix}"),
        None => format!("summary.{suffix}"),
    };
    request.out_dir.join(name)
}

/// In a person's folder while a run is at work on it.
const LOCK_FILE: &str = ".mhrig-lock";

/// Without leave to go on or to replace, nothing of an earlier run is touched.
fn refuse_earlier_results(
    request: &BatchRequest,
    people: &[Person],
    summaries: &[PathBuf],
) -> Result<(), Stop> {
    let set = OutputSet::new(true);
    summaries.iter().try_for_each(|summary| set.check_target(summary))?;
    if request.resume || request.force {
        return Ok(());
    }
    let reports = people.iter().filter(|person| person.is_named).filter_map(|person| {
        let files = PersonFiles::of(&person_request(request, person, &Source::default())).ok()?;
        Some(files.report)
    });
    let found = reports.chain(summaries.iter().cloned()).find(|file| file.exists());
    found.map_or(Ok(()), |file| {
        let place = file.display().to_string();
        let message = "there are results of an earlier run";
        let remedy =
            "give --resume to go on with it, --force to make everything again, or choose another folder";
        let finding = Finding::new("OUTPUT_EXISTS", Severity::Error, place, message, remedy);
        Err(Stop::Blamed(finding, Blame::Environment))
    })
}

/// The options that decide about a result, in a form that can be compared; what differs from person to person is not
/// among them.
fn options(build: &BuildRequest) -> String {
    let BuildRequest { parts, auto_repair, fill_missing, fit, shared_constraint, .. } = build;
    let BuildRequest { expressions, match_joints, weights, prune, .. } = build;
    format!(
        "{parts:?}, {fit:?}, auto_repair: {auto_repair}, fill_missing: {fill_missing}, \
         shared_constraint: {shared_constraint}, expressions: {expressions:?}, \
         match_joints: {match_joints}, weights: {weights:?}, prune: {prune}"
    )
}

fn person_request(request: &BatchRequest, person: &Person, source: &Source) -> BuildRequest {
    let options = ReadOptions { pick: source.pick.clone(), ..ReadOptions::default() };
    // What the manifest says of a person comes on top of what holds for all.
    let mut joints = request.build.joints.clone();
    joints.lock.extend(source.joints.lock.iter().cloned());
    joints.place.extend(source.joints.place.iter().cloned());
    joints.from.extend(source.joints.from.iter().cloned());
    BuildRequest {
        meshes: MeshSource::Files { paths: source.meshes.clone(), options },
        out_dir: request.out_dir.join(&person.name),
        name: person.name.clone(),
        truth: source.truth.clone(),
        joints,
        // What is in the way was judged before: it is out of date, or all is to be made again.
        force: true,
        ..request.build.clone()
    }
}

/// What holds for all people of a batch.
struct Batch<'a> {
    request: &'a BatchRequest,
    archetype: &'a Archetype,
    rig: Rig<'a>,
    options: String,
}

impl Batch<'_> {
    /// Builds everyone, several at a time: as many as there are threads, so that memory has a bound.
    fn build_all(&self, people: &[Person], job: Job<'_>) -> (Vec<PersonLine>, Vec<Finding>) {
        job.progress.stage("people", people.len());
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, PersonLine, Option<Finding>)>> = Mutex::default();
        let work = || {
            while let Some((number, person)) =
                Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|n| Some((n, people.get(n)?)))
            {
                let (line, finding) = self.build_one(person, job);
                done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((number, line, finding));
                job.progress.step();
            }
        };
        std::thread::scope(|scope| {
            let workers = rayon::current_num_threads().min(people.len());
            for _ in 0..workers {
                scope.spawn(work);
            }
        });
        let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        done.sort_by_key(|(number, ..)| *number);
        let mut lines = Vec::new();
        let mut findings = Vec::new();
        for (_, line, finding) in done {
            lines.push(line);
            findings.extend(finding);
        }
        (lines, findings)
    }

    /// One person's line, and the reason why it failed.
    fn build_one(&self, person: &Person, job: Job<'_>) -> (PersonLine, Option<Finding>) {
        // The bar of the batch counts people, not the stages of each.
        let job = Job { progress: &Silent, ..job };
        let lock =
            person.is_named.then(|| RunLock::take(&self.request.out_dir.join(&person.name).join(LOCK_FILE)));
        let _lock = match lock.transpose() {
            Ok(lock) => lock,
            // The folder is another run's: nothing is written to it.
            Err(stop) => return failed_line(person, Recorder::new(job).refuse(stop), String::new()),
        };
        // A fault of the program on one person's meshes is no reason to lose the night's other people.
        let result = catch_unwind(AssertUnwindSafe(|| self.try_one(person, job)));
        let failed = match result.unwrap_or_else(|_| Err(Recorder::new(job).refuse(fault(&person.name)))) {
            Ok(line) => return (line, None),
            Err(report) => report,
        };
        if failed.status == Status::Cancelled {
            return (PersonLine::open(&person.name), None);
        }
        let mut report = String::new();
        let mut failed = failed;
        if person.is_named {
            match self.write_failure(person, &failed) {
                Ok(file) => report = file,
                Err(Stop::Blamed(finding, _)) => failed.findings.push(finding),
                Err(_) => {}
            }
        }
        failed_line(person, failed, report)
    }

    fn try_one(&self, person: &Person, job: Job<'_>) -> Result<PersonLine, Report<()>> {
        let mut recorder = Recorder::new(job);
        let prepared = self.start(person, job).and_then(|(request, record)| {
            let files = PersonFiles::of(&request)?;
            Ok((request, record, files))
        });
        let (request, record, files) = match prepared {
            Ok(prepared) => prepared,
            Err(stop) => return Err(recorder.refuse(stop)),
        };
        let report_name = self.relative(&files.report);
        if self.request.resume
            && !self.request.force
            && let Some(value) = current_report(&files, &record, job)
        {
            let line = PersonLine::of(&person.name, PersonStatus::Ok, report_name, &value);
            return Ok(PersonLine { kept: true, ..line });
        }
        remove_leftovers(&request.out_dir);
        let result = build_with(&request, self.archetype, self.rig, record, &mut recorder);
        let report = recorder.finish(result, false);
        if report.details.is_none() {
            let Report { tool, status, findings, stages, blame, .. } = report;
            return Err(Report { tool, status, findings, stages, blame, details: None });
        }
        let value = serde_json::to_value(&report).unwrap_or_default();
        Ok(PersonLine::of(&person.name, PersonStatus::Ok, report_name, &value))
    }

    /// What is to be built, and the hashes of what it will be built from.
    fn start(&self, person: &Person, job: Job<'_>) -> Result<(BuildRequest, RunRecord), Stop> {
        job.check()?;
        let source = person.source.as_ref().map_err(|finding| Stop::from(finding.clone()))?;
        let files = input_files(&source.meshes).map_err(|error| Stop::from(error.to_finding()))?;
        let request = person_request(self.request, person, source);
        let files = files.iter().chain(&source.truth).chain(&request.joints.from);
        let record = RunRecord {
            version: TOOL.version.to_owned(),
            archetype: self.archetype.hash.clone(),
            options: format!(
                "{}, pick: {:?}, lock: {:?}, place: {:?}",
                self.options, source.pick, request.joints.lock, request.joints.place
            ),
            inputs: files.map(|file| FileHash::of_file(file, job)).collect::<Result<_, _>>()?,
            outputs: Vec::new(),
        };
        Ok((request, record))
    }

    /// Writes the report of a person who failed; what an earlier run made of other inputs is moved out of the way.
    fn write_failure(&self, person: &Person, report: &Report<()>) -> Result<String, Stop> {
        let files = PersonFiles::of(&person_request(self.request, person, &Source::default()))?;
        for stale in files.all_dna() {
            retire(stale).map_err(|error| unwritable(stale, &error))?;
        }
        let mut outputs = OutputSet::new(true);
        outputs.add_json(&files.report, report)?;
        outputs.commit()?;
        Ok(self.relative(&files.report))
    }

    fn relative(&self, file: &Path) -> String {
        file.strip_prefix(&self.request.out_dir).unwrap_or(file).to_string_lossy().replace('\\', "/")
    }
}

/// The report of an earlier run that would come out the same now, and whose files are as it left them.
fn current_report(files: &PersonFiles, wanted: &RunRecord, job: Job<'_>) -> Option<Value> {
    let report: Value = serde_json::from_slice(&fs::read(&files.report).ok()?).ok()?;
    let record: RunRecord = serde_json::from_value(report.get("record")?.clone()).ok()?;
    let is_done = report.get("status")? == "ok" && record.has_inputs_of(wanted) && !record.outputs.is_empty();
    let is_there = |output: &FileHash| {
        let name = Path::new(&output.file).file_name();
        let file = files.all_dna().find(|file| file.file_name() == name);
        file.and_then(|file| FileHash::of_file(file, job).ok())
            .is_some_and(|hash| hash.has_content_of(output))
    };
    (is_done && record.outputs.iter().all(is_there)).then_some(report)
}

/// The line of a person who failed, and the reason why.
fn failed_line(person: &Person, failed: Report<()>, report: String) -> (PersonLine, Option<Finding>) {
    let value = serde_json::to_value(&failed).unwrap_or_default();
    let line = PersonLine::of(&person.name, PersonStatus::Failed, report, &value);
    let first = failed.findings.into_iter().find(|finding| finding.severity == Severity::Error);
    let finding = first.map(|finding| {
        let place = if finding.place == person.name {
            finding.place
        } else {
            format!("{}: {}", person.name, finding.place)
        };
        Finding { place, ..finding }
    });
    (line, finding)
}

fn fault(name: &str) -> Stop {
    Stop::from(Finding::new(
        "FAULT",
        Severity::Error,
        name,
        "the program failed on this person",
        "this is a fault of the program; please report it with the meshes",
    ))
}

impl PersonLine {
    fn open(name: &str) -> Self {
        Self::of(name, PersonStatus::Open, String::new(), &Value::Null)
    }

    /// The line that a report's JSON form gives, be it new or read from a file.
    fn of(name: &str, status: PersonStatus, report_file: String, report: &Value) -> Self {
        let list = |key: &str| report[key].as_array().map(Vec::as_slice).unwrap_or_default();
        let findings = list("findings");
        let of_severity =
            |severity: &'static str| findings.iter().filter(move |finding| finding["severity"] == severity);
        let worst = of_severity("error").chain(of_severity("warning")).next().unwrap_or(&Value::Null);
        let text = |key: &str| worst[key].as_str().unwrap_or_default().to_owned();
        let errors: Vec<f64> = list("joints").iter().filter_map(|joint| joint["error"].as_f64()).collect();
        let changes = list("distances").iter().filter_map(|distance| distance["largest_change_cm"].as_f64());
        let largest = changes.max_by(|a, b| a.abs().total_cmp(&b.abs()));
        let mean = (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64);
        Self {
            name: name.to_owned(),
            status,
            kept: false,
            report: report_file,
            errors: of_severity("error").count(),
            warnings: of_severity("warning").count(),
            joints: list("joints").len(),
            repaired: list("repaired").len(),
            filled: list("filled").len(),
            distance_cm: largest.map(rounded),
            mean_error_cm: mean.map(rounded),
            max_error_cm: errors.iter().copied().reduce(f64::max).map(rounded),
            code: text("code"),
            place: text("where"),
            message: text("message"),
            remedy: text("remedy"),
        }
    }
}

/// To a tenth of a micrometre: what a summary can say, and what does not change on its way through a file.
fn rounded(cm: f64) -> f64 {
    (cm * 1e5).round() / 1e5
}

fn csv_text(people: &[PersonLine]) -> String {
    let mut text = String::from(
        "name,status,report,errors,warnings,joints,repaired,filled,distance_cm,mean_error_cm,max_error_cm,code,where,message,remedy\n",
    );
    for line in people {
        let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
        let status = match line.status {
            PersonStatus::Ok => "ok",
            PersonStatus::Failed => "failed",
            PersonStatus::Open => "open",
        };
        let cells = [
            quoted(&line.name),
            status.to_owned(),
            quoted(&line.report),
            line.errors.to_string(),
            line.warnings.to_string(),
            line.joints.to_string(),
            line.repaired.to_string(),
            line.filled.to_string(),
            number(line.distance_cm),
            number(line.mean_error_cm),
            number(line.max_error_cm),
            line.code.clone(),
            quoted(&line.place),
            quoted(&line.message),
            quoted(&line.remedy),
        ];
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

/// A cell in the form of RFC 4180.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_take_everyone_once() {
        for of in 1..5 {
            for person in 0..17 {
                let takers = (1..=of).filter(|&number| Shard { number, of }.takes(person)).count();
                assert_eq!(takers, 1);
            }
        }
    }

    #[test]
    fn cells_with_commas_and_quotes_are_quoted() {
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
    }
}

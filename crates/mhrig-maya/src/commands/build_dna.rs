use mhrig::{BuildDetails, BuildRequest, ExpressionMode, MeshSource, Report, WeightPolicy};

use super::shared::{
    self, ARCHETYPE, BODY_ONLY, FORCE, FROM, HEAD_ONLY, LOCK, MESHES, NO_SHARED_CONSTRAINT, PLACE,
    STRATEGY_SET, TRUTH,
};
use super::{Failure, Outcome, usage};
use crate::bridge::{Arguments, Host};
use crate::flags::{CommandTable, Flag, Kind, flag};
use crate::{job, messages, scene};

const OUT_DIR: Flag = flag(
    "-o",
    "-outDir",
    Kind::Text,
    "DIR",
    "The folder for NAME_head.dna, NAME_body.dna and NAME_report.json; made where it is missing.",
)
.as_cli("output");
const NAME: Flag = flag("-n", "-name", Kind::Text, "NAME", "Name of the person.").as_cli("name");
const FILL_MISSING: Flag = flag(
    "-fm",
    "-fillMissing",
    Kind::Bool,
    "on|off",
    "Make missing decorative meshes from their skin (on, the default), or let them keep the archetype's shape.",
);
const EXPRESSIONS: Flag = flag(
    "-ex",
    "-expressions",
    Kind::Text,
    "MODE",
    "What becomes of the expressions: carry keeps their deltas and prunes the small ones; recalculate (the default) also \
     lets blend shapes make up for joint values that pruning takes; transfer turns and scales deltas with the surface.",
)
.as_cli("expressions");
const MATCH_JOINTS: Flag = flag(
    "-mj",
    "-matchJoints",
    Kind::Switch,
    "",
    "Let joints alone explain as much of each expression's sculpt as they can; blend shapes take the rest.",
)
.as_cli("match-joints");
const WEIGHTS: Flag = flag(
    "-w",
    "-weights",
    Kind::Text,
    "SOURCE",
    "Where the skin weights come from: template (the default), scene (meshes that bring none keep the template's), or \
     transfer (lower LODs from the first).",
)
.as_cli("weights");
const AUTO_REPAIR: Flag = flag(
    "-ar",
    "-autoRepair",
    Kind::Switch,
    "",
    "Repair meshes where that changes no position; the report lists it.",
)
.as_cli("auto-repair");
const NO_PRUNE: Flag =
    flag("-np", "-noPrune", Kind::Switch, "", "Keep even the smallest expression deltas.").as_cli("no-prune");

pub(crate) const TABLE: CommandTable = CommandTable {
    name: "mhBuildDna",
    summary: "Builds the head and body DNA of a person from meshes of the scene.",
    objects: Some(MESHES),
    returns: "the paths of the DNA files, head first.",
    undo: "It changes nothing in the scene, and files are not taken back by undo; replaced ones are kept as .bak.",
    verb: "build",
    own: &[
        ARCHETYPE,
        OUT_DIR,
        NAME,
        HEAD_ONLY,
        BODY_ONLY,
        FILL_MISSING,
        STRATEGY_SET,
        NO_SHARED_CONSTRAINT,
        LOCK,
        PLACE,
        FROM,
        AUTO_REPAIR,
        EXPRESSIONS,
        MATCH_JOINTS,
        WEIGHTS,
        NO_PRUNE,
        TRUTH,
        FORCE,
    ],
};

fn required(arguments: &Arguments<'_>, flag: &Flag, remedy: &str) -> Result<String, Failure> {
    let given = arguments.text(flag.long).filter(|text| !text.is_empty());
    given.ok_or_else(|| usage(TABLE.name, format!("{} is missing", flag.long), remedy).into())
}

pub(super) fn run(host: &Host, arguments: &Arguments<'_>) -> Outcome {
    let mut request = BuildRequest {
        archetype: shared::archetype(TABLE.name, arguments)?,
        out_dir: required(arguments, &OUT_DIR, "add -outDir with a folder for the files")?.into(),
        name: required(arguments, &NAME, "add -name with the person's name")?,
        parts: shared::parts(TABLE.name, arguments)?,
        auto_repair: arguments.is_set(AUTO_REPAIR.long),
        fill_missing: arguments.bool(FILL_MISSING.long).unwrap_or(true),
        fit: shared::fit_options(TABLE.name, arguments)?,
        joints: shared::user_joints(TABLE.name, arguments)?,
        shared_constraint: !arguments.is_set(NO_SHARED_CONSTRAINT.long),
        truth: arguments.text(TRUTH.long).map(Into::into),
        match_joints: arguments.is_set(MATCH_JOINTS.long),
        prune: !arguments.is_set(NO_PRUNE.long),
        force: arguments.is_set(FORCE.long),
        ..BuildRequest::default()
    };
    if let Some(mode) = arguments.text(EXPRESSIONS.long) {
        request.expressions = match mode.as_str() {
            "carry" => ExpressionMode::Carry,
            "recalculate" => ExpressionMode::Recalculate,
            "transfer" => ExpressionMode::Transfer,
            _ => {
                let remedy = "use -expressions with one of the modes, or leave it out";
                let finding = usage(TABLE.name, "there is no such mode for expressions", remedy);
                return Err(finding.with_values("carry, recalculate or transfer", mode).into());
            }
        };
    }
    if let Some(source) = arguments.text(WEIGHTS.long) {
        request.weights = match source.as_str() {
            "template" => WeightPolicy::Template,
            "scene" => WeightPolicy::Scene,
            "transfer" => WeightPolicy::Transfer,
            _ => {
                let remedy = "use -weights with one of the sources, or leave it out";
                let finding = usage(TABLE.name, "there is no such source of skin weights", remedy);
                return Err(finding.with_values("template, scene or transfer", source).into());
            }
        };
    }
    let threads = shared::threads(TABLE.name, arguments)?;
    let report: Report<BuildDetails> = match scene::meshes(host, &arguments.objects()) {
        Err(findings) => shared::refused(findings),
        Ok(meshes) => {
            request.meshes = MeshSource::Scene(meshes);
            job::run(host, "building", 10, threads, |job| mhrig::build(&request, job))
        }
    };
    shared::finish(host, arguments, &report, |details| {
        let paths: Vec<String> = details.outputs.iter().map(|path| path.display().to_string()).collect();
        let dna: Vec<String> = paths.iter().filter(|path| path.ends_with(".dna")).cloned().collect();
        messages::done(host, &format!("wrote {}", paths.join(", ")));
        dna
    })?;
    Ok(None)
}

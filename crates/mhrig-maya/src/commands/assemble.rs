use std::path::PathBuf;

use mhrig::{AssembleRequest, Finding, Report, RigDescription, RigLogicKind, Severity, Status, UpAxis};

use super::shared::{self, ARCHETYPE};
use super::{Failure, Outcome, usage};
use crate::assembly::{self, Plan, Unbuilt};
use crate::bridge::{Arguments, Host, Undoable};
use crate::flags::{CommandTable, Flag, Kind, flag};
use crate::scene::up_axis;
use crate::{job, messages};

const HEAD: Flag = flag("-hd", "-head", Kind::Text, "FILE", "The head DNA.");
const BODY: Flag = flag("-bd", "-body", Kind::Text, "FILE", "The body DNA that the head sits on.");
const NAMESPACE: Flag = flag(
    "-ns",
    "-namespace",
    Kind::Text,
    "NS",
    "Put all names into a namespace, so that two characters fit into one scene.",
)
.as_cli("namespace");
const NEW_SCENE: Flag = flag(
    "-nw",
    "-newScene",
    Kind::Switch,
    "",
    "Begin a new scene; refused while there are unsaved changes, unless -force is given.",
);
const FORCE: Flag =
    flag("-f", "-force", Kind::Switch, "", "With -newScene: throw unsaved changes away.").as_cli("force");
const UP_AXIS: Flag = flag(
    "-ua",
    "-upAxis",
    Kind::Text,
    "y|z",
    "Up axis of the new scene; that of the files where none is given. In an open scene it is the scene's.",
)
.as_cli("up");
const RIG_LOGIC: Flag = flag(
    "-rl",
    "-rigLogic",
    Kind::Text,
    "mh|epic",
    "The node that evaluates the DNA files: mh (mhRigLogic) or epic (embeddedNodeRL4, where its plug-in is loaded); without the \
     flag Epic's where it is loaded.",
)
.as_cli("rig-logic");

pub(crate) const TABLE: CommandTable = CommandTable {
    name: "mhAssemble",
    summary: "Assembles the rig of a character from its head and body DNA in the scene: skeleton, meshes, blend shapes, skin, face board, RigLogic nodes, layers, materials.",
    objects: None,
    returns: "the names of the top groups.",
    undo: "One step: undo takes away all that it made, redo brings it back. Esc at any stage leaves the scene as it \
           was. -newScene itself cannot be undone, since Maya empties its undo queue with a new scene; Esc after that \
           leaves the new scene empty.",
    verb: "assemble",
    own: &[HEAD, BODY, ARCHETYPE, NAMESPACE, NEW_SCENE, FORCE, UP_AXIS, RIG_LOGIC],
};

/// Flags of Epic's command that not every release has.
const NEWER_EPIC_FLAGS: [&str; 2] = ["-ijn", "-cs"];

pub(super) fn run(host: &Host, arguments: &Arguments<'_>) -> Outcome {
    let text = |flag: &Flag| arguments.text(flag.long).filter(|text| !text.is_empty());
    let is_new = arguments.is_set(NEW_SCENE.long);
    let files: Vec<PathBuf> = [HEAD, BODY].iter().filter_map(text).map(Into::into).collect();
    if files.is_empty() {
        return Err(usage(TABLE.name, "there is no DNA file to assemble", "add -head, -body, or both").into());
    }
    if is_new && !arguments.is_set(FORCE.long) && host.mel_int("file -q -modified") != Some(0) {
        let finding = Finding::new(
            "UNSAVED_SCENE",
            Severity::Error,
            "scene",
            "a new scene would throw unsaved changes away",
            "save the scene, or give -force",
        );
        return finish(host, arguments, &shared::refused(vec![finding]), None);
    }
    let kind = rig_logic(host, text(&RIG_LOGIC).as_deref())?;
    let request = AssembleRequest {
        files,
        archetype: text(&ARCHETYPE).map(Into::into),
        output: place_of_scene(host, is_new, kind),
        namespace: text(&NAMESPACE),
        up_axis: wanted_axis(host, is_new, text(&UP_AXIS).as_deref())?,
        rig_logic: kind,
        ..AssembleRequest::default()
    };
    let epic_flags = if kind == RigLogicKind::EmbeddedNodeRl4 { epic_flags(host) } else { Vec::new() };
    let threads = shared::threads(TABLE.name, arguments)?;
    let (mut report, plan) = job::run(host, "assembling", 4, threads, |job| {
        let mut report: Report<RigDescription> = mhrig::describe_rig(&request, job);
        let scene = report.details.as_mut().map(|details| std::mem::take(&mut details.scene));
        let plan = scene.map(|scene| Plan::new(scene, &epic_flags, job));
        if job.check().is_err() {
            report.status = Status::Cancelled;
        }
        (report, plan)
    });
    let plan = match plan {
        Some(Ok(plan)) if report.status != Status::Cancelled => plan,
        Some(Err(findings)) if report.status != Status::Cancelled => {
            refuse(&mut report, findings);
            return finish(host, arguments, &report, None);
        }
        _ => {
            report.details = None;
            return finish(host, arguments, &report, None);
        }
    };
    let built = place(host, &plan, is_new, request.up_axis);
    let built = match built {
        Ok(built) => Some(built),
        Err(Unbuilt::Cancelled) => {
            report.status = Status::Cancelled;
            report.details = None;
            if is_new && !arguments.is_set(crate::flags::JSON.long) {
                let message = "MhRigCreator: error[CANCELLED]: stopped by Esc; the new scene is empty";
                return Err(Failure { messages: vec![message.to_owned()] });
            }
            None
        }
        Err(Unbuilt::Failed(finding)) => {
            refuse(&mut report, vec![finding]);
            None
        }
    };
    let tops = plan.tops();
    finish(host, arguments, &report, built.map(|built| (Box::new(built) as Box<dyn Undoable>, tops)))
}

fn refuse(report: &mut Report<RigDescription>, findings: Vec<Finding>) {
    report.findings.extend(findings);
    report.status = Status::Refused;
    report.details = None;
}

type Built = (Box<dyn Undoable>, Vec<String>);

fn finish(
    host: &Host,
    arguments: &Arguments<'_>,
    report: &Report<RigDescription>,
    built: Option<Built>,
) -> Outcome {
    let (undoable, tops) = built.unzip();
    shared::finish(host, arguments, report, |details| {
        let counts = &details.details.counts;
        messages::done(
            host,
            &format!(
                "assembled {} joints, {} meshes, {} blend shape targets, {} RigLogic nodes",
                counts.joints, counts.meshes, counts.blend_shape_targets, counts.rig_logic
            ),
        );
        tops.unwrap_or_default()
    })?;
    Ok(undoable)
}

/// Prepares the scene and builds in it.
fn place(
    host: &Host,
    plan: &Plan,
    is_new: bool,
    axis: Option<UpAxis>,
) -> Result<assembly::BuiltRig, Unbuilt> {
    plan.load_plugins(host).map_err(Unbuilt::Failed)?;
    if is_new {
        let axis = match axis.unwrap_or(plan.up_axis()) {
            UpAxis::Y => "y",
            UpAxis::Z => "z",
        };
        let is_begun = host.mel_texts("file -new -force").is_some();
        if !is_begun || host.mel_texts(&format!("upAxis -axis {axis}")).is_none() {
            let finding = Finding::new(
                "NEW_SCENE",
                Severity::Error,
                "scene",
                "Maya begins no new scene",
                "begin one yourself, and leave -newScene out",
            );
            return Err(Unbuilt::Failed(finding));
        }
    }
    plan.refuse_clashes(host).map_err(Unbuilt::Failed)?;
    assembly::build(host, plan)
}

fn rig_logic(host: &Host, given: Option<&str>) -> Result<RigLogicKind, Failure> {
    let has_epic = || host.mel_int("pluginInfo -q -loaded embeddedRL4") == Some(1);
    match given {
        Some("mh") => Ok(RigLogicKind::MhRigLogic),
        Some("epic") if has_epic() => Ok(RigLogicKind::EmbeddedNodeRl4),
        Some("epic") => {
            let message = "Epic's plug-in embeddedRL4 is not loaded";
            Err(usage(TABLE.name, message, "load it, or leave -rigLogic out").into())
        }
        None if has_epic() => Ok(RigLogicKind::EmbeddedNodeRl4),
        None => Ok(RigLogicKind::MhRigLogic),
        Some(other) => {
            let finding =
                usage(TABLE.name, "there is no such RigLogic node", "use -rigLogic mh or -rigLogic epic");
            Err(finding.with_values("mh or epic", other).into())
        }
    }
}

fn epic_flags(host: &Host) -> Vec<String> {
    let help = host.mel_text("help createEmbeddedNodeRL4").unwrap_or_default();
    let known = |flag: &str| help.split_whitespace().any(|word| word == flag);
    NEWER_EPIC_FLAGS.into_iter().filter(|flag| known(flag)).map(str::to_owned).collect()
}

fn wanted_axis(host: &Host, is_new: bool, given: Option<&str>) -> Result<Option<UpAxis>, Failure> {
    let given = match given {
        None => None,
        Some("y" | "Y") => Some(UpAxis::Y),
        Some("z" | "Z") => Some(UpAxis::Z),
        Some(other) => {
            let finding = usage(TABLE.name, "there is no such up axis", "use -upAxis y or -upAxis z");
            return Err(finding.with_values("y or z", other).into());
        }
    };
    if is_new {
        return Ok(given);
    }
    let own = up_axis(host);
    match given {
        Some(axis) if axis != own => {
            let message = "the open scene has another up axis";
            Err(usage(TABLE.name, message, "leave -upAxis out, or begin a new scene with -newScene").into())
        }
        _ => Ok(Some(own)),
    }
}

/// Where the scene is, so that DNA files beside it are named relative to it. Epic's node starts elsewhere.
fn place_of_scene(host: &Host, is_new: bool, kind: RigLogicKind) -> PathBuf {
    let file = host.mel_text("file -q -sceneName").filter(|file| !file.is_empty());
    match file {
        Some(file) if !is_new && kind == RigLogicKind::MhRigLogic => file.into(),
        // A folder that holds nothing: all paths are absolute.
        _ => std::env::temp_dir().join("mhrig-unsaved").join("scene.ma"),
    }
}

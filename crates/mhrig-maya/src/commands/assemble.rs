use std::path::PathBuf;

use mhrig::{
    AssembleRequest, FaceBoard, Finding, Mh4mCandidate, Mh4mSearch, Report, RigDescription, RigLogicKind,
    Severity, StagedCopies, StagedDna, Status, UpAxis,
};

use super::shared::{self, ARCHETYPE};
use super::{Failure, Outcome, usage};
use crate::assembly::{self, BuildNotes, BuiltRig, Plan, Unbuilt};
use crate::bridge::{Arguments, Host, Undoable};
use crate::flags::{CommandTable, Flag, Kind, flag};
use crate::scene::up_axis;
use crate::{job, messages};

const HEAD: Flag = flag(
    "-hd",
    "-head",
    Kind::Text,
    "FILE",
    "The head DNA. The node keeps a path with variables ($NAME, ${NAME}, %NAME%), or one relative to the scene, as it is given.",
);
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
const FACE_BOARD: Flag = flag(
    "-fb",
    "-faceBoard",
    Kind::Text,
    "mh|epic",
    "The face board: mh (the default: made from the sliders of the head DNA) or epic (that of an installation of MetaHuman \
     for Maya, set up by the assemble script of its character assembler; what the script leaves unconnected is driven by our \
     own curves, and a script that fails is a warning).",
);
const EPIC_ROOT: Flag = flag(
    "-er",
    "-epicRoot",
    Kind::Text,
    "DIR",
    "With -faceBoard epic: the folder of the installation, which holds env and lib. Without the flag it is looked for by the \
     variable MHRIG_MH4M, the module and the plug-in MetaHumanForMaya, and in the user's folder of modules.",
);

pub(crate) const TABLE: CommandTable = CommandTable {
    name: "mhAssemble",
    summary: "Assembles the rig of a character from its head and body DNA in the scene: skeleton, meshes, blend shapes, skin, face board, RigLogic nodes, layers, materials.",
    objects: None,
    returns: "the names of the top groups.",
    undo: "One step: undo takes away all that it made, redo brings it back. Esc at any stage leaves the scene as it \
           was. -newScene itself cannot be undone, since Maya empties its undo queue with a new scene; Esc after that \
           leaves the new scene empty. With -faceBoard epic scenes are imported, which Maya cannot take back: undo \
           deletes all nodes that came and restores units, selection and clipping planes of cameras; what the assemble \
           script set on other nodes stays, and redo is refused. Esc is not looked for while the script runs. \
           Epic's node opens no path with other characters than ASCII: it reads a copy below the folder of Maya's \
           preferences, which stays there.",
    verb: "assemble",
    own: &[HEAD, BODY, ARCHETYPE, NAMESPACE, NEW_SCENE, FORCE, UP_AXIS, RIG_LOGIC, FACE_BOARD, EPIC_ROOT],
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
        face_board: face_board(host, text(&FACE_BOARD).as_deref(), text(&EPIC_ROOT))?,
        scene_folder: if is_new { None } else { folder_of_scene(host) },
        staging: if kind == RigLogicKind::EmbeddedNodeRl4 { staging(host) } else { None },
        ..AssembleRequest::default()
    };
    let epic_flags = if kind == RigLogicKind::EmbeddedNodeRl4 { epic_flags(host) } else { Vec::new() };
    let threads = shared::threads(TABLE.name, arguments)?;
    let (mut report, plan) = job::run(host, "assembling", 4, threads, |job| {
        let mut report: Report<RigDescription> = mhrig::describe_rig(&request, job);
        let described = report.details.as_mut();
        let described = described.map(|own| (std::mem::take(&mut own.scene), own.external.take()));
        let plan = described.map(|(scene, external)| Plan::new(scene, external, &epic_flags, job));
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
    let staged =
        report.details.as_mut().map(|details| std::mem::take(&mut details.staged)).unwrap_or_default();
    let built = place(host, &plan, &staged, is_new, request.up_axis);
    let built = match built {
        Ok((built, notes)) => {
            report.findings.extend(notes.findings);
            if let (Some(details), Some(board)) = (&mut report.details, notes.face_board) {
                details.details.face_board = Some(board);
            }
            report.findings.extend(staged.iter().map(staged_finding));
            Some(built)
        }
        Err(Unbuilt::Cancelled) => {
            report.status = Status::Cancelled;
            report.details = None;
            if is_new && !arguments.is_set(crate::flags::JSON.long) {
                let message = format!("MhRigCreator: error[CANCELLED]: stopped by Esc; {NEW_AND_EMPTY}");
                return Err(Failure { messages: vec![message] });
            }
            None
        }
        Err(Unbuilt::Failed(finding) | Unbuilt::Left(finding)) => {
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
        if let Some(board) = &details.details.face_board {
            messages::done(
                host,
                &format!(
                    "face board of {}: {} raw controls connected by its script, {} by our own curves, {} without a control",
                    board.resources.root.display(),
                    board.connected_by_script,
                    board.connected_by_curves,
                    board.without_control.len()
                ),
            );
        }
        tops.unwrap_or_default()
    })?;
    Ok(undoable)
}

/// What is left of `-newScene` where nothing was built.
const NEW_AND_EMPTY: &str = "the new scene is empty";

/// Prepares the scene and builds in it.
fn place(
    host: &Host,
    plan: &Plan,
    staged: &[StagedDna],
    is_new: bool,
    axis: Option<UpAxis>,
) -> Result<(BuiltRig, BuildNotes), Unbuilt> {
    plan.load_plugins(host).map_err(Unbuilt::Failed)?;
    // Whatever can be refused is refused before the open scene goes.
    let copies = StagedCopies::make(staged).map_err(Unbuilt::Failed)?;
    if is_new {
        let axis = match axis.unwrap_or(plan.up_axis()) {
            UpAxis::Y => "y",
            UpAxis::Z => "z",
        };
        let refused = |message: &str, remedy: &str| {
            Unbuilt::Failed(Finding::new("NEW_SCENE", Severity::Error, "scene", message, remedy))
        };
        if host.mel_texts("file -new -force").is_none() {
            let remedy = "begin one yourself, and leave -newScene out";
            return Err(refused("Maya begins no new scene", remedy));
        }
        if host.mel_texts(&format!("upAxis -axis {axis}")).is_none() {
            let message = format!("Maya does not take {axis} as the up axis");
            let remedy = format!("set it yourself, and leave -newScene out; {NEW_AND_EMPTY}");
            return Err(refused(&message, &remedy));
        }
    }
    let state = if is_new { NEW_AND_EMPTY } else { "the scene is as it was before" };
    let built = assembly::build(host, plan).map_err(|why| match why {
        Unbuilt::Failed(mut finding) => {
            finding.remedy = format!("{}; {state}", finding.remedy);
            Unbuilt::Failed(finding)
        }
        Unbuilt::Left(mut finding) if is_new => {
            "begin a new scene".clone_into(&mut finding.remedy);
            Unbuilt::Left(finding)
        }
        other => other,
    })?;
    copies.keep();
    Ok(built)
}

fn staged_finding(copy: &StagedDna) -> Finding {
    let message = format!(
        "Epic's node opens no path with other characters than ASCII; it reads the copy {}",
        copy.to.display()
    );
    let remedy = "keep the copy, or move the file to a folder named in ASCII and set dnaFilePath of the node";
    let place = copy.from.display().to_string();
    Finding::new("DNA_STAGED", Severity::Warning, place, message, remedy)
}

/// The folder for copies of DNA files: as lasting as the user's preferences.
fn staging(host: &Host) -> Option<PathBuf> {
    let preferences = host.mel_text("internalVar -userPrefDir").filter(|folder| !folder.is_empty())?;
    Some(PathBuf::from(preferences).join("mhrigcreator").join("dna"))
}

fn folder_of_scene(host: &Host) -> Option<PathBuf> {
    let file = host.mel_text("file -q -sceneName").filter(|file| !file.is_empty())?;
    PathBuf::from(file).parent().map(std::path::Path::to_owned)
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

/// The module and the plug-in of MetaHuman for Maya.
const MH4M: &str = "MetaHumanForMaya";
/// Names the folder of an installation.
const MH4M_VARIABLE: &str = "MHRIG_MH4M";

fn face_board(host: &Host, given: Option<&str>, root: Option<String>) -> Result<FaceBoard, Failure> {
    match (given, root) {
        (None | Some("mh"), None) => Ok(FaceBoard::Own),
        (None | Some("mh"), Some(_)) => {
            let message = "-epicRoot belongs to -faceBoard epic";
            Err(usage(TABLE.name, message, "add -faceBoard epic, or leave -epicRoot out").into())
        }
        (Some("epic"), root) => {
            let year = host.mel_text("about -version").unwrap_or_default();
            let year = year.split(|c: char| !c.is_ascii_digit()).find_map(|word| word.parse().ok());
            let candidates = match root {
                Some(root) => vec![Mh4mCandidate { origin: EPIC_ROOT.long.to_owned(), root: root.into() }],
                None => candidates(host),
            };
            Ok(FaceBoard::Mh4m(Mh4mSearch { candidates, year: year.unwrap_or_default() }))
        }
        (Some(other), _) => {
            let finding =
                usage(TABLE.name, "there is no such face board", "use -faceBoard mh or -faceBoard epic");
            Err(finding.with_values("mh or epic", other).into())
        }
    }
}

/// Where the system and Maya say that MetaHuman for Maya is. What one of them does not know is no error.
fn candidates(host: &Host) -> Vec<Mh4mCandidate> {
    let mut found: Vec<Mh4mCandidate> = Vec::new();
    let mut add = |origin: &str, root: PathBuf| {
        if !root.as_os_str().is_empty() && !found.iter().any(|known| known.root == root) {
            found.push(Mh4mCandidate { origin: origin.to_owned(), root });
        }
    };
    if let Some(root) = std::env::var_os(MH4M_VARIABLE) {
        add(&format!("the variable {MH4M_VARIABLE}"), root.into());
    }
    // Asked for by name only where it is known: Maya complains otherwise.
    let modules = host.mel_texts("moduleInfo -listModules").unwrap_or_default();
    if modules.iter().any(|module| module == MH4M)
        && let Some(root) = host.mel_text(&format!("getModulePath -moduleName \"{MH4M}\""))
    {
        add(&format!("the module {MH4M}"), root.into());
    }
    if host.mel_int(&format!("pluginInfo -q -loaded {MH4M}")) == Some(1)
        && let Some(plugin) = host.mel_text(&format!("pluginInfo -q -path {MH4M}"))
        && let Some(root) = std::path::Path::new(&plugin).ancestors().nth(2)
    {
        add(&format!("the plug-in {MH4M}"), root.to_owned());
    }
    if let Some(folder) = host.mel_text("internalVar -userAppDir").filter(|folder| !folder.is_empty()) {
        add("the user's folder of modules", PathBuf::from(folder).join("modules").join(MH4M));
    }
    found
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
    let own = up_axis(host)?;
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

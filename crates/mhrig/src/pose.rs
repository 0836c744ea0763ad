use std::path::{Path, PathBuf};

use mhrig_geom::Mesh;
use mhrig_report::{Finding, Job, Severity};
use mhrig_rig::{MeshMotion, RigOptions};
use mhrig_scene::{NamedMesh, SceneError, write_glb, write_obj};
use mhrig_view::{
    Bounds, Camera, Image, MeshView, Paint, RenderOptions, Shading, View, draw_legend, heat_color, render,
};
use serde::Serialize;

use crate::files::OutputSet;
use crate::looks::Look;
use crate::posing::{PosedPart, Settings, check_axes};
use crate::report::{Blame, Recorder, Report, Stop};

/// Asks for a character in a pose: as a picture or as meshes.
#[derive(Clone, Debug, Default)]
pub struct PoseRequest {
    /// The DNA file.
    pub file: PathBuf,
    /// A body that the head sits on.
    pub body: Option<PathBuf>,
    /// `NAME=VALUE`: raw controls, GUI controls, or turns of joints such as `lowerarm_l.rz` in degrees.
    pub settings: Vec<String>,
    /// The LOD; a body takes the one that corresponds.
    pub lod: usize,
    /// Where to write: `.png`, `.obj` or `.glb` by its suffix.
    pub output: PathBuf,
    /// How a picture is taken.
    pub picture: PictureOptions,
    /// How the rigs are read.
    pub options: RigOptions,
    /// Whether an existing output may be replaced.
    pub force: bool,
}

/// How a picture is taken.
#[derive(Clone, Debug)]
pub struct PictureOptions {
    /// Cameras; their pictures stand side by side.
    pub views: Vec<View>,
    /// How faces catch light.
    pub shading: Shading,
    /// Whether colours show how far vertices are from their neutral place, instead of what meshes look like.
    pub heat: bool,
    /// Width of one view in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// What is to fill the picture.
    pub focus: Focus,
}

impl Default for PictureOptions {
    fn default() -> Self {
        Self {
            views: vec![View::Front],
            shading: Shading::Smooth,
            heat: false,
            width: 720,
            height: 960,
            focus: Focus::All,
        }
    }
}

/// What fills a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Focus {
    /// Everything.
    #[default]
    All,
    /// The meshes of the first DNA at rest: the camera stays where it is from pose to pose.
    First,
    /// The face: eyes, teeth and what is near them.
    Face,
}

/// Pictures larger than this many pixels are refused.
const MOST_PIXELS: usize = 1 << 26;

/// What a pose has to say.
#[derive(Clone, Debug, Serialize)]
pub struct PoseDetails {
    /// Every mesh that was posed: how far from its neutral place.
    pub meshes: Vec<MeshMotion>,
    /// Files that were written.
    pub outputs: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Png,
    Obj,
    Glb,
}

/// A mesh in its pose.
struct PosedMesh {
    name: String,
    mesh: Mesh,
    normals: Vec<[f32; 3]>,
    rest: Vec<[f32; 3]>,
    part: usize,
}

/// Poses one or two DNAs and writes a picture or meshes.
pub fn pose(request: &PoseRequest, job: Job<'_>) -> Report<PoseDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    recorder.finish(result, false)
}

fn run(request: &PoseRequest, recorder: &mut Recorder<'_>) -> Result<PoseDetails, Stop> {
    let format = format_of(&request.output)?;
    check_size(&request.picture)?;
    let mut outputs = OutputSet::new(request.force);
    outputs.check_target(&request.output)?;
    let parts = recorder.stage("read", |findings, job| {
        let mut parts = vec![PosedPart::read(&request.file, &request.options, false, findings)?];
        if let Some(body) = &request.body {
            job.check()?;
            parts.push(PosedPart::read(body, &request.options, true, findings)?);
        }
        check_axes(&parts)?;
        Ok(parts)
    })?;
    let (meshes, motions) = recorder.stage("pose", |_, job| posed_meshes(request, &parts, job))?;
    if meshes.is_empty() {
        let (message, remedy) = ("there is no mesh at this LOD", "choose another LOD");
        let place = request.file.display().to_string();
        return Err(Finding::new("NO_MESH", Severity::Error, place, message, remedy).into());
    }
    let picture = match format {
        Format::Png => Some(recorder.stage("render", |_, job| take_picture(&meshes, &request.picture, job))?),
        Format::Obj | Format::Glb => None,
    };
    let outputs = recorder.stage("write", |_, job| {
        outputs.add(&request.output, |file| match (format, &picture) {
            (Format::Png, Some(png)) => file.write_all(png),
            (Format::Glb, _) => write_meshes(&meshes, |named| write_glb(&mut *file, named)),
            _ => write_meshes(&meshes, |named| write_obj(&mut *file, named)),
        })?;
        job.check()?;
        outputs.commit()
    })?;
    Ok(PoseDetails { meshes: motions, outputs })
}

fn posed_meshes(
    request: &PoseRequest,
    parts: &[PosedPart],
    job: Job<'_>,
) -> Result<(Vec<PosedMesh>, Vec<MeshMotion>), Stop> {
    let settings = Settings::read(&request.settings, parts)?;
    let poses = settings.apply(parts, request.lod)?;
    let (mut meshes, mut motions) = (Vec::new(), Vec::new());
    for (number, (part, pose)) in parts.iter().zip(&poses).enumerate() {
        let deformer = &part.deformer;
        for &mesh in deformer.meshes_of_lod(pose.lod) {
            job.check()?;
            let vertex_count = deformer.meshes()[mesh].vertex_count();
            let (mut positions, mut normals) = (vec![[0.0; 3]; vertex_count], vec![[0.0; 3]; vertex_count]);
            deformer.deform(mesh, &pose.pose, &pose.channels, &mut positions);
            deformer.normals(mesh, &positions, &mut normals);
            motions.push(deformer.mesh_motion(pose.lod, mesh, &positions));
            meshes.push(PosedMesh {
                name: deformer.meshes()[mesh].name().to_owned(),
                mesh: deformer.mesh_at(mesh, positions),
                normals,
                rest: deformer.neutral_positions(mesh),
                part: number,
            });
        }
    }
    Ok((meshes, motions))
}

fn write_meshes(
    meshes: &[PosedMesh],
    write: impl FnOnce(&[NamedMesh<'_>]) -> Result<(), SceneError>,
) -> std::io::Result<()> {
    let named = |posed: &PosedMesh| -> bool { !posed.mesh.positions.is_empty() };
    let named: Vec<NamedMesh<'_>> = meshes
        .iter()
        .filter(|posed| named(posed))
        .map(|posed| NamedMesh { name: &posed.name, mesh: &posed.mesh, normals: Some(&posed.normals) })
        .collect();
    write(&named).map_err(|error| match error {
        SceneError::Write(error) => error,
        error => std::io::Error::other(error),
    })
}

fn take_picture(meshes: &[PosedMesh], options: &PictureOptions, job: Job<'_>) -> Result<Vec<u8>, Stop> {
    let looks: Vec<Look> = meshes.iter().map(|posed| Look::of(&posed.name, &posed.rest)).collect();
    let distance =
        |a: &[f32; 3], b: &[f32; 3]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt();
    let distances: Vec<Vec<f32>> = meshes
        .iter()
        .map(|posed| posed.mesh.positions.iter().zip(&posed.rest).map(|(a, b)| distance(a, b)).collect())
        .collect();
    let shown = |number: &usize| looks[*number] != Look::Hidden;
    let largest = (0..meshes.len())
        .filter(shown)
        .flat_map(|number| &distances[number])
        .fold(0.0f32, |largest, &distance| largest.max(distance));
    let heat: Vec<Vec<[f32; 3]>> = if options.heat {
        let scale = if largest > 0.0 { 1.0 / largest } else { 0.0 };
        distances.iter().map(|mesh| mesh.iter().map(|&d| heat_color(d * scale)).collect()).collect()
    } else {
        Vec::new()
    };
    let views: Vec<MeshView<'_>> = meshes
        .iter()
        .enumerate()
        .filter_map(|(number, posed)| {
            let (paint, gloss) = looks[number].paint(&posed.rest)?;
            let (paint, gloss) = match heat.get(number) {
                Some(colors) => (Paint::PerVertex(colors), 0.0),
                None => (paint, gloss),
            };
            Some(MeshView {
                positions: &posed.mesh.positions,
                normals: &posed.normals,
                faces: &posed.mesh.faces,
                paint,
                gloss,
            })
        })
        .collect();
    let bounds = bounds_of(meshes, options.focus);
    let size = RenderOptions {
        width: options.width,
        height: options.height,
        shading: options.shading,
        ..RenderOptions::default()
    };
    let mut images = Vec::new();
    for &view in &options.views {
        job.check()?;
        let camera = Camera::framing(view, &bounds, size.width, size.height);
        images.push(render(&views, &camera, &size));
    }
    let mut image = Image::beside(&images);
    if options.heat {
        draw_legend(&mut image, &format!("{largest:.2}cm"));
    }
    image.to_png().map_err(|error| {
        let remedy = "choose another size";
        Stop::from(Finding::new("PICTURE", Severity::Error, "picture", error.to_string(), remedy))
    })
}

fn bounds_of(meshes: &[PosedMesh], focus: Focus) -> Bounds {
    let everything = || Bounds::of(meshes.iter().flat_map(|posed| posed.mesh.positions.iter().copied()));
    let bounds = match focus {
        Focus::All => everything(),
        Focus::First => {
            let first = meshes.iter().filter(|posed| posed.part == 0);
            Bounds::of(first.flat_map(|posed| posed.rest.iter().copied()))
        }
        Focus::Face => face_bounds(meshes),
    };
    bounds.or_else(everything).unwrap_or(Bounds { min: [-1.0; 3], max: [1.0; 3] })
}

/// The box around the eyes and teeth at rest, and as much again around it.
fn face_bounds(meshes: &[PosedMesh]) -> Option<Bounds> {
    let is_inner = |posed: &&PosedMesh| {
        let name = posed.name.to_lowercase();
        ["eyeleft", "eyeright", "teeth"].iter().any(|part| name.contains(part))
    };
    let inner = Bounds::of(meshes.iter().filter(is_inner).flat_map(|posed| posed.rest.iter().copied()))?;
    let size: [f32; 3] = std::array::from_fn(|i| inner.max[i] - inner.min[i]);
    let pad = [size[0] * 0.55, size[1] * 0.75, size[2] * 0.2];
    Some(Bounds {
        min: std::array::from_fn(|i| inner.min[i] - pad[i]),
        max: std::array::from_fn(|i| inner.max[i] + pad[i]),
    })
}

fn format_of(output: &Path) -> Result<Format, Stop> {
    let suffix = output.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default().to_lowercase();
    match suffix.as_str() {
        "png" => Ok(Format::Png),
        "obj" => Ok(Format::Obj),
        "glb" => Ok(Format::Glb),
        _ => Err(usage(
            "OUTPUT_FORMAT",
            output.display().to_string(),
            "the suffix says no format that a pose is written in",
            "end the name in .png, .obj or .glb",
        )),
    }
}

fn check_size(picture: &PictureOptions) -> Result<(), Stop> {
    let views = picture.views.len().max(1);
    let pixels = picture.width.checked_mul(picture.height).and_then(|pixels| pixels.checked_mul(views));
    match pixels {
        Some(1..=MOST_PIXELS) => Ok(()),
        _ => Err(usage(
            "PICTURE_SIZE",
            format!("{} x {}", picture.width, picture.height),
            "the picture has no pixels or too many",
            "choose a size such as 720x960",
        )),
    }
}

fn usage(code: &'static str, place: String, message: &str, remedy: &str) -> Stop {
    Stop::Blamed(Finding::new(code, Severity::Error, place, message, remedy), Blame::Usage)
}

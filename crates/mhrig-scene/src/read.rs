use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use mhrig_report::{Finding, Job, Severity};
use nalgebra::Matrix4;
use rayon::prelude::*;

use crate::error::SceneError;
use crate::format::{self, MeshFormat};
use crate::resolve::path_matches;
use crate::scene_mesh::SceneMeshes;
use crate::{fbx, gltf, ma, obj};

/// Bytes by which the kind of a file is known.
const HEAD: u64 = 4096;
/// Bytes between two looks at the cancel flag.
const READ_AT_A_TIME: u64 = 1 << 24;

/// The axis that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum UpAxis {
    /// +Y, as in Maya and glTF.
    #[default]
    Y,
    /// +Z, as in Unreal, Blender and 3ds Max; the character faces -Y.
    Z,
}

impl UpAxis {
    /// The rotation that turns this axis up: `(x, y, z)` of a Z-up file becomes `(x, z, -y)`.
    #[rustfmt::skip]
    pub(crate) fn y_up_from_file(self) -> Matrix4<f64> {
        match self {
            Self::Y => Matrix4::identity(),
            Self::Z => Matrix4::new(
                1.0,  0.0, 0.0, 0.0,
                0.0,  0.0, 1.0, 0.0,
                0.0, -1.0, 0.0, 0.0,
                0.0,  0.0, 0.0, 1.0,
            ),
        }
    }
}

/// Which positions a mesh gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Space {
    /// Those of the world: all transforms above the mesh are applied.
    #[default]
    World,
    /// Those that the mesh itself stores: no transform is applied, only unit and up axis.
    Object,
}

/// How scene files are read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// World or object space.
    pub space: Space,
    /// Centimetres per length unit; `None` believes the file, and takes centimetres where the format has no unit.
    pub unit_cm: Option<f64>,
    /// The up axis; `None` believes the file, and takes Y where the format has none.
    pub up_axis: Option<UpAxis>,
    /// Paths of meshes to choose where names are not unique: a whole path (`|group|head`), its end (`group|head`),
    /// or one with its file in front (`scene.ma|group|head`). Other meshes of the same name are left out.
    pub pick: Vec<String>,
}

/// Reads the meshes of one file, chosen by its suffix, or of all OBJ files of a folder.
///
/// # Errors
/// [`SceneError`] when a file cannot be used at all. For a folder see [`read_inputs`].
pub fn read_meshes(path: &Path, options: &ReadOptions, job: Job<'_>) -> Result<SceneMeshes, SceneError> {
    read_inputs(&[path], options, job)
}

/// Reads the meshes of several files and folders, in the order given; the files of a folder are those that end in
/// `.obj`, ordered by name.
///
/// Where more than one file is read, one that cannot be used does not hide what is wrong with the others: it
/// becomes a finding of severity [`Severity::Error`] in [`SceneMeshes::findings`].
///
/// # Errors
/// [`SceneError`] when the only file cannot be used, when a path does not exist or is a folder without OBJ files,
/// and when the job is cancelled.
pub fn read_inputs<P: AsRef<Path>>(
    inputs: &[P],
    options: &ReadOptions,
    job: Job<'_>,
) -> Result<SceneMeshes, SceneError> {
    let files = named_files(inputs)?;
    job.progress.stage("read meshes", files.len());
    let read = |file: &PathBuf| {
        let result = job.check().map_err(SceneError::from).and_then(|()| read_file(file, options, job));
        job.progress.step();
        result
    };
    let results: Vec<_> = files.par_iter().map(read).collect();
    let only = results.len() == 1;
    let mut all = SceneMeshes::default();
    for result in results {
        match result {
            Ok(scene) => {
                all.meshes.extend(scene.meshes);
                all.broken.extend(scene.broken);
                all.findings.extend(scene.findings);
            }
            Err(error @ SceneError::Cancelled(_)) => return Err(error),
            Err(error) if only => return Err(error),
            Err(error) => all.findings.push(error.to_finding()),
        }
    }
    apply_picks(&mut all, &options.pick);
    Ok(all)
}

/// Every file that [`read_inputs`] opens for these inputs: those named, those of the folders, and the buffers beside a
/// `.gltf`.
///
/// # Errors
/// [`SceneError`] when a folder cannot be read or has no OBJ files.
pub fn input_files<P: AsRef<Path>>(inputs: &[P]) -> Result<Vec<PathBuf>, SceneError> {
    let mut files = Vec::new();
    for file in named_files(inputs)? {
        let buffers = gltf::buffer_files(&file);
        files.push(file);
        files.extend(buffers);
    }
    Ok(files)
}

fn named_files<P: AsRef<Path>>(inputs: &[P]) -> Result<Vec<PathBuf>, SceneError> {
    let mut files = Vec::new();
    for input in inputs {
        let input = input.as_ref();
        if input.is_dir() { files.extend(obj_files(input)?) } else { files.push(input.to_owned()) }
    }
    Ok(files)
}

/// The `.obj` files of `folder`, ordered by name.
fn obj_files(folder: &Path) -> Result<Vec<PathBuf>, SceneError> {
    let unreadable = |source| SceneError::Unreadable { file: folder.to_owned(), source };
    let mut files = Vec::new();
    let mut others = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        match MeshFormat::from_suffix(&path) {
            Some(MeshFormat::Obj) if !path.is_dir() => files.push(path),
            Some(_) if !path.is_dir() => others.push(path.display().to_string()),
            _ => {}
        }
    }
    if files.is_empty() {
        others.sort();
        return Err(SceneError::FolderWithoutMeshes { folder: folder.to_owned(), others });
    }
    files.sort();
    Ok(files)
}

/// Reads the meshes of a file whose content is in memory. Its format follows from the suffix of `file`, which is
/// also the name that findings and errors give it.
///
/// # Errors
/// [`SceneError`] when the content cannot be used at all.
pub fn read_mesh_bytes(
    file: &Path,
    bytes: &[u8],
    options: &ReadOptions,
    job: Job<'_>,
) -> Result<SceneMeshes, SceneError> {
    let mut all = read_whole(checked_format(file, bytes)?, file, bytes, options, job)?;
    apply_picks(&mut all, &options.pick);
    Ok(all)
}

fn read_file(file: &Path, options: &ReadOptions, job: Job<'_>) -> Result<SceneMeshes, SceneError> {
    let unreadable = |source| SceneError::Unreadable { file: file.to_owned(), source };
    let mut reader = File::open(file).map_err(unreadable)?;
    let mut bytes = Vec::new();
    (&mut reader).take(HEAD).read_to_end(&mut bytes).map_err(unreadable)?;
    let format = checked_format(file, &bytes)?;
    // scenes may be larger than memory: they stream
    if format == MeshFormat::MayaAscii {
        return ma::read_ma(file, bytes.as_slice().chain(reader), options, job);
    }
    while (&mut reader).take(READ_AT_A_TIME).read_to_end(&mut bytes).map_err(unreadable)? > 0 {
        job.check()?;
    }
    read_whole(format, file, &bytes, options, job)
}

/// The format of `file`, if `head`, its first bytes, can be of that format.
fn checked_format(file: &Path, head: &[u8]) -> Result<MeshFormat, SceneError> {
    let head = head.get(..HEAD as usize).unwrap_or(head);
    let format = MeshFormat::from_suffix(file).ok_or_else(|| unknown_suffix(file, head))?;
    format::check_kind(file, format, head)?;
    Ok(format)
}

/// Reads a file of a format that needs all its bytes at once.
fn read_whole(
    format: MeshFormat,
    file: &Path,
    bytes: &[u8],
    options: &ReadOptions,
    job: Job<'_>,
) -> Result<SceneMeshes, SceneError> {
    match format {
        MeshFormat::Obj => obj::read_obj(file, bytes, options, job),
        MeshFormat::Gltf => gltf::read_gltf(file, bytes, options, job),
        MeshFormat::Fbx => fbx::read_fbx(file, bytes, options, job),
        MeshFormat::MayaAscii => ma::read_ma(file, bytes, options, job),
    }
}

/// The error for a file without a reader: what it is, where its first bytes say so.
fn unknown_suffix(file: &Path, head: &[u8]) -> SceneError {
    let found = format::FileKind::from_first_bytes(head);
    if head.is_empty() {
        SceneError::Empty { file: file.to_owned() }
    } else if matches!(found, format::FileKind::Text | format::FileKind::Binary | format::FileKind::Json) {
        let suffix = file.extension().map(|s| format!(".{}", s.to_string_lossy())).unwrap_or_default();
        SceneError::UnknownSuffix { file: file.to_owned(), suffix }
    } else {
        SceneError::WrongKind { file: file.to_owned(), expected: "a mesh file", found }
    }
}

/// Leaves out the meshes that share their name with a picked one.
fn apply_picks(all: &mut SceneMeshes, picks: &[String]) {
    for pick in picks {
        let chosen: Vec<usize> =
            (0..all.meshes.len()).filter(|&i| path_matches(&all.meshes[i], pick)).collect();
        match chosen.as_slice() {
            [chosen] => {
                let name = all.meshes[*chosen].name.clone();
                let mut index = 0;
                all.meshes.retain(|mesh| {
                    let keep = index == *chosen || mesh.name != name;
                    index += 1;
                    keep
                });
            }
            [] => all.findings.push(Finding::new(
                "PICK_NOT_FOUND",
                Severity::Error,
                pick.clone(),
                "no mesh has this path",
                "name one of the paths that the scene has, beginning with `|`",
            )),
            several => {
                let paths: Vec<_> = several.iter().map(|&i| all.meshes[i].full_path()).collect();
                let finding = Finding::new(
                    "PICK_AMBIGUOUS",
                    Severity::Error,
                    pick.clone(),
                    format!("{} meshes have this path", several.len()),
                    "name the whole path, with the file in front where two files have it",
                );
                all.findings.push(finding.with_values("one mesh", paths.join(", ")));
            }
        }
    }
}

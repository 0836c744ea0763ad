use std::fmt;
use std::path::Path;

use crate::error::SceneError;

/// Suffixes of the files that can be read.
pub(crate) const SUFFIXES: &[&str] = &[".obj", ".ma", ".fbx", ".glb", ".gltf"];

/// A format that meshes are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront OBJ.
    Obj,
    /// Maya ASCII.
    MayaAscii,
    /// glTF, binary or as JSON.
    Gltf,
    /// FBX, binary or as text.
    Fbx,
}

impl MeshFormat {
    /// The format that the suffix of `file` stands for.
    pub fn from_suffix(file: &Path) -> Option<Self> {
        match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "obj" => Some(Self::Obj),
            "ma" => Some(Self::MayaAscii),
            "glb" | "gltf" | "vrm" => Some(Self::Gltf),
            "fbx" => Some(Self::Fbx),
            _ => None,
        }
    }

    /// The format's name with an article.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Obj => "a Wavefront OBJ file",
            Self::MayaAscii => "a Maya ASCII scene",
            Self::Gltf => "a glTF file",
            Self::Fbx => "an FBX file",
        }
    }
}

/// What the first bytes of a file say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// Text without a signature: an OBJ is one of these.
    Text,
    /// Maya ASCII.
    MayaAscii,
    /// Maya binary.
    MayaBinary,
    /// A MetaHuman DNA.
    Dna,
    /// A ZIP archive.
    Zip,
    /// Another compressed archive.
    Archive,
    /// Binary glTF.
    Glb,
    /// glTF as JSON, or another JSON file.
    Json,
    /// Binary FBX.
    FbxBinary,
    /// FBX as text.
    FbxText,
    /// A Blender file.
    Blend,
    /// Alembic.
    Alembic,
    /// USD.
    Usd,
    /// COLLADA or another XML file.
    Xml,
    /// A web page, saved in place of the file.
    Html,
    /// PLY or STL.
    OtherMesh,
    /// A picture.
    Picture,
    /// The placeholder that Git LFS leaves in place of a file.
    GitLfsPointer,
    /// Text in UTF-16.
    Utf16,
    /// Anything else that is no text.
    Binary,
}

impl FileKind {
    /// The kind that `head`, the first bytes of a file, belongs to.
    pub fn from_first_bytes(head: &[u8]) -> Self {
        const SIGNATURES: &[(&[u8], FileKind)] = &[
            (b"//Maya ASCII", FileKind::MayaAscii),
            (b"DNA", FileKind::Dna),
            (b"PK\x03\x04", FileKind::Zip),
            (b"PK\x05\x06", FileKind::Zip),
            (b"\x1f\x8b", FileKind::Archive),
            (b"7z\xbc\xaf\x27\x1c", FileKind::Archive),
            (b"Rar!", FileKind::Archive),
            (b"\x28\xb5\x2f\xfd", FileKind::Archive),
            (b"BZh", FileKind::Archive),
            (b"glTF", FileKind::Glb),
            (b"Kaydara FBX Binary", FileKind::FbxBinary),
            (b"; FBX", FileKind::FbxText),
            (b";FBX", FileKind::FbxText),
            (b"BLENDER", FileKind::Blend),
            (b"Ogawa", FileKind::Alembic),
            (b"\x89HDF", FileKind::Alembic),
            (b"PXR-USDC", FileKind::Usd),
            (b"#usda", FileKind::Usd),
            (b"ply\n", FileKind::OtherMesh),
            (b"ply\r", FileKind::OtherMesh),
            (b"solid ", FileKind::OtherMesh),
            (b"\x89PNG", FileKind::Picture),
            (b"\xff\xd8\xff", FileKind::Picture),
            (b"version https://git-lfs", FileKind::GitLfsPointer),
            (b"\xff\xfe", FileKind::Utf16),
            (b"\xfe\xff", FileKind::Utf16),
        ];
        if let Some((_, kind)) = SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature)) {
            return *kind;
        }
        if head.starts_with(b"FOR4") || head.starts_with(b"FOR8") {
            return Self::MayaBinary;
        }
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
        let lower = text.get(..text.len().min(16)).unwrap_or_default().to_ascii_lowercase();
        if lower.starts_with(b"<!doctype html") || lower.starts_with(b"<html") {
            Self::Html
        } else if lower.starts_with(b"<?xml") || lower.starts_with(b"<collada") {
            Self::Xml
        } else if lower.starts_with(b"{") {
            Self::Json
        } else if text.starts_with(b"//Maya ASCII") {
            Self::MayaAscii
        } else if head.contains(&0) {
            Self::Binary
        } else {
            Self::Text
        }
    }

    /// What the user can do with such a file.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::MayaBinary => {
                "open it in Maya and save it as Maya ASCII (.ma), or export the meshes as .obj"
            }
            Self::Dna => {
                "this is a rig, not a mesh: give the meshes here and the DNA as the archetype's template"
            }
            Self::Zip | Self::Archive => "unpack the archive and give the files in it",
            Self::MayaAscii => "rename the file so that it ends in .ma",
            Self::Glb => "rename the file so that it ends in .glb",
            Self::FbxBinary | Self::FbxText => "rename the file so that it ends in .fbx",
            Self::Html => "this is a web page, saved in place of the file: download the file itself",
            Self::GitLfsPointer => "fetch the real file: git lfs pull",
            Self::Utf16 => "save the file as UTF-8",
            Self::Text | Self::Json | Self::Binary => {
                "export the meshes again in the format that the suffix names"
            }
            Self::Blend | Self::Alembic | Self::Usd | Self::Xml | Self::OtherMesh => {
                "export the meshes as .obj, .fbx or .glb, or save the scene as Maya ASCII (.ma)"
            }
            Self::Picture => "give the mesh files, not their pictures",
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text of an unknown kind",
            Self::MayaAscii => "a Maya ASCII scene",
            Self::MayaBinary => "a Maya binary scene (.mb)",
            Self::Dna => "a DNA file",
            Self::Zip => "a ZIP archive",
            Self::Archive => "a compressed archive",
            Self::Glb => "a binary glTF file (.glb)",
            Self::Json => "a JSON file",
            Self::FbxBinary => "a binary FBX file",
            Self::FbxText => "an ASCII FBX file",
            Self::Blend => "a Blender file",
            Self::Alembic => "an Alembic file",
            Self::Usd => "a USD file",
            Self::Xml => "an XML file",
            Self::Html => "a web page",
            Self::OtherMesh => "a PLY or STL file",
            Self::Picture => "a picture",
            Self::GitLfsPointer => "a Git LFS pointer, not the file itself",
            Self::Utf16 => "UTF-16 text",
            Self::Binary => "binary data of an unknown kind",
        })
    }
}

/// Checks that `head`, the first bytes of `file`, can be `format`.
///
/// # Errors
/// [`SceneError::Empty`] and [`SceneError::WrongKind`].
pub(crate) fn check_kind(file: &Path, format: MeshFormat, head: &[u8]) -> Result<(), SceneError> {
    if head.is_empty() {
        return Err(SceneError::Empty { file: file.to_owned() });
    }
    let found = FileKind::from_first_bytes(head);
    let right = match format {
        MeshFormat::Obj => matches!(found, FileKind::Text),
        // a scene written by hand may lack the first line
        MeshFormat::MayaAscii => matches!(found, FileKind::MayaAscii | FileKind::Text),
        MeshFormat::Gltf => matches!(found, FileKind::Glb | FileKind::Json),
        // the text form may begin with any comment
        MeshFormat::Fbx => matches!(found, FileKind::FbxBinary | FileKind::FbxText | FileKind::Text),
    };
    if right {
        Ok(())
    } else {
        Err(SceneError::WrongKind { file: file.to_owned(), expected: format.noun(), found })
    }
}

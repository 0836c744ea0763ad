//! What a file is that is not a DNA.

/// Kind of a file, as far as its first bytes tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputKind {
    /// No bytes.
    Empty,
    /// A text of three lines that stands for a file kept elsewhere.
    GitLfsPointer,
    /// JSON, perhaps the JSON form of a DNA.
    Json,
    /// A ZIP archive.
    Zip,
    /// A GZIP file.
    Gzip,
    /// An Unreal asset.
    UnrealAsset,
    /// A Maya scene, ASCII or binary.
    MayaScene,
    /// An FBX file.
    Fbx,
    /// A glTF binary.
    Glb,
    /// Only zero bytes, as an interrupted copy leaves them.
    Zeros,
    /// Text of another kind.
    Text,
    /// Something else.
    Unknown,
}

impl InputKind {
    /// Bytes that the recognition looks at.
    pub(crate) const BYTES_NEEDED: u64 = 256;

    /// Recognises a file from its first bytes; 256 are enough.
    pub fn of(start: &[u8]) -> Self {
        let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
        let is_text = |bytes: &[u8]| bytes.iter().all(|&byte| byte >= 0x20 || byte.is_ascii_whitespace());
        match start {
            [] => Self::Empty,
            _ if start.starts_with(b"version https://git-lfs") => Self::GitLfsPointer,
            _ if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") => Self::Zip,
            _ if start.starts_with(b"\x1f\x8b") => Self::Gzip,
            _ if start.starts_with(b"\xc1\x83\x2a\x9e") => Self::UnrealAsset,
            _ if start.starts_with(b"//Maya") || start.starts_with(b"FOR4") || start.starts_with(b"FOR8") => {
                Self::MayaScene
            }
            _ if start.starts_with(b"Kaydara FBX") || start.starts_with(b"; FBX") => Self::Fbx,
            _ if start.starts_with(b"glTF") => Self::Glb,
            _ if text.starts_with(b"{") || text.starts_with(b"[") => Self::Json,
            _ if start.iter().all(|&byte| byte == 0) => Self::Zeros,
            _ if is_text(start) => Self::Text,
            _ => Self::Unknown,
        }
    }

    /// What it is, to stand after "this is": `a ZIP archive`. `None` for [`InputKind::Unknown`].
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Empty => "an empty file",
            Self::GitLfsPointer => "a Git LFS pointer file, which stands for the real one",
            Self::Json => "JSON",
            Self::Zip => "a ZIP archive",
            Self::Gzip => "a GZIP file",
            Self::UnrealAsset => "an Unreal asset",
            Self::MayaScene => "a Maya scene",
            Self::Fbx => "an FBX file",
            Self::Glb => "a glTF binary",
            Self::Zeros => "a file of zeros",
            Self::Text => "a text",
            Self::Unknown => return None,
        })
    }

    /// What to do about it.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Empty | Self::Zeros => "copy or export the file again",
            Self::GitLfsPointer => "fetch the real file: run `git lfs pull` where it comes from",
            Self::Json => "convert it first: `mhrig convert FILE.json FILE.dna`",
            Self::Zip => "unpack it and give the .dna file in it",
            Self::Gzip => "unpack it: `gunzip FILE`",
            Self::UnrealAsset => "export the DNA from Unreal Engine and give the .dna file",
            Self::MayaScene | Self::Fbx | Self::Glb | Self::Text | Self::Unknown => "give a .dna file",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognised_by_their_start() {
        let cases: [(&[u8], InputKind); 14] = [
            (b"", InputKind::Empty),
            (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", InputKind::GitLfsPointer),
            (b" \n{\"signature\": 1}", InputKind::Json),
            (b"\xef\xbb\xbf{}", InputKind::Json),
            (b"PK\x03\x04rest", InputKind::Zip),
            (b"\x1f\x8b\x08\x00", InputKind::Gzip),
            (b"\xc1\x83\x2a\x9e\xf7", InputKind::UnrealAsset),
            (b"//Maya ASCII 2025 scene", InputKind::MayaScene),
            (b"FOR8\0\0\0\0", InputKind::MayaScene),
            (b"Kaydara FBX Binary  \0", InputKind::Fbx),
            (b"glTF\x02\0\0\0", InputKind::Glb),
            (b"\0\0\0\0", InputKind::Zeros),
            (b"v 0 0 0\nv 1 0 0\n", InputKind::Text),
            (b"\x01\x02\xff", InputKind::Unknown),
        ];
        for (start, kind) in cases {
            assert_eq!(InputKind::of(start), kind, "{start:?}");
        }
    }
}

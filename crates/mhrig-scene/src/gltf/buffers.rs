//! Where the numbers of a glTF file are: the chunks of a `.glb`, files beside a `.gltf`, and data in the JSON.

use std::path::{Path, PathBuf};

use crate::error::{Place, SceneError};

/// The JSON and the binary chunk of a binary glTF file.
pub(super) fn glb_chunks<'a>(
    file: &Path,
    bytes: &'a [u8],
) -> Result<(&'a [u8], Option<&'a [u8]>), SceneError> {
    let part = |part: &str| Place::file(file).in_part(part);
    let truncated = |inside: &str| SceneError::Truncated { place: part("container"), inside: inside.into() };
    let number = |at: usize| {
        let four = bytes.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(four.try_into().ok()?))
    };
    let version = number(4).ok_or_else(|| truncated("the header"))?;
    if version != 2 {
        return Err(SceneError::Unsupported {
            place: part("container"),
            what: format!("version {version} of glTF"),
            remedy: "export as glTF 2.0",
        });
    }
    let length = number(8).ok_or_else(|| truncated("the header"))? as usize;
    if length > bytes.len() {
        return Err(truncated(&format!("the container, which says it has {length} bytes")));
    }
    let mut json = None;
    let mut binary = None;
    let mut at = 12;
    while at < length {
        let (Some(size), Some(kind)) = (number(at), number(at + 4)) else { return Err(truncated("a chunk")) };
        let start = at + 8;
        let end = start.checked_add(size as usize).filter(|&end| end <= length);
        let end = end.ok_or_else(|| truncated("a chunk"))?;
        let chunk = bytes.get(start..end);
        match kind {
            0x4e4f_534a if json.is_none() => json = chunk,
            0x004e_4942 if binary.is_none() => binary = chunk,
            _ => {}
        }
        at = end;
    }
    let json = json.ok_or_else(|| SceneError::Malformed {
        place: part("container"),
        expected: "a JSON chunk".into(),
        found: "none".into(),
    })?;
    Ok((json, binary))
}

/// The files beside a `.gltf` that hold its buffers; none where the file cannot be read or understood, which its
/// reader will say.
pub(crate) fn buffer_files(file: &Path) -> Vec<PathBuf> {
    if !file.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("gltf")) {
        return Vec::new();
    }
    let document = std::fs::read(file).ok();
    let document = document.and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
    let buffers = document.as_ref().and_then(|document| document["buffers"].as_array());
    let uris = buffers.into_iter().flatten().filter_map(|buffer| buffer["uri"].as_str());
    uris.filter(|uri| !uri.starts_with("data:") && !uri.contains("://"))
        .map(|uri| beside(file, uri))
        .collect()
}

fn beside(file: &Path, uri: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(decode_percent(uri))
}

/// The bytes of buffer `index`, read from `uri`.
pub(super) fn read_uri(file: &Path, index: usize, uri: &str) -> Result<Vec<u8>, SceneError> {
    let place = Place::file(file).in_part(format!("buffer {index}"));
    if let Some(data) = uri.strip_prefix("data:") {
        let malformed = || SceneError::Malformed {
            place: place.clone(),
            expected: "base64 data".into(),
            found: "something else".into(),
        };
        let (header, text) = data.split_once(',').ok_or_else(malformed)?;
        if !header.ends_with(";base64") {
            return Err(malformed());
        }
        return decode_base64(text.as_bytes()).ok_or_else(malformed);
    }
    if uri.contains("://") {
        return Err(SceneError::Unsupported {
            place,
            what: format!("a buffer at the address `{uri}`"),
            remedy: "export as .glb, which holds everything in one file",
        });
    }
    let path = beside(file, uri);
    std::fs::read(&path).map_err(|source| SceneError::Unreadable { file: path, source })
}

/// Replaces `%20` and the like by the bytes they stand for.
fn decode_percent(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(decoded) if byte == b'%' => {
                out.push(decoded);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut bits = 0u32;
    let mut count = 0;
    let body = text.trim_ascii_end();
    let body = body.strip_suffix(b"==").or_else(|| body.strip_suffix(b"=")).unwrap_or(body);
    for &byte in body {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ if byte.is_ascii_whitespace() => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_decodes() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("Zg==", b"f"),
            ("Zm8=", b"fo"),
            ("Zm9v", b"foo"),
            ("Zm9vYmE=", b"fooba"),
            ("Zm9v\nYmFy", b"foobar"),
        ] {
            assert_eq!(decode_base64(text.as_bytes()).as_deref(), Some(bytes), "{text}");
        }
        assert_eq!(decode_base64(b"Zm9*"), None);
    }

    #[test]
    fn percent_signs_decode() {
        assert_eq!(decode_percent("a%20b%2fc%"), "a b/c%");
        assert_eq!(decode_percent("%zz%é"), "%zz%é");
    }
}

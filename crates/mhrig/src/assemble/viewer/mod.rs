//! A page that shows a character and moves it: everything in one file, nothing from the network.

mod data;
mod face;

use std::collections::BTreeSet;
use std::io::{self, Write};

use mhrig_report::{Finding, Job, Severity};
use mhrig_rig::{Instance, Rig};
use serde::Serialize;
use serde_json::json;

use super::describe::Described;
use super::input::{RigPart, up_axis};
use crate::report::Stop;
use data::{Data, Motion};

const PAGE: &str = include_str!("../../../../../assets/viewer/page.html");
const EVALUATE: &str = include_str!("../../../../../assets/viewer/evaluate.js");
const VIEWER: &str = include_str!("../../../../../assets/viewer/viewer.js");
const THREE: &[u8] = include_bytes!("../../../../../assets/three/three.module.min.js");
const THREE_LICENCE: &str = include_str!("../../../../../assets/three/LICENSE");

/// What a viewer page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct ViewerDetails {
    /// Sliders.
    pub sliders: usize,
    /// Vertices of all meshes.
    pub vertices: usize,
    /// Blend shape targets.
    pub targets: usize,
    /// Size of the page in bytes.
    pub bytes: u64,
}

/// A page before it is written.
pub(super) struct ViewerPage {
    json: String,
    bytes: Vec<u8>,
    title: String,
    pub(super) details: ViewerDetails,
}

/// What a page needs of `parts` at LOD 0. A part with sliders moves, the others stand still. What the page leaves out
/// goes to `findings`.
pub(super) fn viewer_page(
    described: &Described,
    parts: &[RigPart],
    findings: &mut Vec<Finding>,
    job: Job<'_>,
) -> Result<ViewerPage, Stop> {
    let mut data = Data::default();
    let mut details = ViewerDetails::default();
    let mut of_parts = Vec::new();
    let leader = parts.len() - 1;
    for (number, part) in parts.iter().enumerate() {
        job.check()?;
        // The body leads the joints that it shares with the head.
        let led: Vec<bool> = part
            .joint_names()
            .iter()
            .map(|name| number < leader && parts[leader].joint_names().contains(name))
            .collect();
        let face = match part.rig() {
            Some(rig) if has_sliders(part) => {
                let mut rest = Instance::new(std::sync::Arc::clone(rig));
                let settled = rest.set_drivers_to_rest().and_then(|()| rest.settle());
                settled.map_err(|error| {
                    let remedy = "check the DNA with `mhrig validate`";
                    let place = part.file().display().to_string();
                    Finding::new("EVALUATION", Severity::Error, place, error.to_string(), remedy)
                })?;
                findings.extend(left_at_rest(part, rig));
                let face = face::face(&mut data, part, rig, &rest, &led);
                details.sliders += part.dna.definition.gui_control_names.len();
                Some(face)
            }
            _ => None,
        };
        let motion = match face {
            Some(_) => Motion::Own,
            None if number < leader && has_sliders(&parts[leader]) => Motion::Led,
            None => Motion::Still,
        };
        let meshes = data::meshes(&mut data, part, motion, &mut details);
        of_parts.push(json!({
            "kind": part.kind.to_string(),
            "up": data::up_name(up_axis(&part.dna.descriptor.coordinate_system)),
            "joints": data::joints(&mut data, part),
            "meshes": meshes,
            "face": face,
        }));
    }
    let seam = data::seam(&mut data, described, parts);
    let files: Vec<_> =
        parts.iter().filter_map(|part| part.file().file_name()).map(|name| name.to_string_lossy()).collect();
    let title = files.join(" + ");
    // Within a script element no text may look like the end of it.
    let json = json!({ "title": title, "parts": of_parts, "seam": seam }).to_string().replace('<', "\\u003c");
    Ok(ViewerPage { json, bytes: data.bytes, title, details })
}

fn has_sliders(part: &RigPart) -> bool {
    part.rig().is_some() && !part.dna.definition.gui_control_names.is_empty()
}

/// Notes about what would move with the sliders of `part` and does not in the page.
fn left_at_rest(part: &RigPart, rig: &Rig) -> Vec<Finding> {
    // Quaternions of joints do not come from sliders; a page turns no joint by itself.
    let of_joints = rig.drivers().into_iter().filter(|driver| driver.joint.is_some());
    let of_joints: BTreeSet<u16> = of_joints.flat_map(|driver| driver.controls).collect();
    let from_sliders = &part.dna.behavior.controls.conditionals.output_indices;
    let is_moved = |control: &u16| !of_joints.contains(control) && from_sliders.contains(control);
    let has_moved_poses = rig.rbf_solvers().any(|solver| solver.raw_controls().iter().any(is_moved));
    [
        (rig.network_count() > 0, "VIEWER_NETWORKS", "neural networks"),
        (has_moved_poses, "VIEWER_POSES", "RBF poses that sliders bring about"),
    ]
    .into_iter()
    .filter(|(is_there, ..)| *is_there)
    .map(|(_, code, what)| {
        let message = format!("the viewer leaves {what} at rest");
        let remedy = "look at what they move in Maya, or with `mhrig pose`";
        Finding::new(code, Severity::Info, part.file().display().to_string(), message, remedy)
    })
    .collect()
}

impl ViewerPage {
    /// Writes the page.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut rest = PAGE;
        while let Some((before, after)) = rest.split_once("{{") {
            out.write_all(before.as_bytes())?;
            let Some((name, after)) = after.split_once("}}") else {
                return out.write_all(after.as_bytes());
            };
            match name {
                "title" => out.write_all(escaped(&self.title).as_bytes())?,
                "licence" => out.write_all(escaped(THREE_LICENCE.trim()).as_bytes())?,
                "three" => write_base64(THREE, out)?,
                "json" => out.write_all(self.json.as_bytes())?,
                "data" => write_base64(&self.bytes, out)?,
                "evaluate" => out.write_all(EVALUATE.as_bytes())?,
                "viewer" => out.write_all(VIEWER.as_bytes())?,
                _ => {}
            }
            rest = after;
        }
        out.write_all(rest.as_bytes())
    }
}

/// `text` as the text of an HTML element.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Writes `bytes` in base64 (RFC 4648, with padding).
fn write_base64(bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    // A multiple of three, so that only the last piece is padded.
    const PIECE: usize = 3 << 12;
    let mut text = Vec::with_capacity(PIECE / 3 * 4);
    for piece in bytes.chunks(PIECE) {
        text.clear();
        for three in piece.chunks(3) {
            let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for digit in 0..4 {
                let is_padding = digit > three.len();
                let value = (bits >> (18 - 6 * digit)) & 63;
                text.push(if is_padding { b'=' } else { DIGITS[value as usize] });
            }
        }
        out.write_all(&text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            let mut text = Vec::new();
            write_base64(bytes.as_bytes(), &mut text).unwrap();
            assert_eq!(String::from_utf8(text).unwrap(), expected);
        }
    }

    #[test]
    fn nothing_in_the_page_comes_from_elsewhere() {
        for text in [PAGE, VIEWER, EVALUATE] {
            for word in ["http:", "https:", "src=\"", "fetch(", "XMLHttpRequest", "@import"] {
                assert!(!text.contains(word), "{word}");
            }
        }
        assert!(PAGE.contains("default-src 'none'"));
    }

    #[test]
    fn names_cannot_leave_their_place() {
        assert_eq!(escaped("</title><b>&\""), "&lt;/title&gt;&lt;b&gt;&amp;&quot;");
    }
}

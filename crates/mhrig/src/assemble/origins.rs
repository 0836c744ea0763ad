//! Which name of a DNA a complaint about a name is about.

use mhrig_report::Finding;

use super::input::RigPart;
use super::names::{Namespace, long_attribute};
use super::rig_logic::{map_attribute, split_name};

/// After this many the rest says nothing new.
const MOST: usize = 4;

/// Puts file and field in front of the place of each finding whose place is a node named by a DNA, or whose `found` is
/// an attribute or target named by one.
pub(super) fn add_origins(findings: &mut [Finding], parts: &[RigPart], namespace: &Namespace) {
    for finding in findings {
        let node = finding.place.strip_prefix(namespace.prefix()).unwrap_or(&finding.place);
        let attribute = finding.found.as_deref().filter(|found| *found != finding.place);
        let origins: Vec<String> = parts.iter().flat_map(|part| origins(part, node, attribute)).collect();
        if !origins.is_empty() {
            let first = origins[..origins.len().min(MOST)].join(", ");
            finding.place = format!("{first}: {}", finding.place);
        }
    }
}

/// `head.dna: defn.jointNames[200]` of each name that became the node or the attribute.
fn origins(part: &RigPart, node: &str, attribute: Option<&str>) -> Vec<String> {
    let definition = &part.dna.definition;
    let lists = [
        ("jointNames", &definition.joint_names),
        ("meshNames", &definition.mesh_names),
        ("guiControlNames", &definition.gui_control_names),
        ("rawControlNames", &definition.raw_control_names),
        ("blendShapeChannelNames", &definition.blend_shape_channel_names),
        ("animatedMapNames", &definition.animated_map_names),
    ];
    let is_origin = |name: &str| match (attribute, split_name(name)) {
        (None, Some((object, _))) => object == node || name == node,
        (None, None) => name == node,
        (Some(attribute), Some((object, own))) => {
            let is_attribute = own == attribute || long_attribute(own) == attribute;
            (object == node && is_attribute) || map_attribute(name) == attribute
        }
        (Some(attribute), None) => name == attribute,
    };
    let mut origins = Vec::new();
    for (list, names) in lists {
        let own = names.iter().enumerate().filter(|(_, name)| is_origin(&name.to_str()));
        origins.extend(own.map(|(number, _)| format!("{}: defn.{list}[{number}]", part.file().display())));
    }
    origins
}

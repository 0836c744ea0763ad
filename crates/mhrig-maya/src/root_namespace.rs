//! Names of a rig are whole ones, whatever namespace is current.

use crate::bridge::Host;
use crate::names::quoted;

const ROOT: &str = ":";

/// The root is the current namespace as long as this lives: new nodes get the names they are given, and names are looked
/// up in the root even where the user has turned on that they are looked up in the current namespace.
pub(crate) struct RootNamespace {
    host: Host,
    before: String,
}

impl RootNamespace {
    /// `None` where Maya does not change over.
    pub(crate) fn enter(host: &Host) -> Option<Self> {
        let before = host.mel_text("namespaceInfo -currentNamespace -absoluteName")?;
        if before != ROOT {
            host.mel_texts(&format!("namespace -set {}", quoted(ROOT)))?;
        }
        Some(Self { host: *host, before })
    }
}

impl Drop for RootNamespace {
    fn drop(&mut self) {
        if self.before != ROOT {
            // One that went meanwhile leaves the root current, as it does in Maya.
            let _ = self.host.mel_texts(&format!("namespace -set {}", quoted(&self.before)));
        }
    }
}

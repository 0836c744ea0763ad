//! The units of the scene, which numbers of MEL are in.

use crate::bridge::Host;

/// Units as Maya names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Units {
    linear: String,
    angle: String,
}

impl Units {
    /// Those of the description of a rig.
    pub(crate) fn of_rigs() -> Self {
        Self { linear: "cm".to_owned(), angle: "deg".to_owned() }
    }

    /// Those of the scene; `None` where Maya does not say.
    pub(crate) fn of_scene(host: &Host) -> Option<Self> {
        let unit =
            |flag: &str| host.mel_text(&format!("currentUnit -q {flag}")).filter(|unit| !unit.is_empty());
        Some(Self { linear: unit("-linear")?, angle: unit("-angle")? })
    }

    /// The statement that sets them.
    pub(crate) fn statement(&self) -> String {
        format!("currentUnit -linear {} -angle {};", self.linear, self.angle)
    }

    /// Sets them unless they are set; `false` where Maya does not.
    pub(crate) fn restore(&self, host: &Host) -> bool {
        Self::of_scene(host).as_ref() == Some(self) || host.mel_texts(&self.statement()).is_some()
    }
}

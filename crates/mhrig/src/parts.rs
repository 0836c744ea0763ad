use mhrig_archetype::{Archetype, Part, PartKind, SETTINGS_FILE};
use mhrig_report::{Finding, Severity};

use crate::report::Stop;

/// Which parts of a person a job is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Parts {
    /// All that the archetype has.
    #[default]
    All,
    /// The head alone.
    HeadOnly,
    /// The body alone.
    BodyOnly,
}

impl Parts {
    /// Whether `kind` is among them.
    pub fn includes(self, kind: PartKind) -> bool {
        match self {
            Self::All => true,
            Self::HeadOnly => kind == PartKind::Head,
            Self::BodyOnly => kind == PartKind::Body,
        }
    }

    /// The wanted parts of `archetype`, head first.
    pub(crate) fn of(self, archetype: &Archetype) -> Result<Vec<&Part>, Stop> {
        let wanted: Vec<&Part> = archetype.parts().filter(|part| self.includes(part.kind)).collect();
        if wanted.is_empty() {
            let part = if self == Self::HeadOnly { PartKind::Head } else { PartKind::Body };
            return Err(Stop::from(Finding::new(
                "ARCHETYPE_PART",
                Severity::Error,
                archetype.dir.join(SETTINGS_FILE).display().to_string(),
                format!("the archetype has no {part}"),
                "use an archetype with this part, or leave the option out",
            )));
        }
        Ok(wanted)
    }
}

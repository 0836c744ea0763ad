//! The tables that say which flags a command has. Maya's syntax objects, the text of `-help` and the documentation
//! are made from them.

use std::fmt::Write;

/// What follows a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: being there means yes.
    Switch,
    /// `on` or `off`.
    Bool,
    /// A whole number.
    Int,
    /// A text.
    Text,
}

impl Kind {
    /// The number of this kind among Maya's argument types.
    pub(crate) fn argument(self) -> i32 {
        match self {
            Self::Switch => maya_sys::argument::NONE,
            Self::Bool => maya_sys::argument::BOOLEAN,
            Self::Int => maya_sys::argument::LONG,
            Self::Text => maya_sys::argument::STRING,
        }
    }
}

/// A flag of a command.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// The short name with its dash, at most three letters.
    pub short: &'static str,
    /// The long name with its dash, at least four letters.
    pub long: &'static str,
    /// What follows it.
    pub kind: Kind,
    /// What that stands for in the help, in capitals; empty for a switch.
    pub value: &'static str,
    /// What it does, in one sentence.
    pub help: &'static str,
    /// The option of the command line that does the same, without dashes.
    pub cli: Option<&'static str>,
}

/// A command.
#[derive(Debug)]
pub struct CommandTable {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// What its objects are called and what they are, where it takes some.
    pub objects: Option<(&'static str, &'static str)>,
    /// What it returns.
    pub returns: &'static str,
    /// What undo does to it.
    pub undo: &'static str,
    /// The verb of the command line that does the same.
    pub verb: &'static str,
    /// Its own flags.
    pub(crate) own: &'static [Flag],
}

pub(crate) const fn flag(
    short: &'static str,
    long: &'static str,
    kind: Kind,
    value: &'static str,
    help: &'static str,
) -> Flag {
    Flag { short, long, kind, value, help, cli: None }
}

impl Flag {
    /// Names the option of the command line that does the same.
    pub(crate) const fn as_cli(mut self, option: &'static str) -> Self {
        self.cli = Some(option);
        self
    }
}

pub(crate) const HELP: Flag =
    flag("-h", "-help", Kind::Switch, "", "Show this text and do nothing.").as_cli("help");
pub(crate) const JSON: Flag = flag(
    "-j",
    "-json",
    Kind::Switch,
    "",
    "Return the whole report as a JSON string; its key status says how the command ended.",
)
.as_cli("json");
pub(crate) const JOBS: Flag =
    flag("-jb", "-jobs", Kind::Int, "N", "Number of threads; all processors by default.").as_cli("jobs");

/// Flags that every command has.
const COMMON: [Flag; 3] = [JSON, JOBS, HELP];

impl CommandTable {
    /// All flags, the command's own first.
    pub fn flags(&self) -> impl Iterator<Item = &Flag> {
        self.own.iter().chain(&COMMON)
    }

    /// The text of `-help`.
    pub fn help(&self) -> String {
        let (objects, meaning) = self.objects_text();
        let mut out = format!("{} [flags]{objects}\n{}\n{meaning}\nFlags:\n", self.name, self.summary);
        let rows: Vec<(String, &str)> = self
            .flags()
            .map(|flag| {
                let space = if flag.value.is_empty() { "" } else { " " };
                (format!("  {:<4} {}{space}{}", flag.short, flag.long, flag.value), flag.help)
            })
            .collect();
        let width = rows.iter().map(|(names, _)| names.len()).max().unwrap_or(0);
        for (names, help) in rows {
            let _ = writeln!(out, "{names:<width$}  {help}");
        }
        let _ = write!(out, "\nReturns {}\n{}", self.returns, self.undo);
        out
    }

    /// Its objects as they stand in the synopsis, and a line on what they are.
    fn objects_text(&self) -> (String, String) {
        let Some((name, meaning)) = self.objects else { return (String::new(), String::new()) };
        (format!(" [{name}]"), format!("{name}: {meaning}\n"))
    }

    /// The section of the documentation.
    pub(crate) fn markdown(&self) -> String {
        let (objects, meaning) = self.objects_text();
        let meaning = if meaning.is_empty() { meaning } else { format!("{meaning}\n") };
        let mut out =
            format!("## {}\n\n`{} [flags]{objects}`\n\n{}\n\n{meaning}", self.name, self.name, self.summary);
        out += "| short | long | value | what it does |\n| --- | --- | --- | --- |\n";
        for flag in self.flags() {
            let _ = writeln!(out, "| `{}` | `{}` | {} | {} |", flag.short, flag.long, flag.value, flag.help);
        }
        let _ = write!(
            out,
            "\nReturns {}\n\n{}\n\nThe command line's `mhrig {}` does the same.\n",
            self.returns, self.undo, self.verb
        );
        out
    }

    /// What Maya would refuse in this table, and what Python could not call.
    pub(crate) fn problems(&self) -> Vec<String> {
        const PYTHON_WORDS: [&str; 14] = [
            "and", "as", "async", "class", "def", "del", "from", "global", "import", "in", "is", "lambda",
            "not", "with",
        ];
        let mut problems = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for flag in self.flags() {
            for name in [flag.short, flag.long] {
                if seen.contains(&name) {
                    problems.push(format!("{}: {name} is there twice", self.name));
                }
                if PYTHON_WORDS.contains(&name.trim_start_matches('-')) {
                    problems.push(format!("{}: {name} is a word of Python", self.name));
                }
                if !name.starts_with('-') || !name[1..].chars().all(|c| c.is_ascii_alphabetic()) {
                    problems.push(format!("{}: {name} is no name of a flag", self.name));
                }
                seen.push(name);
            }
            if !(2..=4).contains(&flag.short.len()) || flag.long.len() < 5 {
                problems.push(format!("{}: {} or {} has the wrong length", self.name, flag.short, flag.long));
            }
            // Maya keeps these for the query and edit modes.
            if ["-q", "-query", "-e", "-edit"].iter().any(|taken| seen.contains(taken)) {
                problems.push(format!("{}: query and edit are Maya's", self.name));
            }
            if flag.value.is_empty() != (flag.kind == Kind::Switch) || flag.help.is_empty() {
                problems.push(format!("{}: {} does not say what its value is", self.name, flag.long));
            }
        }
        problems
    }
}

//! The commands, one file each.

mod assemble;
mod build_dna;
mod check_topology;
mod fit;
mod inspect_dna;
mod shared;

use mhrig::{Finding, Severity};

use crate::bridge::{Arguments, Host, Undoable};
use crate::flags::{CommandTable, HELP};
use crate::messages;

/// All commands, in the order in which they are registered.
pub const COMMANDS: [&CommandTable; 5] =
    [&check_topology::TABLE, &fit::TABLE, &build_dna::TABLE, &assemble::TABLE, &inspect_dna::TABLE];

/// What a command that worked leaves behind: how to take it back, if it changed the scene.
pub(crate) type Outcome = Result<Option<Box<dyn Undoable>>, Failure>;

/// A command that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What to tell, in order.
    pub(crate) messages: Vec<String>,
}

impl Failure {
    pub(crate) fn because(findings: &[Finding]) -> Self {
        Self { messages: messages::errors(findings) }
    }
}

impl From<Finding> for Failure {
    fn from(finding: Finding) -> Self {
        Self::because(&[finding])
    }
}

/// Makes every command panic at its start when it is set to `panic`, to show that a panic ends as a message.
const SELF_TEST: &str = "MHRIG_PLUGIN_SELF_TEST";

/// Runs one command.
pub(crate) fn run(table: &CommandTable, host: &Host, arguments: &Arguments<'_>) -> Outcome {
    if std::env::var_os(SELF_TEST).is_some_and(|value| value == "panic") {
        panic!("self-test");
    }
    if arguments.is_set(HELP.long) {
        let help = table.help();
        messages::done(host, &help);
        host.result_text(&help);
        return Ok(None);
    }
    match table.name {
        name if name == check_topology::TABLE.name => check_topology::run(host, arguments),
        name if name == fit::TABLE.name => fit::run(host, arguments),
        name if name == build_dna::TABLE.name => build_dna::run(host, arguments),
        name if name == assemble::TABLE.name => assemble::run(host, arguments),
        name if name == inspect_dna::TABLE.name => inspect_dna::run(host, arguments),
        other => Err(usage(other, "this command has no implementation", "report this message").into()),
    }
}

/// A finding about the way a command was called.
pub(crate) fn usage(command: &str, message: impl Into<String>, remedy: &str) -> Finding {
    Finding::new("USAGE", Severity::Error, command, message, remedy)
}

/// Looks for mistakes in the tables; run when the plug-in loads and by a test.
pub(crate) fn check_tables() -> Result<(), String> {
    let mut problems: Vec<String> = COMMANDS.iter().flat_map(|table| table.problems()).collect();
    for (at, table) in COMMANDS.iter().enumerate() {
        if COMMANDS[..at].iter().any(|other| other.name == table.name) {
            problems.push(format!("{} is there twice", table.name));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
}

/// The reference of all commands, in Markdown.
pub fn docs() -> String {
    let mut out = String::from(
        "# Commands of the Maya plug-in\n\n\
         Made from the tables in `crates/mhrig-maya/src/commands` by its test; do not edit.\n\n\
         All commands work in MEL and Python (`cmds.mhCheckTopology(archetype='…')`), take short and long flags, and \
         name nodes by full paths. Messages begin with `MhRigCreator:` and carry a code that does not depend on the \
         language of the user interface. Without `-json` a command that could not do its work fails; with it the \
         report is returned in any case, and its key `status` is `ok`, `findings`, `refused` or `cancelled`. Esc stops \
         a running command.\n\n",
    );
    let sections: Vec<String> = COMMANDS.iter().map(|table| table.markdown()).collect();
    out += &sections.join("\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_what_maya_and_python_accept() {
        assert_eq!(check_tables(), Ok(()));
    }

    #[test]
    fn the_documentation_is_that_of_the_tables() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/maya-commands.md");
        if std::env::var_os("MHRIG_BLESS").is_some() {
            std::fs::write(file, docs()).unwrap();
        }
        let written = std::fs::read_to_string(file).unwrap_or_default();
        assert!(written == docs(), "run this test with MHRIG_BLESS=1 and review the change of {file}");
    }

    #[test]
    fn help_names_every_flag() {
        for table in COMMANDS {
            let help = table.help();
            for flag in table.flags() {
                assert!(help.contains(flag.long) && help.contains(flag.help), "{}", flag.long);
            }
        }
    }
}

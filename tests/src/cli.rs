use std::path::Path;
use std::process::Command;

/// Long options of a verb of the command line, without dashes; `None` where the program was not built or has no such
/// verb.
pub fn cli_options(verb: &str) -> Option<Vec<String>> {
    let program = std::env::current_exe().ok()?;
    let mhrig = program.ancestors().nth(2).unwrap_or(Path::new(".")).join("mhrig");
    let output =
        Command::new(mhrig).args([verb, "--help"]).output().ok().filter(|out| out.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let option = |line: &str| {
        let line = line.trim_start();
        let rest = if line.starts_with("--") {
            line
        } else {
            line.strip_prefix('-')?.get(1..)?.strip_prefix(", ")?
        };
        let name = rest.strip_prefix("--")?;
        Some(name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).next()?.to_owned())
    };
    Some(text.lines().filter_map(option).collect())
}

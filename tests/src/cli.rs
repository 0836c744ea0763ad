use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Long options of a verb of the command line, without dashes; `None` where the program was not built or has no such
/// verb.
pub fn cli_options(verb: &str) -> Option<Vec<String>> {
    Some(help(verb)?.lines().filter_map(option).collect())
}

/// The values that options of a verb accept, by option, for those that list them; `None` as above.
pub fn cli_values(verb: &str) -> Option<BTreeMap<String, Vec<String>>> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut current = None;
    for line in help(verb)?.lines() {
        if let Some(name) = option(line) {
            current = Some(name);
        } else if let (Some(name), Some(value)) = (&current, line.trim_start().strip_prefix("- ")) {
            let value = value.split(':').next().unwrap_or(value).trim().to_owned();
            values.entry(name.clone()).or_default().push(value);
        }
    }
    Some(values)
}

fn help(verb: &str) -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let mhrig = program.ancestors().nth(2).unwrap_or(Path::new(".")).join("mhrig");
    let output =
        Command::new(mhrig).args([verb, "--help"]).output().ok().filter(|out| out.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The option that a line of the help is about, without dashes.
fn option(line: &str) -> Option<String> {
    let line = line.trim_start();
    let rest =
        if line.starts_with("--") { line } else { line.strip_prefix('-')?.get(1..)?.strip_prefix(", ")? };
    let name = rest.strip_prefix("--")?;
    Some(name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).next()?.to_owned())
}

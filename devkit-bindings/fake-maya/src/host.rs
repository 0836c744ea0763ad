use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::FakeMaya;

/// What came back for one line of MEL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Whether the line succeeded.
    pub ok: bool,
    /// The result: one entry for a single value, several for an array.
    pub results: Vec<String>,
    /// Texts of `displayInfo` and `print`.
    pub infos: Vec<String>,
    /// Texts of `displayWarning`.
    pub warnings: Vec<String>,
    /// Texts of `displayError`, and errors of built-in commands.
    pub errors: Vec<String>,
}

impl Reply {
    /// The result as one string, its parts joined by newlines.
    pub fn text(&self) -> String {
        self.results.join("\n")
    }

    /// The results as numbers; what is not a number is left out.
    pub fn numbers(&self) -> Vec<f64> {
        self.results.iter().filter_map(|text| text.parse().ok()).collect()
    }
}

/// A running host program. It ends when this is dropped.
pub struct Host {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Host {
    /// Starts the program in batch mode, or as an interactive session in which Esc works.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn start(maya: &FakeMaya, interactive: bool) -> io::Result<Self> {
        Self::start_with(maya, interactive, &[])
    }

    /// Like [`Host::start`], with variables added to the program's environment.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn start_with(maya: &FakeMaya, interactive: bool, variables: &[(&str, &str)]) -> io::Result<Self> {
        let mut command = Command::new(maya.dir.join("host"));
        command.env("LD_LIBRARY_PATH", &maya.dir).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.envs(variables.iter().copied());
        if interactive {
            command.arg("--interactive");
        }
        let mut child = command.spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Self { child, input, output: BufReader::new(output) }),
            _ => Err(io::Error::other("the host has no pipes")),
        }
    }

    /// Runs one line of MEL and waits for its reply.
    ///
    /// # Errors
    /// When the program has died or closed its output; the error says how it ended.
    pub fn mel(&mut self, line: &str) -> io::Result<Reply> {
        let line = line.replace('\n', " ");
        if writeln!(self.input, "{line}").and_then(|()| self.input.flush()).is_err() {
            return Err(self.obituary());
        }
        let mut reply = Reply::default();
        loop {
            let mut text = String::new();
            if self.output.read_line(&mut text)? == 0 {
                return Err(self.obituary());
            }
            let text = text.trim_end_matches('\n');
            let (kind, rest) = text.split_at(text.len().min(2));
            let rest = unescaped(rest);
            match kind {
                "R " => reply.results.push(rest),
                "I " => reply.infos.push(rest),
                "W " => reply.warnings.push(rest),
                "E " => reply.errors.push(rest),
                "S " => {
                    reply.ok = rest == "ok";
                    return Ok(reply);
                }
                // Something printed past the API; a plug-in must not.
                _ => reply.errors.push(format!("printed: {text}")),
            }
        }
    }

    fn obituary(&mut self) -> io::Error {
        match self.child.wait() {
            Ok(status) => io::Error::other(format!("the host ended: {status}")),
            Err(error) => error,
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.input.write_all(b"quit\n");
        let _ = self.input.flush();
        let _ = self.child.wait();
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('r')) => out.push('\r'),
            ('\\', Some(other)) => out.push(other),
            _ => out.push(c),
        }
    }
    out
}

/// `text` as a quoted MEL string.
pub fn mel_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

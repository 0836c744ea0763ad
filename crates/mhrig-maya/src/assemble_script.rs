//! The assemble script of MetaHuman for Maya, called through Maya's Python.

use std::fmt::Write;

use mhrig::{ExternalBoard, Finding, Severity};
use serde::Deserialize;

use crate::names::quoted;

/// What loads the script, looks at what it takes, calls it, and tells.
const SNIPPET: &str = include_str!("assemble_script.py");

/// What became of the script.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Answer {
    /// Whether it was called and came to its end.
    pub(crate) ran: bool,
    /// Whether it had to be told to connect the board as well.
    pub(crate) connected: bool,
    /// The arguments that it takes.
    signature: Option<String>,
    error: Option<ScriptError>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct ScriptError {
    #[serde(rename = "type")]
    kind: String,
    message: String,
    /// 0: unknown.
    line: u32,
}

/// The statement of MEL that runs the script of `board` and returns an answer. All of it is ASCII.
pub(crate) fn statement(board: &ExternalBoard) -> String {
    let path = |path: &std::path::Path| literal(&path.to_string_lossy().replace('\\', "/"));
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let search = list(board.resources.python_path.iter().map(|folder| path(folder)).collect());
    let raw = list(board.drives.iter().map(|drive| literal(&drive.target.to_string())).collect());
    let arguments =
        [path(&board.resources.script), search, literal(&board.top_group), literal(&board.rig_group), raw];
    // One expression, so that Maya returns its value and no name is left behind.
    let code = format!(
        "(lambda space: (exec({}, space), space['run']({}))[1])({{'__name__': 'mhrig_assemble_script'}})",
        literal(SNIPPET),
        arguments.join(", ")
    );
    format!("python {}", quoted(&code))
}

/// `text` as a string of Python, in ASCII.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for c in text.chars() {
        // Writing to a string does not fail.
        let _ = match c {
            '\'' | '\\' => write!(out, "\\{c}"),
            '\n' => write!(out, "\\n"),
            ' '..='~' => write!(out, "{c}"),
            other => write!(out, "\\U{:08x}", u32::from(other)),
        };
    }
    out.push('\'');
    out
}

/// What Maya's Python returned: `None` where it returned nothing.
pub(crate) fn answer(text: Option<&str>) -> Answer {
    let unreadable = |message: String| Answer {
        error: Some(ScriptError { kind: "Python".to_owned(), message, line: 0 }),
        ..Answer::default()
    };
    match text {
        Some(text) => serde_json::from_str(text)
            .unwrap_or_else(|error| unreadable(format!("its answer cannot be read: {error}"))),
        None => unreadable("it gave no answer".to_owned()),
    }
}

impl Answer {
    /// What to tell of a script that did not do its work.
    pub(crate) fn finding(&self, board: &ExternalBoard) -> Option<Finding> {
        let script = board.resources.script.display();
        let (place, message) = match (&self.error, self.ran) {
            (Some(error), ran) => {
                let place = if error.line > 0 {
                    format!("{script}: line {}", error.line)
                } else {
                    script.to_string()
                };
                let what = if ran { "connecting the board" } else { "the assemble script" };
                (place, format!("{what} failed: {}: {}", error.kind, error.message))
            }
            (None, true) => return None,
            (None, false) => {
                let found = self.signature.as_deref().unwrap_or("no function run_after_assemble");
                let message = format!(
                    "the assemble script was not called: it takes {found}, not three arguments (top group, rig group, settings)"
                );
                (script.to_string(), message)
            }
        };
        let remedy = "the rig is there, and what the script left unconnected is driven by our own curves; place the \
                      controls by hand, or use -faceBoard mh";
        Some(Finding::new("ASSEMBLE_SCRIPT", Severity::Warning, place, message, remedy))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use mhrig::Mh4mResources;

    use super::*;

    /// A Maya of the test: what exists, and what is connected.
    const STUB: &str = "import os, sys, types\n\
        cmds = types.ModuleType('maya.cmds')\n\
        cmds.objExists = lambda plug: plug != 'CTRL_expressions.gone'\n\
        cmds.listConnections = lambda plug, source, destination: os.environ.get('MHRIG_TEST_CONNECTED', '').split()\n\
        maya = types.ModuleType('maya')\n\
        maya.cmds = cmds\n\
        sys.modules['maya'] = maya\n\
        sys.modules['maya.cmds'] = cmds\n\
        before = (list(sys.path), sys.dont_write_bytecode)\n\
        answer = eval(open(sys.argv[1], encoding='ascii').read())\n\
        assert before == (list(sys.path), sys.dont_write_bytecode), 'something is left behind'\n\
        assert not [name for name in sys.modules if name.startswith('mhrig')]\n\
        print('ANSWER ' + answer)\n";

    fn board(script: &Path, search: &Path) -> ExternalBoard {
        let folder = script.parent().unwrap().to_owned();
        ExternalBoard {
            resources: Mh4mResources {
                root: folder.clone(),
                manifest: folder.join("env.json"),
                gui: folder.join("gui.ma"),
                analog_gui: None,
                script: script.to_owned(),
                python_path: vec![search.to_owned()],
                nodes: Vec::new(),
            },
            holders: Vec::new(),
            drives: Vec::new(),
            shared_joints: Vec::new(),
            head_rig_logic: "head_rl4Embedded".into(),
            top_group: "head_grp".to_owned(),
            rig_group: "headRig_grp".to_owned(),
            level: (String::new(), String::new()),
            control_set: String::new(),
        }
    }

    /// What MEL makes of a quoted string.
    fn unquoted(text: &str) -> String {
        let inner = text.strip_prefix("python \"").unwrap().strip_suffix('"').unwrap();
        let mut out = String::new();
        let mut chars = inner.chars();
        while let Some(c) = chars.next() {
            out.push(match c {
                '\\' => match chars.next().unwrap() {
                    'n' => '\n',
                    other => other,
                },
                other => other,
            });
        }
        out
    }

    struct Python {
        folder: tempfile::TempDir,
        program: &'static str,
    }

    impl Python {
        fn or_skip(test: &str) -> Option<Self> {
            let there =
                Command::new("python3").arg("--version").output().is_ok_and(|out| out.status.success());
            if !there {
                mhrig_testkit::skip(test, "there is no python3");
                return None;
            }
            Some(Self { folder: tempfile::tempdir().unwrap(), program: "python3" })
        }

        fn script(&self, name: &str, text: &str) -> PathBuf {
            let file = self.folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            file
        }

        fn run(&self, script: &Path, raw: &[&str], connected: &str) -> Answer {
            let mut code = statement(&board(script, &self.folder.path().join("library")));
            assert!(code.is_ascii());
            // Raw controls come from drives, which only an assembly makes.
            let list: Vec<String> = raw.iter().map(|plug| literal(plug)).collect();
            code = code.replace("'headRig_grp', [])", &format!("'headRig_grp', [{}])", list.join(", ")));
            let stub = self.script("stub.py", STUB);
            let expression = self.script("expression.txt", &unquoted(&code));
            let output = Command::new(self.program)
                .arg(stub)
                .arg(expression)
                .env("MHRIG_TEST_CONNECTED", connected)
                .output()
                .unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let line = text.lines().find_map(|line| line.strip_prefix("ANSWER "));
            let line = line.unwrap_or_else(|| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)));
            answer(Some(line))
        }

        /// What a script did, of lines that it appended to a file beside it.
        fn log(&self) -> Vec<String> {
            let text = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            let _ = fs::remove_file(self.folder.path().join("log"));
            text.lines().map(str::to_owned).collect()
        }

        /// A script of the test that logs how it is called.
        fn logging(&self, name: &str, functions: &str) -> PathBuf {
            let log = literal(&self.folder.path().join("log").to_string_lossy());
            self.script(
                name,
                &format!("def log(*texts):\n    open({log}, 'a').write(repr(texts) + '\\n')\nlog('loaded')\n{functions}"),
            )
        }
    }

    const THREE: &str = "def run_after_assemble(top, rig, settings):\n    log(top, rig, settings)\n";
    const CONNECT: &str = "def connect_expressions():\n    log('connect')\n";

    #[test]
    fn a_script_of_three_arguments_is_called_once_with_the_groups() {
        let Some(python) = Python::or_skip("a_script_of_three_arguments_is_called_once_with_the_groups")
        else {
            return;
        };
        let script = python.logging("three.py", THREE);
        let answer = python.run(&script, &["CTRL_expressions.a"], "");
        assert!(
            answer.ran && !answer.connected && answer.finding(&board(&script, &script)).is_none(),
            "{answer:?}"
        );
        assert_eq!(python.log(), ["('loaded',)", "('head_grp', 'headRig_grp', {})"]);
        // Any number of arguments, and one with a default, are three as well.
        for text in ["def run_after_assemble(*all): pass", "def run_after_assemble(a, b, c, d=1): pass"] {
            assert!(python.run(&python.logging("more.py", text), &[], "").ran, "{text}");
        }
    }

    #[test]
    fn a_script_that_does_not_take_three_is_not_called_and_its_arguments_are_told() {
        let test = "a_script_that_does_not_take_three_is_not_called_and_its_arguments_are_told";
        let Some(python) = Python::or_skip(test) else { return };
        for (arguments, shown) in [
            ("a, b", "(a, b)"),
            ("", "()"),
            ("a, b, rotation=None", "(a, b, rotation=None)"),
            ("a, b, *, rotation", "(a, b, *, rotation)"),
            ("a, b, c, d", "(a, b, c, d)"),
        ] {
            let text = format!("def run_after_assemble({arguments}):\n    log('called')\n{CONNECT}");
            let script = python.logging("other.py", &text);
            let answer = python.run(&script, &["CTRL_expressions.a"], "");
            assert!(!answer.ran && !answer.connected, "{arguments}");
            let finding = answer.finding(&board(&script, &script)).unwrap();
            assert_eq!((finding.code, finding.severity), ("ASSEMBLE_SCRIPT", Severity::Warning));
            assert!(finding.message.contains(shown), "{}", finding.message);
            assert_eq!(python.log(), ["('loaded',)"], "{arguments}");
        }
        let empty = python.logging("empty.py", "run_after_assemble = 3\n");
        let finding = python.run(&empty, &[], "").finding(&board(&empty, &empty)).unwrap();
        assert!(finding.message.contains("no function run_after_assemble"), "{}", finding.message);
    }

    #[test]
    fn expressions_are_connected_by_the_script_only_where_it_left_all_of_them() {
        let test = "expressions_are_connected_by_the_script_only_where_it_left_all_of_them";
        let Some(python) = Python::or_skip(test) else { return };
        let script = python.logging("connects.py", &format!("{THREE}{CONNECT}"));
        let raw = ["CTRL_expressions.a", "CTRL_expressions.gone"];
        let calls = |answer: &Answer| {
            assert!(answer.ran);
            python.log().iter().filter(|line| line.contains("connect")).count()
        };
        let answer = python.run(&script, &raw, "");
        assert!(answer.connected && calls(&answer) == 1);
        let answer = python.run(&script, &raw, "someCurve.output");
        assert!(!answer.connected && calls(&answer) == 0);
        let answer = python.run(&script, &["CTRL_expressions.gone"], "");
        assert!(!answer.connected && calls(&answer) == 0);
        let needs =
            python.logging("needs.py", &format!("{THREE}def connect_expressions(what): log('connect')\n"));
        assert_eq!(calls(&python.run(&needs, &raw, "")), 0);
    }

    #[test]
    fn whatever_a_script_raises_is_a_warning_with_its_line() {
        let Some(python) = Python::or_skip("whatever_a_script_raises_is_a_warning_with_its_line") else {
            return;
        };
        for (text, kind, message, line) in [
            (
                "def run_after_assemble(a, b, c):\n    raise ValueError('weird \\ud800 \\u00fc')\n",
                "ValueError",
                "weird ? ü",
                2,
            ),
            ("def run_after_assemble(a, b, c):\n    import sys\n    sys.exit(3)\n", "SystemExit", "3", 3),
            ("def run_after_assemble(a, b, c):\n    raise KeyboardInterrupt\n", "KeyboardInterrupt", "", 2),
            (
                "class Odd(Exception):\n    def __str__(self): raise self\ndef run_after_assemble(a, b, c):\n    raise Odd()\n",
                "Odd",
                "(cannot be shown)",
                4,
            ),
            ("def run_after_assemble(:\n", "SyntaxError", "", 1),
            ("1 / 0\n", "ZeroDivisionError", "division by zero", 1),
            ("import nothing_of_this_name\n", "ModuleNotFoundError", "", 1),
        ] {
            let script = python.script("bad.py", text);
            let answer = python.run(&script, &[], "");
            let error = answer.error.clone().unwrap();
            assert!(!answer.ran && error.message.contains(message), "{error:?}");
            assert_eq!((error.kind.as_str(), error.line), (kind, line), "{text}");
            let finding = answer.finding(&board(&script, &script)).unwrap();
            assert_eq!(finding.severity, Severity::Warning);
            assert!(finding.message.contains(kind) && finding.place.contains(&format!("line {line}")));
        }
        let missing = python.folder.path().join("missing.py");
        assert_eq!(python.run(&missing, &[], "").error.unwrap().kind, "FileNotFoundError");
        let folder = python.folder.path().join("folder.py");
        fs::create_dir(&folder).unwrap();
        assert!(python.run(&folder, &[], "").error.is_some());
    }

    #[test]
    fn a_path_in_any_script_of_the_world_is_found_and_its_library_too() {
        let test = "a_path_in_any_script_of_the_world_is_found_and_its_library_too";
        let Some(python) = Python::or_skip(test) else { return };
        python.script("library/helper_of_the_test.py", "VALUE = 7\n");
        let text = format!(
            "from helper_of_the_test import VALUE\n{}",
            THREE.replace("(top,", "(VALUE, top,").replacen(
                "def run_after_assemble(VALUE, top,",
                "def run_after_assemble(top,",
                1
            )
        );
        let script = python.logging("装配 it's \"ü\" 🙂/ass_json.py", &text);
        let answer = python.run(&script, &[], "");
        assert!(answer.ran, "{answer:?}");
        assert_eq!(python.log()[1], "(7, 'head_grp', 'headRig_grp', {})");
        assert!(!script.parent().unwrap().join("__pycache__").exists());
        assert!(!python.folder.path().join("library/__pycache__").exists());
    }

    #[test]
    fn an_answer_that_is_none_is_a_warning() {
        let board = board(Path::new("/x/y.py"), Path::new("/x"));
        for text in [None, Some(""), Some("{"), Some("[]"), Some("None")] {
            let finding = answer(text).finding(&board).unwrap();
            assert_eq!((finding.code, finding.severity), ("ASSEMBLE_SCRIPT", Severity::Warning), "{text:?}");
        }
        let after =
            answer(Some(r#"{"ran": true, "error": {"type": "X", "message": "m", "line": 0}, "more": 1}"#));
        assert!(after.finding(&board).unwrap().message.starts_with("connecting the board failed: X"));
    }
}

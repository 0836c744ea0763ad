//! Which nodes a Maya ASCII scene makes.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use mhrig_report::Job;

use super::lexer::{Lexer, Token, unended};
use crate::error::SceneError;

/// A node that a scene makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedNode {
    /// Its type.
    pub kind: String,
    /// Its name, with namespace; empty where the file gives none.
    pub name: String,
}

/// The nodes that the Maya ASCII scene `file` makes when it is imported, in its order; without those that every scene
/// shares (cameras, lists of lights). Nothing else of the file is looked at.
///
/// # Errors
/// [`SceneError`] when the file cannot be read.
pub fn created_nodes(file: &Path, job: Job<'_>) -> Result<Vec<CreatedNode>, SceneError> {
    let input =
        File::open(file).map_err(|source| SceneError::Unreadable { file: file.to_owned(), source })?;
    created_in(file, input, job)
}

fn created_in(file: &Path, input: impl Read, job: Job<'_>) -> Result<Vec<CreatedNode>, SceneError> {
    let mut lexer = Lexer::new(input, job);
    let mut nodes = Vec::new();
    loop {
        let token = lexer.next_in(file)?;
        let line = lexer.line();
        match token {
            Token::Eof => return Ok(nodes),
            Token::End => {}
            Token::Word if lexer.token() == b"createNode" => nodes.extend(created(file, line, &mut lexer)?),
            Token::Word | Token::Text => lexer.skip_statement_in(file, line)?,
        }
    }
}

/// What stands behind `createNode`; `None` for a node that is shared.
fn created<R: Read>(
    file: &Path,
    line: u64,
    lexer: &mut Lexer<'_, R>,
) -> Result<Option<CreatedNode>, SceneError> {
    let mut node = CreatedNode { kind: String::new(), name: String::new() };
    let mut is_shared = false;
    // The flag whose value comes next.
    let mut flag = String::new();
    loop {
        let token = match lexer.next_in(file)? {
            Token::End => return Ok((!is_shared && !node.kind.is_empty()).then_some(node)),
            Token::Eof => return Err(unended(file, line)),
            token => token,
        };
        let text = String::from_utf8_lossy(lexer.token()).into_owned();
        if token == Token::Word && text.starts_with('-') {
            is_shared |= text == "-s" || text == "-shared";
            flag = text;
            continue;
        }
        match std::mem::take(&mut flag).as_str() {
            "-n" | "-name" => node.name = text,
            "-p" | "-parent" => {}
            // The others have no value.
            _ => node.kind = text,
        }
    }
}

#[cfg(test)]
mod tests {
    use mhrig_report::{Cancel, Silent};

    use super::*;

    fn names(text: &str) -> Result<Vec<String>, SceneError> {
        let job = Job { progress: &Silent, cancel: &Cancel::default() };
        let nodes = created_in(Path::new("a.ma"), text.as_bytes(), job)?;
        Ok(nodes.into_iter().map(|node| format!("{} {}", node.kind, node.name)).collect())
    }

    #[test]
    fn nodes_are_found_with_their_types_and_shared_ones_left_out() {
        let text = "//Maya ASCII 2024 scene\nrequires maya \"2024\";\ncreateNode transform -s -n \"persp\";\n\
                    \tsetAttr \".v\" no;\ncreateNode transform -n \"gui\";\ncreateNode -ss nurbsCurve -n \"aShape\" -p\n\t\
                    \"gui\"; createNode script;\nconnectAttr \"a.b\" \"c.d\";";
        assert_eq!(names(text).unwrap(), ["transform gui", "nurbsCurve aShape", "script "]);
    }

    #[test]
    fn a_file_that_ends_too_soon_is_an_error_and_nothing_panics() {
        let text = "createNode transform -n \"gui\";\nsetAttr \".a\" \"b;c\" 1 2;\n";
        assert_eq!(names(text).unwrap().len(), 1);
        for end in 0..text.len() {
            let _ = names(&text[..end]);
        }
        assert!(names("createNode transform -n").is_err());
    }
}

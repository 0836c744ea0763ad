//! Splits a stream of MEL into words, strings and statement ends.

use std::io::{self, Read};
use std::path::Path;

use memchr::{memchr, memchr_iter, memchr2, memchr3, memmem};
use mhrig_report::Job;

use crate::error::{Place, SceneError};

/// Bytes asked of the input at a time.
const CHUNK: usize = 1 << 18;
/// The longest word or string that is kept; longer ones can only be skipped.
const LONGEST_TOKEN: usize = 1 << 24;

/// What [`Lexer::next`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word without quotes: a command, a flag, a number.
    Word,
    /// A string in quotes.
    Text,
    /// A semicolon.
    End,
    /// The input is over.
    Eof,
}

/// Why the lexer gave up.
#[derive(Debug)]
enum LexError {
    Io(io::Error),
    Stop(SceneError),
    TokenTooLong,
}

impl From<io::Error> for LexError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A statement of `file` that begins at `line` and goes on to the end.
pub(super) fn unended(file: &Path, line: u64) -> SceneError {
    let inside = "a statement that no semicolon ends".to_owned();
    SceneError::Truncated { place: Place::line(file, line), inside }
}

pub(super) struct Lexer<'a, R> {
    input: R,
    job: Job<'a>,
    buffer: Vec<u8>,
    /// The next byte to look at.
    at: usize,
    /// Bytes of `buffer` that hold input.
    filled: usize,
    at_eof: bool,
    /// Line breaks before `buffer[counted]`.
    lines: u64,
    counted: usize,
    /// The last word, or the last string without quotes and escapes.
    token: std::ops::Range<usize>,
    unescaped: Vec<u8>,
    token_is_unescaped: bool,
}

impl<'a, R: Read> Lexer<'a, R> {
    pub(super) fn new(input: R, job: Job<'a>) -> Self {
        Self {
            input,
            job,
            buffer: vec![0; CHUNK],
            at: 0,
            filled: 0,
            at_eof: false,
            lines: 0,
            counted: 0,
            token: 0..0,
            unescaped: Vec::new(),
            token_is_unescaped: false,
        }
    }

    /// The line of the last token, counted from 1.
    pub(super) fn line(&mut self) -> u64 {
        // tokens are short: the end of one is on its line, but for strings with line breaks
        self.count_lines(self.at);
        self.lines + 1
    }

    fn count_lines(&mut self, end: usize) {
        if let Some(passed) = self.buffer.get(self.counted..end) {
            self.lines += memchr_iter(b'\n', passed).count() as u64;
            self.counted = end;
        }
    }

    /// [`Lexer::next`] in `file`, with the place of what is wrong.
    pub(super) fn next_in(&mut self, file: &Path) -> Result<Token, SceneError> {
        let result = self.next();
        result.map_err(|error| self.placed(file, error))
    }

    /// [`Lexer::skip_statement`] in `file`, with the place of what is wrong. `line`: where the statement began, for one
    /// that does not end.
    pub(super) fn skip_statement_in(&mut self, file: &Path, line: u64) -> Result<(), SceneError> {
        let result = self.skip_statement();
        match result.map_err(|error| self.placed(file, error))? {
            Token::Eof => Err(unended(file, line)),
            _ => Ok(()),
        }
    }

    fn placed(&mut self, file: &Path, error: LexError) -> SceneError {
        match error {
            LexError::Io(source) => SceneError::Unreadable { file: file.to_owned(), source },
            LexError::Stop(error) => error,
            LexError::TokenTooLong => SceneError::TooMany {
                place: Place::line(file, self.line()),
                what: "bytes in one word or string",
                limit: LONGEST_TOKEN,
            },
        }
    }

    /// The bytes of the last [`Token::Word`] or [`Token::Text`].
    pub(super) fn token(&self) -> &[u8] {
        if self.token_is_unescaped {
            &self.unescaped
        } else {
            self.buffer.get(self.token.clone()).unwrap_or_default()
        }
    }

    /// Reads more input behind what is there, keeping everything from the current byte on, which moves to the front
    /// of the buffer. Returns whether there was more.
    fn fill(&mut self) -> Result<bool, LexError> {
        if self.at_eof {
            return Ok(false);
        }
        self.job.check().map_err(|cancelled| LexError::Stop(cancelled.into()))?;
        let keep = self.at;
        self.count_lines(keep);
        self.buffer.copy_within(keep..self.filled, 0);
        self.filled -= keep;
        self.counted -= keep;
        self.at = 0;
        if self.filled == self.buffer.len() {
            if self.filled > LONGEST_TOKEN {
                return Err(LexError::TokenTooLong);
            }
            self.buffer.resize(self.filled * 2, 0);
        }
        let read = loop {
            match self.input.read(&mut self.buffer[self.filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.filled += read;
        self.at_eof = read == 0;
        Ok(read > 0)
    }

    /// The input from the current byte to the end of the buffer.
    fn ahead(&self) -> &[u8] {
        self.buffer.get(self.at..self.filled).unwrap_or_default()
    }

    /// The byte `offset` bytes ahead.
    fn peek(&mut self, offset: usize) -> Result<Option<u8>, LexError> {
        while self.ahead().len() <= offset {
            if !self.fill()? {
                return Ok(None);
            }
        }
        Ok(self.ahead().get(offset).copied())
    }

    /// Passes white space and comments; says whether input is left.
    fn skip_blank(&mut self) -> Result<bool, LexError> {
        loop {
            let blank = self.ahead().iter().take_while(|b| b.is_ascii_whitespace()).count();
            self.at += blank;
            match self.peek(0)? {
                None => return Ok(false),
                Some(b'/') if self.skip_comment()? => {}
                Some(byte) if byte.is_ascii_whitespace() => {}
                Some(_) => return Ok(true),
            }
        }
    }

    /// Moves behind the next `end`, or to the end of the input.
    fn skip_past(&mut self, end: &[u8]) -> Result<(), LexError> {
        loop {
            if let Some(found) = memmem::find(self.ahead(), end) {
                self.at += found + end.len();
                return Ok(());
            }
            // `end` may lie across the border of two chunks
            self.at = self.filled.saturating_sub(end.len() - 1).max(self.at);
            if !self.fill()? {
                self.at = self.filled;
                return Ok(());
            }
        }
    }

    fn next(&mut self) -> Result<Token, LexError> {
        self.token_is_unescaped = false;
        if !self.skip_blank()? {
            return Ok(Token::Eof);
        }
        match self.ahead().first() {
            Some(b';') => {
                self.at += 1;
                Ok(Token::End)
            }
            Some(b'"') => self.text(),
            _ => self.word(),
        }
    }

    /// The next word, when all of it is in the buffer and `parse` understands it. Says nothing about what comes
    /// otherwise: then [`Lexer::next`] is to be asked. Most of a scene is numbers, and this is their way.
    pub(super) fn next_parsed<T>(&mut self, parse: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
        let ahead = self.ahead();
        let start = ahead.iter().position(|b| !b.is_ascii_whitespace())?;
        let rest = ahead.get(start..)?;
        let length = rest.iter().position(|b| b.is_ascii_whitespace() || *b == b';')?;
        let value = parse(rest.get(..length)?)?;
        self.at += start + length;
        Some(value)
    }

    fn word(&mut self) -> Result<Token, LexError> {
        let mut length = 0;
        loop {
            let rest = self.ahead().get(length..).unwrap_or_default();
            let ends = |b: &u8| b.is_ascii_whitespace() || *b == b';' || *b == b'"';
            match rest.iter().position(ends) {
                Some(end) => {
                    length += end;
                    break;
                }
                None => {
                    length += rest.len();
                    if !self.fill()? {
                        break;
                    }
                }
            }
        }
        self.token = self.at..self.at + length;
        self.at += length;
        Ok(Token::Word)
    }

    /// A string; `Eof` when its closing quote is missing.
    fn text(&mut self) -> Result<Token, LexError> {
        let mut length = 1;
        let mut has_escapes = false;
        loop {
            let rest = self.ahead().get(length..).unwrap_or_default();
            match memchr2(b'"', b'\\', rest) {
                Some(found) if rest.get(found) == Some(&b'"') => {
                    length += found;
                    break;
                }
                Some(found) => {
                    has_escapes = true;
                    length += found + 1;
                    // the escaped byte is part of the string whatever it is
                    if self.peek(length)?.is_none() {
                        self.at = self.filled;
                        return Ok(Token::Eof);
                    }
                    length += 1;
                }
                None => {
                    length += rest.len();
                    if !self.fill()? {
                        self.at = self.filled;
                        return Ok(Token::Eof);
                    }
                }
            }
        }
        self.token = self.at + 1..self.at + length;
        self.at += length + 1;
        if has_escapes {
            unescape(self.buffer.get(self.token.clone()).unwrap_or_default(), &mut self.unescaped);
            self.token_is_unescaped = true;
        }
        Ok(Token::Text)
    }

    /// Passes the rest of a statement without looking at it; `Eof` when it has no end.
    fn skip_statement(&mut self) -> Result<Token, LexError> {
        loop {
            match memchr3(b';', b'"', b'/', self.ahead()) {
                None => {
                    self.at = self.filled;
                    if !self.fill()? {
                        return Ok(Token::Eof);
                    }
                }
                Some(found) => {
                    self.at += found;
                    match self.ahead().first() {
                        Some(b';') => {
                            self.at += 1;
                            return Ok(Token::End);
                        }
                        Some(b'"') => {
                            if !self.skip_text()? {
                                return Ok(Token::Eof);
                            }
                        }
                        _ => {
                            if !self.skip_comment()? {
                                self.at += 1;
                            }
                        }
                    }
                }
            }
        }
    }

    /// Passes the comment that begins with the slash here; `false` when the slash begins none.
    fn skip_comment(&mut self) -> Result<bool, LexError> {
        match self.peek(1)? {
            Some(b'/') => self.skip_past(b"\n")?,
            Some(b'*') => {
                self.at += 2;
                self.skip_past(b"*/")?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Passes a string without keeping it; `false` when its closing quote is missing.
    fn skip_text(&mut self) -> Result<bool, LexError> {
        self.at += 1;
        loop {
            match memchr2(b'"', b'\\', self.ahead()) {
                Some(found) => {
                    self.at += found;
                    if self.ahead().first() == Some(&b'"') {
                        self.at += 1;
                        return Ok(true);
                    }
                    if self.peek(1)?.is_none() {
                        return Ok(false);
                    }
                    self.at += 2;
                }
                None => {
                    self.at = self.filled;
                    if !self.fill()? {
                        return Ok(false);
                    }
                }
            }
        }
    }
}

/// Replaces MEL's escapes: `\n`, `\t`, `\r`, and a backslash before any other byte for that byte.
fn unescape(text: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let Some(&escaped) = rest.get(at + 1) else { return };
        out.push(match escaped {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            other => other,
        });
        rest = &rest[at + 2..];
    }
    out.extend_from_slice(rest);
}

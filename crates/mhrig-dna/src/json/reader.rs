use super::base64;
use crate::wire::{Segment, path_text};
use crate::{DnaError, Text};

/// Pulls values out of JSON text. Accepts what the reference library writes: strings with raw control characters,
/// bare `nan` and `inf`.
pub(crate) struct JsonReader<'a> {
    text: &'a [u8],
    position: usize,
}

/// A failed read on its way up, see [`crate::wire::Fault`].
#[derive(Debug)]
pub(crate) struct JsonFault(Box<Parts>);

#[derive(Debug)]
struct Parts {
    position: usize,
    expected: String,
    path: Vec<Segment>,
}

impl JsonFault {
    #[cold]
    pub(crate) fn in_field(mut self, name: &'static str) -> Self {
        self.0.path.push(Segment::Field(name));
        self
    }

    #[cold]
    pub(crate) fn at_index(mut self, index: usize) -> Self {
        self.0.path.push(Segment::Index(index));
        self
    }

    /// The public error; `text` is what was read.
    pub(crate) fn into_error(self, text: &[u8]) -> DnaError {
        let Parts { position, expected, path } = *self.0;
        let before = text.get(..position).unwrap_or(text);
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|&&byte| byte != b'\n').count();
        let rest = text.get(position..).unwrap_or_default();
        let found = String::from_utf8_lossy(rest.get(..24).unwrap_or(rest)).into_owned();
        DnaError::Json { line, column, path: path_text(path.iter().rev()), expected, found }
    }
}

type Result<T> = std::result::Result<T, JsonFault>;

impl<'a> JsonReader<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        let position = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { text, position }
    }

    pub(crate) fn position(&self) -> usize {
        self.position
    }

    #[cold]
    pub(crate) fn fault<T>(&self, expected: impl Into<String>) -> Result<T> {
        self.fault_at(self.position, expected)
    }

    #[cold]
    pub(crate) fn fault_at<T>(&self, position: usize, expected: impl Into<String>) -> Result<T> {
        Err(JsonFault(Box::new(Parts { position, expected: expected.into(), path: Vec::new() })))
    }

    /// The next byte that is not white space.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.text.get(self.position) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.position += 1;
        }
        None
    }

    pub(crate) fn accept(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.position += usize::from(there);
        there
    }

    pub(crate) fn expect(&mut self, byte: u8) -> Result<()> {
        if self.accept(byte) { Ok(()) } else { self.fault(format!("`{}`", char::from(byte))) }
    }

    pub(crate) fn end(&mut self) -> Result<()> {
        if self.peek().is_none() { Ok(()) } else { self.fault("the end of the text") }
    }

    /// Reads an object and calls `member` with each name, the reader standing at the value.
    pub(crate) fn object(&mut self, mut member: impl FnMut(&mut Self, &[u8]) -> Result<()>) -> Result<()> {
        self.expect(b'{')?;
        if self.accept(b'}') {
            return Ok(());
        }
        loop {
            let name = self.string()?;
            self.expect(b':')?;
            member(self, &name)?;
            // The last member of a 2.1 file is an object without a name and without a comma before it.
            if self.peek() == Some(b'{') {
                member(self, b"")?;
            }
            if !self.accept(b',') {
                return self.expect(b'}');
            }
        }
    }

    pub(crate) fn array<T>(&mut self, mut element: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect(b'[')?;
        let mut elements = Vec::new();
        if self.accept(b']') {
            return Ok(elements);
        }
        loop {
            elements.push(element(self).map_err(|fault| fault.at_index(elements.len()))?);
            if !self.accept(b',') {
                self.expect(b']')?;
                return Ok(elements);
            }
        }
    }

    /// The characters of a number or bare word.
    fn token(&mut self) -> &'a str {
        self.peek();
        let rest = self.text.get(self.position..).unwrap_or_default();
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let len = rest.iter().take_while(|byte| is_part(byte)).count();
        std::str::from_utf8(&rest[..len]).unwrap_or_default()
    }

    /// Reads a whole number of type `T`; `what` names it.
    pub(crate) fn integer<T: std::str::FromStr>(&mut self, what: &str) -> Result<T> {
        let token = self.token();
        match token.parse() {
            Ok(number) if !token.starts_with('+') => {
                self.position += token.len();
                Ok(number)
            }
            _ => self.fault(what),
        }
    }

    pub(crate) fn float(&mut self) -> Result<f32> {
        const EXPECTED: &str = "a number of 32 bits";
        if self.peek() == Some(b'{') {
            let at = self.position;
            let digits = self.tagged("f32")?;
            let bits = std::str::from_utf8(&digits).ok().filter(|digits| digits.len() == 8);
            let bits = bits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            return match bits {
                Some(bits) => Ok(f32::from_bits(bits)),
                None => self.fault_at(at, "the bits of a number as 8 hexadecimal digits"),
            };
        }
        let token = self.token();
        let bare = match token {
            "nan" | "NaN" => Some(f32::NAN),
            "-nan" | "-NaN" => Some(-f32::NAN),
            "inf" | "Infinity" => Some(f32::INFINITY),
            "-inf" | "-Infinity" => Some(f32::NEG_INFINITY),
            _ => token.parse().ok().filter(|number: &f32| number.is_finite()),
        };
        match bare {
            Some(number) => {
                self.position += token.len();
                Ok(number)
            }
            None => self.fault(EXPECTED),
        }
    }

    pub(crate) fn text(&mut self) -> Result<Text> {
        if self.peek() == Some(b'{') {
            let at = self.position;
            let encoded = self.tagged("bytes")?;
            return match base64::decode(&encoded) {
                Some(bytes) => Ok(Text(bytes)),
                None => self.fault_at(at, "Base64"),
            };
        }
        self.string().map(Text)
    }

    pub(crate) fn base64(&mut self) -> Result<Vec<u8>> {
        self.peek();
        let at = self.position;
        let encoded = self.string()?;
        match base64::decode(&encoded) {
            Some(bytes) => Ok(bytes),
            None => self.fault_at(at, "Base64"),
        }
    }

    /// Reads `{"tag": "value"}`.
    fn tagged(&mut self, tag: &str) -> Result<Vec<u8>> {
        self.expect(b'{')?;
        self.peek();
        let at = self.position;
        if self.string()? != tag.as_bytes() {
            return self.fault_at(at, format!("\"{tag}\""));
        }
        self.expect(b':')?;
        let value = self.string()?;
        self.expect(b'}')?;
        Ok(value)
    }

    fn string(&mut self) -> Result<Vec<u8>> {
        if !self.accept(b'"') {
            return self.fault("a string");
        }
        let mut bytes = Vec::new();
        loop {
            let rest = self.text.get(self.position..).unwrap_or_default();
            let plain = rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\\')).count();
            bytes.extend_from_slice(&rest[..plain]);
            self.position += plain;
            match rest.get(plain) {
                Some(b'"') => {
                    self.position += 1;
                    return Ok(bytes);
                }
                Some(_) => self.escape(&mut bytes)?,
                None => return self.fault("the end of a string"),
            }
        }
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) -> Result<()> {
        let plain = match self.text.get(self.position + 1) {
            Some(b'"') => b'"',
            Some(b'\\') => b'\\',
            Some(b'/') => b'/',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => return self.unicode_escape(bytes),
            _ => return self.fault("an escape sequence"),
        };
        bytes.push(plain);
        self.position += 2;
        Ok(())
    }

    fn unicode_escape(&mut self, bytes: &mut Vec<u8>) -> Result<()> {
        let first = self.code_unit();
        let (length, code) = match first {
            Some(high @ 0xd800..0xdc00) => {
                self.position += 6;
                let low = self.code_unit();
                self.position -= 6;
                let pair = low.filter(|low| (0xdc00..0xe000).contains(low));
                (12, pair.map(|low| 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)))
            }
            other => (6, other),
        };
        let Some(character) = code.and_then(char::from_u32) else {
            return self.fault("an escape sequence");
        };
        bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        self.position += length;
        Ok(())
    }

    /// The number in `\u1234` at the current position.
    fn code_unit(&self) -> Option<u32> {
        let escape = self.text.get(self.position..self.position + 6)?;
        let digits = escape.strip_prefix(b"\\u")?;
        let valid = digits.iter().all(u8::is_ascii_hexdigit);
        let digits = std::str::from_utf8(digits).ok().filter(|_| valid)?;
        u32::from_str_radix(digits, 16).ok()
    }
}

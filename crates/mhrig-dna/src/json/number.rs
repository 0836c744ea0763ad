//! Text of numbers.

use std::io::Write as _;

/// Longest text of a number here: sign, 17 digits, point, padding zeros, exponent.
const LONGEST: usize = 40;

/// A short text on the stack.
pub(super) struct NumberText {
    bytes: [u8; LONGEST],
    len: usize,
}

impl NumberText {
    fn new() -> Self {
        Self { bytes: [0; LONGEST], len: 0 }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn push(&mut self, bytes: &[u8]) {
        let end = (self.len + bytes.len()).min(LONGEST);
        let count = end - self.len;
        self.bytes[self.len..end].copy_from_slice(&bytes[..count]);
        self.len = end;
    }

    fn repeat(&mut self, byte: u8, count: usize) {
        (0..count).for_each(|_| self.push(&[byte]));
    }
}

/// The shortest decimal that reads back to the same `f32`; `value` is finite.
pub(super) fn shortest(value: f32) -> NumberText {
    if value == value.trunc() && value.abs() < 1e7 && (value != 0.0 || value.is_sign_positive()) {
        return integer(i64::from(value as i32));
    }
    laid_out(format_args!("{value:e}"), -5, 16)
}

/// Six significant digits as of C's `%g`; `value` may be anything.
pub(super) fn six_digits(value: f32) -> NumberText {
    if !value.is_finite() {
        let mut text = NumberText::new();
        let sign: &[u8] = if value.is_sign_negative() { b"-" } else { b"" };
        text.push(sign);
        text.push(if value.is_nan() { b"nan" } else { b"inf" });
        return text;
    }
    laid_out(format_args!("{:.5e}", f64::from(value)), -4, 6)
}

pub(super) fn integer(value: i64) -> NumberText {
    let mut buffer = [0; LONGEST];
    let mut space = buffer.as_mut_slice();
    // An `i64` takes at most 20 bytes.
    let _ = write!(space, "{value}");
    let left = space.len();
    NumberText { bytes: buffer, len: LONGEST - left }
}

/// Brings `digits` of the form `-1.234e-5` into positional form where the exponent is at least `low` and less than
/// `high`, and into C's exponent form otherwise; zeros at the end of the fraction go.
fn laid_out(digits: std::fmt::Arguments<'_>, low: i32, high: i32) -> NumberText {
    let mut buffer = [0; LONGEST];
    let mut space = buffer.as_mut_slice();
    let _ = write!(space, "{digits}");
    let used = LONGEST - space.len();
    let scientific = &buffer[..used];
    let (negative, rest) = match scientific.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, scientific),
    };
    let e = rest.iter().position(|&byte| byte == b'e').unwrap_or(rest.len());
    let exponent: i32 = std::str::from_utf8(rest.get(e + 1..).unwrap_or_default())
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let mut digits = [b'0'; LONGEST];
    let mut count = 0;
    for &byte in rest[..e].iter().filter(|byte| byte.is_ascii_digit()) {
        digits[count] = byte;
        count += 1;
    }
    while count > 1 && digits[count - 1] == b'0' {
        count -= 1;
    }
    let digits = &digits[..count];

    let mut text = NumberText::new();
    if negative {
        text.push(b"-");
    }
    if exponent < low || exponent >= high {
        let (first, fraction) = digits.split_at(count.min(1));
        text.push(first);
        if !fraction.is_empty() {
            text.push(b".");
            text.push(fraction);
        }
        text.push(if exponent < 0 { b"e-" } else { b"e+" });
        if exponent.abs() < 10 {
            text.push(b"0");
        }
        text.push(integer(i64::from(exponent.abs())).as_bytes());
    } else if exponent < 0 {
        text.push(b"0.");
        text.repeat(b'0', (-exponent - 1) as usize);
        text.push(digits);
    } else {
        let whole = exponent as usize + 1;
        text.push(&digits[..whole.min(count)]);
        text.repeat(b'0', whole.saturating_sub(count));
        if count > whole {
            text.push(b".");
            text.push(&digits[whole..]);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &NumberText) -> String {
        String::from_utf8(text.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn six_digits_are_those_of_printf() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (100000.0, "100000"),
            (1000000.0, "1e+06"),
            (123456.7, "123457"),
            (1234567.0, "1.23457e+06"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (0.000012345678, "1.23457e-05"),
            (1.0 / 3.0, "0.333333"),
            (-9.765625, "-9.76562"),
            (3.4028235e38, "3.40282e+38"),
            (1e-45, "1.4013e-45"),
            (f32::NAN, "nan"),
            (f32::NEG_INFINITY, "-inf"),
        ];
        for (value, expected) in cases {
            assert_eq!(text(&six_digits(value)), expected);
        }
    }

    #[test]
    fn shortest_reads_back_to_the_same_bits() {
        let mut bits: u32 = 1;
        for _ in 0..200_000 {
            bits = bits.wrapping_mul(1664525).wrapping_add(1013904223);
            let value = f32::from_bits(bits);
            if value.is_finite() {
                let text = text(&shortest(value));
                assert_eq!(text.parse::<f32>().unwrap().to_bits(), bits, "{text}");
            }
        }
        assert_eq!(text(&shortest(-0.0)), "-0");
        assert_eq!(text(&shortest(16777216.0)), "16777216");
        assert_eq!(text(&shortest(0.1)), "0.1");
        assert_eq!(text(&shortest(1e-10)), "1e-10");
        assert_eq!(text(&shortest(f32::MAX)), "3.4028235e+38");
        assert_eq!(text(&shortest(1.17e-38)), "1.17e-38");
    }
}

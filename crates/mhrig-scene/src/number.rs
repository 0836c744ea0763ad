//! Numbers in text: correctly rounded `f64`, and the spellings that C libraries print for values that are no number.

/// The value of `word` when the whole of it is a number. Besides decimals this knows `nan`, `inf` and what the
/// C libraries of Windows print for them (`1.#QNAN`, `-1.#IND`, `-nan(ind)`).
///
/// Rounding the value once more, to `f32`, gives what rounding the decimal to `f32` gives. The nearest `f64` alone
/// does not: `7.038531e-26` is nearest to one that lies exactly between two `f32`, itself it is nearer to the lower
/// one. Its neighbour on that side is returned in such a case.
pub(crate) fn parse_number(word: &[u8]) -> Option<f64> {
    /// Bits of an `f64` that are zero in every `f32` and in everything halfway between two.
    const BELOW_HALF: u64 = (1 << 28) - 1;
    let value = parse_f64(word)?;
    let once_more = value as f32;
    if value.to_bits() & BELOW_HALF != 0 || f64::from(once_more) == value || !value.is_finite() {
        return Some(value);
    }
    match std::str::from_utf8(word).ok().and_then(|text| text.parse::<f32>().ok()) {
        Some(nearest) if nearest > once_more => Some(value.next_up()),
        Some(nearest) if nearest < once_more => Some(value.next_down()),
        _ => Some(value),
    }
}

/// The `f64` nearest to `word`.
pub(crate) fn parse_f64(word: &[u8]) -> Option<f64> {
    simple_decimal(word).or_else(|| any_number(word))
}

/// The value of `word` when the whole of it is an integer.
pub(crate) fn parse_i64(word: &[u8]) -> Option<i64> {
    let (negative, digits) = match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, word),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0i64;
    for &byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(byte - b'0');
    }
    Some(if negative { -value } else { value })
}

/// Powers of ten that `f64` holds exactly.
const EXACT_TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Decimals whose digits and power of ten are both exact in `f64`: one division or multiplication rounds once, so
/// the result is the correctly rounded one (Clinger, "How to read floating point numbers accurately", 1990).
fn simple_decimal(word: &[u8]) -> Option<f64> {
    let (negative, body) = match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, word),
    };
    let mut mantissa = 0u64;
    let mut digits = 0usize;
    let mut fraction_digits = 0i32;
    let mut point = false;
    let mut at = 0;
    while let Some(&byte) = body.get(at) {
        match byte {
            b'0'..=b'9' => {
                if digits >= 18 {
                    return None;
                }
                mantissa = mantissa * 10 + u64::from(byte - b'0');
                digits += usize::from(mantissa != 0);
                fraction_digits += i32::from(point);
            }
            b'.' if !point => point = true,
            _ => break,
        }
        at += 1;
    }
    // a digit must have been there: not "", "-", "." or "e5"
    if at == usize::from(point) || mantissa >= 1 << 53 {
        return None;
    }
    let mut exponent = -fraction_digits;
    match body.get(at..) {
        None | Some([]) => {}
        Some([b'e' | b'E', rest @ ..]) => {
            let written = parse_i64(rest)?;
            exponent = exponent.checked_add(i32::try_from(written).ok()?)?;
        }
        Some(_) => return None,
    }
    let power = *EXACT_TENS.get(exponent.unsigned_abs() as usize)?;
    let value = mantissa as f64;
    let value = if exponent < 0 { value / power } else { value * power };
    Some(if negative { -value } else { value })
}

fn any_number(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?;
    if let Ok(value) = text.parse() {
        return Some(value);
    }
    let unsigned = text.trim_start_matches(['-', '+']).to_ascii_lowercase();
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    if unsigned.starts_with("nan") || unsigned.starts_with("1.#ind") || unsigned.starts_with("1.#qnan") {
        return Some(f64::NAN);
    }
    (unsigned.starts_with("1.#inf") || unsigned == "inf").then_some(sign * f64::INFINITY)
}

/// Appends the shortest decimal that reads back to `value`, with an exponent where the number is long without one.
pub(crate) fn push_f64(text: &mut Vec<u8>, value: f64) {
    use std::io::Write;
    let magnitude = value.abs();
    // writing to memory cannot fail
    let _ = if magnitude == 0.0 || (1e-5..1e16).contains(&magnitude) {
        write!(text, "{value}")
    } else {
        write!(text, "{value:e}")
    };
}

/// The same for an `f32`.
pub(crate) fn push_f32(text: &mut Vec<u8>, value: f32) {
    use std::io::Write;
    let magnitude = value.abs();
    let _ = if magnitude == 0.0 || (1e-5..1e9).contains(&magnitude) {
        write!(text, "{value}")
    } else {
        write!(text, "{value:e}")
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_that_are_no_numbers_are_refused() {
        for word in ["", "-", ".", "+.", "e5", "1e", "1,5", "0x10", "1.2.3", "12a", "--1", "1e5.0"] {
            assert_eq!(parse_f64(word.as_bytes()), None, "{word}");
        }
        for word in ["", "-", "1.0", "1e3", "99999999999999999999"] {
            assert_eq!(parse_i64(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn spellings_of_no_number_are_known() {
        for word in ["nan", "-nan", "NaN", "1.#QNAN", "-1.#IND", "-nan(ind)", "1.#IND00"] {
            assert!(parse_f64(word.as_bytes()).is_some_and(f64::is_nan), "{word}");
        }
        for word in ["inf", "Infinity", "1.#INF", "1e999"] {
            assert_eq!(parse_f64(word.as_bytes()), Some(f64::INFINITY), "{word}");
        }
        assert_eq!(parse_f64(b"-1.#INF"), Some(f64::NEG_INFINITY));
    }

    #[test]
    fn rounding_twice_is_rounding_once() {
        // halfway between two f32 in f64, on one side of it in decimals
        for (text, bits) in [("7.038531e-26", 0x15ae_43fd), ("-7.038531e-26", 0x95ae_43fd)] {
            assert_ne!((parse_f64(text.as_bytes()).unwrap() as f32).to_bits(), bits, "{text} is not a case");
            assert_eq!((parse_number(text.as_bytes()).unwrap() as f32).to_bits(), bits, "{text}");
        }
        let halfway = "1.00000005960464477539062";
        for (digit, bits) in [("4", 0x3f80_0000), ("5", 0x3f80_0000), ("6", 0x3f80_0001)] {
            let text = format!("{halfway}{digit}");
            assert_eq!((parse_number(text.as_bytes()).unwrap() as f32).to_bits(), bits, "{text}");
        }
    }

    #[test]
    fn negative_zero_keeps_its_sign() {
        assert!(parse_f64(b"-0").is_some_and(|v| v == 0.0 && v.is_sign_negative()));
    }

    proptest! {
        #[test]
        fn agrees_with_the_standard_library(text in "[-+]?[0-9]{0,20}\\.?[0-9]{0,20}([eE][-+]?[0-9]{1,3})?") {
            let expected = text.parse::<f64>().ok();
            prop_assert_eq!(parse_f64(text.as_bytes()).map(f64::to_bits), expected.map(f64::to_bits));
        }

        #[test]
        fn shortest_decimals_of_f32_come_back_bit_equal(bits in any::<u32>()) {
            let value = f32::from_bits(bits);
            prop_assume!(value.is_finite());
            for text in [format!("{value}"), format!("{value:e}")] {
                let read = parse_number(text.as_bytes()).unwrap() as f32;
                prop_assert_eq!(read.to_bits(), bits, "{}", text);
            }
        }
    }
}

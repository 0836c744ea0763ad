//! Base64 with padding, RFC 4648 section 4.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let number = (bits >> (18 - 6 * digit)) & 63;
            text.push(if digit <= chunk.len() { char::from(ALPHABET[number as usize]) } else { '=' });
        }
    }
    text
}

/// The bytes, or `None` for text that is not Base64.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take_while(|&&byte| byte == b'=').count();
    let digits = text.get(..text.len().checked_sub(padding)?)?;
    if padding > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for chunk in digits.chunks(4) {
        let mut bits = 0u32;
        for at in 0..4 {
            let number = match chunk.get(at) {
                Some(digit) => ALPHABET.iter().position(|letter| letter == digit)? as u32,
                None => 0,
            };
            bits = bits << 6 | number;
        }
        let [_, all @ ..] = bits.to_be_bytes();
        bytes.extend(all.iter().take(chunk.len().saturating_sub(1)));
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_standard_are_encoded_and_decoded() {
        let cases = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, encoded) in cases {
            assert_eq!(encode(plain.as_bytes()), encoded);
            assert_eq!(decode(encoded.as_bytes()).unwrap(), plain.as_bytes());
        }
        assert_eq!(encode(b"hello!!"), "aGVsbG8hIQ==");
        for wrong in ["Z", "Zg=", "Zg", "Z===", "====", "Zm9v\n", "Zm-v", "Zg==Zg=="] {
            assert!(decode(wrong.as_bytes()).is_none(), "{wrong:?}");
        }
    }
}

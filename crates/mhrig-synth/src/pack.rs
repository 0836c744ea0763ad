//! The container of the assets: named arrays in one compressed stream.
//!
//! ```text
//! "MHPK" u16 version=1  u32 entries
//! entry: u16 length, name   u8 kind (0 bytes, 1 u16, 2 u32, 3 f32)   u32 element count
//! zlib stream: per entry, all first bytes of its elements, then all second bytes, …
//! ```
//!
//! Numbers are little-endian. Grouping the bytes of like significance is what makes floats compress at all.

use crate::PackError;

const SIGNATURE: &[u8; 4] = b"MHPK";
const VERSION: u16 = 1;
/// Above the largest pack there is by a factor of ten; refuses a damaged count before memory is reserved for it.
const LIMIT_BYTES: u64 = 64 << 20;
/// The slowest and smallest; packs are written once.
const COMPRESSION_LEVEL: u8 = 10;

/// The content of one entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Bytes, such as a text table.
    Bytes(Vec<u8>),
    /// Numbers of 16 bits.
    U16(Vec<u16>),
    /// Numbers of 32 bits.
    U32(Vec<u32>),
    /// Floats.
    F32(Vec<f32>),
}

/// Named arrays, in order.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Pack {
    entries: Vec<(String, Content)>,
}

impl Pack {
    /// Appends an entry.
    pub fn push(&mut self, name: impl Into<String>, content: Content) {
        self.entries.push((name.into(), content));
    }

    /// The entries in order.
    pub fn entries(&self) -> &[(String, Content)] {
        &self.entries
    }

    /// The content of the entry `name`.
    pub fn get(&self, name: &str) -> Option<&Content> {
        self.entries.iter().find(|(entry, _)| entry == name).map(|(_, content)| content)
    }

    /// The bytes of the pack; the same entries give the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((self.entries.len() as u32).to_le_bytes());
        let mut planes = Vec::new();
        for (name, content) in &self.entries {
            bytes.extend((name.len() as u16).to_le_bytes());
            bytes.extend(name.as_bytes());
            let (kind, count) = match content {
                Content::Bytes(values) => {
                    planes.extend_from_slice(values);
                    (0, values.len())
                }
                Content::U16(values) => {
                    split_planes(values.iter().map(|v| v.to_le_bytes()), values.len(), &mut planes);
                    (1, values.len())
                }
                Content::U32(values) => {
                    split_planes(values.iter().map(|v| v.to_le_bytes()), values.len(), &mut planes);
                    (2, values.len())
                }
                Content::F32(values) => {
                    split_planes(values.iter().map(|v| v.to_le_bytes()), values.len(), &mut planes);
                    (3, values.len())
                }
            };
            bytes.push(kind);
            bytes.extend((count as u32).to_le_bytes());
        }
        bytes.extend(miniz_oxide::deflate::compress_to_vec_zlib(&planes, COMPRESSION_LEVEL));
        bytes
    }

    /// Reads a pack.
    ///
    /// # Errors
    /// See [`PackError`]. Sizes are checked before memory is reserved.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PackError> {
        let mut rest = bytes;
        if take(&mut rest, 4).ok_or(PackError::Signature)? != SIGNATURE
            || take_u16(&mut rest).ok_or(PackError::Signature)? != VERSION
        {
            return Err(PackError::Signature);
        }
        let count = take_u32(&mut rest).ok_or(PackError::Truncated("the entry count"))?;
        let mut heads = Vec::new();
        let mut total = 0u64;
        for _ in 0..count {
            let (name, kind, length) = take_head(&mut rest).ok_or(PackError::Truncated("an entry"))?;
            let width = match kind {
                0 => 1,
                1 => 2,
                2 | 3 => 4,
                _ => return Err(PackError::Kind { entry: name, kind }),
            };
            total += u64::from(length) * width as u64;
            heads.push((name, kind, length as usize, width));
        }
        if total > LIMIT_BYTES {
            return Err(PackError::TooLarge { found: total, limit: LIMIT_BYTES });
        }
        let expected = total as usize;
        let planes = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(rest, expected)
            .ok()
            .filter(|planes| planes.len() == expected)
            .ok_or(PackError::Inflate { expected })?;
        let mut at = 0;
        let entries = heads.into_iter().map(|(name, kind, length, width)| {
            let planes = &planes[at..at + length * width];
            at += length * width;
            let content = match kind {
                1 => Content::U16(join_planes(planes, length).map(u16::from_le_bytes).collect()),
                2 => Content::U32(join_planes(planes, length).map(u32::from_le_bytes).collect()),
                3 => Content::F32(join_planes(planes, length).map(f32::from_le_bytes).collect()),
                _ => Content::Bytes(planes.to_vec()),
            };
            (name, content)
        });
        Ok(Self { entries: entries.collect() })
    }
}

fn split_planes<const WIDTH: usize>(
    elements: impl Iterator<Item = [u8; WIDTH]>,
    count: usize,
    planes: &mut Vec<u8>,
) {
    let start = planes.len();
    planes.resize(start + WIDTH * count, 0);
    for (index, element) in elements.enumerate() {
        for (plane, byte) in element.into_iter().enumerate() {
            planes[start + plane * count + index] = byte;
        }
    }
}

fn join_planes<const WIDTH: usize>(planes: &[u8], count: usize) -> impl Iterator<Item = [u8; WIDTH]> + '_ {
    (0..count).map(move |index| std::array::from_fn(|plane| planes[plane * count + index]))
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(count)?;
    *rest = after;
    Some(taken)
}

fn take_u16(rest: &mut &[u8]) -> Option<u16> {
    Some(u16::from_le_bytes(take(rest, 2)?.try_into().ok()?))
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(take(rest, 4)?.try_into().ok()?))
}

fn take_head(rest: &mut &[u8]) -> Option<(String, u8, u32)> {
    let length = take_u16(rest)?;
    let name = String::from_utf8(take(rest, usize::from(length))?.to_vec()).ok()?;
    let kind = take(rest, 1)?[0];
    Some((name, kind, take_u32(rest)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Pack {
        let mut pack = Pack::default();
        pack.push("text", Content::Bytes(b"a,b\n1,2\n".to_vec()));
        pack.push("none", Content::U16(Vec::new()));
        pack.push("small", Content::U16(vec![1, 0xfffe, 3]));
        pack.push("numbers", Content::U32(vec![1, 2, 0xdead_beef]));
        pack.push("floats", Content::F32(vec![0.0, -0.0, 1.5e-42, f32::INFINITY]));
        pack
    }

    #[test]
    fn a_pack_cut_anywhere_is_refused() {
        let bytes = sample().to_bytes();
        for end in 0..bytes.len() {
            assert!(Pack::from_bytes(&bytes[..end]).is_err(), "{end} of {} bytes", bytes.len());
        }
        assert_eq!(Pack::from_bytes(&bytes), Ok(sample()));
    }

    #[test]
    fn a_huge_count_is_refused_before_memory_is_reserved() {
        let mut bytes = b"MHPK\x01\x00\x01\x00\x00\x00\x01\x00a\x02".to_vec();
        bytes.extend(u32::MAX.to_le_bytes());
        assert!(matches!(Pack::from_bytes(&bytes), Err(PackError::TooLarge { .. })));
    }

    proptest! {
        #[test]
        fn floats_survive_bit_for_bit(bits in proptest::collection::vec(any::<u32>(), 0..200)) {
            let floats: Vec<f32> = bits.iter().map(|&bits| f32::from_bits(bits)).collect();
            let mut pack = Pack::default();
            pack.push("floats", Content::F32(floats));
            let read = Pack::from_bytes(&pack.to_bytes());
            let Ok(read) = read else { panic!("{read:?}") };
            let Some(Content::F32(found)) = read.get("floats") else { panic!("entry lost") };
            prop_assert_eq!(found.iter().map(|f| f.to_bits()).collect::<Vec<_>>(), bits);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut with_head = b"MHPK\x01\x00".to_vec();
            with_head.extend(&bytes);
            let _ = Pack::from_bytes(&with_head);
            let _ = Pack::from_bytes(&bytes);
        }
    }
}

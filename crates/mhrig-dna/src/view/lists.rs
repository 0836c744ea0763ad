use std::fmt;
use std::marker::PhantomData;

use super::MeshView;
use crate::wire::{Fault, Reader, SliceSource, Wire, read_mesh};

/// Numbers that files hold.
pub trait BigEndian: Copy + sealed::Number {}

mod sealed {
    /// Keeps [`super::BigEndian`] to the types of the format.
    pub trait Number: Sized {
        /// Bytes of a number.
        const SIZE: usize;
        /// Reads a number; zero for a wrong number of bytes, which does not happen.
        fn from_bytes(bytes: &[u8]) -> Self;
    }
}

macro_rules! big_endian {
    ($type:ty, $size:literal) => {
        impl BigEndian for $type {}

        impl sealed::Number for $type {
            const SIZE: usize = $size;

            #[inline]
            fn from_bytes(bytes: &[u8]) -> Self {
                <$type>::from_be_bytes(bytes.try_into().unwrap_or_default())
            }
        }
    };
}

big_endian!(u16, 2);
big_endian!(u32, 4);
big_endian!(f32, 4);

/// A list of numbers in the bytes of a file.
#[derive(Clone, Copy)]
pub struct BigEndianSlice<'a, T> {
    bytes: &'a [u8],
    number: PhantomData<T>,
}

impl<'a, T: BigEndian> BigEndianSlice<'a, T> {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / T::SIZE
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Number `index`, if it is there.
    #[inline]
    pub fn get(&self, index: usize) -> Option<T> {
        let start = index.checked_mul(T::SIZE)?;
        self.bytes.get(start..start.checked_add(T::SIZE)?).map(T::from_bytes)
    }

    /// The numbers in order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + DoubleEndedIterator + Clone + use<'a, T> {
        self.bytes.chunks_exact(T::SIZE).map(T::from_bytes)
    }

    /// The numbers as a list of their own.
    pub fn to_vec(&self) -> Vec<T> {
        self.iter().collect()
    }

    /// The bytes as they are in the file.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

impl<T: BigEndian + fmt::Debug> fmt::Debug for BigEndianSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Faces of a mesh; each is a list of layout numbers.
#[derive(Clone, Copy, Debug)]
pub struct FacesView<'a> {
    count: usize,
    bytes: &'a [u8],
}

impl<'a> FacesView<'a> {
    /// How many faces there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The faces in order.
    pub fn iter(&self) -> impl Iterator<Item = BigEndianSlice<'a, u32>> + use<'a> {
        let mut rest = self.bytes;
        std::iter::from_fn(move || take_list(&mut rest))
    }
}

/// Skin weights of a mesh, one record per vertex.
#[derive(Clone, Copy, Debug)]
pub struct SkinWeightsView<'a> {
    count: usize,
    bytes: &'a [u8],
}

/// Influences of one vertex.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct VertexSkinWeightsView<'a> {
    /// Weight of each influence.
    pub weights: BigEndianSlice<'a, f32>,
    /// Joint of each influence.
    pub joint_indices: BigEndianSlice<'a, u16>,
}

impl<'a> SkinWeightsView<'a> {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The records in order of the vertices.
    pub fn iter(&self) -> impl Iterator<Item = VertexSkinWeightsView<'a>> + use<'a> {
        let mut rest = self.bytes;
        std::iter::from_fn(move || {
            Some(VertexSkinWeightsView {
                weights: take_list(&mut rest)?,
                joint_indices: take_list(&mut rest)?,
            })
        })
    }
}

/// Takes a counted list off the front of bytes that have been checked to be such lists.
fn take_list<'a, T: BigEndian>(rest: &mut &'a [u8]) -> Option<BigEndianSlice<'a, T>> {
    let (count, behind) = rest.split_first_chunk::<4>()?;
    let size = usize::try_from(u32::from_be_bytes(*count)).ok()?.checked_mul(T::SIZE)?;
    let (bytes, behind) = behind.split_at_checked(size)?;
    *rest = behind;
    Some(BigEndianSlice { bytes, number: PhantomData })
}

/// A value that can stay in the bytes it is read from.
pub(crate) trait Lend<'a>: Sized {
    const MIN_SIZE: u64;

    fn lend(reader: &mut Reader<SliceSource<'a>>) -> Result<Self, Fault>;
}

impl<'a> Lend<'a> for u16 {
    const MIN_SIZE: u64 = 2;

    fn lend(reader: &mut Reader<SliceSource<'a>>) -> Result<Self, Fault> {
        Wire::read(reader)
    }
}

impl<'a, T: BigEndian> Lend<'a> for BigEndianSlice<'a, T> {
    const MIN_SIZE: u64 = 4;

    #[inline]
    fn lend(reader: &mut Reader<SliceSource<'a>>) -> Result<Self, Fault> {
        let count = reader.count(T::SIZE as u64)?;
        Ok(Self { bytes: reader.lend(count * T::SIZE)?, number: PhantomData })
    }
}

impl<'a> Lend<'a> for FacesView<'a> {
    const MIN_SIZE: u64 = 4;

    fn lend(reader: &mut Reader<SliceSource<'a>>) -> Result<Self, Fault> {
        let count = reader.count(4)?;
        let bytes = walk(reader, count, |reader| BigEndianSlice::<u32>::lend(reader).map(drop))?;
        Ok(Self { count, bytes })
    }
}

impl<'a> Lend<'a> for SkinWeightsView<'a> {
    const MIN_SIZE: u64 = 4;

    fn lend(reader: &mut Reader<SliceSource<'a>>) -> Result<Self, Fault> {
        let count = reader.count(8)?;
        let bytes = walk(reader, count, |reader| {
            BigEndianSlice::<f32>::lend(reader).map_err(|fault| fault.in_field("weights"))?;
            BigEndianSlice::<u16>::lend(reader).map_err(|fault| fault.in_field("jointIndices"))?;
            Ok(())
        })?;
        Ok(Self { count, bytes })
    }
}

/// Checks `count` records and gives their bytes.
fn walk<'a>(
    reader: &mut Reader<SliceSource<'a>>,
    count: usize,
    mut record: impl FnMut(&mut Reader<SliceSource<'a>>) -> Result<(), Fault>,
) -> Result<&'a [u8], Fault> {
    let start = reader.position();
    for index in 0..count {
        record(reader).map_err(|fault| fault.at_index(index))?;
    }
    Ok(reader.lent_since(start))
}

pub(super) fn lend_list<'a, T: Lend<'a>>(reader: &mut Reader<SliceSource<'a>>) -> Result<Vec<T>, Fault> {
    let count = reader.count(T::MIN_SIZE)?;
    lend_many(reader, count, T::lend)
}

pub(super) fn lend_list_with<'a, T>(
    reader: &mut Reader<SliceSource<'a>>,
    lend: impl FnMut(&mut Reader<SliceSource<'a>>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let count = reader.count(MeshView::MIN_SIZE)?;
    lend_many(reader, count, lend)
}

fn lend_many<'a, T>(
    reader: &mut Reader<SliceSource<'a>>,
    count: usize,
    mut lend: impl FnMut(&mut Reader<SliceSource<'a>>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let mut values = Vec::with_capacity(count);
    for index in 0..count {
        values.push(lend(reader).map_err(|fault| fault.at_index(index))?);
    }
    Ok(values)
}

pub(super) fn lend_mesh<'a>(reader: &mut Reader<SliceSource<'a>>) -> Result<MeshView<'a>, Fault> {
    read_mesh(reader, MeshView::lend)
}

/// Implements [`Lend`] for a view from the list of its fields in file order; `=> lend_list` for lists of views.
macro_rules! view_record {
    ($name:ident of $owned:ident { $($json:literal $field:ident $(=> $list:ident)?),+ $(,)? }) => {
        impl<'a> $crate::view::lists::Lend<'a> for $name<'a> {
            const MIN_SIZE: u64 = <$crate::$owned as $crate::wire::Wire>::MIN_SIZE;

            #[inline]
            fn lend(
                reader: &mut $crate::wire::Reader<$crate::wire::SliceSource<'a>>,
            ) -> Result<Self, $crate::wire::Fault> {
                Ok(Self {
                    $($field: view_record!(@lend reader $($list)?).map_err(|fault| fault.in_field($json))?),+
                })
            }
        }
    };
    (@lend $reader:ident) => { $crate::view::lists::Lend::lend($reader) };
    (@lend $reader:ident $list:ident) => { $list($reader) };
}
pub(super) use view_record;

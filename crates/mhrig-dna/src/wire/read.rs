use std::io::{self, Read, Seek, SeekFrom};

use super::{Fault, FaultKind};
use crate::FileVersion;

/// Where a [`Reader`] gets its bytes from.
pub(crate) trait Source {
    /// Total number of bytes.
    fn len(&self) -> u64;

    /// Makes `offset` (at most [`Source::len`]) the place of the next byte.
    fn seek(&mut self, offset: u64) -> io::Result<()>;

    /// Consumes and gives bytes: at least `unit`, at most `want`, a multiple of `unit`. `want` is a positive
    /// multiple of `unit`, `unit` is at most 8.
    fn bytes(&mut self, unit: usize, want: usize) -> io::Result<&[u8]>;
}

/// Bytes in memory.
pub(crate) struct SliceSource<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> SliceSource<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }
}

impl Source for SliceSource<'_> {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        self.position = usize::try_from(offset).map_err(|_| io::ErrorKind::UnexpectedEof)?;
        Ok(())
    }

    #[inline]
    fn bytes(&mut self, _unit: usize, want: usize) -> io::Result<&[u8]> {
        let found = self.bytes.get(self.position..).and_then(|rest| rest.get(..want));
        let found = found.ok_or(io::ErrorKind::UnexpectedEof)?;
        self.position += want;
        Ok(found)
    }
}

/// A file or another stream that can seek, read through a buffer that stays in the processor's cache.
pub(crate) struct StreamSource<R> {
    inner: R,
    /// Where in the stream this source starts.
    base: u64,
    len: u64,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// Offset of the byte after the buffer.
    next: u64,
}

/// Large enough to make calls rare, small enough for the second-level cache.
const BUFFER: usize = 128 * 1024;

impl<R: Read + Seek> StreamSource<R> {
    /// Reads from the current position of `inner` on.
    pub(crate) fn new(mut inner: R) -> io::Result<Self> {
        let base = inner.stream_position()?;
        let len = inner.seek(SeekFrom::End(0))?.saturating_sub(base);
        inner.seek(SeekFrom::Start(base))?;
        let buffer = vec![0; BUFFER].into_boxed_slice();
        Ok(Self { inner, base, len, buffer, start: 0, end: 0, next: 0 })
    }

    /// Moves what is left to the front and reads until at least `unit` bytes are there.
    fn refill(&mut self, unit: usize) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        while self.end < unit {
            match self.inner.read(&mut self.buffer[self.end..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    self.end += count;
                    self.next += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl<R: Read + Seek> Source for StreamSource<R> {
    fn len(&self) -> u64 {
        self.len
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        let buffered = (self.end - self.start) as u64;
        let here = self.next - buffered;
        if offset >= here && offset - here <= buffered {
            self.start += (offset - here) as usize;
        } else {
            self.inner.seek(SeekFrom::Start(self.base + offset))?;
            (self.start, self.end, self.next) = (0, 0, offset);
        }
        Ok(())
    }

    #[inline]
    fn bytes(&mut self, unit: usize, want: usize) -> io::Result<&[u8]> {
        if self.end - self.start < unit {
            self.refill(unit)?;
        }
        let ready = (self.end - self.start).min(want);
        let count = ready - ready % unit;
        let found = &self.buffer[self.start..self.start + count];
        self.start += count;
        Ok(found)
    }
}

impl<'a> Reader<SliceSource<'a>> {
    /// The next `size` bytes in place.
    #[inline]
    pub(crate) fn lend(&mut self, size: usize) -> Result<&'a [u8], Fault> {
        self.need(size as u64)?;
        let start = self.source.position;
        let bytes = self.source.bytes.get(start..).and_then(|rest| rest.get(..size)).unwrap_or_default();
        self.source.position += size;
        self.position += size as u64;
        Ok(bytes)
    }

    /// The bytes from `start` to the current position.
    pub(crate) fn lent_since(&self, start: u64) -> &'a [u8] {
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        self.source.bytes.get(start..self.source.position).unwrap_or_default()
    }
}

/// Reads values from a section of a file, never past its end.
pub(crate) struct Reader<S> {
    source: S,
    position: u64,
    end: u64,
    pub(crate) version: FileVersion,
}

impl<S: Source> Reader<S> {
    pub(crate) fn new(source: S) -> Self {
        let end = source.len();
        Self { source, position: 0, end, version: FileVersion { generation: 0, version: 0 } }
    }

    pub(crate) fn file_size(&self) -> u64 {
        self.source.len()
    }

    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    pub(crate) fn left(&self) -> u64 {
        self.end - self.position
    }

    /// Makes `start..end` the readable part; both are brought into the file.
    pub(crate) fn enter(&mut self, start: u64, end: u64) -> io::Result<()> {
        self.end = end.min(self.source.len());
        self.position = start.min(self.end);
        self.source.seek(self.position)
    }

    /// Narrows the readable part to the next `size` bytes and gives the old end, for [`Reader::leave_record`].
    pub(crate) fn enter_record(&mut self, size: u64) -> Result<u64, Fault> {
        self.need(size)?;
        let outer = self.end;
        self.end = self.position + size;
        Ok(outer)
    }

    pub(crate) fn leave_record(&mut self, outer: u64) -> Result<(), Fault> {
        let surplus = self.left();
        if surplus > 0 {
            return Err(Fault::new(FaultKind::Surplus { surplus }, self.position));
        }
        self.end = outer;
        Ok(())
    }

    /// Checks that `needed` bytes are left.
    #[inline]
    pub(crate) fn need(&self, needed: u64) -> Result<(), Fault> {
        let left = self.left();
        if needed > left {
            return Err(Fault::new(FaultKind::Short { needed, left }, self.position));
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        self.need(N as u64)?;
        match self.source.bytes(N, N) {
            Ok(bytes) => {
                let mut array = [0; N];
                // A source gives at least one unit.
                array.copy_from_slice(bytes);
                self.position += N as u64;
                Ok(array)
            }
            Err(error) => Err(Fault::new(FaultKind::Io(error), self.position)),
        }
    }

    #[inline]
    pub(crate) fn u16(&mut self) -> Result<u16, Fault> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> Result<u32, Fault> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    /// Reads a count of elements of at least `element_size` bytes each and checks that they can be there.
    #[inline]
    pub(crate) fn count(&mut self, element_size: u64) -> Result<usize, Fault> {
        let at = self.position;
        let count = u64::from(self.u32()?);
        let needed = count.saturating_mul(element_size);
        let left = self.left();
        match usize::try_from(count) {
            Ok(count) if needed <= left => Ok(count),
            _ => Err(Fault::new(FaultKind::Count { count, needed, left }, at)),
        }
    }

    /// Reads `count` numbers of `N` bytes.
    #[inline]
    pub(crate) fn numbers<T, const N: usize>(
        &mut self,
        count: usize,
        from_be: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, Fault> {
        let mut left = count * N;
        self.need(left as u64)?;
        let mut numbers = Vec::with_capacity(count);
        while left > 0 {
            let bytes = match self.source.bytes(N, left) {
                Ok(bytes) => bytes,
                Err(error) => return Err(Fault::new(FaultKind::Io(error), self.position)),
            };
            let (chunks, _) = bytes.as_chunks::<N>();
            numbers.extend(chunks.iter().map(|&chunk| from_be(chunk)));
            left -= bytes.len();
            self.position += bytes.len() as u64;
        }
        Ok(numbers)
    }
}

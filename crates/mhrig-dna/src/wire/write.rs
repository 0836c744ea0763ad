use std::io::{self, Write};

use crate::FileVersion;

/// Where a [`Writer`] puts its bytes.
pub(crate) trait Sink {
    /// Space for the next bytes: at least `unit`, at most `want`, a multiple of `unit`, all to be filled. `want`
    /// is a positive multiple of `unit`, `unit` is at most 8.
    fn space(&mut self, unit: usize, want: usize) -> io::Result<&mut [u8]>;
}

/// A buffer of the final size.
pub(crate) struct SliceSink<'a> {
    bytes: &'a mut [u8],
    position: usize,
}

impl<'a> SliceSink<'a> {
    pub(crate) fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes, position: 0 }
    }
}

impl Sink for SliceSink<'_> {
    #[inline]
    fn space(&mut self, _unit: usize, want: usize) -> io::Result<&mut [u8]> {
        let space = self.bytes.get_mut(self.position..).and_then(|rest| rest.get_mut(..want));
        self.position += want;
        space.ok_or_else(|| io::ErrorKind::WriteZero.into())
    }
}

/// A stream, written through a buffer that stays in the processor's cache.
pub(crate) struct StreamSink<W> {
    inner: W,
    buffer: Box<[u8]>,
    filled: usize,
}

const BUFFER: usize = 256 * 1024;

impl<W: Write> StreamSink<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, buffer: vec![0; BUFFER].into_boxed_slice(), filled: 0 }
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.inner.write_all(&self.buffer[..self.filled])?;
        self.inner.flush()
    }
}

impl<W: Write> Sink for StreamSink<W> {
    #[inline]
    fn space(&mut self, unit: usize, want: usize) -> io::Result<&mut [u8]> {
        if self.buffer.len() - self.filled < unit {
            self.inner.write_all(&self.buffer[..self.filled])?;
            self.filled = 0;
        }
        let free = (self.buffer.len() - self.filled).min(want);
        let count = free - free % unit;
        let start = self.filled;
        self.filled += count;
        Ok(&mut self.buffer[start..start + count])
    }
}

/// Writes values and knows its position in the file.
pub(crate) struct Writer<K> {
    pub(crate) sink: K,
    position: u64,
    pub(crate) version: FileVersion,
}

impl<K: Sink> Writer<K> {
    pub(crate) fn new(sink: K, version: FileVersion) -> Self {
        Self { sink, position: 0, version }
    }

    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self, bytes: [u8; N]) -> io::Result<()> {
        self.position += N as u64;
        self.sink.space(N, N)?.copy_from_slice(&bytes);
        Ok(())
    }

    /// Writes a number that the check of the total size has shown to fit into 32 bits.
    #[inline]
    pub(crate) fn count(&mut self, count: u64) -> io::Result<()> {
        let count = u32::try_from(count).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.array(count.to_be_bytes())
    }

    #[inline]
    pub(crate) fn numbers<T: Copy, const N: usize>(
        &mut self,
        numbers: &[T],
        to_be: impl Fn(T) -> [u8; N],
    ) -> io::Result<()> {
        let mut rest = numbers;
        while !rest.is_empty() {
            let space = self.sink.space(N, rest.len() * N)?;
            let (chunks, _) = space.as_chunks_mut::<N>();
            let (now, later) = rest.split_at(chunks.len());
            for (chunk, &number) in chunks.iter_mut().zip(now) {
                *chunk = to_be(number);
            }
            self.position += (now.len() * N) as u64;
            rest = later;
        }
        Ok(())
    }
}

//! The primitive encoding: big-endian numbers, counted lists, sized records.

mod fault;
mod read;
pub(crate) mod value;
mod write;

pub(crate) use fault::{Fault, FaultKind};
pub(crate) use read::{Reader, SliceSource, Source, StreamSource};
pub(crate) use value::{Wire, record};
pub(crate) use write::{Sink, SliceSink, StreamSink, Writer};

//! The primitive encoding: big-endian numbers, counted lists, sized records.

mod fault;
mod read;
mod value;
mod write;

pub(crate) use fault::{Fault, FaultKind, Segment, path_text};
pub(crate) use read::{Reader, SliceSource, Source, StreamSource};
pub(crate) use value::{Step, Wire, path_steps, read_mesh, read_sized, write_mesh_size, write_size};
pub(crate) use write::{Sink, SliceSink, StreamSink, Writer};

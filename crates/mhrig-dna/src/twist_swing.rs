//! Layer `twsw`: one record type under two sets of names.

use std::io::{self, Write};

use crate::json::{Json, JsonFault, JsonReader, JsonWriter, present, read_member, unknown_member};
use crate::wire::{Fault, Reader, Sink, Source, Step, Wire, Writer};
use crate::{TwistSwing, TwistSwingBehavior};

/// Names of the fields of [`TwistSwing`] in file order.
struct Names {
    weights: &'static str,
    outputs: &'static str,
    inputs: &'static str,
}

const TWIST: Names = Names {
    weights: "twistBlendWeights",
    outputs: "twistOutputJointIndices",
    inputs: "twistInputControlIndices",
};
const SWING: Names = Names {
    weights: "swingBlendWeights",
    outputs: "swingOutputJointIndices",
    inputs: "swingInputControlIndices",
};
const AXIS: &str = "twistAxis";
/// Three counts and the axis.
const RECORD_MIN_SIZE: u64 = 14;

fn read_records<S: Source>(reader: &mut Reader<S>, names: &Names) -> Result<Vec<TwistSwing>, Fault> {
    let count = reader.count(RECORD_MIN_SIZE)?;
    let mut records = Vec::with_capacity(count);
    for index in 0..count {
        records.push(read_record(reader, names).map_err(|fault| fault.at_index(index))?);
    }
    Ok(records)
}

fn read_record<S: Source>(reader: &mut Reader<S>, names: &Names) -> Result<TwistSwing, Fault> {
    Ok(TwistSwing {
        blend_weights: Wire::read(reader).map_err(|fault| fault.in_field(names.weights))?,
        output_joint_indices: Wire::read(reader).map_err(|fault| fault.in_field(names.outputs))?,
        input_control_indices: Wire::read(reader).map_err(|fault| fault.in_field(names.inputs))?,
        twist_axis: Wire::read(reader).map_err(|fault| fault.in_field(AXIS))?,
    })
}

fn records_size(records: &[TwistSwing]) -> u64 {
    let size = |record: &TwistSwing| {
        record.blend_weights.size()
            + record.output_joint_indices.size()
            + record.input_control_indices.size()
            + record.twist_axis.size()
    };
    4 + records.iter().map(size).sum::<u64>()
}

fn write_records<K: Sink>(records: &[TwistSwing], writer: &mut Writer<K>) -> io::Result<()> {
    writer.count(records.len() as u64)?;
    for record in records {
        record.blend_weights.write(writer)?;
        record.output_joint_indices.write(writer)?;
        record.input_control_indices.write(writer)?;
        record.twist_axis.write(writer)?;
    }
    Ok(())
}

impl Wire for TwistSwingBehavior {
    const MIN_SIZE: u64 = 8;

    fn read<S: Source>(reader: &mut Reader<S>) -> Result<Self, Fault> {
        let twists = read_records(reader, &TWIST).map_err(|fault| fault.in_field("twists"))?;
        let swings = read_records(reader, &SWING).map_err(|fault| fault.in_field("swings"))?;
        Ok(Self { twists, swings })
    }

    fn locate<S: Source>(reader: &mut Reader<S>, path: &[Step<'_>]) -> Result<(), Fault> {
        let [Step::Field(list), Step::Index(index), Step::Field(field), rest @ ..] = path else {
            return Ok(());
        };
        let names = if *list == "twists" { &TWIST } else { &SWING };
        if *list == "swings" {
            read_records(reader, &TWIST)?;
        }
        let count = reader.count(RECORD_MIN_SIZE)?;
        for _ in 0..count.min(*index) {
            read_record(reader, names)?;
        }
        if *field == names.weights {
            return Vec::<f32>::locate(reader, rest);
        }
        Vec::<f32>::read(reader)?;
        if *field == names.outputs {
            return Vec::<u16>::locate(reader, rest);
        }
        Vec::<u16>::read(reader)?;
        Vec::<u16>::locate(reader, rest)
    }

    fn size(&self) -> u64 {
        records_size(&self.twists) + records_size(&self.swings)
    }

    fn write<K: Sink>(&self, writer: &mut Writer<K>) -> io::Result<()> {
        write_records(&self.twists, writer)?;
        write_records(&self.swings, writer)
    }
}

fn write_json<W: Write>(records: &[TwistSwing], names: &Names, writer: &mut JsonWriter<W>) -> io::Result<()> {
    writer.array(records, |writer, record| {
        writer.object(|writer| {
            writer.member(names.weights, |writer| record.blend_weights.write_json(writer))?;
            writer.member(names.outputs, |writer| record.output_joint_indices.write_json(writer))?;
            writer.member(names.inputs, |writer| record.input_control_indices.write_json(writer))?;
            writer.member(AXIS, |writer| record.twist_axis.write_json(writer))
        })
    })
}

fn read_json(reader: &mut JsonReader<'_>, names: &Names) -> Result<Vec<TwistSwing>, JsonFault> {
    reader.array(|reader| {
        reader.peek();
        let start = reader.position();
        let (mut weights, mut outputs, mut inputs, mut axis) = (None, None, None, None);
        reader.object(|reader, name| match name {
            name if name == names.weights.as_bytes() => read_member(reader, &mut weights, names.weights),
            name if name == names.outputs.as_bytes() => read_member(reader, &mut outputs, names.outputs),
            name if name == names.inputs.as_bytes() => read_member(reader, &mut inputs, names.inputs),
            b"twistAxis" => read_member(reader, &mut axis, AXIS),
            _ => unknown_member(reader, name),
        })?;
        Ok(TwistSwing {
            blend_weights: present(reader, start, weights, names.weights)?,
            output_joint_indices: present(reader, start, outputs, names.outputs)?,
            input_control_indices: present(reader, start, inputs, names.inputs)?,
            twist_axis: present(reader, start, axis, AXIS)?,
        })
    })
}

impl Json for TwistSwingBehavior {
    fn write_json<W: Write>(&self, writer: &mut JsonWriter<W>) -> io::Result<()> {
        writer.object(|writer| {
            writer.member("twists", |writer| write_json(&self.twists, &TWIST, writer))?;
            writer.member("swings", |writer| write_json(&self.swings, &SWING, writer))
        })
    }

    fn read_json(reader: &mut JsonReader<'_>) -> Result<Self, JsonFault> {
        reader.peek();
        let start = reader.position();
        let (mut twists, mut swings) = (None, None);
        reader.object(|reader, name| {
            let (field, names, name) = match name {
                b"twists" => (&mut twists, &TWIST, "twists"),
                b"swings" => (&mut swings, &SWING, "swings"),
                _ => return unknown_member(reader, name),
            };
            if field.is_some() {
                return reader.fault(format!("\"{name}\" only once"));
            }
            *field = Some(read_json(reader, names).map_err(|fault| fault.in_field(name))?);
            Ok(())
        })?;
        Ok(Self {
            twists: present(reader, start, twists, "twists")?,
            swings: present(reader, start, swings, "swings")?,
        })
    }
}

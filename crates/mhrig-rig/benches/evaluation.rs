//! Speed of one evaluation on a rig of full size, as a ratio to a plain streamed sum over its joint values.
//!
//! `cargo bench -p mhrig-rig`. The ratios are printed first: all candidates take turns within one run, since
//! times of different runs on a busy machine do not compare.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use mhrig_dna::{Dna, JointGroup, LodMapping, Text, Vectors3};
use mhrig_rig::{Frame, FrameControls, Instance, Rig, RigOptions, RotationOutput};

const RAW_COUNT: usize = 269;
const PSD_COUNT: usize = 740;
const JOINT_COUNT: usize = 870;
const GROUP_COUNT: usize = 66;
const CHANNEL_COUNT: usize = 820;
const MAP_COUNT: usize = 82;

/// Numbers without a pattern, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit
    }

    fn value(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }
}

/// A head with 1.07 million joint values, invented.
fn full_size_head() -> Dna {
    let mut numbers = Numbers(0x1234_5678_9abc_def1);
    let mut dna = Dna::default();
    let names = |prefix: &str, count: usize| (0..count).map(|i| Text::from(format!("{prefix}{i}"))).collect();
    dna.descriptor.lod_count = 8;
    let definition = &mut dna.definition;
    definition.raw_control_names = names("CTRL_expressions.c", RAW_COUNT);
    definition.joint_names = names("joint", JOINT_COUNT);
    definition.blend_shape_channel_names = names("channel", CHANNEL_COUNT);
    definition.animated_map_names = names("map", MAP_COUNT);
    definition.joint_hierarchy = (0..JOINT_COUNT as u16).map(|joint| joint.saturating_sub(1)).collect();
    definition.neutral_joint_translations = Vectors3::from_vectors(&[[0.0, 0.1, 0.0]; JOINT_COUNT]);
    definition.neutral_joint_rotations = Vectors3::from_vectors(&[[0.0, 0.0, 10.0]; JOINT_COUNT]);
    definition.lod_joint_mapping =
        LodMapping { lods: vec![0; 8], indices: vec![(0..JOINT_COUNT as u16).collect()] };

    let controls = &mut dna.behavior.controls;
    controls.psd_count = PSD_COUNT as u16;
    for psd in 0..PSD_COUNT {
        for _ in 0..2 + psd % 4 {
            controls.psds.rows.push((RAW_COUNT + psd) as u16);
            controls.psds.columns.push(numbers.below(RAW_COUNT) as u16);
            controls.psds.values.push(1.0);
        }
    }
    for group in 0..GROUP_COUNT {
        let joints = 13;
        let outputs: Vec<u16> = (0..joints * 9)
            .filter(|row| row % 9 < 6 || group % 3 == 0)
            .map(|row| ((group * joints * 9 + row) % (JOINT_COUNT * 9)) as u16)
            .collect();
        let mut inputs: Vec<u16> = (0..RAW_COUNT + PSD_COUNT).map(|control| control as u16).collect();
        let width = 60 + numbers.below(242);
        for i in 0..width {
            let j = i + numbers.below(inputs.len() - i);
            inputs.swap(i, j);
        }
        inputs.truncate(width);
        inputs.sort_unstable();
        let rows = outputs.len() as u16;
        dna.behavior.joints.joint_groups.push(JointGroup {
            lods: (0..8).map(|lod| rows >> lod).collect(),
            values: (0..outputs.len() * width).map(|_| numbers.value()).collect(),
            input_indices: inputs,
            output_indices: outputs,
            joint_indices: Vec::new(),
        });
    }
    let channels = &mut dna.behavior.blend_shape_channels;
    channels.lods = vec![CHANNEL_COUNT as u16, 0, 0, 0, 0, 0, 0, 0];
    channels.input_indices = (0..CHANNEL_COUNT as u16).collect();
    channels.output_indices = (0..CHANNEL_COUNT as u16).collect();
    let maps = &mut dna.behavior.animated_maps;
    maps.lods = vec![MAP_COUNT as u16 * 2; 8];
    for row in 0..MAP_COUNT * 2 {
        maps.conditionals.input_indices.push(numbers.below(RAW_COUNT + PSD_COUNT) as u16);
        maps.conditionals.output_indices.push((row / 2) as u16);
        maps.conditionals.from_values.push(0.0);
        maps.conditionals.to_values.push(1.0);
        maps.conditionals.slope_values.push(0.5);
        maps.conditionals.cut_values.push(0.0);
    }
    dna
}

/// The bound: reading every joint value once, with as many partial sums as keep the adders busy.
fn streamed_sum(values: &[f32]) -> f32 {
    let mut sums = [0.0f32; 32];
    let chunks = values.chunks_exact(32);
    let rest: f32 = chunks.remainder().iter().sum();
    for chunk in chunks {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += value;
        }
    }
    sums.iter().sum::<f32>() + rest
}

fn every_control(numbers: &mut Numbers) -> Vec<f32> {
    (0..RAW_COUNT).map(|_| 0.1 + 0.8 * numbers.value().abs()).collect()
}

fn one_in_five(numbers: &mut Numbers) -> Vec<f32> {
    every_control(numbers).iter().enumerate().map(|(i, &v)| if i % 5 == 0 { v } else { 0.0 }).collect()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn ratios(dna: &Dna, rig: &Arc<Rig>) {
    let values: Vec<f32> =
        dna.behavior.joints.joint_groups.iter().flat_map(|group| group.values.iter().copied()).collect();
    let mut numbers = Numbers(0xfeed_beef);
    let (all, few) = (every_control(&mut numbers), one_in_five(&mut numbers));
    let mut instance = Instance::new(Arc::clone(rig));
    let mut times: [Vec<Duration>; 3] = Default::default();
    for _ in 0..401 {
        let start = Instant::now();
        black_box(streamed_sum(black_box(&values)));
        times[0].push(start.elapsed());
        for (which, controls) in [(1, &all), (2, &few)] {
            instance.set_raw_controls(black_box(controls)).unwrap();
            let start = Instant::now();
            instance.calculate().unwrap();
            times[which].push(start.elapsed());
        }
    }
    let fastest: [Duration; 3] = std::array::from_fn(|i| times[i].iter().copied().min().unwrap_or_default());
    let [sum, all, few] = times.map(median);
    let share = |time: Duration, of: Duration| time.as_secs_f64() / of.as_secs_f64();
    let active = instance.controls().iter().filter(|&&value| value != 0.0).count();
    println!("{} joint values, {} stored", values.len(), rig.stored_joint_value_count());
    println!("sum {sum:?}, every control {all:?}, one in five {few:?} ({active} controls not zero)");
    println!("ratio of medians: every control {:.3}, one in five {:.3}", share(all, sum), share(few, sum));
    let [sum, all, few] = fastest;
    println!("ratio of fastest: every control {:.3}, one in five {:.3}", share(all, sum), share(few, sum));
}

fn evaluation(criterion: &mut Criterion) {
    let dna = full_size_head();
    let rig = Arc::new(Rig::from_dna(&dna, &RigOptions::default()).unwrap());
    ratios(&dna, &rig);
    let options = RigOptions::default().with_rotation_output(RotationOutput::Quaternion);
    let quaternion_rig = Arc::new(Rig::from_dna(&dna, &options).unwrap());

    let mut numbers = Numbers(0xfeed_beef);
    let all = every_control(&mut numbers);
    let few = one_in_five(&mut numbers);
    for (name, rig, controls) in [
        ("every control", &rig, &all),
        ("one control in five", &rig, &few),
        ("every control, quaternions out", &quaternion_rig, &all),
    ] {
        let mut instance = Instance::new(Arc::clone(rig));
        instance.set_raw_controls(controls).unwrap();
        criterion.bench_function(name, |bencher| bencher.iter(|| instance.calculate().unwrap()));
    }
    let clip: Vec<Frame> =
        (0..240).map(|_| Frame { values: every_control(&mut numbers), ..Default::default() }).collect();
    let mut instance = Instance::new(Arc::clone(&rig));
    criterion.bench_function("240 frames", |bencher| {
        bencher.iter(|| {
            for frame in &clip {
                instance.evaluate_frame(frame, FrameControls::Raw).unwrap();
            }
        });
    });
}

criterion_group!(benches, evaluation);
criterion_main!(benches);

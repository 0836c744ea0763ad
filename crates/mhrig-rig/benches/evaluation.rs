//! Speed of one evaluation of the full-size head, as a ratio to a plain streamed sum over its joint values, and of the
//! deformation of its largest mesh.
//!
//! `cargo bench -p mhrig-rig`. The ratios are printed first: all candidates take turns within one run, since
//! times of different runs on a busy machine do not compare.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use mhrig_dna::Dna;
use mhrig_rig::{Deformer, Frame, FrameControls, Instance, Rig, RigOptions, RotationOutput};

/// Numbers without a pattern, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn value(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }
}

fn full_size_head() -> Dna {
    let file = mhrig_testkit::full_size_demo().unwrap().join("archetype").join("head.dna");
    Dna::from_bytes(&std::fs::read(file).unwrap()).unwrap()
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

/// Values of all raw controls: expressions part of the way, drivers turned a little.
fn every_control(rig: &Rig, numbers: &mut Numbers) -> Vec<f32> {
    let mut values: Vec<f32> =
        (0..rig.layout().raw_count).map(|_| 0.1 + 0.8 * numbers.value().abs()).collect();
    for driver in rig.drivers() {
        for (&control, value) in driver.controls.iter().zip([0.1f32, 0.06, -0.04, 0.992_4]) {
            values[usize::from(control)] = value;
        }
    }
    values
}

fn one_in_five(rig: &Rig, numbers: &mut Numbers) -> Vec<f32> {
    let mut values = every_control(rig, numbers);
    let drivers = rig.drivers();
    let is_driver = |control: usize| drivers.iter().any(|of| of.controls.contains(&(control as u16)));
    for control in (0..values.len()).filter(|control| control % 5 != 0 && !is_driver(*control)) {
        values[control] = 0.0;
    }
    values
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn ratios(dna: &Dna, rig: &Arc<Rig>) {
    let values: Vec<f32> =
        dna.behavior.joints.joint_groups.iter().flat_map(|group| group.values.iter().copied()).collect();
    let mut numbers = Numbers(0xfeed_beef);
    let (all, few) = (every_control(rig, &mut numbers), one_in_five(rig, &mut numbers));
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
    let all = every_control(&rig, &mut numbers);
    let few = one_in_five(&rig, &mut numbers);
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
        (0..240).map(|_| Frame { values: every_control(&rig, &mut numbers), ..Default::default() }).collect();
    let mut instance = Instance::new(Arc::clone(&rig));
    criterion.bench_function("240 frames", |bencher| {
        bencher.iter(|| {
            for frame in &clip {
                instance.evaluate_frame(frame, FrameControls::Raw).unwrap();
            }
        });
    });
}

/// Blend shapes and skin of the head mesh at LOD 0, in one thread.
fn deformation(criterion: &mut Criterion) {
    let dna = full_size_head();
    let rig = Arc::new(Rig::from_dna(&dna, &RigOptions::default()).unwrap());
    let deformer = Deformer::from_dna(&dna).unwrap();
    let mesh = deformer.meshes_of_lod(0)[0];
    let mut numbers = Numbers(0xfeed_beef);
    for (name, controls) in [
        ("head mesh, every control", every_control(&rig, &mut numbers)),
        ("head mesh, one control in five", one_in_five(&rig, &mut numbers)),
    ] {
        let mut instance = Instance::new(Arc::clone(&rig));
        instance.set_raw_controls(&controls).unwrap();
        instance.calculate().unwrap();
        let mut pose = deformer.skeleton().rest();
        deformer.skeleton().update(&instance, &Default::default(), &mut pose);
        let mut positions = vec![[0.0; 3]; deformer.meshes()[mesh].vertex_count()];
        let is_active = |channel: usize| instance.blend_shapes()[channel] != 0.0;
        let active = (0..instance.blend_shapes().len()).filter(|&channel| is_active(channel)).count();
        println!("{name}: {} vertices, {active} channels not zero", positions.len());
        let targets = &dna.geometry.meshes[mesh].blend_shape_targets;
        let in_use = targets.iter().filter(|target| is_active(usize::from(target.blend_shape_channel_index)));
        let deltas: Vec<f32> = in_use.flat_map(|target| target.deltas.iter().flatten()).collect();
        let mut times: [Vec<Duration>; 2] = Default::default();
        for _ in 0..201 {
            let start = Instant::now();
            black_box(streamed_sum(black_box(&deltas)));
            times[0].push(start.elapsed());
            let start = Instant::now();
            deformer.deform(mesh, &pose, instance.blend_shapes(), black_box(&mut positions));
            times[1].push(start.elapsed());
        }
        let fastest = times.each_ref().map(|times| times.iter().copied().min().unwrap_or_default());
        println!(
            "fastest: sum over its {} deltas {:?}, deformation {:?}",
            deltas.len() / 3,
            fastest[0],
            fastest[1]
        );
        let [sum, deformed] = times.map(median);
        println!("median: sum over its deltas {sum:?}, deformation {deformed:?}");
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| deformer.deform(mesh, &pose, instance.blend_shapes(), &mut positions));
        });
    }
}

criterion_group!(benches, evaluation, deformation);
criterion_main!(benches);

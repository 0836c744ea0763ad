//! Reading and writing a head of full size (46 MB). `scripts/bench-dna` gives the ratios to `cat` and `cp`.
// The macros of criterion make undocumented functions.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::io::Cursor;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mhrig_dna::{
    Dna, DnaView, JsonStyle, LayerSelection, LodMode, LodSelection, ReadOptions, ValidateOptions,
};

fn files(criterion: &mut Criterion) {
    let file = mhrig_testkit::full_size_demo().unwrap().join("archetype").join("head.dna");
    let bytes = std::fs::read(file).unwrap();
    let dna = Dna::from_bytes(&bytes).unwrap();
    let mut group = criterion.benchmark_group("full-size head");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("read from memory", |bencher| {
        bencher.iter(|| Dna::from_bytes(black_box(&bytes)).unwrap())
    });
    group.bench_function("read from a stream", |bencher| {
        bencher.iter(|| Dna::read_from(Cursor::new(&bytes), &ReadOptions::default()).unwrap());
    });
    group.bench_function("write to memory", |bencher| bencher.iter(|| black_box(&dna).to_bytes().unwrap()));
    group.bench_function("write to a stream", |bencher| {
        bencher.iter(|| black_box(&dna).write_to(std::io::sink()).unwrap());
    });
    group.bench_function("open a view", |bencher| bencher.iter(|| DnaView::open(black_box(&bytes)).unwrap()));
    group.bench_function("view, geometry checked", |bencher| {
        bencher.iter(|| DnaView::open(&bytes).unwrap().geometry().unwrap().meshes.len());
    });
    let descriptor = ReadOptions::default().with_layers(LayerSelection::DESCRIPTOR);
    group.bench_function("read the descriptor", |bencher| {
        bencher.iter(|| Dna::read_from(Cursor::new(&bytes), &descriptor).unwrap());
    });
    group.sample_size(10);
    group.bench_function("validate", |bencher| bencher.iter(|| dna.validate(&ValidateOptions::default())));
    group.bench_function("diff with itself", |bencher| bencher.iter(|| dna.diff(&dna, &Default::default())));
    group.bench_function("select a LOD", |bencher| {
        let lods = LodSelection::List(vec![1, 3]);
        bencher.iter_with_setup(|| dna.clone(), |dna| dna.select_lods(&lods, LodMode::Correct).unwrap());
    });
    group.bench_function("write JSON", |bencher| bencher.iter(|| dna.to_json(JsonStyle::Exact).unwrap()));
    let text = dna.to_json(JsonStyle::Exact).unwrap();
    group.bench_function("read JSON", |bencher| bencher.iter(|| Dna::from_json(&text).unwrap()));
    group.finish();
}

criterion_group!(benches, files);
criterion_main!(benches);

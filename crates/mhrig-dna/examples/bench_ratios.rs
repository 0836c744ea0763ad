//! Times of reading and writing as ratios to `cat` and `cp`, and peak memory as a ratio to the file.
//!
//! `cargo run --release -p mhrig-dna --example bench_ratios [FILE.dna]`; `scripts/bench-dna` runs it. Without a file
//! it takes the head of the full-size demo, which it makes where needed. The numbers are the least of several runs; each compared pair is run alternately.
#![allow(clippy::print_stdout)]

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mhrig_dna::{Dna, DnaView, LayerSelection, ReadOptions};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const RUNS: usize = 25;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, input, output] = arguments.as_slice()
        && mode == "--peak"
    {
        return read_write(Path::new(input), Path::new(output));
    }
    let folder = std::env::temp_dir().join(format!("mhrig-dna-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = run(arguments.first().map(PathBuf::from), &folder);
    std::fs::remove_dir_all(&folder)?;
    result
}

fn run(file: Option<PathBuf>, folder: &Path) -> Result<()> {
    let input = match file {
        Some(file) => file,
        None => mhrig_testkit::full_size_demo()?.join("archetype").join("head.dna"),
    };
    let output = folder.join("out.dna");
    let size = std::fs::metadata(&input)?.len();
    println!("{}: {:.1} MB", input.display(), size as f64 / 1e6);
    std::fs::read(&input)?;

    let [cat, read] = alternate([
        &mut || {
            let cat =
                Command::new("cat").arg(&input).stdout(Stdio::from(File::create("/dev/null")?)).status()?;
            if cat.success() { Ok(()) } else { Err("cat failed".into()) }
        },
        &mut || {
            std::hint::black_box(Dna::read_from(File::open(&input)?, &ReadOptions::default())?);
            Ok(())
        },
    ])?;
    row("whole read", "cat FILE > /dev/null", read, cat, 3.7);

    let dna = Dna::read_from(File::open(&input)?, &ReadOptions::default())?;
    let copy = folder.join("copy.dna");
    let [cp, write] = alternate([
        &mut || {
            let cp = Command::new("cp").arg(&input).arg(&copy).status()?;
            if cp.success() { Ok(std::fs::remove_file(&copy)?) } else { Err("cp failed".into()) }
        },
        &mut || {
            dna.write_to(File::create(&output)?)?;
            Ok(std::fs::remove_file(&output)?)
        },
    ])?;
    row("whole write", "cp FILE COPY", write, cp, 1.9);
    drop(dna);

    let bytes = std::fs::read(&input)?;
    limit("view of bytes in memory", least(|| drop(std::hint::black_box(DnaView::open(&bytes))))?, 2.0);
    let descriptor = ReadOptions::default().with_layers(LayerSelection::DESCRIPTOR);
    limit(
        "descriptor of a file",
        least(|| drop(std::hint::black_box(read_layers(&input, &descriptor))))?,
        2.0,
    );
    let names = ReadOptions::default().with_layers(LayerSelection::DEFINITION);
    println!("names of a file              {:8.3} ms", millis(least(|| drop(read_layers(&input, &names)))?));
    println!("view, each layer used once   {:8.3} ms", millis(least(|| drop(view_all(&bytes)))?));
    println!("whole read of bytes          {:8.3} ms", millis(least(|| drop(Dna::from_bytes(&bytes)))?));
    drop(bytes);

    let child = Command::new(std::env::current_exe()?).arg("--peak").arg(&input).arg(&output).output()?;
    let peak: u64 = String::from_utf8(child.stdout)?.trim().parse()?;
    let ratio = peak as f64 / size as f64;
    println!("peak memory      {:8.1} MB   {ratio:5.2} × file    (goal ≤ 2.5)", peak as f64 / 1e6);
    Ok(())
}

/// Reads, writes and prints the peak of resident memory in bytes.
fn read_write(input: &Path, output: &Path) -> Result<()> {
    let dna = Dna::read_from(File::open(input)?, &ReadOptions::default())?;
    dna.write_to(File::create(output)?)?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    writeln!(io::stdout(), "{}", kilobytes * 1024)?;
    Ok(())
}

fn read_layers(input: &Path, options: &ReadOptions) -> Result<Dna> {
    Ok(Dna::read_from(File::open(input)?, options)?)
}

fn view_all(bytes: &[u8]) -> Result<usize> {
    let view = DnaView::open(bytes)?;
    let behavior = view.behavior()?.joints.joint_groups.len();
    Ok(view.definition()?.joint_names.len() + behavior + view.geometry()?.meshes.len())
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn limit(what: &str, time: Duration, goal: f64) {
    println!("{what:28} {:8.3} ms    (goal ≤ {goal} ms)", millis(time));
}

/// The least time of a job.
fn least(mut job: impl FnMut()) -> Result<Duration> {
    let mut least = Duration::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        job();
        least = least.min(start.elapsed());
    }
    Ok(least)
}

/// The least time of each of two jobs, run in turn.
fn alternate(jobs: [&mut dyn FnMut() -> Result<()>; 2]) -> Result<[Duration; 2]> {
    let mut least = [Duration::MAX; 2];
    let [first, second] = jobs;
    for _ in 0..RUNS {
        let start = Instant::now();
        first()?;
        least[0] = least[0].min(start.elapsed());
        let start = Instant::now();
        second()?;
        least[1] = least[1].min(start.elapsed());
    }
    Ok(least)
}

fn row(what: &str, than: &str, ours: Duration, theirs: Duration, goal: f64) {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!(
        "{what:15} {:8.2} ms   {ratio:5.2} × `{than}` of {:.2} ms    (goal ≤ {goal})",
        ours.as_secs_f64() * 1e3,
        theirs.as_secs_f64() * 1e3
    );
}

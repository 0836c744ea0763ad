//! With the feature `dnacalib` the program looks for that library beside itself.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let has_dnacalib = std::env::var_os("CARGO_FEATURE_DNACALIB").is_some();
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") if has_dnacalib => println!("cargo::rustc-link-arg-bins=-Wl,-rpath,$ORIGIN"),
        Ok("macos") if has_dnacalib => println!("cargo::rustc-link-arg-bins=-Wl,-rpath,@executable_path"),
        _ => {}
    }
}

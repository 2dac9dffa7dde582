//! Registers the embedded console files with cargo, and creates a placeholder page if the console is not built.

const PLACEHOLDER: &str =
    "<!doctype html><title>Panel</title><p>The console is not built: run make console.\n";

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let dist = std::path::Path::new("../../console/dist");
    // A debug build reads the files on each request, so that a new console needs no server rebuild.
    if std::env::var("PROFILE").as_deref() == Ok("release") {
        println!("cargo:rerun-if-changed=../../console/dist");
    }
    if !dist.join("index.html").exists() {
        std::fs::create_dir_all(dist)?;
        std::fs::write(dist.join("index.html"), PLACEHOLDER)?;
    }
    Ok(())
}

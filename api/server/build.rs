//! Tells cargo what is compiled in beside Rust: migrations and the built console.

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=migrations");
    println!("cargo:rerun-if-changed=../../console/dist");
    // A server without a console still builds; `make console` puts the real one there.
    let dist = std::path::Path::new("../../console/dist");
    if !dist.join("index.html").exists() {
        std::fs::create_dir_all(dist)?;
        std::fs::write(
            dist.join("index.html"),
            "<!doctype html><title>Panel</title><p>The console is not built: run make console.\n",
        )?;
    }
    Ok(())
}

//! Tells cargo what is compiled in beside Rust: the migrations.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}

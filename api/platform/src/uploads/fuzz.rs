//! Fuzzes the image sanitizer: it must re-encode or reject any input without a panic. Tests only.

use std::io::Cursor;
use std::time::Duration;

use image::{DynamicImage, ImageFormat};
use panel_fuzz::{FuzzTarget, Mutations, mutated_bytes};
use panel_images::{Limits, clean};

#[test]
fn fuzz_images() {
    let encode_sample = |format| {
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(8, 8).write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    };
    let formats = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP, ImageFormat::Gif];
    let mutations = Mutations {
        tokens: &["\u{0}", "GIF89a", "RIFF", "WEBP", "IDAT", "\u{7f}\u{7f}"],
        max_changes: 4,
        max_bytes: 64 << 10,
    };
    let inputs = mutated_bytes(formats.into_iter().map(encode_sample).collect(), mutations);
    let limits = || Limits { bytes: 1 << 20, pixels: 1 << 20, memory: 16 << 20, exact_size: None };
    FuzzTarget::new("panel-platform", "images").time_limit(Duration::from_secs(5)).run(inputs, |input| {
        drop(clean(&**input, limits()));
    });
}

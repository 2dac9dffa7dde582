//! The fuzz target of images: any bytes are cleaned or refused. Tests only.

use std::io::Cursor;
use std::time::Duration;

use image::{DynamicImage, ImageFormat};
use panel_fuzz::{Mutations, Run, samples};
use panel_images::{Limits, clean};

#[test]
fn fuzz_images() {
    let encoded = |format| {
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(8, 8).write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    };
    let formats = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP, ImageFormat::Gif];
    let with = Mutations {
        tokens: &["\u{0}", "GIF89a", "RIFF", "WEBP", "IDAT", "\u{7f}\u{7f}"],
        max_changes: 4,
        max_bytes: 64 << 10,
    };
    let inputs = samples(formats.into_iter().map(encoded).collect(), with);
    let limits = || Limits { bytes: 1 << 20, pixels: 1 << 20, memory: 16 << 20, exact: None };
    Run::new("panel-platform", "images").slowest(Duration::from_secs(5)).on(inputs, |input| {
        drop(clean(&**input, limits()));
    });
}

//! Images decoded and written anew: what was hidden in a file, its place and its camera's name do not survive it.
//! Pure: bytes in, bytes out.

use std::io::Cursor;

use image::codecs::gif::{GifDecoder, GifEncoder, Repeat};
use image::codecs::jpeg::JpegEncoder;
use image::{AnimationDecoder as _, DynamicImage, ImageDecoder as _, ImageFormat, ImageReader};

/// Longest side of an image.
const MAX_SIDE: u32 = 10_000;
/// Quality of JPEG, of 100.
const QUALITY: u8 = 88;
/// What is said of anything that cannot be shown.
const WANTED: &str = "Send a PNG, JPEG, WebP or GIF image.";

/// How large an image may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// As a file.
    pub(super) bytes: usize,
    /// Decoded, all frames together.
    pub(super) pixels: u64,
    /// Where an image must be exactly so wide and high.
    pub(super) exact: Option<(u32, u32)>,
}

/// An image written by us.
#[derive(Debug)]
pub(super) struct Clean {
    pub(super) bytes: Vec<u8>,
    pub(super) extension: &'static str,
}

/// The media type of a file of ours.
pub(super) fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("png") => "image/png",
        Some("jpg") => "image/jpeg",
        Some("webp") => "image/webp",
        Some("gif") => "image/gif",
        _ => "application/octet-stream",
    }
}

/// Decodes an image and writes it anew in its own format; else one sentence for the person who sent it.
pub(super) fn clean(bytes: &[u8], limits: Limits) -> Result<Clean, String> {
    if bytes.len() > limits.bytes {
        return Err(format!("The file is too large: send at most {} KiB.", limits.bytes / 1024));
    }
    if is_svg(bytes) {
        return Err(format!("SVG images are refused, as they can carry scripts. {WANTED}"));
    }
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|_| WANTED)?;
    let (format, extension) = match reader.format() {
        Some(format @ ImageFormat::Png) => (format, "png"),
        Some(format @ ImageFormat::Jpeg) => (format, "jpg"),
        Some(format @ ImageFormat::WebP) => (format, "webp"),
        Some(format @ ImageFormat::Gif) => (format, "gif"),
        _ => return Err(WANTED.into()),
    };
    let (width, height) = reader.into_dimensions().map_err(broken)?;
    let pixels = u64::from(width) * u64::from(height);
    if width > MAX_SIDE || height > MAX_SIDE || pixels > limits.pixels {
        return Err(too_many_pixels(limits));
    }
    if let Some((wide, high)) = limits.exact
        && (wide, high) != (width, height)
    {
        return Err(format!("Send an image of {wide}×{high} pixels; this one is {width}×{height}."));
    }
    let bytes = match format {
        ImageFormat::Gif => animation(bytes, pixels, limits)?,
        format => still(bytes, format)?,
    };
    Ok(Clean { bytes, extension })
}

fn still(bytes: &[u8], format: ImageFormat) -> Result<Vec<u8>, String> {
    let mut decoder = ImageReader::with_format(Cursor::new(bytes), format).into_decoder().map_err(broken)?;
    // How the camera was held is said beside the pixels; it goes into them.
    let orientation = decoder.orientation().map_err(broken)?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(broken)?;
    image.apply_orientation(orientation);
    let mut out = Cursor::new(Vec::new());
    match format {
        ImageFormat::Jpeg => {
            image.to_rgb8().write_with_encoder(JpegEncoder::new_with_quality(&mut out, QUALITY))
        }
        // Its encoder knows eight bits a channel.
        ImageFormat::WebP => image.to_rgba8().write_to(&mut out, format),
        format => image.write_to(&mut out, format),
    }
    .map_err(broken)?;
    Ok(out.into_inner())
}

fn animation(bytes: &[u8], pixels: u64, limits: Limits) -> Result<Vec<u8>, String> {
    let decoder = GifDecoder::new(Cursor::new(bytes)).map_err(broken)?;
    let mut out = Vec::new();
    let mut encoder = GifEncoder::new(&mut out);
    encoder.set_repeat(Repeat::Infinite).map_err(broken)?;
    let (mut sum, mut count) = (0, 0_u32);
    for frame in decoder.into_frames() {
        sum += pixels;
        count += 1;
        if sum > limits.pixels {
            return Err(too_many_pixels(limits));
        }
        encoder.encode_frame(frame.map_err(broken)?).map_err(broken)?;
    }
    drop(encoder);
    if count == 0 { Err(WANTED.into()) } else { Ok(out) }
}

fn is_svg(bytes: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(1_024)]).to_ascii_lowercase();
    let start = start.trim_start_matches('\u{feff}').trim_start();
    start.starts_with('<') && (start.contains("<svg") || start.starts_with("<?xml"))
}

fn too_many_pixels(limits: Limits) -> String {
    format!("The image has too many pixels: send at most {} million.", limits.pixels / 1_000_000)
}

fn broken(_: image::ImageError) -> String {
    format!("The file cannot be read as an image. {WANTED}")
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage, Rgba, RgbaImage};

    use super::*;

    const LIMITS: Limits = Limits { bytes: 100_000, pixels: 10_000, exact: None };

    fn encoded(format: ImageFormat, width: u32) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        match format {
            ImageFormat::Jpeg => {
                RgbImage::from_pixel(width, 4, Rgb([200, 30, 90])).write_to(&mut out, format).unwrap();
            }
            _ => {
                RgbaImage::from_pixel(width, 4, Rgba([200, 30, 90, 255])).write_to(&mut out, format).unwrap()
            }
        }
        out.into_inner()
    }

    #[test]
    fn images_come_out_in_their_own_format_without_what_was_beside_them() {
        let all = [
            (ImageFormat::Png, "png"),
            (ImageFormat::Jpeg, "jpg"),
            (ImageFormat::WebP, "webp"),
            (ImageFormat::Gif, "gif"),
        ];
        for (format, extension) in all {
            let mut bytes = encoded(format, 8);
            bytes.extend(b"<script>alert(1)</script>");
            let clean = clean(&bytes, LIMITS).unwrap();
            assert_eq!(clean.extension, extension);
            assert!(!clean.bytes.windows(7).any(|part| part == b"<script"), "{extension}");
            let again = image::load_from_memory_with_format(&clean.bytes, format).unwrap();
            assert_eq!((again.width(), again.height()), (8, 4));
        }
    }

    #[test]
    fn a_place_may_want_an_exact_size() {
        let wants = |exact| clean(&encoded(ImageFormat::Png, 8), Limits { exact: Some(exact), ..LIMITS });
        assert!(wants((8, 4)).is_ok());
        assert_eq!(wants((4, 8)).unwrap_err(), "Send an image of 4×8 pixels; this one is 8×4.");
    }

    #[test]
    fn animations_stay_animations() {
        let mut bytes = Vec::new();
        let mut encoder = GifEncoder::new(&mut bytes);
        for shade in [0, 120, 240] {
            let frame = RgbaImage::from_pixel(6, 6, Rgba([shade, 0, 0, 255]));
            encoder.encode_frame(image::Frame::new(frame)).unwrap();
        }
        drop(encoder);
        let out = clean(&bytes, LIMITS).unwrap();
        let frames = GifDecoder::new(Cursor::new(&out.bytes)).unwrap().into_frames().count();
        assert_eq!(frames, 3);
        let few = Limits { pixels: 80, ..LIMITS };
        assert!(clean(&bytes, few).unwrap_err().contains("too many pixels"));
    }

    #[test]
    fn anything_else_is_refused_with_a_reason() {
        let png = encoded(ImageFormat::Png, 8);
        let said = |bytes: &[u8]| clean(bytes, LIMITS).unwrap_err();
        assert!(said(b"<svg xmlns='http://www.w3.org/2000/svg'/>").contains("SVG"));
        assert!(said(b"\xef\xbb\xbf <?xml version='1.0'?><svg/>").contains("SVG"));
        assert!(said(b"<!-- x --><SVG onload=alert(1)>").contains("SVG"));
        assert!(said(b"").contains("PNG"));
        assert!(said(b"MZ\x90\x00 not an image").contains("PNG"));
        assert!(said(&png[..png.len() / 2]).contains("cannot be read"));
        assert!(said(&encoded(ImageFormat::Png, 9_999)).contains("too many pixels"));
        assert!(said(&vec![0; 100_001]).contains("too large"));
    }
}

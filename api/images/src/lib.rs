//! Decodes and re-encodes images, which removes hidden data such as location and camera model. The memory that an
//! image needs is computed from its header ([`check`]), and no image above the limits is decoded. There is no I/O.
//!
//! This is a separate crate because the decoders are generic and compiled where they are used: the workspace's Cargo.toml optimizes
//! this crate in debug builds too.

mod gif;
mod jpeg;
mod output;
mod png;
mod webp;

use std::borrow::Cow;

use image::metadata::Orientation;
use image::{ImageFormat, guess_format};

/// Maximum side length of an image in pixels.
const MAX_SIDE: u32 = 10_000;
/// Sentence with the accepted formats, for error messages.
const ACCEPTED_FORMATS: &str = "Send a PNG, JPEG, WebP or GIF image.";

/// Limits for an uploaded image.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum bytes of the uploaded file. The re-encoded file may have twice as many.
    pub bytes: usize,
    /// Maximum pixels of the decoded image, all frames together.
    pub pixels: u64,
    /// Maximum bytes of memory for decoding and re-encoding, including the copy of the file.
    pub memory: u64,
    /// Required width and height in pixels, after the EXIF rotation; `None` for any size.
    pub exact_size: Option<(u32, u32)>,
}

#[derive(Debug)]
pub struct CleanImage {
    pub bytes: Vec<u8>,
    /// File name extension, without the dot: `png`, `jpg`, `webp` or `gif`.
    pub extension: &'static str,
}

/// Returns the media type of a stored file by its extension; `application/octet-stream` for any other name.
#[must_use]
pub fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("png") => "image/png",
        Some("jpg") => "image/jpeg",
        Some("webp") => "image/webp",
        Some("gif") => "image/gif",
        _ => "application/octet-stream",
    }
}

/// Checks by the header whether [`clean`] would exceed a limit. Nothing is decoded.
///
/// # Errors
///
/// Returns one sentence for the user: the format is not accepted, or a limit is exceeded. Only [`clean`] checks facts that are
/// not in the header, such as the number of frames.
pub fn check(bytes: &[u8], limits: Limits) -> Result<(), String> {
    read_header(bytes, limits).map(drop)
}

/// Decodes an image and re-encodes it in the same format. An owned JPEG or WebP file is dropped as soon as its pixels are decoded.
///
/// # Errors
///
/// Returns one sentence for the user: an error of [`check`], a corrupt file, an animation with too many frames or pixels, or an
/// image that has more than twice `limits.bytes` after re-encoding.
pub fn clean<'b>(bytes: impl Into<Cow<'b, [u8]>>, limits: Limits) -> Result<CleanImage, String> {
    let bytes = bytes.into();
    let (format, header) = read_header(&bytes, limits)?;
    // Low-quality photos grow when they are re-encoded, but never to more than twice their size.
    let max_bytes = limits.bytes.saturating_mul(2);
    let (bytes, extension) = match format {
        ImageFormat::Png => (png::re_encode(&bytes, header, max_bytes)?, "png"),
        ImageFormat::Jpeg => (jpeg::re_encode(bytes, header, max_bytes)?, "jpg"),
        ImageFormat::WebP => (webp::re_encode(bytes, header, max_bytes)?, "webp"),
        _ => (gif::re_encode(&bytes, limits, max_bytes)?, "gif"),
    };
    Ok(CleanImage { bytes, extension })
}

/// Returns the error message for a file that cannot be decoded. A caller of [`clean`] also uses it after it has caught the panic
/// of a decoder.
#[must_use]
pub fn unreadable() -> String {
    format!("The file cannot be read as an image. {ACCEPTED_FORMATS}")
}

/// Values from the header of an image, and the memory that its pixels need.
#[derive(Debug, Clone, Copy)]
struct Header {
    width: u32,
    height: u32,
    orientation: Orientation,
    /// Name of the format with its article, such as "a GIF", for error messages.
    format_name: &'static str,
    /// Bytes of memory per pixel, over all buffers that exist at the same time.
    bytes_per_pixel: u64,
    /// Bytes of memory that do not depend on the pixels.
    fixed_bytes: u64,
}

impl Header {
    fn pixel_count(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    fn required_memory(&self) -> u64 {
        self.pixel_count().saturating_mul(self.bytes_per_pixel).saturating_add(self.fixed_bytes)
    }

    /// Width and height after the EXIF rotation.
    fn displayed_size(&self) -> (u32, u32) {
        use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
        match self.orientation {
            Rotate90 | Rotate90FlipH | Rotate270 | Rotate270FlipH => (self.height, self.width),
            _ => (self.width, self.height),
        }
    }

    fn check(&self, limits: Limits) -> Result<(), String> {
        let pixel_memory = limits.memory.saturating_sub(self.fixed_bytes);
        let max_pixels =
            limits.pixels.min(pixel_memory.checked_div(self.bytes_per_pixel).unwrap_or(limits.pixels));
        if self.pixel_count() > max_pixels {
            return Err(too_many_pixels(self.pixel_count(), max_pixels, self.format_name));
        }
        if self.required_memory() > limits.memory {
            return Err(format!(
                "The file takes too much memory to decode as {}; send it as a PNG or as a baseline JPEG.",
                self.format_name
            ));
        }
        if self.width > MAX_SIDE || self.height > MAX_SIDE {
            return Err(format!("The image is too large: send at most {MAX_SIDE} pixels per side."));
        }
        let displayed_size = self.displayed_size();
        match limits.exact_size {
            Some((width, height)) if (width, height) != displayed_size => {
                let (actual_width, actual_height) = displayed_size;
                Err(format!(
                    "Send an image of {width}×{height} pixels; this one is {actual_width}×{actual_height}."
                ))
            }
            _ => Ok(()),
        }
    }
}

fn read_header(bytes: &[u8], limits: Limits) -> Result<(ImageFormat, Header), String> {
    if bytes.len() > limits.bytes {
        return Err(format!("The file is too large: send at most {} KiB.", limits.bytes / 1024));
    }
    if is_svg(bytes) {
        return Err(format!("SVG images are rejected because they can contain scripts. {ACCEPTED_FORMATS}"));
    }
    let format = guess_format(bytes).map_err(|_| ACCEPTED_FORMATS)?;
    let header = match format {
        ImageFormat::Png => png::read_header(bytes),
        ImageFormat::Jpeg => jpeg::read_header(bytes),
        ImageFormat::WebP => webp::read_header(bytes),
        ImageFormat::Gif => gif::read_header(bytes),
        _ => return Err(ACCEPTED_FORMATS.into()),
    };
    let mut header = header.ok_or_else(unreadable)?;
    // The copy of the file, and the re-encoded file.
    header.fixed_bytes = header.fixed_bytes.saturating_add(2 * bytes.len() as u64);
    header.check(limits)?;
    Ok((format, header))
}

fn is_svg(bytes: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(1_024)]).to_ascii_lowercase();
    let start = start.trim_start_matches('\u{feff}').trim_start();
    start.starts_with('<') && (start.contains("<svg") || start.starts_with("<?xml"))
}

fn too_many_pixels(pixels: u64, max_pixels: u64, format_name: &str) -> String {
    let format_millions = |pixels: u64| format!("{}.{}", pixels / 1_000_000, pixels % 1_000_000 / 100_000);
    let (pixels, max_pixels) = (format_millions(pixels), format_millions(max_pixels));
    format!(
        "The image has too many pixels, {pixels} million: send at most {max_pixels} million as {format_name}."
    )
}

fn to_unreadable<E>(_: E) -> String {
    unreadable()
}

/// Builds EXIF data that contains only the rotation; `None` without a rotation.
fn build_rotation_exif(orientation: Orientation) -> Option<Vec<u8>> {
    let rotation = orientation.to_exif();
    // A TIFF header and one directory with one entry: tag 0x0112 (orientation), type short, count 1, the value.
    let tiff =
        [b'I', b'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, rotation, 0, 0, 0, 0, 0, 0, 0];
    (orientation != Orientation::NoTransforms).then(|| tiff.to_vec())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::codecs::gif::{GifDecoder, GifEncoder};
    use image::{AnimationDecoder as _, Frame, Rgb, RgbImage, Rgba, RgbaImage, load_from_memory_with_format};

    use super::*;

    const LIMITS: Limits = Limits { bytes: 100_000, pixels: 10_000, memory: 48_000_000, exact_size: None };

    fn encode(format: ImageFormat, width: u32) -> Vec<u8> {
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
    fn re_encodes_images_without_metadata() {
        let formats = [
            (ImageFormat::Png, "png"),
            (ImageFormat::Jpeg, "jpg"),
            (ImageFormat::WebP, "webp"),
            (ImageFormat::Gif, "gif"),
        ];
        for (format, extension) in formats {
            let mut bytes = encode(format, 8);
            bytes.extend(b"<script>alert(1)</script>");
            let clean_image = clean(&bytes[..], LIMITS).unwrap();
            assert_eq!(clean_image.extension, extension);
            assert!(!clean_image.bytes.windows(7).any(|window| window == b"<script"), "{extension}");
            let reloaded = load_from_memory_with_format(&clean_image.bytes, format).unwrap();
            assert_eq!((reloaded.width(), reloaded.height()), (8, 4));
        }
    }

    #[test]
    fn enforces_an_exact_size() {
        let clean_with_size =
            |size| clean(encode(ImageFormat::Png, 8), Limits { exact_size: Some(size), ..LIMITS });
        assert!(clean_with_size((8, 4)).is_ok());
        assert_eq!(clean_with_size((4, 8)).unwrap_err(), "Send an image of 4×8 pixels; this one is 8×4.");
    }

    #[test]
    fn re_encodes_all_frames_of_an_animation() {
        let mut bytes = Vec::new();
        let mut encoder = GifEncoder::new(&mut bytes);
        for shade in [0, 120, 240] {
            let frame = RgbaImage::from_pixel(6, 6, Rgba([shade, 0, 0, 255]));
            encoder.encode_frame(Frame::new(frame)).unwrap();
        }
        drop(encoder);
        let out = clean(&bytes[..], LIMITS).unwrap();
        let frames = GifDecoder::new(Cursor::new(&out.bytes)).unwrap().into_frames().count();
        assert_eq!(frames, 3);
        let low_limits = Limits { pixels: 80, ..LIMITS };
        assert!(clean(&bytes[..], low_limits).unwrap_err().contains("too many pixels"));
    }

    #[test]
    fn rejects_other_files_with_a_reason() {
        let png = encode(ImageFormat::Png, 8);
        let error_of = |bytes: &[u8]| clean(bytes, LIMITS).unwrap_err();
        assert!(error_of(b"<svg xmlns='http://www.w3.org/2000/svg'/>").contains("SVG"));
        assert!(error_of(b"\xef\xbb\xbf <?xml version='1.0'?><svg/>").contains("SVG"));
        assert!(error_of(b"<!-- x --><SVG onload=alert(1)>").contains("SVG"));
        assert!(error_of(b"").contains("PNG"));
        assert!(error_of(b"MZ\x90\x00 not an image").contains("PNG"));
        assert!(error_of(&png[..png.len() / 2]).contains("cannot be read"));
        assert!(error_of(&encode(ImageFormat::Png, 9_999)).contains("too many pixels"));
        assert!(error_of(&vec![0; 100_001]).contains("too large"));
    }

    #[test]
    fn keeps_only_the_rotation_of_a_photo() {
        use image::{ImageDecoder as _, ImageEncoder as _};
        let mut photo = Vec::new();
        let mut encoder = image::codecs::jpeg::JpegEncoder::new(&mut photo);
        encoder.set_exif_metadata(build_rotation_exif(Orientation::Rotate90).unwrap()).unwrap();
        encoder.encode(&[90; 8 * 4 * 3], 8, 4, image::ExtendedColorType::Rgb8).unwrap();
        // The required size applies to the image as viewers show it.
        let rotated_size = Limits { exact_size: Some((4, 8)), ..LIMITS };
        let out = clean(&photo[..], rotated_size).unwrap().bytes;
        let mut decoder = image::codecs::jpeg::JpegDecoder::new(Cursor::new(&out)).unwrap();
        assert_eq!(decoder.orientation().unwrap(), Orientation::Rotate90);
        assert_eq!(
            clean(&photo[..], Limits { exact_size: Some((8, 4)), ..LIMITS }).unwrap_err(),
            "Send an image of 8×4 pixels; this one is 4×8."
        );
    }

    #[test]
    fn reduces_16_bits_to_8_within_the_memory_of_some_rows() {
        let mut sixteen_bit = Cursor::new(Vec::new());
        image::DynamicImage::new_rgba16(90, 90).write_to(&mut sixteen_bit, ImageFormat::Png).unwrap();
        let out = clean(sixteen_bit.into_inner(), LIMITS).unwrap();
        let reloaded = load_from_memory_with_format(&out.bytes, ImageFormat::Png).unwrap();
        assert_eq!((reloaded.color(), reloaded.width()), (image::ColorType::Rgba8, 90));
        // An image of four million pixels needs only the memory of some rows.
        let mut wide = Cursor::new(Vec::new());
        image::GrayImage::new(2_000, 2_000).write_to(&mut wide, ImageFormat::Png).unwrap();
        let limits = Limits { pixels: 4_000_000, memory: 3_000_000, ..LIMITS };
        assert!(read_header(wide.get_ref(), limits).unwrap().1.required_memory() < 3_000_000);
        assert!(clean(wide.into_inner(), limits).is_ok());
    }

    #[test]
    fn computes_memory_before_decoding() {
        let photo = encode(ImageFormat::Jpeg, 2_000);
        assert!(read_header(&photo, LIMITS).unwrap().1.required_memory() > 3 * 8_000);
        let sufficient_limits = Limits { memory: 2_100_000, ..LIMITS };
        assert!(check(&encode(ImageFormat::WebP, 2_000), sufficient_limits).is_ok());
        let low_limits = Limits { memory: 1_100_000, ..LIMITS };
        assert!(
            check(&encode(ImageFormat::WebP, 2_000), low_limits).unwrap_err().contains("as a lossless WebP")
        );
    }

    #[test]
    fn limits_the_frames_of_an_animation() {
        let clean_frames = |count: u32| {
            let mut bytes = Vec::new();
            let mut encoder = ::gif::Encoder::new(&mut bytes, 1, 1, &[0, 0, 0, 9, 9, 9]).unwrap();
            for _ in 0..count {
                encoder.write_frame(&::gif::Frame::from_indexed_pixels(1, 1, vec![0], None)).unwrap();
            }
            drop(encoder);
            clean(bytes, LIMITS)
        };
        assert!(clean_frames(1_000).is_ok());
        assert!(clean_frames(1_001).unwrap_err().contains("too many frames"));
    }
}

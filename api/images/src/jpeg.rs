//! JPEG: decodes into one buffer and encodes from it. Rotating a photo would need a second buffer, so new EXIF data states the
//! rotation instead.

use std::borrow::Cow;

use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{ExtendedColorType, ImageEncoder as _};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::output::Output;
use super::{Header, MAX_SIDE, rotation_exif, unreadable_because};

/// From 1 to 100.
const QUALITY: u8 = 88;
/// Maximum number of scans of a progressive image. Each scan processes all pixels; encoders write about ten.
const MAX_SCANS: usize = 64;
/// Bytes for each pixel of the width: the decoder holds rows of blocks, with coefficients, samples and upsampled rows of up to four
/// components.
const ROW_BYTES: u64 = 512;
/// Bytes of the tables of the decoder and the encoder.
const TABLE_BYTES: u64 = 1 << 20;

fn decoder(bytes: &[u8]) -> Option<JpegDecoder<ZCursor<&[u8]>>> {
    let side = MAX_SIDE as usize;
    // The decoder accepts larger headers, so that the error message can name their size.
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(side.max(1 << 16))
        .set_max_height(side.max(1 << 16))
        .jpeg_set_max_scans(MAX_SCANS);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().ok()?;
    let color = match decoder.input_colorspace()? {
        ColorSpace::Luma => ColorSpace::Luma,
        _ => ColorSpace::RGB,
    };
    let options = decoder.options().jpeg_set_out_colorspace(color);
    decoder.set_options(options);
    Some(decoder)
}

pub(super) fn header(bytes: &[u8]) -> Option<Header> {
    let frame = FrameHeader::read(bytes)?;
    let decoder = decoder(bytes)?;
    let (width, height) = decoder.dimensions()?;
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    if (width, height) != (frame.width, frame.height) {
        return None;
    }
    let samples = if decoder.output_colorspace()? == ColorSpace::Luma { 1 } else { 3 };
    let orientation = decoder.exif().and_then(|exif| Orientation::from_exif_chunk(exif));
    Some(Header {
        width,
        height,
        orientation: orientation.unwrap_or(Orientation::NoTransforms),
        kind: if frame.is_buffered { "a progressive JPEG" } else { "a JPEG" },
        // The coefficients of all components are in memory together with the pixels.
        bytes_per_pixel: samples + if frame.is_buffered { frame.coefficient_bytes() } else { 0 },
        fixed_bytes: u64::from(width) * ROW_BYTES + TABLE_BYTES,
    })
}

pub(super) fn rewrite(bytes: Cow<'_, [u8]>, header: Header, max_bytes: usize) -> Result<Vec<u8>, String> {
    let (pixels, color) = {
        let mut decoder = decoder(&bytes).ok_or_else(|| unreadable_because(()))?;
        let size = decoder.output_buffer_size().ok_or_else(|| unreadable_because(()))?;
        let samples = match decoder.output_colorspace() {
            Some(ColorSpace::Luma) => 1,
            _ => 3,
        };
        if size as u64 != header.pixels() * samples {
            return Err(unreadable_because(()));
        }
        let mut pixels = vec![0; size];
        decoder.decode_into(&mut pixels).map_err(unreadable_because)?;
        (pixels, if samples == 1 { ExtendedColorType::L8 } else { ExtendedColorType::Rgb8 })
    };
    drop(bytes);
    let mut out = Output::new(max_bytes);
    let mut encoder = JpegEncoder::new_with_quality(&mut out, QUALITY);
    if let Some(exif) = rotation_exif(header.orientation) {
        encoder.set_exif_metadata(exif).map_err(unreadable_because)?;
    }
    let result = encoder.encode(&pixels, header.width, header.height, color);
    out.finish(result)
}

/// Facts that determine the memory of the decoder: the first frame header and the first scan header.
struct FrameHeader {
    width: u32,
    height: u32,
    /// Horizontal and vertical sampling factors.
    sampling: Vec<(u64, u64)>,
    /// Whether the decoder holds all coefficients: a progressive image, or one scan per component.
    is_buffered: bool,
}

impl FrameHeader {
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(&[0xff, 0xd8])?;
        let mut frame: Option<Self> = None;
        loop {
            let at = rest.iter().position(|byte| *byte == 0xff)?;
            rest = &rest[at..];
            let at = rest.iter().position(|byte| *byte != 0xff)?;
            let marker = rest[at];
            rest = &rest[at + 1..];
            if matches!(marker, 0 | 0x01 | 0xd0..=0xd8) {
                continue;
            }
            let (length, _) = rest.split_first_chunk::<2>()?;
            let body = rest.get(2..usize::from(u16::from_be_bytes(*length)))?;
            match marker {
                0xc4 | 0xc8 | 0xcc => {}
                0xc0..=0xcf if frame.is_some() => return None,
                0xc0..=0xcf => frame = Some(Self::parse(marker, body)?),
                0xda => {
                    let mut frame = frame?;
                    frame.is_buffered |= usize::from(*body.first()?) != frame.sampling.len();
                    return Some(frame);
                }
                0xd9 => return None,
                _ => {}
            }
            rest = &rest[body.len() + 2..];
        }
    }

    fn parse(marker: u8, body: &[u8]) -> Option<Self> {
        let [_, height_high, height_low, width_high, width_low, component_count, components @ ..] = body
        else {
            return None;
        };
        let sampling = components
            .chunks_exact(3)
            .map(|component| (u64::from(component[1] >> 4), u64::from(component[1] & 15)));
        let sampling: Vec<_> = sampling.take(usize::from(*component_count)).collect();
        let has_valid_factors = sampling
            .iter()
            .all(|(horizontal, vertical)| (1..=4).contains(horizontal) && (1..=4).contains(vertical));
        (sampling.len() == usize::from(*component_count)
            && (1..=4).contains(component_count)
            && has_valid_factors)
            .then(|| Self {
                width: u32::from(u16::from_be_bytes([*width_high, *width_low])),
                height: u32::from(u16::from_be_bytes([*height_high, *height_low])),
                sampling,
                is_buffered: marker == 0xc2,
            })
    }

    /// Bytes of coefficients for each pixel, rounded up: two for each sample of each component.
    fn coefficient_bytes(&self) -> u64 {
        let max_horizontal = self.sampling.iter().map(|factors| factors.0).max().unwrap_or(1);
        let max_vertical = self.sampling.iter().map(|factors| factors.1).max().unwrap_or(1);
        let samples: u64 = self.sampling.iter().map(|factors| factors.0 * factors.1).sum();
        (2 * samples).div_ceil(max_horizontal * max_vertical)
    }
}

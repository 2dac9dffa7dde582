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
use super::{Header, MAX_SIDE, build_rotation_exif, to_unreadable};

/// Quality of re-encoded images, from 1 to 100.
const QUALITY: u8 = 88;
/// Maximum number of scans of a progressive image. Each scan processes all pixels; encoders write about ten.
const MAX_SCANS: usize = 64;
/// Bytes for each pixel of the width: the decoder holds rows of blocks, with coefficients, samples and upsampled rows of up to four
/// components.
const ROW_BYTES: u64 = 512;
/// Bytes of the tables of the decoder and the encoder.
const TABLE_BYTES: u64 = 1 << 20;

fn open_decoder(bytes: &[u8]) -> Option<JpegDecoder<ZCursor<&[u8]>>> {
    let max_side = (MAX_SIDE as usize).max(1 << 16);
    // The decoder accepts larger headers, so that the error message can name their size.
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(max_side)
        .set_max_height(max_side)
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

pub(super) fn read_header(bytes: &[u8]) -> Option<Header> {
    let frame = FrameHeader::read(bytes)?;
    let decoder = open_decoder(bytes)?;
    let (width, height) = decoder.dimensions()?;
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    if (width, height) != (frame.width, frame.height) {
        return None;
    }
    let sample_count = if decoder.output_colorspace()? == ColorSpace::Luma { 1 } else { 3 };
    let orientation = decoder.exif().and_then(|exif| Orientation::from_exif_chunk(exif));
    Some(Header {
        width,
        height,
        orientation: orientation.unwrap_or(Orientation::NoTransforms),
        format_name: if frame.is_buffered { "a progressive JPEG" } else { "a JPEG" },
        // The coefficients of all components are in memory together with the pixels.
        bytes_per_pixel: sample_count + if frame.is_buffered { frame.coefficient_bytes() } else { 0 },
        fixed_bytes: u64::from(width) * ROW_BYTES + TABLE_BYTES,
    })
}

pub(super) fn re_encode(bytes: Cow<'_, [u8]>, header: Header, max_bytes: usize) -> Result<Vec<u8>, String> {
    let (pixels, color) = {
        let mut decoder = open_decoder(&bytes).ok_or_else(|| to_unreadable(()))?;
        let size = decoder.output_buffer_size().ok_or_else(|| to_unreadable(()))?;
        let sample_count = match decoder.output_colorspace() {
            Some(ColorSpace::Luma) => 1,
            _ => 3,
        };
        if size as u64 != header.pixel_count() * sample_count {
            return Err(to_unreadable(()));
        }
        let mut pixels = vec![0; size];
        decoder.decode_into(&mut pixels).map_err(to_unreadable)?;
        (pixels, if sample_count == 1 { ExtendedColorType::L8 } else { ExtendedColorType::Rgb8 })
    };
    drop(bytes);
    let mut output = Output::new(max_bytes);
    let mut encoder = JpegEncoder::new_with_quality(&mut output, QUALITY);
    if let Some(exif) = build_rotation_exif(header.orientation) {
        encoder.set_exif_metadata(exif).map_err(to_unreadable)?;
    }
    let result = encoder.encode(&pixels, header.width, header.height, color);
    output.finish(result)
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
        let mut remaining = bytes.strip_prefix(&[0xff, 0xd8])?;
        let mut frame: Option<Self> = None;
        loop {
            let prefix_index = remaining.iter().position(|byte| *byte == 0xff)?;
            remaining = &remaining[prefix_index..];
            let marker_index = remaining.iter().position(|byte| *byte != 0xff)?;
            let marker = remaining[marker_index];
            remaining = &remaining[marker_index + 1..];
            if matches!(marker, 0 | 0x01 | 0xd0..=0xd8) {
                continue;
            }
            let (length, _) = remaining.split_first_chunk::<2>()?;
            let body = remaining.get(2..usize::from(u16::from_be_bytes(*length)))?;
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
            remaining = &remaining[body.len() + 2..];
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
        let sample_count: u64 = self.sampling.iter().map(|factors| factors.0 * factors.1).sum();
        (2 * sample_count).div_ceil(max_horizontal * max_vertical)
    }
}

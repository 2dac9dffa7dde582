//! WebP: decodes the image and encodes it without loss. Only the first frame of an animation is kept. The chunk sizes are read
//! before decoding, because the decoder allocates the size that a nested frame claims before it checks that size.

use std::borrow::Cow;
use std::io::Cursor;

use image::codecs::webp::{WebPDecoder, WebPEncoder};
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder as _, ImageEncoder as _};

use super::output::Output;
use super::{Header, to_unreadable};

/// Bytes of memory for each pixel: the decoder holds the frame, the canvas and the planes; the encoder holds the pixels, their copy
/// with an alpha channel and up to two copies of the output.
const BYTES_PER_PIXEL: u64 = 14;
/// Bytes of code tables that one byte of a lossless chunk can make the decoder allocate: about 12 bytes of the file define a table
/// of 1,024 entries.
const TABLE_BYTES_PER_BYTE: u64 = 350;
/// Bytes of the tables and borders of a lossy frame.
const LOSSY_TABLE_BYTES: u64 = 1 << 20;

pub(super) fn read_header(bytes: &[u8]) -> Option<Header> {
    let mut sizes = ChunkSizes::default();
    let file_end =
        usize::try_from(u32::from_le_bytes(*bytes.get(4..8)?.first_chunk()?)).ok()?.saturating_add(8);
    sizes.add_chunks(bytes.get(12..file_end.min(bytes.len()))?, 0)?;
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).ok()?;
    let (width, height) = decoder.dimensions();
    if sizes.width > width || sizes.height > height {
        return None;
    }
    Some(Header {
        width,
        height,
        orientation: decoder.orientation().unwrap_or(Orientation::NoTransforms),
        format_name: if sizes.lossless_bytes == 0 { "a WebP" } else { "a lossless WebP" },
        bytes_per_pixel: BYTES_PER_PIXEL,
        fixed_bytes: LOSSY_TABLE_BYTES + sizes.lossless_bytes as u64 * TABLE_BYTES_PER_BYTE,
    })
}

pub(super) fn re_encode(bytes: Cow<'_, [u8]>, header: Header, max_bytes: usize) -> Result<Vec<u8>, String> {
    let decoder = WebPDecoder::new(Cursor::new(&bytes[..])).map_err(to_unreadable)?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(to_unreadable)?;
    drop(bytes);
    image.apply_orientation(header.orientation);
    let mut output = Output::new(max_bytes);
    let encoder = WebPEncoder::new_lossless(&mut output);
    let color = image.color().into();
    let result = encoder.write_image(image.as_bytes(), image.width(), image.height(), color);
    output.finish(result)
}

/// Size of the largest frame of a file, and the bytes of its lossless chunks.
#[derive(Default)]
struct ChunkSizes {
    width: u32,
    height: u32,
    lossless_bytes: usize,
}

impl ChunkSizes {
    /// Adds the chunks of a file, or of a frame at depth 1.
    fn add_chunks(&mut self, mut remaining: &[u8], depth: u8) -> Option<()> {
        while let Some((header, body)) = remaining.split_first_chunk::<8>() {
            let size =
                usize::try_from(u32::from_le_bytes([header[4], header[5], header[6], header[7]])).ok()?;
            let chunk = &body[..size.min(body.len())];
            match &header[..4] {
                b"VP8 " => self.add_frame(chunk.get(6..10)?, 0x3fff),
                b"VP8L" => {
                    let bits = u32::from_le_bytes(*chunk.get(1..5)?.first_chunk()?);
                    self.width = self.width.max((bits & 0x3fff) + 1);
                    self.height = self.height.max((bits >> 14 & 0x3fff) + 1);
                    self.lossless_bytes += chunk.len();
                }
                b"ALPH" => self.lossless_bytes += chunk.len(),
                b"ANMF" if depth == 0 => self.add_chunks(chunk.get(16..)?, 1)?,
                _ => {}
            }
            remaining = body.get(size + size % 2..).unwrap_or_default();
        }
        Some(())
    }

    fn add_frame(&mut self, sides: &[u8], mask: u16) {
        if let [width_low, width_high, height_low, height_high] = sides {
            self.width = self.width.max(u32::from(u16::from_le_bytes([*width_low, *width_high]) & mask));
            self.height = self.height.max(u32::from(u16::from_le_bytes([*height_low, *height_high]) & mask));
        }
    }
}

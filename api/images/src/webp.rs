//! WebP: decoded and encoded without loss. Only the first frame of an animation is kept. The chunks are measured before decoding,
//! because the decoder would allocate the claimed size of a nested frame before it checks the size.

use std::borrow::Cow;
use std::io::Cursor;

use image::codecs::webp::{WebPDecoder, WebPEncoder};
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder as _, ImageEncoder as _};

use super::output::Output;
use super::{Header, broken};

/// Bytes of memory for each pixel: of the decoder the frame, the canvas and the planes; of the encoder the pixels, their
/// copy with an alpha channel and up to two copies of the output.
const BYTES_PER_PIXEL: u64 = 14;
/// Bytes of code tables that one byte of a lossless chunk may ask for: a table of 1,024 entries takes about 12 bytes.
const TABLES_PER_BYTE: u64 = 350;
/// Tables and borders of a lossy frame.
const WORK_BYTES: u64 = 1 << 20;

pub(super) fn header(bytes: &[u8]) -> Option<Header> {
    let mut found = Found::default();
    let end = usize::try_from(u32::from_le_bytes(*bytes.get(4..8)?.first_chunk()?)).ok()?.saturating_add(8);
    found.chunks(bytes.get(12..end.min(bytes.len()))?, 0)?;
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).ok()?;
    let (width, height) = decoder.dimensions();
    if found.width > width || found.height > height {
        return None;
    }
    Some(Header {
        width,
        height,
        orientation: decoder.orientation().unwrap_or(Orientation::NoTransforms),
        kind: if found.lossless == 0 { "a WebP" } else { "a lossless WebP" },
        bytes_per_pixel: BYTES_PER_PIXEL,
        fixed_bytes: WORK_BYTES + found.lossless as u64 * TABLES_PER_BYTE,
    })
}

pub(super) fn rewrite(bytes: Cow<'_, [u8]>, header: Header, most: usize) -> Result<Vec<u8>, String> {
    let decoder = WebPDecoder::new(Cursor::new(&bytes[..])).map_err(broken)?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(broken)?;
    drop(bytes);
    image.apply_orientation(header.orientation);
    let mut out = Output::new(most);
    let encoder = WebPEncoder::new_lossless(&mut out);
    let color = image.color().into();
    let written = encoder.write_image(image.as_bytes(), image.width(), image.height(), color);
    out.finish(written)
}

/// Size of the largest frame of a file, and the bytes of its lossless chunks.
#[derive(Default)]
struct Found {
    width: u32,
    height: u32,
    lossless: usize,
}

impl Found {
    /// Measures the chunks of a file, or those within a frame.
    fn chunks(&mut self, mut rest: &[u8], depth: u8) -> Option<()> {
        while let Some((head, body)) = rest.split_first_chunk::<8>() {
            let size = usize::try_from(u32::from_le_bytes([head[4], head[5], head[6], head[7]])).ok()?;
            let chunk = &body[..size.min(body.len())];
            match &head[..4] {
                b"VP8 " => self.size(chunk.get(6..10)?, 0x3fff),
                b"VP8L" => {
                    let bits = u32::from_le_bytes(*chunk.get(1..5)?.first_chunk()?);
                    self.width = self.width.max((bits & 0x3fff) + 1);
                    self.height = self.height.max((bits >> 14 & 0x3fff) + 1);
                    self.lossless += chunk.len();
                }
                b"ALPH" => self.lossless += chunk.len(),
                b"ANMF" if depth == 0 => self.chunks(chunk.get(16..)?, 1)?,
                _ => {}
            }
            rest = body.get(size + size % 2..).unwrap_or_default();
        }
        Some(())
    }

    fn size(&mut self, sides: &[u8], mask: u16) {
        if let [w1, w2, h1, h2] = sides {
            self.width = self.width.max(u32::from(u16::from_le_bytes([*w1, *w2]) & mask));
            self.height = self.height.max(u32::from(u16::from_le_bytes([*h1, *h2]) & mask));
        }
    }
}

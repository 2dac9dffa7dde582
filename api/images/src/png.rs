//! PNG: decodes and encodes row by row; only an interlaced image needs all of its pixels at once. Sixteen bits per channel become
//! eight. Text chunks, profiles and all frames but the first are removed.

use std::io::{Cursor, Write as _};

use image::metadata::Orientation;
use png::{
    BitDepth, ColorType, Decoder, DeflateCompression, Encoder, Filter, Limits, Reader, Transformations, chunk,
};

use super::output::Output;
use super::{Header, build_rotation_exif, to_unreadable};

/// Bytes that the decoder may allocate for chunks: a palette, an orientation.
const CHUNK_BYTES: usize = 1 << 20;
/// Bytes of the windows and buffers of both compressors.
const BUFFER_BYTES: u64 = 2 << 20;
/// Compression level, from 1 to 9. A higher level takes much more time and saves few bytes.
const COMPRESSION_LEVEL: u8 = 5;

fn open_decoder(bytes: &[u8]) -> Option<Decoder<Cursor<&[u8]>>> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: CHUNK_BYTES });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    // A transparent color of 16 bits has no equivalent with 8 bits, so it becomes an alpha channel.
    let is_indexed = decoder.read_header_info().ok()?.color_type == ColorType::Indexed;
    let expand_to_8_bits = Transformations::EXPAND | Transformations::STRIP_16;
    decoder.set_transformations(if is_indexed { Transformations::IDENTITY } else { expand_to_8_bits });
    Some(decoder)
}

pub(super) fn read_header(bytes: &[u8]) -> Option<Header> {
    let mut decoder = open_decoder(bytes)?;
    let info = decoder.read_header_info().ok()?;
    let (width, height) = info.size();
    let channels = match info.color_type {
        ColorType::Indexed => 1,
        ColorType::Grayscale => 2,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb | ColorType::Rgba => 4,
    };
    let row_bytes = u64::from(width) * channels * if info.bit_depth == BitDepth::Sixteen { 2 } else { 1 };
    let is_interlaced = info.interlaced;
    let reader = decoder.read_info().ok()?;
    let exif = reader.info().exif_metadata.as_deref();
    Some(Header {
        width,
        height,
        orientation: exif.and_then(Orientation::from_exif_chunk).unwrap_or(Orientation::NoTransforms),
        format_name: if is_interlaced { "an interlaced PNG" } else { "a PNG" },
        bytes_per_pixel: if is_interlaced { channels } else { 0 },
        // Decoder and encoder each hold the row, the previous row and the filtered rows.
        fixed_bytes: 10 * row_bytes + BUFFER_BYTES,
    })
}

pub(super) fn re_encode(bytes: &[u8], header: Header, max_bytes: usize) -> Result<Vec<u8>, String> {
    let mut reader =
        open_decoder(bytes).ok_or_else(|| to_unreadable(()))?.read_info().map_err(to_unreadable)?;
    let mut output = Output::new(max_bytes);
    let result = re_encode_rows(&mut reader, &mut output, header);
    output.finish(result)
}

fn re_encode_rows(
    reader: &mut Reader<Cursor<&[u8]>>,
    output: &mut Output,
    header: Header,
) -> Result<(), Box<dyn std::error::Error>> {
    let (color_type, bit_depth) = reader.output_color_type();
    let mut encoder = Encoder::new(output, header.width, header.height);
    encoder.set_color(color_type);
    encoder.set_depth(bit_depth);
    encoder.set_deflate_compression(DeflateCompression::Level(COMPRESSION_LEVEL));
    if color_type == ColorType::Indexed {
        encoder.set_filter(Filter::NoFilter);
        encoder.set_palette(reader.info().palette.clone().unwrap_or_default());
        if let Some(alphas) = reader.info().trns.clone() {
            encoder.set_trns(alphas);
        }
    } else {
        encoder.set_filter(Filter::Adaptive);
    }
    let mut writer = encoder.write_header()?;
    if let Some(exif) = build_rotation_exif(header.orientation) {
        writer.write_chunk(chunk::eXIf, &exif)?;
    }
    let mut row_writer = writer.stream_writer()?;
    if reader.info().interlaced {
        let mut pixels = vec![0; reader.output_buffer_size().unwrap_or(0)];
        reader.next_frame(&mut pixels)?;
        row_writer.write_all(&pixels)?;
    } else {
        while let Some(row) = reader.next_row()? {
            row_writer.write_all(row.data())?;
        }
    }
    row_writer.finish()?;
    Ok(writer.finish()?)
}

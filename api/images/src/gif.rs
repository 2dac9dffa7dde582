//! GIF: decodes each frame to its color indexes and encodes them, so that colors do not change and only one frame is in memory.
//! Comments and other extensions are removed.

use gif::{DecodeOptions, Decoder, Encoder, MemoryLimit, Repeat};
use image::metadata::Orientation;

use super::output::Output;
use super::{Header, Limits, to_unreadable, too_many_pixels};

/// Maximum number of frames of an animation. Long animations have a few hundred.
const MAX_FRAMES: u32 = 1_000;
/// Bytes per pixel of a frame: its color index and its compressed output.
const BYTES_PER_PIXEL: u64 = 3;
/// Bytes of the tables of both compressors.
const BUFFER_BYTES: u64 = 1 << 20;

fn open_decoder(bytes: &[u8]) -> Option<Decoder<&[u8]>> {
    let mut options = DecodeOptions::new();
    // Otherwise a frame could be larger than the canvas, whose size the header of the file states.
    options.check_frame_consistency(true);
    // The decoder keeps extensions in memory; they cannot be longer than the file.
    options.set_memory_limit(MemoryLimit::Bytes(std::num::NonZeroU64::new(bytes.len() as u64)?));
    options.read_info(bytes).ok()
}

pub(super) fn read_header(bytes: &[u8]) -> Option<Header> {
    let decoder = open_decoder(bytes)?;
    Some(Header {
        width: decoder.width().into(),
        height: decoder.height().into(),
        orientation: Orientation::NoTransforms,
        format_name: "a GIF",
        bytes_per_pixel: BYTES_PER_PIXEL,
        fixed_bytes: BUFFER_BYTES + bytes.len() as u64,
    })
}

pub(super) fn re_encode(bytes: &[u8], limits: Limits, max_bytes: usize) -> Result<Vec<u8>, String> {
    let mut decoder = open_decoder(bytes).ok_or_else(|| to_unreadable(()))?;
    let mut output = Output::new(max_bytes);
    let encoding_result = re_encode_frames(&mut decoder, &mut output, limits.pixels)?;
    output.finish(encoding_result)
}

/// Re-encodes all frames. The outer error is one sentence about the input; the inner result is the encoder's.
fn re_encode_frames(
    decoder: &mut Decoder<&[u8]>,
    output: &mut Output,
    max_pixels: u64,
) -> Result<Result<(), gif::EncodingError>, String> {
    let global_palette = decoder.global_palette().unwrap_or_default().to_vec();
    let mut encoder = match Encoder::new(output, decoder.width(), decoder.height(), &global_palette) {
        Ok(encoder) => encoder,
        Err(error) => return Ok(Err(error)),
    };
    if let Err(error) = encoder.set_repeat(Repeat::Infinite) {
        return Ok(Err(error));
    }
    let (mut pixels, mut frame_count, mut indexes) = (0, 0, Vec::new());
    while let Some(frame) = decoder.next_frame_info().map_err(to_unreadable)? {
        let mut frame = frame.clone();
        frame_count += 1;
        pixels += u64::from(frame.width) * u64::from(frame.height);
        if frame_count > MAX_FRAMES {
            return Err(format!("The animation has too many frames: send at most {MAX_FRAMES}."));
        }
        if pixels > max_pixels {
            return Err(too_many_pixels(pixels, max_pixels, "a GIF, all frames together"));
        }
        indexes.resize(decoder.buffer_size(), 0);
        decoder.read_into_buffer(&mut indexes).map_err(to_unreadable)?;
        // The decoder has already ordered the rows.
        frame.interlaced = false;
        frame.buffer = std::mem::take(&mut indexes).into();
        if let Err(error) = encoder.write_frame(&frame) {
            return Ok(Err(error));
        }
        indexes = frame.buffer.into_owned();
    }
    if frame_count == 0 { Err(to_unreadable(())) } else { Ok(encoder.into_inner().map(drop)) }
}

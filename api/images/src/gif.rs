//! GIF: each frame is decoded to its color indexes and encoded from them, so that colors do not change and only one frame is in
//! memory.
//! Comments and other extensions are removed.

use gif::{DecodeOptions, Decoder, Encoder, MemoryLimit, Repeat};
use image::metadata::Orientation;

use super::output::Output;
use super::{Header, Limits, broken, too_many_pixels};

/// Maximum number of frames of an animation. Long ones have a few hundred.
const MAX_FRAMES: u32 = 1_000;
/// Bytes per pixel of a frame: its color index and its compressed output.
const BYTES_PER_PIXEL: u64 = 3;
/// Tables of both compressors.
const WORK_BYTES: u64 = 1 << 20;

fn decoder(bytes: &[u8]) -> Option<Decoder<&[u8]>> {
    let mut options = DecodeOptions::new();
    // A frame outside of the canvas could be larger than its header says.
    options.check_frame_consistency(true);
    // Extensions that the decoder keeps are parts of the file.
    options.set_memory_limit(MemoryLimit::Bytes(std::num::NonZeroU64::new(bytes.len() as u64)?));
    options.read_info(bytes).ok()
}

pub(super) fn header(bytes: &[u8]) -> Option<Header> {
    let decoder = decoder(bytes)?;
    Some(Header {
        width: decoder.width().into(),
        height: decoder.height().into(),
        orientation: Orientation::NoTransforms,
        kind: "a GIF",
        bytes_per_pixel: BYTES_PER_PIXEL,
        fixed_bytes: WORK_BYTES + bytes.len() as u64,
    })
}

pub(super) fn rewrite(bytes: &[u8], limits: Limits, most: usize) -> Result<Vec<u8>, String> {
    let mut decoder = decoder(bytes).ok_or_else(|| broken(()))?;
    let mut out = Output::new(most);
    let refused = copy(&mut decoder, &mut out, limits.pixels);
    match refused {
        Ok(written) => out.finish(written),
        Err(why) => Err(why),
    }
}

/// The error of the input, otherwise the written bytes.
fn copy(
    decoder: &mut Decoder<&[u8]>,
    out: &mut Output,
    most_pixels: u64,
) -> Result<Result<(), gif::EncodingError>, String> {
    let global = decoder.global_palette().unwrap_or_default().to_vec();
    let mut encoder = match Encoder::new(out, decoder.width(), decoder.height(), &global) {
        Ok(encoder) => encoder,
        Err(error) => return Ok(Err(error)),
    };
    if let Err(error) = encoder.set_repeat(Repeat::Infinite) {
        return Ok(Err(error));
    }
    let (mut pixels, mut count, mut indexes) = (0, 0, Vec::new());
    while let Some(frame) = decoder.next_frame_info().map_err(broken)? {
        let mut frame = frame.clone();
        count += 1;
        pixels += u64::from(frame.width) * u64::from(frame.height);
        if count > MAX_FRAMES {
            return Err(format!("The animation has too many frames: send at most {MAX_FRAMES}."));
        }
        if pixels > most_pixels {
            return Err(too_many_pixels(pixels, most_pixels, "a GIF, all frames together"));
        }
        indexes.resize(decoder.buffer_size(), 0);
        decoder.read_into_buffer(&mut indexes).map_err(broken)?;
        // The decoder has put the rows in order.
        frame.interlaced = false;
        frame.buffer = std::mem::take(&mut indexes).into();
        if let Err(error) = encoder.write_frame(&frame) {
            return Ok(Err(error));
        }
        indexes = frame.buffer.into_owned();
    }
    if count == 0 { Err(broken(())) } else { Ok(encoder.into_inner().map(drop)) }
}

//! Creates small image files that need much memory to decode: one for each way in which a decoder can expand its input, and large
//! photos. If no encoder can write such a file, this module writes its bytes. For tests only.

use image::codecs::jpeg::JpegEncoder;
use image::{ImageFormat, RgbImage};
use panel_kernel::random::Random;

/// A description and the bytes of an image file.
pub(crate) type NamedImage = (&'static str, Vec<u8>);

/// Every hostile image. A file that the server accepts is about as large as its limits allow.
pub(crate) fn hostile_images() -> Vec<NamedImage> {
    let compressed_text =
        pixel_stream(&black_png(10_000, 10_000, png::ColorType::Grayscale, png::BitDepth::Eight));
    let small_png = black_png(64, 64, png::ColorType::Rgb, png::BitDepth::Eight);
    vec![
        // The file has 194 kB. Decoding it needed 390 MB before the server limited the number of pixels.
        ("png 100 MP", black_png(10_000, 10_000, png::ColorType::Grayscale, png::BitDepth::Sixteen)),
        ("png 100 MP of one bit", black_png(10_000, 10_000, png::ColorType::Grayscale, png::BitDepth::One)),
        ("png 25 MP", black_png(5_000, 5_000, png::ColorType::Rgba, png::BitDepth::Eight)),
        ("png interlaced 7 MP", interlaced_png(2_600)),
        ("png zTXt 100 MB", insert_chunk(&small_png, b"zTXt", &[b"a\0\0", &compressed_text[..]].concat())),
        (
            "png iTXt 100 MB",
            insert_chunk(&small_png, b"iTXt", &[b"a\0\x01\0\0\0", &compressed_text[..]].concat()),
        ),
        ("png iCCP 100 MB", insert_chunk(&small_png, b"iCCP", &[b"a\0\0", &compressed_text[..]].concat())),
        ("png noise 1 MB", encode(ImageFormat::Png, &noise_image(590, 590))),
        ("gif huge screen", black_gif(u16::MAX, (1, 1), 3)),
        ("gif 12 MP", black_gif(3_500, (3_500, 3_500), 1)),
        ("gif 1,000 frames", black_gif(150, (150, 150), 1_000)),
        ("gif 5,000 frames", black_gif(60, (60, 60), 5_000)),
        ("webp lossless 256 MP", wrap_webp(b"VP8L", &lossless_data(16_000, 16_000))),
        ("webp lossless 2.5 MP", wrap_webp(b"VP8L", &lossless_data(1_600, 1_600))),
        ("webp lossy 48 MP", wrap_webp(b"VP8 ", &lossy_data(3_000, 16_000))),
        ("webp lossy 2.5 MP", wrap_webp(b"VP8 ", &lossy_data(1_600, 1_600))),
        ("jpeg 3,600 MP", gray_jpeg(60_000, 60_000, false)),
        ("jpeg 12 MP", gray_jpeg(4_000, 3_000, false)),
        ("jpeg progressive 6 MP", gray_jpeg(3_000, 2_000, true)),
        ("jpeg progressive 12 MP", gray_jpeg(4_000, 3_000, true)),
        ("jpeg noise 1 MB", noise_jpeg(700, 700)),
    ]
}

/// A small accepted file of each format.
pub(crate) fn harmless_images() -> Vec<NamedImage> {
    vec![
        ("png", black_png(64, 64, png::ColorType::Rgb, png::BitDepth::Eight)),
        ("gif", black_gif(64, (64, 64), 2)),
        ("webp lossless", wrap_webp(b"VP8L", &lossless_data(64, 64))),
        ("webp lossy", wrap_webp(b"VP8 ", &lossy_data(64, 64))),
        ("jpeg", gray_jpeg(64, 64, false)),
        ("jpeg progressive", gray_jpeg(64, 64, true)),
    ]
}

fn noise_image(width: u32, height: u32) -> RgbImage {
    let random = Random::seeded(3);
    RgbImage::from_fn(width, height, |_, _| image::Rgb(random.bytes()))
}

fn encode(format: ImageFormat, image: &RgbImage) -> Vec<u8> {
    let mut buffer = std::io::Cursor::new(Vec::new());
    image.write_to(&mut buffer, format).unwrap();
    buffer.into_inner()
}

fn noise_jpeg(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, 90).encode_image(&noise_image(width, height)).unwrap();
    bytes
}

/// A zlib stream that decompresses to a thousand times as many zeros: the body of a request with `Content-Encoding: deflate`.
pub(crate) fn compressed_zeros() -> Vec<u8> {
    pixel_stream(&black_png(20_000, 20_000, png::ColorType::Grayscale, png::BitDepth::Eight))
}

/// A black image in as few bytes as possible.
fn black_png(width: u32, height: u32, color: png::ColorType, depth: png::BitDepth) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_deflate_compression(png::DeflateCompression::Level(9));
    encoder.set_filter(png::Filter::NoFilter);
    let row_bits = color.samples() * depth as usize * width as usize;
    let row = vec![0; row_bits.div_ceil(8)];
    let mut writer = encoder.write_header().unwrap();
    let mut rows = writer.stream_writer().unwrap();
    for _ in 0..height {
        std::io::Write::write_all(&mut rows, &row).unwrap();
    }
    rows.finish().unwrap();
    writer.finish().unwrap();
    bytes
}

/// Type and data of each chunk of a PNG.
fn parse_chunks(png: &[u8]) -> Vec<(&[u8], &[u8])> {
    let (mut remaining_bytes, mut parsed_chunks) = (&png[8..], Vec::new());
    while let Some((length, after_length)) = remaining_bytes.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        parsed_chunks.push((&after_length[..4], &after_length[4..4 + length]));
        remaining_bytes = &after_length[length + 8..];
    }
    parsed_chunks
}

/// The compressed pixels of a PNG: a zlib stream.
fn pixel_stream(png: &[u8]) -> Vec<u8> {
    parse_chunks(png)
        .into_iter()
        .filter(|(chunk_type, _)| *chunk_type == b"IDAT")
        .flat_map(|(_, data)| data)
        .copied()
        .collect()
}

fn write_png<'c>(chunks: impl IntoIterator<Item = (&'c [u8], &'c [u8])>) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    for (chunk_type, data) in chunks {
        png.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
        png.extend(chunk_type);
        png.extend(data);
        png.extend(crc32(&[chunk_type, data].concat()).to_be_bytes());
    }
    png
}

fn crc32(bytes: &[u8]) -> u32 {
    let shift = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), shift))
}

fn insert_chunk(png: &[u8], chunk_type: &[u8], data: &[u8]) -> Vec<u8> {
    let mut chunks = parse_chunks(png);
    chunks.insert(1, (chunk_type, data));
    write_png(chunks)
}

/// An interlaced PNG. The encoder cannot write it, so this function uses the pixels of an image that is one row higher: these are
/// at least as many zeros, and their order does not matter.
fn interlaced_png(side: u32) -> Vec<u8> {
    let higher_png = black_png(side, side + 1, png::ColorType::Rgba, png::BitDepth::Eight);
    let mut chunks = parse_chunks(&higher_png);
    let (header_type, header_data) = chunks[0];
    let mut header = header_data.to_vec();
    header[4..8].copy_from_slice(&side.to_be_bytes());
    header[12] = 1;
    chunks[0] = (header_type, &header);
    write_png(chunks)
}

/// Black frames on a square screen.
fn black_gif(screen: u16, (width, height): (u16, u16), frames: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = gif::Encoder::new(&mut bytes, screen, screen, &[0, 0, 0, 9, 9, 9]).unwrap();
    let pixels = vec![0; usize::from(width) * usize::from(height)];
    let mut frame = gif::Frame::from_indexed_pixels(width, height, pixels, None);
    frame.make_lzw_pre_encoded();
    for _ in 0..frames {
        encoder.write_lzw_pre_encoded_frame(&frame).unwrap();
    }
    drop(encoder);
    bytes
}

fn wrap_webp(chunk_type: &[u8], data: &[u8]) -> Vec<u8> {
    let mut body = [b"WEBP", chunk_type, &u32::try_from(data.len()).unwrap().to_le_bytes(), data].concat();
    body.resize(body.len().next_multiple_of(2), 0);
    [b"RIFF", &u32::try_from(body.len()).unwrap().to_le_bytes(), &body[..]].concat()
}

/// A lossless image of one color: a prefix code with one symbol needs no bits, so an image of any size has some dozens of bytes.
fn lossless_data(width: u32, height: u32) -> Vec<u8> {
    let mut bits: u128 = 0x2f | u128::from(width - 1) << 8 | u128::from(height - 1) << 22 | 1 << 36;
    // No transforms, no color cache, no meta prefix codes; then five simple prefix codes with one 1-bit symbol each.
    for code in 0..5 {
        bits |= 1 << (43 + 4 * code);
    }
    [&bits.to_le_bytes()[..], &[0; 64]].concat()
}

/// A lossy image with zeros as the data of its blocks.
fn lossy_data(width: u16, height: u16) -> Vec<u8> {
    let blocks = usize::from(width).div_ceil(16) * usize::from(height).div_ceil(16);
    let first_partition_size = blocks * 2 + 1_000;
    let frame_tag = u32::try_from(first_partition_size).unwrap() << 5 | 1 << 4;
    let mut data = frame_tag.to_le_bytes()[..3].to_vec();
    data.extend([0x9d, 0x01, 0x2a]);
    data.extend([width.to_le_bytes(), height.to_le_bytes()].concat());
    data.resize(data.len() + first_partition_size + blocks * 12 + 1_000, 0);
    data
}

/// A gray JPEG of three components with both color components at half the width and height: each block needs one or two bits.
fn gray_jpeg(width: u16, height: u16, is_progressive: bool) -> Vec<u8> {
    let segment = |marker: u8, data: &[u8]| {
        let length = u16::try_from(data.len() + 2).unwrap().to_be_bytes();
        [&[0xff, marker], &length[..], data].concat()
    };
    let mut jpeg = vec![0xff, 0xd8];
    jpeg.extend(segment(0xdb, &[&[0][..], &[8; 64]].concat()));
    let [height_high, height_low] = height.to_be_bytes();
    let [width_high, width_low] = width.to_be_bytes();
    let frame = [8, height_high, height_low, width_high, width_low, 3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0];
    jpeg.extend(segment(if is_progressive { 0xc2 } else { 0xc0 }, &frame));
    for table in [0, 0x10] {
        // A Huffman table with one 1-bit code: no difference to the last block, or the end of the block.
        jpeg.extend(segment(0xc4, &[&[table, 1][..], &[0; 16]].concat()));
    }
    let spectral_end = if is_progressive { 0 } else { 63 };
    jpeg.extend(segment(0xda, &[3, 1, 0, 2, 0, 3, 0, 0, spectral_end, 0]));
    let blocks = usize::from(width).div_ceil(16) * usize::from(height).div_ceil(16);
    let data_bits = blocks * if is_progressive { 6 } else { 12 };
    // Decoders accept image data that ends early, so 1 MB is enough.
    jpeg.resize(jpeg.len() + data_bits.div_ceil(8).min(1 << 20), 0);
    jpeg.extend([0xff, 0xd9]);
    jpeg
}

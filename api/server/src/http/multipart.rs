//! Converts multipart bodies to name-value pairs, independent of the endpoint. A text field's value is its text, a file's value is
//! its data URL, as in a JSON body. The panel accepts only images, so a file with another extension is rejected. File names are not
//! stored.

use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use futures_util::stream;
use multer::{Field, Multipart};
use panel_contract::fields::FieldErrors;
use panel_contract::form::{MAX_FIELDS, check_field_count};
use panel_contract::upload::to_data_url;
use panel_kernel::error::Result;

/// The boundary in the request's `Content-Type`; `None` if the body is not multipart.
pub(crate) fn parse_boundary(headers: &HeaderMap) -> Option<String> {
    multer::parse_boundary(headers.get(header::CONTENT_TYPE)?.to_str().ok()?).ok()
}

/// Extensions of image files.
const IMAGE_EXTENSIONS: [&str; 6] = ["png", "jpg", "jpeg", "jfif", "webp", "gif"];

/// Number of bytes that the parser gets at a time. The parser copies them, and would otherwise copy the whole body at once.
const SLICE_BYTES: usize = 64 * 1024;

/// The fields of a complete body, in the order of the body.
pub(crate) async fn parse_fields(body: Bytes, boundary: String) -> Result<Vec<(String, String)>> {
    let max_bytes = body.len();
    let mut parts = Multipart::new(slice_stream(body), boundary);
    let mut fields = Vec::new();
    while let Some(part) = parts.next_field().await.map_err(malformed_body_error)? {
        check_field_count(fields.len() + 1, MAX_FIELDS)?;
        let name = part.name().unwrap_or_default().to_owned();
        let is_file = part.file_name().is_some();
        if let Some(extension) = part.file_name().and_then(unsupported_extension) {
            let message =
                format!("A .{extension} file is not supported. Send a PNG, JPEG, WebP or GIF image.");
            return Err(FieldErrors::single(&*name, message).into());
        }
        let bytes = read_part(part, max_bytes).await?;
        let value = match is_file {
            // Browsers send an empty file field as a file of zero bytes.
            true if bytes.is_empty() => String::new(),
            true => to_data_url(&bytes),
            false => String::from_utf8(bytes)
                .map_err(|_| FieldErrors::single(&*name, "The text must be UTF-8."))?,
        };
        fields.push((name, value));
    }
    Ok(fields)
}

/// The extension of a file name; `None` for an image extension and for a name without an extension, which API clients often send.
fn unsupported_extension(file_name: &str) -> Option<String> {
    let name = file_name.rsplit(['/', '\\']).next()?;
    let (_, extension) = name.rsplit_once('.')?;
    let is_image =
        IMAGE_EXTENSIONS.iter().any(|image_extension| extension.eq_ignore_ascii_case(image_extension));
    (!is_image).then(|| extension.chars().filter(char::is_ascii_alphanumeric).take(10).collect())
}

/// Streams the body in slices, with a yield after each slice. The parser buffers all data that is ready before it returns a part.
/// If the end of the stream were ready together with the last slice, the parser would lose that slice.
fn slice_stream(
    body: Bytes,
) -> impl futures_util::Stream<Item = std::result::Result<Bytes, std::convert::Infallible>> {
    stream::unfold((body, true), |(mut remaining_body, is_first)| async move {
        if !is_first {
            tokio::task::yield_now().await;
        }
        if remaining_body.is_empty() {
            return None;
        }
        let slice = remaining_body.split_to(remaining_body.len().min(SLICE_BYTES));
        Some((Ok(slice), (remaining_body, false)))
    })
}

/// Reads the bytes of a part; a part has at most `max_bytes`. A part of several chunks gets a buffer of the maximum size at once,
/// because a growing buffer would leave freed blocks of each size with the allocator. Memory that is not written is not used.
async fn read_part(mut part: Field<'_>, max_bytes: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = part.chunk().await.map_err(malformed_body_error)? {
        if bytes.len() + chunk.len() > bytes.capacity() {
            let additional_bytes =
                if bytes.is_empty() { chunk.len() } else { max_bytes.saturating_sub(bytes.len()) };
            bytes.reserve_exact(additional_bytes.max(chunk.len()));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

fn malformed_body_error(_: multer::Error) -> FieldErrors {
    FieldErrors::single(
        "body",
        "The multipart body is malformed. Check its boundary and parts and send it again.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use panel_kernel::error::Error;

    #[tokio::test]
    async fn reads_bodies_of_any_length() {
        // In these cases, boundaries and the end of the body are before, at and after the end of a slice.
        for length in [0, 1, SLICE_BYTES - 100, SLICE_BYTES - 60, SLICE_BYTES, 3 * SLICE_BYTES + 5] {
            for prefix_length in [0, 3, SLICE_BYTES - 2, SLICE_BYTES] {
                let (text, prefix) = ("x".repeat(length), " ".repeat(prefix_length));
                let body = format!(
                    "{prefix}\r\n--b\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\n{text}\r\n--b\r\ncontent-disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n{text}\r\n--b--\r\n"
                );
                let fields = parse_fields(body.into(), "b".to_owned()).await.unwrap();
                let file = if length == 0 { String::new() } else { to_data_url(text.as_bytes()) };
                assert!(
                    fields == [("a".to_owned(), text), ("f".to_owned(), file)],
                    "{length} {prefix_length}"
                );
            }
        }
    }

    #[tokio::test]
    async fn rejects_a_file_with_another_extension_and_names_its_field() {
        let parse_with_file_name = |name: &str| {
            let body = format!(
                "--b\r\ncontent-disposition: form-data; name=\"icon\"; filename=\"{name}\"\r\ncontent-type: image/png\r\n\r\nx\r\n--b--\r\n"
            );
            parse_fields(body.into(), "b".to_owned())
        };
        for name in
            ["a.png", "A.PNG", "a.b.jpeg", "a.jpg", "photo.jfif", "a.webp", "a.gif", "blob", "x/y.d/blob", ""]
        {
            assert!(parse_with_file_name(name).await.is_ok(), "{name}");
        }
        for name in [
            "a.php",
            "a.png.exe",
            "a.svg",
            "a.html",
            "a.png.",
            ".htaccess",
            "a.pngx",
            "a.png ",
            "a.\u{202e}gnp",
        ] {
            let Err(Error::Rejected(rejection)) = parse_with_file_name(name).await else {
                panic!("{name} was accepted")
            };
            assert!(rejection.kind.status() == 422 && rejection.errors.0.contains_key("icon"), "{name}");
        }
    }

    #[tokio::test]
    async fn rejects_more_parts_than_the_limit() {
        let part = "--b\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\n1\r\n";
        let parse_with_parts =
            |count| parse_fields(format!("{}--b--\r\n", part.repeat(count)).into(), "b".to_owned());
        assert_eq!(parse_with_parts(MAX_FIELDS).await.unwrap().len(), MAX_FIELDS);
        assert!(parse_with_parts(MAX_FIELDS + 1).await.is_err());
    }

    #[test]
    fn fuzz_multipart() {
        const SAMPLE: &str = "--x\r\ncontent-disposition: form-data; name=\"a[b]\"\r\n\r\n1\r\n--x\r\ncontent-disposition: form-data; name=\"f\"; filename=\"a.png\"\r\ncontent-type: image/png\r\n\r\n\u{0}\u{1}\r\n--x--\r\n";
        const TOKENS: &[&str] = &[
            "--x",
            "--x--",
            "\r\n",
            "\r\n\r\n",
            "\"",
            ";",
            "name=",
            "filename*=utf-8''",
            "content-type: ",
            ":",
            "\0",
        ];
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mutations = panel_fuzz::Mutations { tokens: TOKENS, max_changes: 6, max_bytes: 64 << 10 };
        let inputs = panel_fuzz::mutated_bytes(vec![SAMPLE.as_bytes().to_vec()], mutations);
        panel_fuzz::FuzzTarget::new("panel-server", "multipart").run(inputs, |input| {
            let body = Bytes::from(input.to_vec());
            drop(runtime.block_on(parse_fields(body, "x".to_owned())));
        });
    }
}

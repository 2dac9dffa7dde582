//! Multipart bodies as fields: a text is its text, a file is its data URL, as the same field has it in JSON.
//! Nothing here knows what a field means.

use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use futures_util::stream;
use multer::Multipart;
use panel_contract::fields::FieldErrors;
use panel_contract::form::MAX_FIELDS;
use panel_contract::upload::data_url;

use crate::http::error::Result;

/// The boundary that a request's content type names; none when it is no multipart body.
pub(crate) fn boundary(headers: &HeaderMap) -> Option<String> {
    multer::parse_boundary(headers.get(header::CONTENT_TYPE)?.to_str().ok()?).ok()
}

/// The fields of a whole body, in its order.
pub(crate) async fn fields(body: Bytes, boundary: String) -> Result<Vec<(String, String)>> {
    let mut parts = Multipart::new(stream::iter([Ok::<_, std::convert::Infallible>(body)]), boundary);
    let mut fields = Vec::new();
    while let Some(part) = parts.next_field().await.map_err(unreadable)? {
        if fields.len() == MAX_FIELDS {
            return Err(FieldErrors::one("body", format!("Send at most {MAX_FIELDS} fields.")).into());
        }
        let name = part.name().unwrap_or_default().to_owned();
        let is_file = part.file_name().is_some();
        let bytes = part.bytes().await.map_err(unreadable)?;
        let text = match is_file {
            // A browser sends a file field that was left empty as a file without a byte.
            true if bytes.is_empty() => String::new(),
            true => data_url(&bytes),
            false => String::from_utf8(bytes.to_vec())
                .map_err(|_| FieldErrors::one(&*name, "The text must be UTF-8."))?,
        };
        fields.push((name, text));
    }
    Ok(fields)
}

fn unreadable(_: multer::Error) -> FieldErrors {
    FieldErrors::one("body", "The multipart body cannot be read; send it again.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_form_has_so_many_fields() {
        let form = |count: usize| {
            let part = "--x\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\n1\r\n";
            Bytes::from(format!("{}--x--\r\n", part.repeat(count)))
        };
        assert_eq!(fields(form(MAX_FIELDS), "x".into()).await.unwrap().len(), MAX_FIELDS);
        assert!(fields(form(MAX_FIELDS + 1), "x".into()).await.is_err());
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
        let with = panel_fuzz::Mutations { tokens: TOKENS, most: 6, longest: 64 << 10 };
        let inputs = panel_fuzz::samples(vec![SAMPLE.as_bytes().to_vec()], with);
        panel_fuzz::Run::new("panel-server", "multipart").on(inputs, |input| {
            let body = Bytes::from(input.to_vec());
            drop(runtime.block_on(fields(body, "x".to_owned())));
        });
    }
}

//! Fills the placeholders of an address that staff entered, such as `https://tool.example/?url={url}`. It percent-encodes the
//! values, so that the input of a customer cannot change the other parts of the address. No I/O.

use url::form_urlencoded;

/// Replaces each placeholder by its encoded value. A placeholder without a value does not change.
#[must_use]
pub fn fill_template(template: &str, values: &[(&str, &str)]) -> String {
    // Encoded values contain no braces, so the next replacement cannot find a placeholder in them.
    values.iter().fold(template.to_owned(), |address, (name, value)| {
        address.replace(&format!("{{{name}}}"), &percent_encode(value))
    })
}

/// Encodes a text for any part of an address. The encoding of forms writes a space as `+`, which means a plus sign in a path.
fn percent_encode(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

#[cfg(test)]
mod tests {
    use super::fill_template;

    #[test]
    fn values_cannot_change_the_rest_of_the_address() {
        let fill = |template| {
            let url = "https://a.example/?v=1+2&x={type}";
            fill_template(template, &[("url", url), ("type", "views"), ("network", "Video ü")])
        };
        assert_eq!(
            fill("https://c.example/{type}?u={url}"),
            "https://c.example/views?u=https%3A%2F%2Fa.example%2F%3Fv%3D1%2B2%26x%3D%7Btype%7D"
        );
        assert_eq!(fill("https://c.example/{network}/{other}{"), "https://c.example/Video%20%C3%BC/{other}{");
        assert_eq!(fill("https://c.example/?u={url}&again={url}").matches("%7Btype%7D").count(), 2);
    }
}

//! Address templates of staff with placeholders in braces, such as `https://tool.example/?url={url}`. Values are percent-encoded, so
//! that the input of a customer cannot change the rest of the address. Pure.

use url::form_urlencoded;

/// Replaces each placeholder by its encoded value; a placeholder without a value is left unchanged.
#[must_use]
pub fn fill_template(template: &str, places: &[(&str, &str)]) -> String {
    // Encoded values hold no braces, so that none of them can be mistaken for a placeholder.
    places.iter().fold(template.to_owned(), |address, (place, value)| {
        address.replace(&format!("{{{place}}}"), &encoded(value))
    })
}

/// Encodes for any part of an address: the encoding of forms writes a space as `+`, which is a plus sign in a path.
fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

#[cfg(test)]
mod tests {
    use super::fill_template;

    #[test]
    fn values_cannot_change_the_rest_of_the_address() {
        let of = |template| {
            let url = "https://a.example/?v=1+2&x={type}";
            fill_template(template, &[("url", url), ("type", "views"), ("network", "Video ü")])
        };
        assert_eq!(
            of("https://c.example/{type}?u={url}"),
            "https://c.example/views?u=https%3A%2F%2Fa.example%2F%3Fv%3D1%2B2%26x%3D%7Btype%7D"
        );
        assert_eq!(of("https://c.example/{network}/{other}{"), "https://c.example/Video%20%C3%BC/{other}{");
        assert_eq!(of("https://c.example/?u={url}&again={url}").matches("%7Btype%7D").count(), 2);
    }
}

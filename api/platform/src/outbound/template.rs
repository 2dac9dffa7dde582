//! Addresses that staff write with places in braces, such as `https://tool.example/?url={url}`. What fills a place is
//! encoded, so it stays within it, whatever a customer typed. Pure.

use url::form_urlencoded;

/// The template with each named place filled; a place without a value stays as it is.
#[must_use]
pub fn fill(template: &str, places: &[(&str, &str)]) -> String {
    // What is encoded holds no braces: nothing filled in is taken for a place.
    places.iter().fold(template.to_owned(), |address, (place, value)| {
        address.replace(&format!("{{{place}}}"), &encoded(value))
    })
}

/// Encoded for any part of an address: a form writes a space as `+`, which in a path is a plus sign.
fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn what_is_filled_in_stays_in_its_place() {
        let of = |template| {
            let url = "https://a.example/?v=1+2&x={type}";
            fill(template, &[("url", url), ("type", "views"), ("network", "Video ü")])
        };
        assert_eq!(
            of("https://c.example/{type}?u={url}"),
            "https://c.example/views?u=https%3A%2F%2Fa.example%2F%3Fv%3D1%2B2%26x%3D%7Btype%7D"
        );
        assert_eq!(of("https://c.example/{network}/{other}{"), "https://c.example/Video%20%C3%BC/{other}{");
        assert_eq!(of("https://c.example/?u={url}&again={url}").matches("%7Btype%7D").count(), 2);
    }
}

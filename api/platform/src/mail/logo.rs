//! The image above the text of each email.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logo {
    pub bytes: Vec<u8>,
    /// Such as `image/png`.
    pub media_type: &'static str,
    /// The text alternative of the image.
    pub alt: String,
}

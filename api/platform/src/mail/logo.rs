//! The logo above the text of each email.

/// The image attached to emails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logo {
    /// The encoded image.
    pub bytes: Vec<u8>,
    /// Its media type, such as `image/png`.
    pub media_type: &'static str,
    /// The text alternative.
    pub alt: String,
}

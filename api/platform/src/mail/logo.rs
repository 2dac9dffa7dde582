//! The logo above the text of each email.

/// The image attached to emails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logo {
    /// The image.
    pub bytes: Vec<u8>,
    /// Its media type, such as `image/png`.
    pub media_type: &'static str,
    /// What it shows, in words.
    pub alt: String,
}

//! The protocol between panels as this panel writes it and as others do: the words that are known, and the texts of this panel's own
//! answers. Pure.

pub mod known;
pub mod own_texts;
pub mod rejections;

/// What panels of this product say they are.
pub const OWN_NAME: &str = "panel";

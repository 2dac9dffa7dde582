//! The protocol between panels as this panel writes it and as others do: calls, answers, known error messages, and the texts that
//! panels of this product add. Pure: bytes and values in, values out.

pub mod add_order;
pub mod known;
pub mod messages;
pub mod own_texts;
pub mod read;
pub mod rejections;
pub mod statistic;

/// The name by which panels of this product answer.
pub const OWN_NAME: &str = "panel";

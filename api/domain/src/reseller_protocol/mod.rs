//! The protocol between reseller panels, in the variants that this panel and external panels use: requests, responses, known error
//! messages, and the additional texts of panels of this product. Pure functions without I/O.

pub mod add_order;
pub mod delivered_quantity;
pub mod extended_texts;
pub mod known_messages;
pub mod rejection_messages;
pub mod rejections;
pub mod responses;

/// The value of the field `panel` in responses of panels of this product.
pub const PRODUCT_NAME: &str = "panel";

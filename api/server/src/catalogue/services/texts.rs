//! What people read of a service.

use crate::records::texts::{Text, Texts};

/// What a service has in every language.
pub const TEXTS: Texts = Texts {
    owner: "service",
    fields: &[
        Text { field: "name", most: 255 },
        Text { field: "example_link", most: 2_000 },
        Text { field: "speed", most: 255 },
        Text { field: "geo", most: 255 },
        Text { field: "requirements", most: 5_000 },
        Text { field: "guarantee", most: 255 },
        Text { field: "start_time", most: 255 },
        Text { field: "short_description", most: 2_000 },
        Text { field: "reviews", most: 20_000 },
        Text { field: "description", most: 50_000 },
        Text { field: "meta_description", most: 1_000 },
        Text { field: "meta_title", most: 255 },
    ],
};

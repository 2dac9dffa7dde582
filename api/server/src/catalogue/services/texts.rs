//! The texts of a service that staff translate.

use crate::records::texts::{TextField, TextFields};

pub const TEXTS: TextFields = TextFields {
    owner_type: "service",
    fields: &[
        TextField { field: "name", max_chars: 255 },
        TextField { field: "example_link", max_chars: 2_000 },
        TextField { field: "speed", max_chars: 255 },
        TextField { field: "geo", max_chars: 255 },
        TextField { field: "requirements", max_chars: 5_000 },
        TextField { field: "guarantee", max_chars: 255 },
        TextField { field: "start_time", max_chars: 255 },
        TextField { field: "short_description", max_chars: 2_000 },
        TextField { field: "reviews", max_chars: 20_000 },
        TextField { field: "description", max_chars: 50_000 },
        TextField { field: "meta_description", max_chars: 1_000 },
        TextField { field: "meta_title", max_chars: 255 },
    ],
};

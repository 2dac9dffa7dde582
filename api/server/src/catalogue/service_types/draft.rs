//! Validates the editable fields of a service type. This module does not use the database.

use panel_contract::amount::Fraction;
use panel_contract::common::Translations;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::NetworkId;
use panel_contract::service_types::{ServiceTypeInput, ServiceTypeKind};
use panel_domain::fields;
use serde::Serialize;

use crate::records::changes;
use crate::records::texts::{self, TextField, TextFields};

const MAX_REVIEWS: i64 = 10_000_000;
/// 5 stars, in parts per million.
const MAX_RATING_PPM: i64 = 5_000_000;

/// The texts of a service type that staff translate.
pub const TEXTS: TextFields = TextFields {
    owner_type: "service_type",
    fields: &[
        TextField { field: "name", max_chars: 100 },
        TextField { field: "title", max_chars: 255 },
        TextField { field: "short_description", max_chars: 2_000 },
        TextField { field: "reviews", max_chars: 20_000 },
        TextField { field: "faq", max_chars: 20_000 },
        TextField { field: "meta_title", max_chars: 255 },
        TextField { field: "meta_description", max_chars: 1_000 },
    ],
};

/// A service type as staff edit it and as the change log shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ServiceTypeDraft {
    pub name: String,
    /// `None` only before the service type is created.
    #[serde(serialize_with = "changes::serialize_none_as_zero")]
    pub network: Option<NetworkId>,
    pub title: Option<String>,
    pub description: Option<String>,
    pub full_description: Option<String>,
    #[serde(rename = "type")]
    pub kind: Option<ServiceTypeKind>,
    pub slug: Option<String>,
    pub icon: Option<String>,
    pub color: Option<String>,
    pub reviews_count: i64,
    pub reviews_rating: Fraction,
    /// Imports add the services of this category of external panels to this service type. Unique in a network.
    pub panel_category: Option<String>,
    pub translations: Translations,
}

impl ServiceTypeDraft {
    /// Returns the draft with the changes of an input. `errors` holds the errors that the caller has already found; the result
    /// contains them too.
    pub fn apply(mut self, input: &ServiceTypeInput, mut errors: FieldErrors) -> Result<Self, FieldErrors> {
        let (name, translations) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(&mut errors, &TEXTS, &self.translations, name, translations);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        self.network = input.network.or(self.network);
        if self.network.is_none_or(|id| id.get() == 0) {
            errors.add("network", "Choose a network.");
        }
        fields::apply_text(&mut errors, "title", &input.title, &mut self.title, 255);
        fields::apply_text(&mut errors, "description", &input.description, &mut self.description, 2_000);
        let full_description = &mut self.full_description;
        fields::apply_text(
            &mut errors,
            "full_description",
            &input.full_description,
            full_description,
            50_000,
        );
        self.kind = input.kind.or(self.kind);
        fields::apply_slug(&mut errors, "slug", &input.slug, &mut self.slug);
        fields::apply_color(&mut errors, "color", &input.color, &mut self.color);
        fields::apply_integer(
            &mut errors,
            "reviews_count",
            input.reviews_count,
            &mut self.reviews_count,
            0..=MAX_REVIEWS,
        );
        match input.reviews_rating {
            Some(rating) if (0..=MAX_RATING_PPM).contains(&rating.0) => self.reviews_rating = rating,
            Some(_) => errors.add("reviews_rating", "Enter a rating from 0 to 5."),
            None => {}
        }
        errors.into_result(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_each_invalid_field_of_a_service_type() {
        let error_fields = |body: &str| {
            let input: ServiceTypeInput = FieldErrors::from_json(body.as_bytes()).unwrap();
            let result = ServiceTypeDraft::default().apply(&input, FieldErrors::default());
            result.map(|_| ()).unwrap_err().0.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(error_fields("{}"), ["name", "network"]);
        let body = r#"{"name":"Likes","network":1,"reviews_rating":"5.1","reviews_count":-1,"slug":"Ä","color":"red"}"#;
        assert_eq!(error_fields(body), ["color", "reviews_count", "reviews_rating", "slug"]);
    }
}

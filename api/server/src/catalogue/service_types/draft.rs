//! What a service type may become: an input over what it was, pure.

use panel_contract::amount::Fraction;
use panel_contract::common::Translations;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::NetworkId;
use panel_contract::service_types::{ServiceTypeInput, ServiceTypeKind};
use panel_domain::fields;
use serde::Serialize;

use crate::records::changes;
use crate::records::texts::{self, Text, Texts};

/// What a service type has in every language.
pub const TEXTS: Texts = Texts {
    owner: "service_type",
    fields: &[
        Text { field: "name", most: 100 },
        Text { field: "title", most: 255 },
        Text { field: "short_description", most: 2_000 },
        Text { field: "reviews", most: 20_000 },
        Text { field: "faq", most: 20_000 },
        Text { field: "meta_title", most: 255 },
        Text { field: "meta_description", most: 1_000 },
    ],
};

/// A service type as it is written and as the audit trail shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ServiceTypeDraft {
    pub name: String,
    /// Network; none yet for a new one.
    #[serde(serialize_with = "changes::none_as_zero")]
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
    /// The category of external panels that it keeps.
    pub panel_category: Option<String>,
    pub translations: Translations,
}

impl ServiceTypeDraft {
    /// After an input; each wrong field is named.
    pub fn with(mut self, input: &ServiceTypeInput, mut errors: FieldErrors) -> Result<Self, FieldErrors> {
        let errors_now = &mut errors;
        let (name, given) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(errors_now, &TEXTS, &self.translations, name, given);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        self.network = input.network.or(self.network);
        if self.network.is_none_or(|id| id.get() == 0) {
            errors_now.add("network", "Choose the network that it belongs to.");
        }
        fields::text(errors_now, "title", &input.title, &mut self.title, 255);
        fields::text(errors_now, "description", &input.description, &mut self.description, 2_000);
        let full = &mut self.full_description;
        fields::text(errors_now, "full_description", &input.full_description, full, 50_000);
        self.kind = input.kind.or(self.kind);
        fields::slug(errors_now, "slug", &input.slug, &mut self.slug);
        fields::color(errors_now, "color", &input.color, &mut self.color);
        fields::whole(
            errors_now,
            "reviews_count",
            input.reviews_count,
            &mut self.reviews_count,
            0..=10_000_000,
        );
        match input.reviews_rating {
            Some(rating) if (0..=5_000_000).contains(&rating.0) => self.reviews_rating = rating,
            Some(_) => errors_now.add("reviews_rating", "Give a rating from 0 to 5."),
            None => {}
        }
        errors.or(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wrong_field_of_a_service_type_is_named() {
        let wrong = |body: &str| {
            let input: ServiceTypeInput = FieldErrors::from_json(body.as_bytes()).unwrap();
            let judged = ServiceTypeDraft::default().with(&input, FieldErrors::default());
            judged.map(|_| ()).unwrap_err().0.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(wrong("{}"), ["name", "network"]);
        let body = r#"{"name":"Likes","network":1,"reviews_rating":"5.1","reviews_count":-1,"slug":"Ä","color":"red"}"#;
        assert_eq!(wrong(body), ["color", "reviews_count", "reviews_rating", "slug"]);
    }
}

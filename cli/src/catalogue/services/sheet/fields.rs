//! The fields of a service in a file.

use serde_json::{Map, Value, json};

use crate::sheet::Schema;
use crate::sheet::field::{Field, Kind};

const fn list_field(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, can_be_empty: false, is_in_list: true }
}

const fn optional_field(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, can_be_empty: true, is_in_list: false }
}

const fn required_field(name: &'static str, kind: Kind) -> Field {
    Field { can_be_empty: false, ..optional_field(name, kind) }
}

/// Names and descriptions by language, such as `name.de`. The English name is the field `name`.
macro_rules! translated_fields {
    ($($locale:literal),+ $(,)?) => {
        &[
            $(optional_field(concat!("name.", $locale), Kind::Text),)+
            optional_field("short_description.en", Kind::Text),
            $(optional_field(concat!("short_description.", $locale), Kind::Text),)+
            optional_field("description.en", Kind::Text),
            $(optional_field(concat!("description.", $locale), Kind::Text),)+
        ]
    };
}

const TEXT_FIELDS: &[Field] =
    translated_fields!("ru", "es", "fr", "de", "hi_IN", "ko", "pt_BR", "tr", "vi", "zh_CN", "ja");

const FIELDS: &[Field] = &[
    list_field("name", Kind::Text),
    list_field("service_type_id", Kind::Whole),
    list_field("default_price", Kind::Money),
    list_field("min_price", Kind::Money),
    list_field("pricing_per", Kind::Whole),
    list_field("min_quantity", Kind::Whole),
    list_field("max_quantity", Kind::Whole),
    list_field("quantity_step", Kind::Whole),
    list_field("is_enabled", Kind::Flag),
    list_field("moderation_is_enabled", Kind::Flag),
    list_field("has_refill", Kind::Flag),
    list_field("drip_feed_is_allowed", Kind::Flag),
    required_field("auto_refill_is_allowed", Kind::Flag),
    required_field("api_access", Kind::Flag),
    required_field("restricted_access", Kind::Flag),
    required_field("can_speedup", Kind::Flag),
    required_field("no_refund", Kind::Flag),
    required_field("is_deactivated", Kind::Flag),
    required_field("url_is_required", Kind::Flag),
    required_field("real_counter_complete_is_enabled", Kind::Flag),
    required_field("cancel_by_client_is_allowed", Kind::Flag),
    required_field("auto_cancel", Kind::Flag),
    required_field("gather_statistic", Kind::Flag),
    required_field("calculable_quantity", Kind::Flag),
    required_field("forbids_orders_with_same_url", Kind::Flag),
    required_field("sync_params", Kind::Flag),
    required_field("sync_prices", Kind::Flag),
    required_field("sync_labels", Kind::Flag),
    required_field("sync_name", Kind::Flag),
    required_field("sync_meta", Kind::Flag),
    required_field("sync_service_details", Kind::Flag),
    required_field("sync_description_field", Kind::Flag),
    required_field("sync_short_description", Kind::Flag),
    required_field("sync_reviews", Kind::Flag),
    required_field("panel_service_type", Kind::Text),
    optional_field("admin_note", Kind::Text),
    optional_field("auto_refill_after_hours", Kind::Whole),
    optional_field("auto_refill_once_fill_fraction", Kind::Fraction),
    optional_field("auto_refill_min_drop_fraction", Kind::Fraction),
    optional_field("auto_refill_max_drop_fraction", Kind::Fraction),
    optional_field("auto_refill_max_total_refilled_fraction", Kind::Fraction),
    optional_field("order_quantity_ratio", Kind::Fraction),
    optional_field("default_quantity_for_order_widget", Kind::Whole),
    optional_field("budget_multiplier", Kind::Fraction),
    required_field("full_description_location", Kind::Text),
    optional_field("slug", Kind::Text),
    optional_field("buy_page_url", Kind::Text),
    optional_field("resale_margin_fraction", Kind::Fraction),
    optional_field("promotable_checker_group_id", Kind::Whole),
    optional_field("live_stream_support_minutes", Kind::Whole),
    optional_field("live_stream_retention_quantity_multiplier", Kind::Fraction),
    optional_field("labels", Kind::Ids),
    optional_field("providers", Kind::Ids),
    optional_field("countries", Kind::Codes),
    optional_field("targets", Kind::Ids),
];

/// The schema of a file of services.
pub(crate) static SCHEMA: Schema = Schema {
    singular: "service",
    field_groups: &[FIELDS, TEXT_FIELDS],
    id_advice: "leave its cells empty for new services",
};

pub(super) fn field(name: &str) -> Option<&'static Field> {
    SCHEMA.field(name)
}

/// Applies changes to the texts of a service. Returns the texts of all languages, because the API replaces all texts at once.
pub(super) fn merge_texts(service: Option<&Map<String, Value>>, changes: &[(&str, &str)]) -> Value {
    let mut translations =
        service.and_then(|current| current.get("translations")).cloned().unwrap_or_else(|| json!({}));
    for (name, text) in changes {
        let (text_name, locale) = name.split_once('.').unwrap_or((name, "en"));
        translations[locale][text_name] = (*text).into();
    }
    translations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonicalize(name: &str, cell: &str) -> Result<String, String> {
        field(name).unwrap().canonicalize(cell)
    }

    #[test]
    fn equal_values_have_the_same_canonical_text() {
        for (name, cell, text) in [
            ("default_price", " 2.50 ", "2.5"),
            ("default_price", "1 234.000001", "1234.000001"),
            ("min_quantity", "010", "10"),
            ("is_enabled", "Yes", "true"),
            ("labels", "3; 1,2", "3,1,2"),
            ("countries", "de, at", "DE,AT"),
            ("slug", "", ""),
            ("resale_margin_fraction", "0.200", "0.2"),
        ] {
            assert_eq!(canonicalize(name, cell).as_deref(), Ok(text), "{name} {cell}");
        }
        for (name, cell) in [
            ("default_price", "2.5000001"),
            ("default_price", "2,5"),
            ("default_price", ""),
            ("min_quantity", "1.5"),
            ("is_enabled", "maybe"),
            ("labels", "1,x"),
        ] {
            assert!(canonicalize(name, cell).is_err(), "{name} {cell}");
        }
    }

    #[test]
    fn each_text_has_a_column_for_every_language() {
        use panel_contract::common::LocaleCode;
        for locale in LocaleCode::ALL {
            assert!(field(&format!("description.{locale}")).is_some(), "{locale}");
        }
        let service = json!({ "name": "Likes", "translations": { "en": { "name": "Likes" }, "de": { "name": "Gefällt mir" } } });
        let service = service.as_object();
        let cell_text = |name: &str| field(name).unwrap().cell_text(service.unwrap());
        assert_eq!(
            (cell_text("name.de"), cell_text("description.de")),
            ("Gefällt mir".into(), String::new())
        );
        assert_eq!(
            merge_texts(service, &[("name", "More"), ("description.de", "Viel"), ("name.de", "")]),
            json!({ "en": { "name": "More" }, "de": { "name": "", "description": "Viel" } })
        );
    }

    #[test]
    fn converts_fields_to_texts_and_back() {
        let service = json!({ "name": "Likes", "service_type": { "id": 4, "name": "x" }, "default_price": "2.5", "is_enabled": true, "slug": null,
            "providers": [{ "id": 9, "name": "y" }, { "id": 2, "name": "z" }], "labels": [], "countries": ["DE"] });
        let service = service.as_object().unwrap();
        let text_and_value = |name: &str| {
            let field = field(name).unwrap();
            let text = field.cell_text(service);
            (text.clone(), field.json_value(&text))
        };
        assert_eq!(text_and_value("service_type_id"), ("4".into(), json!(4)));
        assert_eq!(text_and_value("default_price"), ("2.5".into(), json!("2.5")));
        assert_eq!(text_and_value("is_enabled"), ("true".into(), json!(true)));
        assert_eq!(text_and_value("slug"), (String::new(), Value::Null));
        assert_eq!(text_and_value("providers"), ("9,2".into(), json!([9, 2])));
        assert_eq!(text_and_value("labels"), (String::new(), json!([])));
        assert_eq!(text_and_value("countries"), ("DE".into(), json!(["DE"])));
    }
}

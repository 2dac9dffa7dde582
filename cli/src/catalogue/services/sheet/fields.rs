//! The fields of services that `services export` writes and `services import` reads.

use serde_json::{Map, Value, json};

use crate::sheet::Schema;
use crate::sheet::field::{Field, FieldKind};

const fn list_field(name: &'static str, kind: FieldKind) -> Field {
    Field { name, kind, can_be_empty: false, is_in_list: true }
}

const fn optional_field(name: &'static str, kind: FieldKind) -> Field {
    Field { name, kind, can_be_empty: true, is_in_list: false }
}

const fn required_field(name: &'static str, kind: FieldKind) -> Field {
    Field { can_be_empty: false, ..optional_field(name, kind) }
}

/// Names and descriptions by language, such as `name.de`. The English name is the field `name`.
macro_rules! translated_fields {
    ($($locale:literal),+ $(,)?) => {
        &[
            $(optional_field(concat!("name.", $locale), FieldKind::Text),)+
            optional_field("short_description.en", FieldKind::Text),
            $(optional_field(concat!("short_description.", $locale), FieldKind::Text),)+
            optional_field("description.en", FieldKind::Text),
            $(optional_field(concat!("description.", $locale), FieldKind::Text),)+
        ]
    };
}

const TEXT_FIELDS: &[Field] =
    translated_fields!("ru", "es", "fr", "de", "hi_IN", "ko", "pt_BR", "tr", "vi", "zh_CN", "ja");

const FIELDS: &[Field] = &[
    list_field("name", FieldKind::Text),
    list_field("service_type_id", FieldKind::WholeNumber),
    list_field("default_price", FieldKind::Money),
    list_field("min_price", FieldKind::Money),
    list_field("pricing_per", FieldKind::WholeNumber),
    list_field("min_quantity", FieldKind::WholeNumber),
    list_field("max_quantity", FieldKind::WholeNumber),
    list_field("quantity_step", FieldKind::WholeNumber),
    list_field("is_enabled", FieldKind::Flag),
    list_field("moderation_is_enabled", FieldKind::Flag),
    list_field("has_refill", FieldKind::Flag),
    list_field("drip_feed_is_allowed", FieldKind::Flag),
    required_field("auto_refill_is_allowed", FieldKind::Flag),
    required_field("api_access", FieldKind::Flag),
    required_field("restricted_access", FieldKind::Flag),
    required_field("can_speedup", FieldKind::Flag),
    required_field("no_refund", FieldKind::Flag),
    required_field("is_deactivated", FieldKind::Flag),
    required_field("url_is_required", FieldKind::Flag),
    required_field("real_counter_complete_is_enabled", FieldKind::Flag),
    required_field("cancel_by_client_is_allowed", FieldKind::Flag),
    required_field("auto_cancel", FieldKind::Flag),
    required_field("gather_statistic", FieldKind::Flag),
    required_field("calculable_quantity", FieldKind::Flag),
    required_field("forbids_orders_with_same_url", FieldKind::Flag),
    required_field("sync_params", FieldKind::Flag),
    required_field("sync_prices", FieldKind::Flag),
    required_field("sync_labels", FieldKind::Flag),
    required_field("sync_name", FieldKind::Flag),
    required_field("sync_meta", FieldKind::Flag),
    required_field("sync_service_details", FieldKind::Flag),
    required_field("sync_description_field", FieldKind::Flag),
    required_field("sync_short_description", FieldKind::Flag),
    required_field("sync_reviews", FieldKind::Flag),
    required_field("panel_service_type", FieldKind::Text),
    optional_field("admin_note", FieldKind::Text),
    optional_field("auto_refill_after_hours", FieldKind::WholeNumber),
    optional_field("auto_refill_once_fill_fraction", FieldKind::Fraction),
    optional_field("auto_refill_min_drop_fraction", FieldKind::Fraction),
    optional_field("auto_refill_max_drop_fraction", FieldKind::Fraction),
    optional_field("auto_refill_max_total_refilled_fraction", FieldKind::Fraction),
    optional_field("order_quantity_ratio", FieldKind::Fraction),
    optional_field("default_quantity_for_order_widget", FieldKind::WholeNumber),
    optional_field("budget_multiplier", FieldKind::Fraction),
    required_field("full_description_location", FieldKind::Text),
    optional_field("slug", FieldKind::Text),
    optional_field("buy_page_url", FieldKind::Text),
    optional_field("resale_margin_fraction", FieldKind::Fraction),
    optional_field("promotable_checker_group_id", FieldKind::WholeNumber),
    optional_field("live_stream_support_minutes", FieldKind::WholeNumber),
    optional_field("live_stream_retention_quantity_multiplier", FieldKind::Fraction),
    optional_field("labels", FieldKind::Ids),
    optional_field("providers", FieldKind::Ids),
    optional_field("countries", FieldKind::CountryCodes),
    optional_field("targets", FieldKind::Ids),
];

/// The schema of a file of services.
pub(crate) static SCHEMA: Schema = Schema {
    singular: "service",
    field_groups: &[FIELDS, TEXT_FIELDS],
    id_advice: "add the column, and leave its cells empty for new services",
};

pub(super) fn find_field(name: &str) -> Option<&'static Field> {
    SCHEMA.find_field(name)
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
        find_field(name).unwrap().canonicalize(cell)
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
            assert!(find_field(&format!("description.{locale}")).is_some(), "{locale}");
        }
        let service = json!({ "name": "Likes", "translations": { "en": { "name": "Likes" }, "de": { "name": "Gefällt mir" } } });
        let service = service.as_object();
        let format_cell = |name: &str| find_field(name).unwrap().format_cell(service.unwrap());
        assert_eq!(
            (format_cell("name.de"), format_cell("description.de")),
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
            let field = find_field(name).unwrap();
            let text = field.format_cell(service);
            (text.clone(), field.to_json_value(&text))
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

//! The fields of a file of services.

use serde_json::{Map, Value, json};

use crate::sheet::Schema;
use crate::sheet::field::{Field, Kind};

const fn listed(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, clears: false, listed: true }
}

const fn optional(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, clears: true, listed: false }
}

const fn required(name: &'static str, kind: Kind) -> Field {
    Field { clears: false, ..optional(name, kind) }
}

/// Names and descriptions by language, such as `name.de`. The English name is the field `name`.
macro_rules! texts {
    ($($locale:literal),+ $(,)?) => {
        &[
            $(optional(concat!("name.", $locale), Kind::Text),)+
            optional("short_description.en", Kind::Text),
            $(optional(concat!("short_description.", $locale), Kind::Text),)+
            optional("description.en", Kind::Text),
            $(optional(concat!("description.", $locale), Kind::Text),)+
        ]
    };
}

const TEXTS: &[Field] = texts!("ru", "es", "fr", "de", "hi_IN", "ko", "pt_BR", "tr", "vi", "zh_CN", "ja");

const FIELDS: &[Field] = &[
    listed("name", Kind::Text),
    listed("service_type_id", Kind::Whole),
    listed("default_price", Kind::Money),
    listed("min_price", Kind::Money),
    listed("pricing_per", Kind::Whole),
    listed("min_quantity", Kind::Whole),
    listed("max_quantity", Kind::Whole),
    listed("quantity_step", Kind::Whole),
    listed("is_enabled", Kind::Flag),
    listed("moderation_is_enabled", Kind::Flag),
    listed("has_refill", Kind::Flag),
    listed("drip_feed_is_allowed", Kind::Flag),
    required("auto_refill_is_allowed", Kind::Flag),
    required("api_access", Kind::Flag),
    required("restricted_access", Kind::Flag),
    required("can_speedup", Kind::Flag),
    required("no_refund", Kind::Flag),
    required("is_deactivated", Kind::Flag),
    required("url_is_required", Kind::Flag),
    required("real_counter_complete_is_enabled", Kind::Flag),
    required("cancel_by_client_is_allowed", Kind::Flag),
    required("auto_cancel", Kind::Flag),
    required("gather_statistic", Kind::Flag),
    required("calculable_quantity", Kind::Flag),
    required("forbids_orders_with_same_url", Kind::Flag),
    required("sync_params", Kind::Flag),
    required("sync_prices", Kind::Flag),
    required("sync_labels", Kind::Flag),
    required("sync_name", Kind::Flag),
    required("sync_meta", Kind::Flag),
    required("sync_service_details", Kind::Flag),
    required("sync_description_field", Kind::Flag),
    required("sync_short_description", Kind::Flag),
    required("sync_reviews", Kind::Flag),
    required("panel_service_type", Kind::Text),
    optional("admin_note", Kind::Text),
    optional("auto_refill_after_hours", Kind::Whole),
    optional("auto_refill_once_fill_percent", Kind::Fraction),
    optional("auto_refill_min_drop_percent", Kind::Fraction),
    optional("auto_refill_max_drop_percent", Kind::Fraction),
    optional("auto_refill_max_total_refilled_percent", Kind::Fraction),
    optional("order_quantity_ratio", Kind::Fraction),
    optional("default_quantity_for_order_widget", Kind::Whole),
    optional("budget_multiplier", Kind::Fraction),
    required("full_description_location", Kind::Text),
    optional("slug", Kind::Text),
    optional("buy_page_url", Kind::Text),
    optional("resale_margin_percent", Kind::Fraction),
    optional("promotable_checker_group_id", Kind::Whole),
    optional("live_stream_support_minutes", Kind::Whole),
    optional("live_stream_retention_quantity_multiplier", Kind::Fraction),
    optional("labels", Kind::Ids),
    optional("providers", Kind::Ids),
    optional("countries", Kind::Codes),
    optional("targets", Kind::Ids),
];

/// The schema of a file of services.
pub(crate) static SCHEMA: Schema =
    Schema { one: "service", parts: &[FIELDS, TEXTS], id_advice: "leave its cells empty for new services" };

pub(super) fn field(name: &str) -> Option<&'static Field> {
    SCHEMA.field(name)
}

/// All texts of a service in all languages with the changes applied, because the API replaces them as a whole.
pub(super) fn merge_texts(service: Option<&Map<String, Value>>, changes: &[(&str, &str)]) -> Value {
    let mut all =
        service.and_then(|current| current.get("translations")).cloned().unwrap_or_else(|| json!({}));
    for (name, text) in changes {
        let (text_name, locale) = name.split_once('.').unwrap_or((name, "en"));
        all[locale][text_name] = (*text).into();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(name: &str, cell: &str) -> Result<String, String> {
        field(name).unwrap().canonical(cell)
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
            ("resale_margin_percent", "0.200", "0.2"),
        ] {
            assert_eq!(canonical(name, cell).as_deref(), Ok(text), "{name} {cell}");
        }
        for (name, cell) in [
            ("default_price", "2.5000001"),
            ("default_price", "2,5"),
            ("default_price", ""),
            ("min_quantity", "1.5"),
            ("is_enabled", "maybe"),
            ("labels", "1,x"),
        ] {
            assert!(canonical(name, cell).is_err(), "{name} {cell}");
        }
    }

    #[test]
    fn texts_have_a_column_per_language() {
        use panel_contract::common::LocaleCode;
        for locale in LocaleCode::ALL {
            assert!(field(&format!("description.{locale}")).is_some(), "{locale}");
        }
        let service = json!({ "name": "Likes", "translations": { "en": { "name": "Likes" }, "de": { "name": "Gefällt mir" } } });
        let service = service.as_object();
        let of = |name: &str| field(name).unwrap().text_of(service.unwrap());
        assert_eq!((of("name.de"), of("description.de")), ("Gefällt mir".into(), String::new()));
        assert_eq!(
            merge_texts(service, &[("name", "More"), ("description.de", "Viel"), ("name.de", "")]),
            json!({ "en": { "name": "More" }, "de": { "name": "", "description": "Viel" } })
        );
    }

    #[test]
    fn a_service_round_trips_through_texts() {
        let service = json!({ "name": "Likes", "service_type": { "id": 4, "name": "x" }, "default_price": "2.5", "is_enabled": true, "slug": null,
            "providers": [{ "id": 9, "name": "y" }, { "id": 2, "name": "z" }], "labels": [], "countries": ["DE"] });
        let service = service.as_object().unwrap();
        let of = |name: &str| {
            let field = field(name).unwrap();
            let text = field.text_of(service);
            (text.clone(), field.value(&text))
        };
        assert_eq!(of("service_type_id"), ("4".into(), json!(4)));
        assert_eq!(of("default_price"), ("2.5".into(), json!("2.5")));
        assert_eq!(of("is_enabled"), ("true".into(), json!(true)));
        assert_eq!(of("slug"), (String::new(), Value::Null));
        assert_eq!(of("providers"), ("9,2".into(), json!([9, 2])));
        assert_eq!(of("labels"), (String::new(), json!([])));
        assert_eq!(of("countries"), ("DE".into(), json!(["DE"])));
    }
}

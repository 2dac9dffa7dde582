//! The fields that a file of services may have.

use serde_json::{Map, Value, json};

use crate::sheet::Schema;
use crate::sheet::field::{Field, Kind};

const fn listed(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, clears: false, listed: true }
}

const fn more(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, clears: true, listed: false }
}

const fn needed(name: &'static str, kind: Kind) -> Field {
    Field { clears: false, ..more(name, kind) }
}

/// Names and descriptions by language, such as `name.de`; the English name is the service's own.
macro_rules! texts {
    ($($locale:literal),+ $(,)?) => {
        &[
            $(more(concat!("name.", $locale), Kind::Text),)+
            more("short_description.en", Kind::Text),
            $(more(concat!("short_description.", $locale), Kind::Text),)+
            more("description.en", Kind::Text),
            $(more(concat!("description.", $locale), Kind::Text),)+
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
    needed("auto_refill_is_allowed", Kind::Flag),
    needed("api_access", Kind::Flag),
    needed("restricted_access", Kind::Flag),
    needed("can_speedup", Kind::Flag),
    needed("no_refund", Kind::Flag),
    needed("is_deactivated", Kind::Flag),
    needed("url_is_required", Kind::Flag),
    needed("real_counter_complete_is_enabled", Kind::Flag),
    needed("cancel_by_client_is_allowed", Kind::Flag),
    needed("auto_cancel", Kind::Flag),
    needed("gather_statistic", Kind::Flag),
    needed("calculable_quantity", Kind::Flag),
    needed("forbids_orders_with_same_url", Kind::Flag),
    needed("sync_params", Kind::Flag),
    needed("sync_prices", Kind::Flag),
    needed("sync_labels", Kind::Flag),
    needed("sync_name", Kind::Flag),
    needed("sync_meta", Kind::Flag),
    needed("sync_service_details", Kind::Flag),
    needed("sync_description_field", Kind::Flag),
    needed("sync_short_description", Kind::Flag),
    needed("sync_reviews", Kind::Flag),
    needed("panel_service_type", Kind::Text),
    more("admin_note", Kind::Text),
    more("auto_refill_after_hours", Kind::Whole),
    more("auto_refill_once_fill_percent", Kind::Fraction),
    more("auto_refill_min_drop_percent", Kind::Fraction),
    more("auto_refill_max_drop_percent", Kind::Fraction),
    more("auto_refill_max_total_refilled_percent", Kind::Fraction),
    more("order_quantity_ratio", Kind::Fraction),
    more("default_quantity_for_order_widget", Kind::Whole),
    more("budget_multiplier", Kind::Fraction),
    needed("full_description_location", Kind::Text),
    more("slug", Kind::Text),
    more("buy_page_url", Kind::Text),
    more("resale_margin_percent", Kind::Fraction),
    more("promotable_checker_group_id", Kind::Whole),
    more("live_stream_support_minutes", Kind::Whole),
    more("live_stream_retention_quantity_multiplier", Kind::Fraction),
    more("labels", Kind::Ids),
    more("providers", Kind::Ids),
    more("countries", Kind::Codes),
    more("targets", Kind::Ids),
];

/// A file of services.
pub(crate) static SCHEMA: Schema =
    Schema { one: "service", parts: &[FIELDS, TEXTS], id_advice: "leave its cells empty for new services" };

/// The field of a column.
pub(super) fn field(name: &str) -> Option<&'static Field> {
    SCHEMA.field(name)
}

/// The texts of a service in all languages, with these changed; the API takes them as a whole.
pub(super) fn translated(service: Option<&Map<String, Value>>, changes: &[(&str, &str)]) -> Value {
    let mut all = service.and_then(|now| now.get("translations")).cloned().unwrap_or_else(|| json!({}));
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
    fn the_same_value_is_the_same_text() {
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
    fn texts_stand_in_columns_by_language() {
        use panel_contract::common::LocaleCode;
        for locale in LocaleCode::ALL {
            assert!(field(&format!("description.{locale}")).is_some(), "{locale}");
        }
        let service = json!({ "name": "Likes", "translations": { "en": { "name": "Likes" }, "de": { "name": "Gefällt mir" } } });
        let service = service.as_object();
        let of = |name: &str| field(name).unwrap().text_of(service.unwrap());
        assert_eq!((of("name.de"), of("description.de")), ("Gefällt mir".into(), String::new()));
        assert_eq!(
            translated(service, &[("name", "More"), ("description.de", "Viel"), ("name.de", "")]),
            json!({ "en": { "name": "More" }, "de": { "name": "", "description": "Viel" } })
        );
    }

    #[test]
    fn a_service_is_told_as_texts_and_taken_back() {
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

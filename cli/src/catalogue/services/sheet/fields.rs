//! The fields that a file may have: how each is written as a text and read back. Money and fractions stay decimal, so
//! nothing is rounded on the way.

use panel_contract::amount::{Fraction, Money};
use serde_json::{Map, Value, json};

use crate::input::quoted;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Whole,
    Money,
    Fraction,
    Flag,
    /// Ids with commas, in their order.
    Ids,
    /// Country codes with commas.
    Codes,
}

/// One field.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    /// As the API calls it.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// An empty cell takes the value away.
    pub(super) clears: bool,
    /// The list has it; the others are asked for service by service.
    pub(super) listed: bool,
}

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

/// All of them, in the order of an export.
pub(super) fn fields() -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().chain(TEXTS)
}

/// The place of a field in [`fields`].
pub(super) fn place_of(name: &str) -> Option<u16> {
    fields().position(|field| field.name == name).and_then(|place| u16::try_from(place).ok())
}

/// The field of a column.
pub(super) fn field(name: &str) -> Option<&'static Field> {
    fields().find(|field| field.name == name)
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

impl Field {
    /// Whether it is a text in one language.
    pub(super) fn is_translated(&self) -> bool {
        self.name.contains('.')
    }

    /// What a service has, as the text of a cell; none without a value.
    pub(super) fn text_of(&self, service: &Map<String, Value>) -> String {
        let value = match (self.name, self.name.split_once('.')) {
            ("service_type_id", _) => service.get("service_type").and_then(|kind| kind.get("id")),
            (_, Some((text, locale))) => {
                service.get("translations").and_then(|all| all.get(locale)).and_then(|texts| texts.get(text))
            }
            (name, None) => service.get(name),
        };
        let Some(value) = value else { return String::new() };
        match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Array(all) => {
                let one = |value: &Value| match value.get("id").unwrap_or(value) {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                all.iter().map(one).collect::<Vec<_>>().join(",")
            }
            other => other.to_string(),
        }
    }

    /// The same text for the same value, however it was written; or why it is none.
    pub(super) fn canonical(&self, cell: &str) -> Result<String, String> {
        let cell = if self.kind == Kind::Text { cell.trim_end() } else { cell.trim() };
        if cell.is_empty() {
            return if self.clears { Ok(String::new()) } else { Err("a value is needed".to_owned()) };
        }
        let plain = |cell: &str| cell.replace([' ', '\u{a0}'], "");
        match self.kind {
            Kind::Text => Ok(cell.to_owned()),
            Kind::Whole => plain(cell)
                .parse::<i64>()
                .map(|number| number.to_string())
                .map_err(|_| format!("{} is no whole number", quoted(cell))),
            Kind::Money => plain(cell)
                .parse::<Money>()
                .map(|money| money.to_string())
                .map_err(|_| format!("{} is no amount with up to six decimals", quoted(cell))),
            Kind::Fraction => plain(cell)
                .parse::<Fraction>()
                .map(|share| share.to_string())
                .map_err(|_| format!("{} is no fraction with up to six decimals", quoted(cell))),
            Kind::Flag => match cell.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" => Ok("true".to_owned()),
                "false" | "0" | "no" => Ok("false".to_owned()),
                _ => Err(format!("{} is neither true nor false", quoted(cell))),
            },
            Kind::Ids => listed_as(cell, |one| one.parse::<i64>().ok().map(|id| id.to_string())),
            Kind::Codes => listed_as(cell, |one| Some(one.to_ascii_uppercase())),
        }
    }

    /// A canonical text as the API takes it.
    pub(super) fn value(&self, text: &str) -> Value {
        let parts = || text.split(',').filter(|part| !part.is_empty());
        match self.kind {
            Kind::Ids => json!(parts().filter_map(|id| id.parse::<i64>().ok()).collect::<Vec<_>>()),
            Kind::Codes => json!(parts().collect::<Vec<_>>()),
            _ if text.is_empty() => Value::Null,
            Kind::Whole => text.parse::<i64>().map_or(Value::Null, Value::from),
            Kind::Flag => Value::from(text == "true"),
            Kind::Text | Kind::Money | Kind::Fraction => text.into(),
        }
    }
}

fn listed_as(cell: &str, one: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let parts = cell.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
    let parts: Option<Vec<String>> = parts.map(one).collect();
    parts
        .map(|parts| parts.join(","))
        .ok_or_else(|| format!("{} is no list of ids with commas", quoted(cell)))
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

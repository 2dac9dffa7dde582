//! Parses the answers that panels really send: numbers as texts, flags as ones, ids under five names, errors at every level. Pure.
//! It never guesses: an unreadable value is none, and the panel's own message is preserved.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::panel_service_types::PanelParameter;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::reseller_protocol::own_texts::OwnTexts;

/// One service of a panel's catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// Its id there.
    pub id: String,
    /// What it is called there.
    pub name: String,
    /// The panel's word, such as `Default` or `Custom Comments`.
    pub kind: String,
    /// The panel's category.
    pub category: String,
    /// Price of 1,000, in the panel's currency.
    pub rate: Money,
    /// Smallest order.
    pub min: i64,
    /// Largest order.
    pub max: i64,
    /// Quantities are `min` plus a multiple of it; only panels of this product say so.
    pub step: Option<i64>,
    /// Whether it is refilled.
    pub refill: bool,
    /// Whether the panel says anything of that.
    pub says_refill: bool,
    /// Whether it can be canceled.
    pub cancel: bool,
    /// Whether it takes runs and an interval.
    pub dripfeed: bool,
    /// Whether the panel says anything of that.
    pub says_dripfeed: bool,
    /// What the panel says about it.
    pub description: Option<String>,
    /// What an order takes beside the type's parameters; only panels of this product say so.
    pub parameters: Vec<ServiceParameter>,
    /// Texts and labels; only panels of this product say them.
    pub texts: OwnTexts,
}

/// Most parameters of a service, and values of one, that are read.
const MOST_PARAMETERS: usize = 20;
const MOST_VALUES: usize = 500;
/// Longest name and value that are read, in characters.
const LONGEST_NAME: usize = 100;

/// Something that an order of a service takes beside its type's parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceParameter {
    /// The field of the order.
    pub name: String,
    /// Whether an order without it is refused.
    pub required: bool,
    /// What can be chosen; empty where it is typed.
    pub values: Vec<String>,
}

impl ServiceParameter {
    /// The parameter, where this product knows it.
    #[must_use]
    pub fn known(&self) -> Option<PanelParameter> {
        PanelParameter::parse(&self.name)
    }

    /// From the column that keeps them.
    #[must_use]
    pub fn read_stored(json: &str) -> Vec<Self> {
        serde_json::from_str(json).unwrap_or_default()
    }

    fn read(value: &Value) -> Option<Self> {
        let short = |text: &str| text.trim().chars().take(LONGEST_NAME).collect::<String>();
        let name = short(value.get("name")?.as_str()?);
        let values = value.get("values").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let values = values.iter().filter_map(Value::as_str).take(MOST_VALUES).map(short).collect();
        let required = flag(value.get("required").unwrap_or(&Value::Null));
        (!name.is_empty()).then_some(Self { name, required, values })
    }

    fn read_all(value: &Value) -> Vec<Self> {
        let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter().take(MOST_PARAMETERS).filter_map(Self::read).collect()
    }
}

/// A panel's catalogue, and what of it could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalogue {
    /// What could be read.
    pub services: Vec<Service>,
    /// How many entries could not.
    pub unreadable: usize,
}

/// Meaning of a panel's status text for an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExternalOrderState {
    /// In progress.
    Open,
    /// Delivered in full.
    Done,
    /// Ended with `remains` undelivered.
    Partial,
    /// Ended; `remains` is undelivered, or all of it where that is missing.
    Canceled,
    /// Failed: staff are alerted.
    Failed,
    /// An unknown status text: nothing changes, and staff are alerted.
    Unknown,
}

/// Status of an order at an external panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalOrderStatus {
    /// The panel's own status text.
    pub word: String,
    /// Its meaning.
    pub state: ExternalOrderState,
    /// What the panel charged for it.
    pub charge: Option<Money>,
    /// The counter before delivery.
    pub start_count: Option<i64>,
    /// Undelivered; below zero when more was delivered than ordered.
    pub remains: Option<i64>,
    /// The currency of the charge.
    pub currency: Option<String>,
}

/// The results for several ids of one answer: the parsed part, or the panel's error message.
pub type Each<T> = BTreeMap<String, Result<T, String>>;

/// A price or balance: a number or a text, rounded up to millionths, so that a price is never too low.
#[must_use]
pub fn money(value: &Value) -> Option<Money> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().trim_start_matches('$').replace([',', ' '], ""),
        _ => return None,
    };
    let (mantissa, exponent) = match text.to_ascii_lowercase().split_once('e') {
        Some((mantissa, exponent)) => (mantissa.to_owned(), exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (sign, digits) = match mantissa.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, mantissa.as_str()),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{part}");
    if all.is_empty() || all.len() > 30 || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let places = i32::try_from(part.len()).ok()?.checked_sub(exponent)?;
    let number: i128 = all.parse().ok()?;
    // `1e2147483647` as a text has fewer places than can be counted from six.
    let scaled = match 6_i32.checked_sub(places)? {
        up @ 0..=20 => number.checked_mul(10_i128.checked_pow(u32::try_from(up).ok()?)?)?,
        down @ -30..=-1 => {
            let unit = 10_i128.checked_pow(u32::try_from(-down).ok()?)?;
            number / unit + i128::from(number % unit > 0)
        }
        _ => return None,
    };
    i64::try_from(sign * scaled).ok().map(Money)
}

/// A whole number: a number or a text; `Unknown`, an empty text and null are none.
#[must_use]
pub fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| whole_text(&number.to_string())),
        Value::String(text) => whole_text(text.trim()),
        _ => None,
    }
}

fn whole_text(text: &str) -> Option<i64> {
    let (number, rest) = text.split_once('.').unwrap_or((text, ""));
    if rest.bytes().any(|byte| byte != b'0') {
        return None;
    }
    number.parse().ok()
}

/// `true`, 1, `"1"`, `"true"`, `"yes"`; anything else is no.
#[must_use]
pub fn flag(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_i64() == Some(1),
        Value::String(text) => matches!(text.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes"),
        _ => false,
    }
}

/// An id: a number or a text that is not empty.
#[must_use]
pub fn id(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => number.as_i64().filter(|id| *id > 0).map(|id| id.to_string()),
        Value::String(text) => {
            let text = text.trim();
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            (!text.is_empty() && text.len() <= 60 && text.bytes().all(plain)).then(|| text.to_owned())
        }
        _ => None,
    }
}

/// The error message of an answer; none where the answer is no error. Check it before anything else.
#[must_use]
pub fn error(value: &Value) -> Option<String> {
    let fields = value.as_object()?;
    let words = |value: &Value| match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Object(inner) => {
            ["message", "error", "text"].iter().find_map(|name| inner.get(*name)?.as_str()).map(str::to_owned)
        }
        Value::Array(all) => all.iter().find_map(|one| one.as_str()).map(str::to_owned),
        _ => None,
    };
    if let Some(said) = fields.get("error").or_else(|| fields.get("errors")).and_then(words) {
        return Some(said);
    }
    let failed = ["error", "fail", "failed"];
    let status = fields.get("status").and_then(Value::as_str).map(str::to_ascii_lowercase);
    let is_order = fields.contains_key("remains") || fields.contains_key("charge");
    if status.is_some_and(|status| failed.contains(&status.as_str())) && !is_order {
        let said =
            ["message", "msg", "description"].iter().find_map(|name| fields.get(*name).and_then(words));
        return Some(said.unwrap_or_else(|| "error".into()));
    }
    None
}

/// The services of an answer; none where it is not a list.
#[must_use]
pub fn catalogue(value: &Value) -> Option<Catalogue> {
    let list = value
        .as_array()
        .or_else(|| value.get("data")?.as_array())
        .or_else(|| value.get("services")?.as_array())?;
    let services: Vec<Service> = list.iter().filter_map(service).collect();
    Some(Catalogue { unreadable: list.len() - services.len(), services })
}

fn service(value: &Value) -> Option<Service> {
    let fields = value.as_object()?;
    let get = |name: &str| fields.get(name).unwrap_or(&Value::Null);
    let text = |name: &str| get(name).as_str().map(str::trim).unwrap_or_default().to_owned();
    let min = whole(get("min")).unwrap_or(1).max(1);
    let max = whole(get("max")).unwrap_or(min);
    Some(Service {
        id: id(get("service")).or_else(|| id(get("id")))?,
        name: Some(text("name")).filter(|name| !name.is_empty())?,
        kind: Some(text("type")).filter(|kind| !kind.is_empty()).unwrap_or_else(|| "Default".into()),
        category: text("category"),
        rate: money(get("rate")).filter(|rate| *rate >= Money::ZERO)?,
        min,
        max: max.max(min),
        step: whole(get("step")).filter(|step| *step >= 1),
        refill: flag(get("refill")),
        says_refill: !get("refill").is_null(),
        cancel: flag(get("cancel")),
        dripfeed: flag(get("dripfeed")),
        says_dripfeed: !get("dripfeed").is_null(),
        description: Some(text("desc"))
            .filter(|text| !text.is_empty())
            .or_else(|| Some(text("description")).filter(|text| !text.is_empty())),
        parameters: ServiceParameter::read_all(get("parameters")),
        texts: OwnTexts::read(fields),
    })
}

/// The meaning of a status text, compared as a whole and without case.
#[must_use]
pub fn state(word: &str) -> ExternalOrderState {
    match word.trim().to_ascii_lowercase().as_str() {
        "pending" | "processing" | "in progress" | "awaiting" => ExternalOrderState::Open,
        "completed" => ExternalOrderState::Done,
        "partial" => ExternalOrderState::Partial,
        "canceled" | "cancelled" | "refunded" => ExternalOrderState::Canceled,
        "fail" | "error" => ExternalOrderState::Failed,
        _ => ExternalOrderState::Unknown,
    }
}

/// The status of one order.
#[must_use]
pub fn order_state(value: &Value) -> Option<ExternalOrderStatus> {
    let fields = value.as_object()?;
    let get = |name: &str| fields.get(name).unwrap_or(&Value::Null);
    let word = match get("status") {
        Value::String(word) if !word.trim().is_empty() => word.trim().to_owned(),
        // Codes 0 to 5 mean something else at every panel.
        Value::Number(code) => code.to_string(),
        _ => return None,
    };
    Some(ExternalOrderStatus {
        state: state(&word),
        word,
        charge: money(get("charge")),
        start_count: whole(get("start_count")),
        remains: whole(get("remains")),
        currency: get("currency").as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned),
    })
}

/// The parts of an answer about several ids: an object by id, or a list of entries with ids. Leaves out ids that were not requested;
/// requested ids that the answer lacks are missing in the result.
#[must_use]
pub fn each<T>(value: &Value, asked: &[String], key: &str, read: impl Fn(&Value) -> Option<T>) -> Each<T> {
    let mut all = Each::new();
    let mut put = |id: String, part: &Value| {
        if asked.contains(&id) {
            // `{"order": 9, "cancel": {"error": "…"}}`: a no stands beside the id, or under the action's name.
            let inner = || part.as_object()?.values().find_map(error);
            let said = part.as_str().map(str::to_owned).or_else(|| error(part)).or_else(inner);
            let read =
                said.map_or_else(|| read(part).ok_or_else(|| "The answer cannot be read.".to_owned()), Err);
            all.insert(id, read);
        }
    };
    match value {
        Value::Object(parts) if is_one(parts) => {
            if let [only] = asked {
                put(only.clone(), value);
            }
        }
        Value::Object(parts) => parts.iter().for_each(|(id, part)| put(id.trim().to_owned(), part)),
        Value::Array(parts) => {
            for part in parts {
                let named = part.get(key).or_else(|| part.get("id")).and_then(id);
                if let Some(named) = named {
                    put(named, part);
                }
            }
        }
        _ => {}
    }
    all
}

/// Whether an object is about one order itself, not a table of them.
fn is_one(fields: &Map<String, Value>) -> bool {
    ["status", "charge", "error", "refill", "cancel", "success"].iter().any(|name| fields.contains_key(*name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_come_in_many_clothes() {
        let read = |value: Value| money(&value).map(|money| money.0);
        assert_eq!(read(json!("0.90")), Some(900_000));
        assert_eq!(read(json!(0.27819)), Some(278_190));
        assert_eq!(read(json!("1,234.50")), Some(1_234_500_000));
        assert_eq!(read(json!("$5")), Some(5_000_000));
        assert_eq!(read(json!(1e-5)), Some(10));
        assert_eq!(read(json!("0.00000012")), Some(1), "a price is never read as less");
        assert_eq!(read(json!("-3.5")), Some(-3_500_000));
        for none in [
            json!(null),
            json!(""),
            json!("free"),
            json!("1.2.3"),
            json!("9e99"),
            json!("1e2147483647"),
            json!("1e-2147483648"),
            json!([]),
            json!(true),
        ] {
            assert_eq!(read(none.clone()), None, "{none}");
        }
        let numbers = [json!("157"), json!(157), json!("157.0"), json!(157.0), json!(" 157 ")];
        assert!(numbers.iter().all(|number| whole(number) == Some(157)));
        for none in [json!("Unknown"), json!(""), json!(null), json!("1.5")] {
            assert_eq!(whole(&none), None, "{none}");
        }
        assert_eq!(whole(&json!("-12")), Some(-12));
        assert!([json!(true), json!(1), json!("1"), json!("true")].iter().all(flag));
        assert!([json!(false), json!(0), json!("0"), json!(null), json!("no")].iter().all(|no| !flag(no)));
    }

    #[test]
    fn an_error_is_seen_first_and_keeps_its_words() {
        let said = |value: Value| error(&value);
        assert_eq!(said(json!({"error": "Incorrect order ID"})).as_deref(), Some("Incorrect order ID"));
        assert_eq!(said(json!({"error": {"message": "No"}, "order": 5})).as_deref(), Some("No"));
        assert_eq!(said(json!({"errors": ["First", "Second"]})).as_deref(), Some("First"));
        assert_eq!(said(json!({"status": "fail", "msg": "Closed"})).as_deref(), Some("Closed"));
        assert_eq!(said(json!({"status": "error"})).as_deref(), Some("error"));
        assert_eq!(
            said(json!({"status": "Error", "charge": "1", "remains": "5"})),
            None,
            "an order's own status"
        );
        assert_eq!(said(json!({"status": "success", "order": 5})), None);
        assert_eq!(said(json!({"error": ""})), None);
    }

    #[test]
    fn a_catalogue_is_a_list_or_nothing() {
        let one = json!({"service": 1, "name": "Likes", "type": "Default", "rate": "0.90", "min": "50", "max": "10000", "refill": 1});
        let read = catalogue(&json!([one, {"service": 2}, "noise", null])).unwrap();
        assert_eq!((read.services.len(), read.unreadable), (1, 3));
        assert_eq!(
            (read.services[0].rate, read.services[0].refill, read.services[0].cancel),
            (Money(900_000), true, false)
        );
        assert_eq!(catalogue(&json!({"data": [one]})).map(|read| read.services.len()), Some(1));
        for none in [
            json!({"status": "success", "data": "Empty Data"}),
            json!({"error": "x"}),
            json!("x"),
            json!(null),
            json!(5),
        ] {
            assert_eq!(catalogue(&none), None, "{none}");
        }
    }

    #[test]
    fn compares_status_texts_as_a_whole() {
        let pairs = [
            ("Pending", ExternalOrderState::Open),
            ("In progress", ExternalOrderState::Open),
            ("PROCESSING", ExternalOrderState::Open),
            ("Awaiting", ExternalOrderState::Open),
            ("completed", ExternalOrderState::Done),
            ("Partial", ExternalOrderState::Partial),
            ("Canceled", ExternalOrderState::Canceled),
            ("Cancelled", ExternalOrderState::Canceled),
            ("Refunded", ExternalOrderState::Canceled),
            ("Fail", ExternalOrderState::Failed),
            ("error", ExternalOrderState::Failed),
            ("Partially completed", ExternalOrderState::Unknown),
            ("In Progress ⏳", ExternalOrderState::Unknown),
            ("3", ExternalOrderState::Unknown),
            ("", ExternalOrderState::Unknown),
        ];
        for (word, meaning) in pairs {
            assert_eq!(state(word), meaning, "{word}");
        }
    }

    #[test]
    fn several_orders_come_as_an_object_a_list_or_one() {
        let asked = ["1", "10", "99"].map(str::to_owned);
        let open = json!({"status": "Pending", "remains": "5", "charge": 1});
        let by_id = json!({"1": open, "10": {"error": "Incorrect order ID"}, "7": open});
        let read = each(&by_id, &asked, "order", order_state);
        assert_eq!(read.keys().collect::<Vec<_>>(), ["1", "10"]);
        assert_eq!(read["10"], Err("Incorrect order ID".into()));
        assert_eq!(read["1"].as_ref().unwrap().remains, Some(5));
        let bare = each(&json!({"1": "Incorrect order ID"}), &asked, "order", order_state);
        assert_eq!(bare["1"], Err("Incorrect order ID".into()));
        let list = json!([{"order": 1, "status": "Completed"}, {"order": "10", "status": 3}, 5]);
        let read = each(&list, &asked, "order", order_state);
        assert_eq!(
            (read["1"].as_ref().unwrap().state, read["10"].as_ref().unwrap().state),
            (ExternalOrderState::Done, ExternalOrderState::Unknown)
        );
        let one = each(&open, &asked[..1], "order", order_state);
        assert_eq!(one["1"].as_ref().unwrap().state, ExternalOrderState::Open);
        assert!(each(&open, &asked, "order", order_state).is_empty(), "nobody knows whose it is");
    }
}

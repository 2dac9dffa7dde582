//! Parses the responses of external panels, which send numbers as strings, flags as 1, ids in fields with different names, and
//! errors at any level. The parsers must not guess: an invalid value is `None`, and the message of the panel is kept unchanged.
//! Pure functions.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::panel_service_types::PanelParameter;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::reseller_protocol::extended_texts::ExtendedTexts;

/// A service in the service list of an external panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueService {
    pub id: String,
    pub name: String,
    /// The type as the external panel spells it, such as `Default` or `Custom Comments`.
    pub kind: String,
    pub category: String,
    /// Price of 1,000 units, or of one package, in the currency of the external panel.
    pub rate: Money,
    pub min_quantity: i64,
    pub max_quantity: i64,
    /// Valid quantities are `min_quantity` plus a multiple of this step. Only panels of this product send it.
    pub quantity_step: Option<i64>,
    /// Whether the external panel refills orders; `None` if the field is missing.
    pub refill: Option<bool>,
    /// Whether customers can request that an order is canceled.
    pub cancel: bool,
    /// Whether an order may have runs and an interval; `None` if the field is missing.
    pub dripfeed: Option<bool>,
    pub description: Option<String>,
    /// Parameters of an order in addition to those of its type. Only panels of this product send them.
    pub parameters: Vec<ServiceParameter>,
    /// Texts and labels. Only panels of this product send them.
    pub texts: ExtendedTexts,
}

/// Maximum number of parameters of a service; further parameters are ignored.
const MAX_PARAMETERS: usize = 20;
/// Maximum number of values of a parameter; further values are ignored.
const MAX_VALUES: usize = 500;
/// Maximum length of names and values in characters; longer names and values are truncated.
const MAX_CHARS: usize = 100;

/// A parameter of orders of a service in addition to those of its type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceParameter {
    /// The field of the `add` request.
    pub name: String,
    /// Whether the external panel rejects an order without the parameter.
    pub required: bool,
    /// The allowed values; empty if any value is allowed.
    pub values: Vec<String>,
}

impl ServiceParameter {
    /// The parameter, if this product knows it.
    #[must_use]
    pub fn panel_parameter(&self) -> Option<PanelParameter> {
        PanelParameter::parse(&self.name)
    }

    /// Parses the stored JSON of `external_panel_services.parameters`.
    #[must_use]
    pub fn parse_stored(json: &str) -> Vec<Self> {
        serde_json::from_str(json).unwrap_or_default()
    }

    fn parse(value: &Value) -> Option<Self> {
        let truncate = |text: &str| text.trim().chars().take(MAX_CHARS).collect::<String>();
        let name = truncate(value.get("name")?.as_str()?);
        let values = value.get("values").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let values = values.iter().filter_map(Value::as_str).take(MAX_VALUES).map(truncate).collect();
        let required = parse_flag(value.get("required").unwrap_or(&Value::Null));
        (!name.is_empty()).then_some(Self { name, required, values })
    }

    fn parse_all(value: &Value) -> Vec<Self> {
        let parameters = value.as_array().map(Vec::as_slice).unwrap_or_default();
        parameters.iter().take(MAX_PARAMETERS).filter_map(Self::parse).collect()
    }
}

/// The service list of an external panel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalogue {
    pub services: Vec<CatalogueService>,
    /// The number of entries that could not be parsed.
    pub unreadable: usize,
}

/// The meaning of the status text of an order at an external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExternalOrderState {
    Open,
    Done,
    /// Ended with `remains` undelivered units.
    Partial,
    /// Ended with `remains` undelivered units; if `remains` is missing, with all units undelivered.
    Canceled,
    /// Failed: staff are alerted.
    Failed,
    /// An unknown status text: nothing changes, and staff are alerted.
    Unknown,
}

/// Status of an order at an external panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalOrderStatus {
    /// The status as the external panel spells it.
    pub status_text: String,
    pub state: ExternalOrderState,
    /// Amount that the external panel has charged for the order so far.
    pub charge: Option<Money>,
    /// The public counter before the delivery.
    pub start_count: Option<i64>,
    /// The undelivered quantity; below zero if the panel delivered more than ordered.
    pub remains: Option<i64>,
    /// The currency of the charge.
    pub currency: Option<String>,
}

/// The results of a response about several ids: the parsed entry, or the error message of the external panel.
pub type ResultsById<T> = BTreeMap<String, Result<T, String>>;

/// Parses a price or balance, a number or a string. The result is rounded up to millionths, so that a price is never too low.
#[must_use]
pub fn parse_money(value: &Value) -> Option<Money> {
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
        Some(unsigned) => (-1, unsigned),
        None => (1, mantissa.as_str()),
    };
    let (integer, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = format!("{integer}{decimals}");
    if all_digits.is_empty() || all_digits.len() > 30 || !all_digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let places = i32::try_from(decimals.len()).ok()?.checked_sub(exponent)?;
    let number: i128 = all_digits.parse().ok()?;
    // `checked_sub`, because the exponent of a string such as `1e2147483647` would overflow.
    let scaled = match 6_i32.checked_sub(places)? {
        added_zeros @ 0..=20 => number.checked_mul(10_i128.checked_pow(u32::try_from(added_zeros).ok()?)?)?,
        removed_digits @ -30..=-1 => {
            let unit = 10_i128.checked_pow(u32::try_from(-removed_digits).ok()?)?;
            number / unit + i128::from(number % unit > 0)
        }
        _ => return None,
    };
    i64::try_from(sign * scaled).ok().map(Money)
}

/// Parses an integer, which panels send as a number or a string; `None` for `Unknown`, an empty string and null.
#[must_use]
pub fn parse_integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| parse_integer_text(&number.to_string())),
        Value::String(text) => parse_integer_text(text.trim()),
        _ => None,
    }
}

fn parse_integer_text(text: &str) -> Option<i64> {
    let (integer, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.bytes().any(|byte| byte != b'0') {
        return None;
    }
    integer.parse().ok()
}

/// True for `true`, 1, `"1"`, `"true"` and `"yes"`, and false for anything else.
#[must_use]
pub fn parse_flag(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_i64() == Some(1),
        Value::String(text) => matches!(text.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes"),
        _ => false,
    }
}

fn parse_optional_flag(value: &Value) -> Option<bool> {
    (!value.is_null()).then(|| parse_flag(value))
}

/// Parses an id: a positive number, or 1 to 60 ASCII letters, digits, `-` and `_`.
#[must_use]
pub fn parse_id(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => number.as_i64().filter(|id| *id > 0).map(|id| id.to_string()),
        Value::String(text) => {
            let text = text.trim();
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            (!text.is_empty() && text.len() <= 60 && text.bytes().all(is_allowed)).then(|| text.to_owned())
        }
        _ => None,
    }
}

/// Finds the error message of a response; `None` if the response is not an error. Callers must check this before they parse other
/// fields.
#[must_use]
pub fn find_error_message(value: &Value) -> Option<String> {
    let fields = value.as_object()?;
    let message_of = |value: &Value| match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Object(inner) => {
            ["message", "error", "text"].iter().find_map(|name| inner.get(*name)?.as_str()).map(str::to_owned)
        }
        Value::Array(messages) => messages.iter().find_map(Value::as_str).map(str::to_owned),
        _ => None,
    };
    if let Some(message) = fields.get("error").or_else(|| fields.get("errors")).and_then(message_of) {
        return Some(message);
    }
    let failure_statuses = ["error", "fail", "failed"];
    let status = fields.get("status").and_then(Value::as_str).map(str::to_ascii_lowercase);
    let is_order = fields.contains_key("remains") || fields.contains_key("charge");
    if status.is_some_and(|status| failure_statuses.contains(&status.as_str())) && !is_order {
        let message =
            ["message", "msg", "description"].iter().find_map(|name| fields.get(*name).and_then(message_of));
        return Some(message.unwrap_or_else(|| "error".into()));
    }
    None
}

/// Parses the services of a response; `None` if the response does not contain a list.
#[must_use]
pub fn parse_catalogue(value: &Value) -> Option<Catalogue> {
    let list = value
        .as_array()
        .or_else(|| value.get("data")?.as_array())
        .or_else(|| value.get("services")?.as_array())?;
    let services: Vec<CatalogueService> = list.iter().filter_map(parse_service).collect();
    Some(Catalogue { unreadable: list.len() - services.len(), services })
}

fn parse_service(value: &Value) -> Option<CatalogueService> {
    let fields = value.as_object()?;
    let get = |name: &str| fields.get(name).unwrap_or(&Value::Null);
    let text = |name: &str| get(name).as_str().map(str::trim).unwrap_or_default().to_owned();
    let min = parse_integer(get("min")).unwrap_or(1).max(1);
    let max = parse_integer(get("max")).unwrap_or(min);
    Some(CatalogueService {
        id: parse_id(get("service")).or_else(|| parse_id(get("id")))?,
        name: Some(text("name")).filter(|name| !name.is_empty())?,
        kind: Some(text("type")).filter(|kind| !kind.is_empty()).unwrap_or_else(|| "Default".into()),
        category: text("category"),
        rate: parse_money(get("rate")).filter(|rate| *rate >= Money::ZERO)?,
        min_quantity: min,
        max_quantity: max.max(min),
        quantity_step: parse_integer(get("step")).filter(|step| *step >= 1),
        refill: parse_optional_flag(get("refill")),
        cancel: parse_flag(get("cancel")),
        dripfeed: parse_optional_flag(get("dripfeed")),
        description: Some(text("desc"))
            .filter(|text| !text.is_empty())
            .or_else(|| Some(text("description")).filter(|text| !text.is_empty())),
        parameters: ServiceParameter::parse_all(get("parameters")),
        texts: ExtendedTexts::parse(fields),
    })
}

/// Parses a status text. The whole text must match, ignoring case.
#[must_use]
pub fn parse_status_text(text: &str) -> ExternalOrderState {
    match text.trim().to_ascii_lowercase().as_str() {
        "pending" | "processing" | "in progress" | "awaiting" => ExternalOrderState::Open,
        "completed" => ExternalOrderState::Done,
        "partial" => ExternalOrderState::Partial,
        "canceled" | "cancelled" | "refunded" => ExternalOrderState::Canceled,
        "fail" | "error" => ExternalOrderState::Failed,
        _ => ExternalOrderState::Unknown,
    }
}

/// Parses the status of one order; `None` if the response has no status.
#[must_use]
pub fn parse_order_status(value: &Value) -> Option<ExternalOrderStatus> {
    let fields = value.as_object()?;
    let get = |name: &str| fields.get(name).unwrap_or(&Value::Null);
    let status_text = match get("status") {
        Value::String(status_text) if !status_text.trim().is_empty() => status_text.trim().to_owned(),
        // Panels give the codes 0 to 5 different meanings, so the server treats a code as an unknown status text.
        Value::Number(code) => code.to_string(),
        _ => return None,
    };
    Some(ExternalOrderStatus {
        state: parse_status_text(&status_text),
        status_text,
        charge: parse_money(get("charge")),
        start_count: parse_integer(get("start_count")),
        remains: parse_integer(get("remains")),
        currency: get("currency").as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned),
    })
}

/// Parses the entries of a response about several ids: an object by id, or a list whose entries have the id in the field `key`.
/// Ignores ids that were not requested. Requested ids that are missing in the response are also missing in the result.
#[must_use]
pub fn parse_by_id<T>(
    value: &Value,
    requested: &[String],
    key: &str,
    parse: impl Fn(&Value) -> Option<T>,
) -> ResultsById<T> {
    let mut results = ResultsById::new();
    let mut insert_result = |id: String, entry: &Value| {
        if requested.contains(&id) {
            // The error may be in a field named like the action: `{"order": 9, "cancel": {"error": "…"}}`.
            let inner_error = || entry.as_object()?.values().find_map(find_error_message);
            let message =
                entry.as_str().map(str::to_owned).or_else(|| find_error_message(entry)).or_else(inner_error);
            let result = message
                .map_or_else(|| parse(entry).ok_or_else(|| "The response cannot be read.".to_owned()), Err);
            results.insert(id, result);
        }
    };
    match value {
        Value::Object(fields) if is_single_entry(fields) => {
            if let [id] = requested {
                insert_result(id.clone(), value);
            }
        }
        Value::Object(entries) => {
            entries.iter().for_each(|(id, entry)| insert_result(id.trim().to_owned(), entry));
        }
        Value::Array(entries) => {
            for entry in entries {
                let id = entry.get(key).or_else(|| entry.get("id")).and_then(parse_id);
                if let Some(id) = id {
                    insert_result(id, entry);
                }
            }
        }
        _ => {}
    }
    results
}

/// Whether the object is one entry, not a map from ids to entries.
fn is_single_entry(fields: &Map<String, Value>) -> bool {
    ["status", "charge", "error", "refill", "cancel", "success"].iter().any(|name| fields.contains_key(*name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parses_numbers_in_all_formats_that_panels_send() {
        let millionths = |value: Value| parse_money(&value).map(|money| money.0);
        assert_eq!(millionths(json!("0.90")), Some(900_000));
        assert_eq!(millionths(json!(0.27819)), Some(278_190));
        assert_eq!(millionths(json!("1,234.50")), Some(1_234_500_000));
        assert_eq!(millionths(json!("$5")), Some(5_000_000));
        assert_eq!(millionths(json!(1e-5)), Some(10));
        assert_eq!(millionths(json!("0.00000012")), Some(1), "a price must not be rounded down");
        assert_eq!(millionths(json!("-3.5")), Some(-3_500_000));
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
            assert_eq!(millionths(none.clone()), None, "{none}");
        }
        let numbers = [json!("157"), json!(157), json!("157.0"), json!(157.0), json!(" 157 ")];
        assert!(numbers.iter().all(|number| parse_integer(number) == Some(157)));
        for none in [json!("Unknown"), json!(""), json!(null), json!("1.5")] {
            assert_eq!(parse_integer(&none), None, "{none}");
        }
        assert_eq!(parse_integer(&json!("-12")), Some(-12));
        assert!([json!(true), json!(1), json!("1"), json!("true")].iter().all(parse_flag));
        assert!(
            [json!(false), json!(0), json!("0"), json!(null), json!("no")].iter().all(|no| !parse_flag(no))
        );
    }

    #[test]
    fn finds_the_error_message_of_a_response() {
        let message = |value: Value| find_error_message(&value);
        assert_eq!(message(json!({"error": "Incorrect order ID"})).as_deref(), Some("Incorrect order ID"));
        assert_eq!(message(json!({"error": {"message": "No"}, "order": 5})).as_deref(), Some("No"));
        assert_eq!(message(json!({"errors": ["First", "Second"]})).as_deref(), Some("First"));
        assert_eq!(message(json!({"status": "fail", "msg": "Closed"})).as_deref(), Some("Closed"));
        assert_eq!(message(json!({"status": "error"})).as_deref(), Some("error"));
        assert_eq!(
            message(json!({"status": "Error", "charge": "1", "remains": "5"})),
            None,
            "the status of an order must not count as an error of the response"
        );
        assert_eq!(message(json!({"status": "success", "order": 5})), None);
        assert_eq!(message(json!({"error": ""})), None);
    }

    #[test]
    fn a_catalogue_is_a_list_in_one_of_three_places() {
        let service = json!({"service": 1, "name": "Likes", "type": "Default", "rate": "0.90", "min": "50", "max": "10000", "refill": 1});
        let catalogue = parse_catalogue(&json!([service, {"service": 2}, "noise", null])).unwrap();
        assert_eq!((catalogue.services.len(), catalogue.unreadable), (1, 3));
        assert_eq!(
            (catalogue.services[0].rate, catalogue.services[0].refill, catalogue.services[0].cancel),
            (Money(900_000), Some(true), false)
        );
        assert_eq!(
            parse_catalogue(&json!({"data": [service]})).map(|catalogue| catalogue.services.len()),
            Some(1)
        );
        for none in [
            json!({"status": "success", "data": "Empty Data"}),
            json!({"error": "x"}),
            json!("x"),
            json!(null),
            json!(5),
        ] {
            assert_eq!(parse_catalogue(&none), None, "{none}");
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
        for (text, meaning) in pairs {
            assert_eq!(parse_status_text(text), meaning, "{text}");
        }
    }

    #[test]
    fn parses_several_orders_from_a_map_a_list_or_a_single_entry() {
        let requested = ["1", "10", "99"].map(str::to_owned);
        let open = json!({"status": "Pending", "remains": "5", "charge": 1});
        let by_id = json!({"1": open, "10": {"error": "Incorrect order ID"}, "7": open});
        let results = parse_by_id(&by_id, &requested, "order", parse_order_status);
        assert_eq!(results.keys().collect::<Vec<_>>(), ["1", "10"]);
        assert_eq!(results["10"], Err("Incorrect order ID".into()));
        assert_eq!(results["1"].as_ref().unwrap().remains, Some(5));
        let plain_message =
            parse_by_id(&json!({"1": "Incorrect order ID"}), &requested, "order", parse_order_status);
        assert_eq!(plain_message["1"], Err("Incorrect order ID".into()));
        let list = json!([{"order": 1, "status": "Completed"}, {"order": "10", "status": 3}, 5]);
        let results = parse_by_id(&list, &requested, "order", parse_order_status);
        assert_eq!(
            (results["1"].as_ref().unwrap().state, results["10"].as_ref().unwrap().state),
            (ExternalOrderState::Done, ExternalOrderState::Unknown)
        );
        let single = parse_by_id(&open, &requested[..1], "order", parse_order_status);
        assert_eq!(single["1"].as_ref().unwrap().state, ExternalOrderState::Open);
        assert!(
            parse_by_id(&open, &requested, "order", parse_order_status).is_empty(),
            "a single entry must be ignored if several ids were requested"
        );
    }
}

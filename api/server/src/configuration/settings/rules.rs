//! Parses and validates settings by their declared kind.

use panel_contract::amount::{Fraction, Money};
use panel_contract::fields::FieldErrors;
use panel_contract::moment::Timestamp;
use panel_contract::settings::{SETTINGS, Setting, SettingKind, SettingsTree};
use panel_contract::upload::ImageInput;
use serde_json::{Map, Value, json};

use crate::auth::setup::is_email_address as is_email;
use panel_contract::dictionary::CURRENCIES;
use panel_domain::fields::{check_text, is_http_url};
use panel_platform::settings::DEFAULT_REFERRAL_FRACTION;

/// The requested change of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingChange {
    /// The new value as it is stored.
    Value(Value),
    Image(ImageInput),
    /// The new secret; `None` removes it.
    Secret(Option<String>),
    Unchanged,
}

/// The changes of an input, and the version of the settings that its editor read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedSettings {
    /// In the order of the input.
    pub changes: Vec<(&'static Setting, SettingChange)>,
    /// The `updated_at` of the input.
    pub expected_updated_at: Option<Timestamp>,
}

/// Parses an input. The errors name each invalid field by its path. `current_value` returns the value of settings that are
/// read-only here.
pub fn parse(
    input: &SettingsTree,
    current_value: impl Fn(&str) -> Value,
) -> Result<ParsedSettings, FieldErrors> {
    let (mut errors, mut parsed) = (FieldErrors::default(), ParsedSettings::default());
    let mut submitted_settings = Vec::new();
    for (name, value) in &input.0 {
        if name == "updated_at" {
            match serde_json::from_value::<Timestamp>(value.clone()) {
                Ok(updated_at) => parsed.expected_updated_at = Some(updated_at),
                Err(_) if value.is_null() => {}
                Err(_) => errors.add("updated_at", "Send the updated_at that you read."),
            }
            continue;
        }
        collect_settings(&mut errors, name, value, &mut submitted_settings);
    }
    for (setting, value) in submitted_settings {
        let change = match setting.kind {
            SettingKind::ReadOnly if *value == current_value(setting.key) => SettingChange::Unchanged,
            SettingKind::ReadOnly => {
                errors.add(setting.key, "This setting is read-only here. Remove it.");
                continue;
            }
            _ => parse_setting(&mut errors, setting, value),
        };
        if change != SettingChange::Unchanged {
            parsed.changes.push((setting, change));
        }
    }
    errors.into_result(parsed)
}

/// Collects the settings at and below a path.
fn collect_settings<'v>(
    errors: &mut FieldErrors,
    path: &str,
    value: &'v Value,
    submitted_settings: &mut Vec<(&'static Setting, &'v Value)>,
) {
    if let Some(setting) = Setting::find(path) {
        submitted_settings.push((setting, value));
        return;
    }
    let prefix = format!("{path}.");
    match value {
        Value::Object(group) if SETTINGS.iter().any(|setting| setting.key.starts_with(&prefix)) => {
            for (name, value) in group {
                collect_settings(errors, &format!("{prefix}{name}"), value, submitted_settings);
            }
        }
        _ => {
            errors.add(path.chars().take(100).collect::<String>(), "This setting does not exist. Remove it.")
        }
    }
}

/// Parses the change of one setting; adds an error at its key.
fn parse_setting(errors: &mut FieldErrors, setting: &Setting, value: &Value) -> SettingChange {
    let is_empty = value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
    let change = match setting.kind {
        SettingKind::Image => parse_image(value).map(SettingChange::Image),
        SettingKind::Secret => parse_secret(setting, value),
        SettingKind::MetaTags => return parse_tags(errors, setting, value),
        SettingKind::ExchangeRates => return parse_rates(errors, setting, value),
        SettingKind::Flag => parse_flag(value).map(SettingChange::Value),
        SettingKind::Ids => parse_ids(setting, value).map(SettingChange::Value),
        _ if is_empty && setting.may_be_empty() => Ok(SettingChange::Value(Value::Null)),
        // An empty fraction resets the setting to its default.
        SettingKind::Fraction if is_empty => {
            serde_json::from_str(setting.default).map(SettingChange::Value).map_err(|error| error.to_string())
        }
        _ if is_empty => Err("Enter a value. This setting cannot be empty.".to_owned()),
        _ => parse_scalar(setting, value).map(SettingChange::Value),
    };
    change.unwrap_or_else(|message| {
        errors.add(setting.key, message);
        SettingChange::Unchanged
    })
}

const fn is_number(kind: SettingKind) -> bool {
    matches!(kind, SettingKind::Integer | SettingKind::Id | SettingKind::Money | SettingKind::Fraction)
}

/// Parses a setting that is one string or number.
fn parse_scalar(setting: &Setting, value: &Value) -> Result<Value, String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        // A JSON number with a fraction may have lost precision as a float, so fractions must be strings.
        Value::Number(number) if number.is_i64() && is_number(setting.kind) => number.to_string(),
        _ if !is_number(setting.kind) => return Err("Send a string.".to_owned()),
        _ => return Err("Send one value as a string or a whole number.".to_owned()),
    };
    let max = usize::try_from(setting.max).unwrap_or(usize::MAX);
    match setting.kind {
        SettingKind::Text if text.contains(['\n', '\r', '\t']) => {
            Err("Remove the line breaks and tabs.".to_owned())
        }
        SettingKind::Text | SettingKind::LongText | SettingKind::Html => {
            check_text(&text, max).map(|()| json!(text))
        }
        SettingKind::Email if is_email(&text) && text.len() <= max => Ok(json!(text)),
        SettingKind::Email => Err("Enter an email address, such as help@example.com.".to_owned()),
        SettingKind::UrlTemplate if is_http_url(&text) && !text.contains("{url}") => {
            Err("Put {url} where the address belongs, such as https://tool.example/?url={url}.".to_owned())
        }
        SettingKind::Url | SettingKind::UrlTemplate if is_http_url(&text) => Ok(json!(text)),
        SettingKind::Url | SettingKind::UrlTemplate => {
            Err("Enter an absolute URL that begins with http:// or https://.".to_owned())
        }
        SettingKind::Integer => parse_integer(&text, setting.min, setting.max),
        SettingKind::Id => parse_integer(&text, 1, i64::MAX),
        SettingKind::Money => parse_money(&text, setting),
        SettingKind::Fraction => parse_fraction(&text, setting),
        SettingKind::Enum => parse_choice(&text, setting.options),
        SettingKind::Currency => parse_choice(&text, &CURRENCIES),
        SettingKind::Color => parse_color(&text),
        _ => Err("This setting is read-only. Remove it.".to_owned()),
    }
}

fn parse_integer(text: &str, min: i64, max: i64) -> Result<Value, String> {
    match text.parse::<i64>() {
        Ok(number) if (min..=max).contains(&number) => Ok(json!(number)),
        _ if max == i64::MAX => Err("Enter a positive whole number.".to_owned()),
        _ => Err(format!("Enter a whole number from {min} to {max}.")),
    }
}

fn parse_money(text: &str, setting: &Setting) -> Result<Value, String> {
    let amount = text.parse::<Money>().map_err(|error| format!("An amount {error}."))?;
    match (setting.min..=setting.max).contains(&amount.0) {
        true => Ok(json!(amount)),
        false => Err(format!("Enter an amount from {} to {}.", Money(setting.min), Money(setting.max))),
    }
}

fn parse_fraction(text: &str, setting: &Setting) -> Result<Value, String> {
    let fraction = text.parse::<Fraction>().map_err(|error| format!("A fraction {error}."))?;
    // The default referral fraction is a whole percentage, like the referral fractions of customers.
    let (step, decimals) =
        if setting.key == DEFAULT_REFERRAL_FRACTION { (10_000, "two") } else { (1_000, "three") };
    match (setting.min..=setting.max).contains(&fraction.0) && fraction.0 % step == 0 {
        true => Ok(json!(fraction)),
        false => Err(format!(
            "Enter a fraction from {} to {} with at most {decimals} decimals, such as 0.05 for 5 %.",
            Fraction(setting.min),
            Fraction(setting.max)
        )),
    }
}

fn parse_choice(text: &str, options: &[&str]) -> Result<Value, String> {
    match options.contains(&text) {
        true => Ok(json!(text)),
        false => Err(format!("Choose one of {}.", options.join(", "))),
    }
}

fn parse_color(text: &str) -> Result<Value, String> {
    let digits = text.strip_prefix('#').unwrap_or_default();
    match digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(json!(text.to_ascii_lowercase())),
        false => Err("Enter a color as # and six hexadecimal digits, such as #7c3aed.".to_owned()),
    }
}

fn parse_flag(value: &Value) -> Result<Value, String> {
    match value {
        Value::Bool(_) => Ok(value.clone()),
        Value::String(text) => match text.trim() {
            "1" | "true" | "on" => Ok(json!(true)),
            "0" | "false" | "off" | "" => Ok(json!(false)),
            _ => Err("Send true or false.".to_owned()),
        },
        _ => Err("Send true or false.".to_owned()),
    }
}

fn parse_image(value: &Value) -> Result<ImageInput, String> {
    match value {
        Value::Null => Ok(ImageInput::None),
        Value::String(text) => ImageInput::parse(text.trim()).map_err(|error| format!("The image {error}.")),
        _ => Err("Send an image, its address, or null.".to_owned()),
    }
}

/// Parses a secret. The value that clients read (`{"is_set": true}`) changes nothing.
fn parse_secret(setting: &Setting, value: &Value) -> Result<SettingChange, String> {
    match value {
        Value::Null => Ok(SettingChange::Secret(None)),
        Value::Object(state) if state.len() == 1 && state.contains_key("is_set") => {
            Ok(SettingChange::Unchanged)
        }
        // An empty form field leaves the secret unchanged.
        Value::String(text) if text.trim().is_empty() => Ok(SettingChange::Unchanged),
        Value::String(text) if i64::try_from(text.len()).is_ok_and(|length| length <= setting.max) => {
            match text.chars().any(char::is_control) {
                true => Err("Remove the control characters.".to_owned()),
                false => Ok(SettingChange::Secret(Some(text.trim().to_owned()))),
            }
        }
        Value::String(_) => Err(format!("The secret is too long. Enter at most {} bytes.", setting.max)),
        _ => Err("Send a string to set the secret, or null to remove it.".to_owned()),
    }
}

/// Parses a list, also as forms send it: `{"0": …, "1": …}` or an empty value.
fn parse_list(value: &Value) -> Result<Vec<&Value>, String> {
    let not_a_list_error = || "Send a list.".to_owned();
    match value {
        Value::Array(list) => Ok(list.iter().collect()),
        Value::Null => Ok(Vec::new()),
        Value::String(text) if text.trim().is_empty() => Ok(Vec::new()),
        Value::Object(map) => {
            let mut indexed = Vec::new();
            for (index, value) in map {
                indexed.push((index.parse::<usize>().map_err(|_| not_a_list_error())?, value));
            }
            indexed.sort_unstable_by_key(|(index, _)| *index);
            Ok(indexed.into_iter().map(|(_, value)| value).collect())
        }
        _ => Err(not_a_list_error()),
    }
}

fn parse_ids(setting: &Setting, value: &Value) -> Result<Value, String> {
    let mut ids = Vec::new();
    for value in parse_list(value)? {
        let id = value.as_i64().or_else(|| value.as_str()?.trim().parse().ok());
        let id = id.filter(|id| *id > 0).ok_or("Send a list of ids.")?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    match i64::try_from(ids.len()).is_ok_and(|count| count <= setting.max) {
        true => Ok(json!(ids)),
        false => Err(format!("Choose at most {}.", setting.max)),
    }
}

fn parse_tags(errors: &mut FieldErrors, setting: &Setting, value: &Value) -> SettingChange {
    let submitted_tags = match parse_list(value) {
        Ok(list) if i64::try_from(list.len()).is_ok_and(|count| count <= setting.max) => list,
        Ok(_) => {
            errors.add(setting.key, format!("Enter at most {} tags.", setting.max));
            return SettingChange::Unchanged;
        }
        Err(message) => {
            errors.add(setting.key, message);
            return SettingChange::Unchanged;
        }
    };
    let mut tags = Vec::new();
    for (index, tag) in submitted_tags.into_iter().enumerate() {
        let field = |name: &str| tag.get(name).and_then(Value::as_str).unwrap_or_default().trim();
        let (name, content) = (field("name"), field("content"));
        let is_allowed = |character: char| character.is_ascii_alphanumeric() || "-_:.".contains(character);
        if name.is_empty() || name.len() > 100 || !name.chars().all(is_allowed) {
            let message = "Enter a name of letters, digits, -, _, : and ., such as description.";
            errors.add(format!("{}.{index}.name", setting.key), message);
        }
        if let Err(message) = check_text(content, 1_000) {
            errors.add(format!("{}.{index}.content", setting.key), message);
        }
        for unknown in tag.as_object().into_iter().flatten().map(|(name, _)| name) {
            if unknown != "name" && unknown != "content" {
                errors.add(
                    format!("{}.{index}.{unknown:.40}", setting.key),
                    "A tag does not have this field. Remove it.",
                );
            }
        }
        tags.push(json!({ "name": name, "content": content }));
    }
    SettingChange::Value(json!(tags))
}

fn parse_rates(errors: &mut FieldErrors, setting: &Setting, value: &Value) -> SettingChange {
    let no_rates = Map::new();
    let object = match value {
        Value::Object(object) => object,
        Value::Null => &no_rates,
        Value::String(text) if text.trim().is_empty() => &no_rates,
        _ => {
            errors.add(setting.key, "Send rates by currency, such as {\"EUR\": \"0.92\"}.");
            return SettingChange::Unchanged;
        }
    };
    let mut rates = Map::new();
    for (currency, rate) in object {
        let field = format!("{}.{currency:.10}", setting.key);
        if !CURRENCIES.contains(&currency.as_str()) {
            errors.add(field, format!("This currency is not supported. Use {}.", CURRENCIES.join(", ")));
            continue;
        }
        if rate.is_null() || rate.as_str() == Some("") {
            continue;
        }
        match serde_json::from_value::<Fraction>(rate.clone()) {
            Ok(rate) if rate.0 > 0 => drop(rates.insert(currency.clone(), json!(rate))),
            _ => errors.add(
                field,
                "Enter a rate above zero with at most six decimals, as a string such as \"0.92\".",
            ),
        }
    }
    SettingChange::Value(Value::Object(rates))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed_changes(input: &Value) -> Result<Vec<(&'static str, SettingChange)>, Vec<String>> {
        let tree: SettingsTree = serde_json::from_value(input.clone()).unwrap();
        let parsed = parse(&tree, |key| if key == "inhouse" { json!(false) } else { json!([]) });
        parsed
            .map(|parsed| parsed.changes.into_iter().map(|(setting, change)| (setting.key, change)).collect())
            .map_err(|errors| errors.0.into_keys().collect())
    }

    fn parsed_value(input: &Value) -> Value {
        match parsed_changes(input).unwrap().pop() {
            Some((_, SettingChange::Value(value))) => value,
            change => panic!("{input}: {change:?}"),
        }
    }

    #[test]
    fn normalizes_each_kind_of_setting() {
        assert_eq!(parsed_value(&json!({ "panel_name": "  Shop " })), "Shop");
        assert_eq!(parsed_value(&json!({ "colors": { "dark": { "primary": "#AABBCC" } } })), "#aabbcc");
        assert_eq!(parsed_value(&json!({ "colors.light.info": "#000000" })), "#000000");
        assert_eq!(parsed_value(&json!({ "rounding_precision": "3" })), 3);
        assert_eq!(parsed_value(&json!({ "min_margin_fraction": "0.050" })), "0.05");
        assert_eq!(parsed_value(&json!({ "min_margin_fraction": "" })), Value::Null);
        assert_eq!(parsed_value(&json!({ "child_panels_price": 10 })), "10");
        assert_eq!(parsed_value(&json!({ "captcha_is_enabled": "1" })), true);
        assert_eq!(parsed_value(&json!({ "service_types": { "1": "7", "0": "3" } })), json!([3, 7]));
        let rates = json!({ "currencies": { "exchange_rates": { "RUB": "92.50", "EUR": "" } } });
        assert_eq!(parsed_value(&rates), json!({ "RUB": "92.5" }));
        let tags = json!({ "meta_tags": [{ "name": "og:title", "content": " A <b> " }] });
        assert_eq!(parsed_value(&tags), json!([{ "name": "og:title", "content": "A <b>" }]));
    }

    #[test]
    fn errors_name_the_path_of_the_invalid_field() {
        for (input, expected_field) in [
            (json!({ "colour": 1 }), "colour"),
            (json!({ "colors": { "pink": {} } }), "colors.pink"),
            (json!({ "colors": 7 }), "colors"),
            (json!({ "panel_name": "" }), "panel_name"),
            (json!({ "panel_name": "a\nb" }), "panel_name"),
            (json!({ "panel_name": "x".repeat(61) }), "panel_name"),
            (json!({ "rounding_precision": 7 }), "rounding_precision"),
            (json!({ "min_margin_fraction": "1.001" }), "min_margin_fraction"),
            (json!({ "min_margin_fraction": "0.0001" }), "min_margin_fraction"),
            (json!({ "min_margin_fraction": 0.05 }), "min_margin_fraction"),
            (json!({ "child_panels_price": "-1" }), "child_panels_price"),
            (json!({ "support_email": "help" }), "support_email"),
            (json!({ "socials": { "telegram": "javascript:alert(1)" } }), "socials.telegram"),
            (json!({ "navigation": "nowhere" }), "navigation"),
            (json!({ "grades_enabled": 7 }), "grades_enabled"),
            (json!({ "currencies": { "default": "XXX" } }), "currencies.default"),
            (json!({ "currencies": { "exchange_rates": { "RUB": 92.5 } } }), "currencies.exchange_rates.RUB"),
            (json!({ "currencies": { "exchange_rates": { "RUB": "0" } } }), "currencies.exchange_rates.RUB"),
            (json!({ "meta_tags": [{ "name": "a b" }] }), "meta_tags.0.name"),
            (json!({ "inhouse": true }), "inhouse"),
            (json!({ "updated_at": "yesterday" }), "updated_at"),
        ] {
            assert_eq!(parsed_changes(&input).unwrap_err(), [expected_field], "{input}");
        }
    }

    #[test]
    fn secrets_are_set_removed_or_unchanged() {
        let change = |value: Value| {
            let input = json!({ "integrations": { "telegram_bot_token": value } });
            parsed_changes(&input).map(|changes| changes.into_iter().map(|(_, change)| change).next())
        };
        assert_eq!(change(json!("a:b")), Ok(Some(SettingChange::Secret(Some("a:b".into())))));
        assert_eq!(change(Value::Null), Ok(Some(SettingChange::Secret(None))));
        assert_eq!(change(json!({ "is_set": true })), Ok(None));
        assert_eq!(change(json!("")), Ok(None));
        assert!(change(json!(7)).is_err() && change(json!("a\u{7}")).is_err());
    }

    #[test]
    fn accepts_the_values_that_were_read() {
        assert_eq!(parsed_changes(&json!({ "inhouse": false, "custom_menu_items": [] })), Ok(vec![]));
    }
}

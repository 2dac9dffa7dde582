//! Refuses hidden characters in the texts of a request: one check over whole bodies, so that no field can miss it. Fields in
//! `MULTILINE` may have line ends and direction marks, fields in `SINGLE_LINE` are one line, and `is_exempt` fields are not
//! checked.
//! This module never checks what an input means.

use serde_json::Value;

use crate::fields::FieldErrors;
use crate::hidden;

/// Fields that may have several lines, direction marks and isolates.
const MULTILINE: [&str; 19] = [
    "additional_info",
    "additional_information",
    "admin_note",
    "cancel_description",
    "comment",
    "company_address",
    "content",
    "custom_html",
    "description",
    "faq",
    "full_description",
    "message",
    "meta_description",
    "reason",
    "requirements",
    "reviews",
    "short_description",
    "sub_title",
    "withdrawal_description",
];

/// Fields that must be one line.
const SINGLE_LINE: [&str; 7] =
    ["company_name", "logo_alt", "meta_title", "name", "panel_name", "title", "vat"];

/// Fields that are not checked: secrets, which no person reads; `targets`, which an order sends to its external panel as the
/// customer
/// wrote them; stack traces and captcha responses.
fn is_exempt(path: &[&str]) -> bool {
    let is_secret = |part: &&str| ["password", "secret", "token"].iter().any(|word| part.contains(word));
    path.iter().any(|part| *part == "targets" || *part == "secrets")
        || path
            .last()
            .is_some_and(|last| is_secret(last) || matches!(*last, "stack" | "g-recaptcha-response"))
}

/// The error message for the text of a field; `None` where the text is fine.
fn text_error(path: &[&str], text: &str) -> Option<String> {
    // The texts of a list follow the rule for the name of the list.
    let name = path.iter().rev().find(|part| part.parse::<usize>().is_err() && !part.is_empty())?;
    let found = match (MULTILINE.contains(name), SINGLE_LINE.contains(name)) {
        (true, _) => hidden::in_text(text),
        (false, true) => hidden::in_name(text.trim()),
        // The field's own rule decides whether it may have several lines.
        (false, false) => hidden::in_name(&text.replace(['\n', '\r', '\t'], " ")),
    }?;
    Some(format!("Remove the hidden character U+{:04X}.", u32::from(found)))
}

/// Checks the texts of a JSON body. A body that is not JSON passes, because its parser refuses it.
pub fn check_json(bytes: &[u8]) -> Result<(), FieldErrors> {
    // Fast path: most bodies are ASCII without escapes, so they have no hidden characters.
    if bytes.is_ascii() && !bytes.contains(&b'\\') {
        return Ok(());
    }
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return Ok(()) };
    let mut errors = FieldErrors::default();
    walk(&value, &mut Vec::new(), &mut errors);
    errors.or(())
}

/// Checks the texts of a form, whose field names may have brackets.
pub fn check_form(fields: &[(String, String)]) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    for (name, text) in fields {
        let path: Vec<&str> = name.split(['[', ']']).filter(|part| !part.is_empty()).collect();
        check_text(&path, text, &mut errors);
    }
    errors.or(())
}

fn walk(value: &Value, path: &mut Vec<String>, errors: &mut FieldErrors) {
    let mut inner = |name: String, value: &Value| {
        path.push(name);
        walk(value, path, errors);
        path.pop();
    };
    match value {
        Value::String(text) => {
            check_text(&path.iter().map(String::as_str).collect::<Vec<_>>(), text, errors);
        }
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(at, value)| inner(at.to_string(), value))
        }
        Value::Object(fields) => fields.iter().for_each(|(name, value)| inner(name.clone(), value)),
        _ => {}
    }
}

fn check_text(path: &[&str], text: &str, errors: &mut FieldErrors) {
    // An image as a data URL is megabytes of plain letters, and may be folded into lines.
    if is_exempt(path) || text.starts_with("data:") {
        return;
    }
    if let Some(sentence) = text_error(path, text) {
        errors.add(path.join("."), sentence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(body: &str) -> Vec<String> {
        check_json(body.as_bytes()).err().map_or_else(Vec::new, |errors| errors.0.into_keys().collect())
    }

    #[test]
    fn errors_name_the_path_of_the_field() {
        assert_eq!(
            fields(r#"{"name":"a\u202eb","translations":{"en":{"name":"\u2066x"}},"labels":["x\u200fy"]}"#),
            ["labels.0", "name", "translations.en.name",]
        );
        assert_eq!(fields("{\"name\":\"a\u{202e}b\"}"), ["name"], "unescaped characters are refused too");
        assert_eq!(fields(r#"{"vat":"a\nb"}"#), ["vat"], "a name is one line");
        assert_eq!(fields(r#"{"name":" Ann\n"}"#), [""; 0], "outer spaces are trimmed later");
        assert_eq!(
            fields(r#"{"speed":"a\nb","geo":"a\u202eb"}"#),
            ["geo"],
            "rules of other fields check line breaks"
        );
        assert_eq!(fields("{\"name\":\"علی می\u{200c}خواهم\"}"), [""; 0]);
    }

    #[test]
    fn multiline_fields_may_have_line_ends_and_direction_marks() {
        assert_eq!(fields(r#"{"description":"a\n\u200fb\u2067c\u2069"}"#), [""; 0]);
        assert_eq!(fields(r#"{"description":"a\u202eb","comment":"\u001b[2J"}"#), ["comment", "description"]);
    }

    #[test]
    fn skips_secrets_targets_and_images() {
        let body = r#"{"password":"\u202e\u200b","api_token":"a\u200bb","targets":{"comments":"a\nb\u202e"},"icon":"data:,a\nb"}"#;
        assert_eq!(fields(body), [""; 0]);
        assert_eq!(fields("[\"\u{202e}"), [""; 0], "the JSON parser refuses it");
    }

    #[test]
    fn checks_forms_like_json() {
        let form = [
            ("translations[en][name]".to_owned(), "a\u{202e}".to_owned()),
            ("name".to_owned(), "b".to_owned()),
        ];
        let errors = check_form(&form).unwrap_err();
        assert_eq!(errors.0.into_keys().collect::<Vec<_>>(), ["translations.en.name"]);
    }
}

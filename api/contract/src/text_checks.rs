//! Finds hidden characters in all strings of a request body. Only the name of a field decides which characters it may have. This
//! module must not check the meaning of an input.

use serde_json::Value;

use crate::fields::FieldErrors;
use crate::hidden_characters;

/// Names of fields that may have several lines and Unicode direction marks and isolates.
const MULTILINE_FIELDS: [&str; 19] = [
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

/// Names of fields that must be one line.
const SINGLE_LINE_FIELDS: [&str; 7] =
    ["company_name", "logo_alt", "meta_title", "name", "panel_name", "title", "vat"];

/// Whether a field is not checked: secrets, which are never displayed; `targets`, which the server must send to the external panel
/// unchanged; stack traces and captcha responses.
fn is_exempt(path: &[&str]) -> bool {
    let is_secret = |name: &&str| ["password", "secret", "token"].iter().any(|part| name.contains(part));
    path.iter().any(|part| *part == "targets" || *part == "secrets")
        || path
            .last()
            .is_some_and(|name| is_secret(name) || matches!(*name, "stack" | "g-recaptcha-response"))
}

/// The error message for the text of a field; `None` if the text has no hidden character.
fn hidden_character_error(path: &[&str], text: &str) -> Option<String> {
    // The rule of a list also applies to its elements, so the index of an element is skipped.
    let name = path.iter().rev().find(|part| part.parse::<usize>().is_err() && !part.is_empty())?;
    let hidden_character = match (MULTILINE_FIELDS.contains(name), SINGLE_LINE_FIELDS.contains(name)) {
        (true, _) => hidden_characters::find_in_text(text),
        (false, true) => hidden_characters::find_in_name(text.trim()),
        // The validation of the field decides whether it may have several lines.
        (false, false) => hidden_characters::find_in_name(&text.replace(['\n', '\r', '\t'], " ")),
    }?;
    Some(format!("Remove the hidden character U+{:04X}.", u32::from(hidden_character)))
}

/// Checks the strings of a JSON body. Returns errors by field. Accepts a body that is not JSON, which the parser rejects later.
pub fn check_json(bytes: &[u8]) -> Result<(), FieldErrors> {
    // Most bodies are ASCII without escapes, so they have no hidden characters and need not be parsed.
    if bytes.is_ascii() && !bytes.contains(&b'\\') {
        return Ok(());
    }
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return Ok(()) };
    let mut errors = FieldErrors::default();
    check_value(&value, &mut Vec::new(), &mut errors);
    errors.into_result(())
}

/// Checks the strings of a form, whose field names may have brackets. Returns errors by field.
pub fn check_form(fields: &[(String, String)]) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    for (name, text) in fields {
        let path: Vec<&str> = name.split(['[', ']']).filter(|part| !part.is_empty()).collect();
        check_text(&path, text, &mut errors);
    }
    errors.into_result(())
}

fn check_value(value: &Value, path: &mut Vec<String>, errors: &mut FieldErrors) {
    let mut check_part = |name: String, value: &Value| {
        path.push(name);
        check_value(value, path, errors);
        path.pop();
    };
    match value {
        Value::String(text) => {
            check_text(&path.iter().map(String::as_str).collect::<Vec<_>>(), text, errors);
        }
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(index, value)| check_part(index.to_string(), value))
        }
        Value::Object(fields) => fields.iter().for_each(|(name, value)| check_part(name.clone(), value)),
        _ => {}
    }
}

fn check_text(path: &[&str], text: &str, errors: &mut FieldErrors) {
    // A data URL of an image has megabytes of base64, and may have line breaks.
    if is_exempt(path) || text.starts_with("data:") {
        return;
    }
    if let Some(message) = hidden_character_error(path, text) {
        errors.add(path.join("."), message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields_with_errors(body: &str) -> Vec<String> {
        check_json(body.as_bytes()).err().map_or_else(Vec::new, |errors| errors.0.into_keys().collect())
    }

    #[test]
    fn errors_name_the_path_of_the_field() {
        assert_eq!(
            fields_with_errors(
                r#"{"name":"a\u202eb","translations":{"en":{"name":"\u2066x"}},"labels":["x\u200fy"]}"#
            ),
            ["labels.0", "name", "translations.en.name",]
        );
        assert_eq!(
            fields_with_errors("{\"name\":\"a\u{202e}b\"}"),
            ["name"],
            "an unescaped hidden character must be an error too"
        );
        assert_eq!(fields_with_errors(r#"{"vat":"a\nb"}"#), ["vat"], "a name must be one line");
        assert_eq!(
            fields_with_errors(r#"{"name":" Ann\n"}"#),
            [""; 0],
            "line breaks at both ends of a name must be accepted, because they are trimmed later"
        );
        assert_eq!(
            fields_with_errors(r#"{"speed":"a\nb","geo":"a\u202eb"}"#),
            ["geo"],
            "line breaks in other fields must be accepted, because the handler checks them"
        );
        assert_eq!(fields_with_errors("{\"name\":\"علی می\u{200c}خواهم\"}"), [""; 0]);
    }

    #[test]
    fn multiline_fields_may_have_line_ends_and_direction_marks() {
        assert_eq!(fields_with_errors(r#"{"description":"a\n\u200fb\u2067c\u2069"}"#), [""; 0]);
        assert_eq!(
            fields_with_errors(r#"{"description":"a\u202eb","comment":"\u001b[2J"}"#),
            ["comment", "description"]
        );
    }

    #[test]
    fn skips_secrets_targets_and_images() {
        let body = r#"{"password":"\u202e\u200b","api_token":"a\u200bb","targets":{"comments":"a\nb\u202e"},"icon":"data:,a\nb"}"#;
        assert_eq!(fields_with_errors(body), [""; 0]);
        assert_eq!(
            fields_with_errors("[\"\u{202e}"),
            [""; 0],
            "invalid JSON must be accepted, because the parser rejects it later"
        );
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

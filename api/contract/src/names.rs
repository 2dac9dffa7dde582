//! Refuses hidden characters in the texts of a request: one check over whole bodies, so that no field can miss it. A text has
//! no hidden characters, unless its field is one of `LONG`, which keep direction marks, or is not judged (`is_exempt`);
//! those of `NAMES` are one line. It must never judge what an input means.

use serde_json::Value;

use crate::fields::FieldErrors;
use crate::hidden;

/// Fields of texts of several lines, which keep line ends, direction marks and isolates.
const LONG: [&str; 19] = [
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

/// Fields of names, which are one line.
const NAMES: [&str; 7] = ["company_name", "logo_alt", "meta_title", "name", "panel_name", "title", "vat"];

/// Fields that are not judged: secrets, which no person reads, what an order sends to its panel as the customer wrote it, and
/// reports of broken scripts.
fn is_exempt(path: &[&str]) -> bool {
    let is_secret = |part: &&str| ["password", "secret", "token"].iter().any(|word| part.contains(word));
    path.iter().any(|part| *part == "targets" || *part == "secrets")
        || path
            .last()
            .is_some_and(|last| is_secret(last) || matches!(*last, "stack" | "g-recaptcha-response"))
}

/// What is wrong with the text of a field, as a sentence.
fn wrong(path: &[&str], text: &str) -> Option<String> {
    // A list of texts is judged by the name of the list.
    let name = path.iter().rev().find(|part| part.parse::<usize>().is_err() && !part.is_empty())?;
    let found = match (LONG.contains(name), NAMES.contains(name)) {
        (true, _) => hidden::in_text(text),
        (false, true) => hidden::in_name(text.trim()),
        // Whether it may have several lines is for its own rule to say.
        (false, false) => hidden::in_name(&text.replace(['\n', '\r', '\t'], " ")),
    }?;
    Some(format!("Remove the hidden character U+{:04X}.", u32::from(found)))
}

/// Checks the texts of a JSON body. What is no JSON passes: its reader refuses it.
pub fn check_json(bytes: &[u8]) -> Result<(), FieldErrors> {
    // Most bodies have nothing to look at: neither letters beyond ASCII nor escapes.
    if bytes.is_ascii() && !bytes.contains(&b'\\') {
        return Ok(());
    }
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return Ok(()) };
    let mut errors = FieldErrors::default();
    walk(&value, &mut Vec::new(), &mut errors);
    errors.or(())
}

/// Checks the texts of a form, whose names may have brackets.
pub fn check_form(fields: &[(String, String)]) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    for (name, text) in fields {
        let path: Vec<&str> = name.split(['[', ']']).filter(|part| !part.is_empty()).collect();
        judge(&path, text, &mut errors);
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
            judge(&path.iter().map(String::as_str).collect::<Vec<_>>(), text, errors);
        }
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(at, value)| inner(at.to_string(), value))
        }
        Value::Object(fields) => fields.iter().for_each(|(name, value)| inner(name.clone(), value)),
        _ => {}
    }
}

fn judge(path: &[&str], text: &str, errors: &mut FieldErrors) {
    // An image as a data URL is megabytes of plain letters, and may be folded into lines.
    if is_exempt(path) || text.starts_with("data:") {
        return;
    }
    if let Some(sentence) = wrong(path, text) {
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
    fn names_are_refused_by_their_path() {
        assert_eq!(
            fields(r#"{"name":"a\u202eb","translations":{"en":{"name":"\u2066x"}},"labels":["x\u200fy"]}"#),
            ["labels.0", "name", "translations.en.name",]
        );
        assert_eq!(fields("{\"name\":\"a\u{202e}b\"}"), ["name"], "written as it is, too");
        assert_eq!(fields(r#"{"vat":"a\nb"}"#), ["vat"], "a name is one line");
        assert_eq!(fields(r#"{"name":" Ann\n"}"#), [""; 0], "outer spaces go anyway");
        assert_eq!(fields(r#"{"speed":"a\nb","geo":"a\u202eb"}"#), ["geo"], "other rules count lines");
        assert_eq!(fields("{\"name\":\"علی می\u{200c}خواهم\"}"), [""; 0]);
    }

    #[test]
    fn long_texts_keep_lines_and_marks() {
        assert_eq!(fields(r#"{"description":"a\n\u200fb\u2067c\u2069"}"#), [""; 0]);
        assert_eq!(fields(r#"{"description":"a\u202eb","comment":"\u001b[2J"}"#), ["comment", "description"]);
    }

    #[test]
    fn secrets_targets_and_images_are_not_judged() {
        let body = r#"{"password":"\u202e\u200b","api_token":"a\u200bb","targets":{"comments":"a\nb\u202e"},"icon":"data:,a\nb"}"#;
        assert_eq!(fields(body), [""; 0]);
        assert_eq!(fields("[\"\u{202e}"), [""; 0], "what is no JSON is refused by its reader");
    }

    #[test]
    fn forms_are_judged_alike() {
        let form = [
            ("translations[en][name]".to_owned(), "a\u{202e}".to_owned()),
            ("name".to_owned(), "b".to_owned()),
        ];
        let errors = check_form(&form).unwrap_err();
        assert_eq!(errors.0.into_keys().collect::<Vec<_>>(), ["translations.en.name"]);
    }
}

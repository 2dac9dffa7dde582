//! Validates and stores the translated texts of records (table `translations`). An English name is required, and empty texts are
//! not stored. The column `name` of a record also holds the English name; the caller writes both in one transaction.

use std::collections::BTreeMap;

use panel_contract::common::Translations;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, RecordId};

use panel_contract::dictionary::LOCALES;
use panel_domain::fields::check_text;
use panel_platform::db::{DbResult, Sql, SqlExecutor, Val};
use panel_platform::work::UnitOfWork;

/// The language in which every record has a name.
const ENGLISH: &str = "en";

const ENGLISH_NAME_FIELD: &str = "translations.en.name";

/// A text field that every record of a kind can have in each language.
#[derive(Debug, Clone, Copy)]
pub struct TextField {
    /// The name of the field in requests and in the column `translations.field`.
    pub field: &'static str,
    /// Maximum length of a text, in characters.
    pub max_chars: usize,
}

/// Declares the translated texts of a kind of record.
#[derive(Debug)]
pub struct TextFields {
    /// Value of the column `translations.owner_type`, such as `service`.
    pub owner_type: &'static str,
    /// The fields; one of them is `name`, unless records of this kind have no name.
    pub fields: &'static [TextField],
}

// Rules

/// Returns the texts of a record after an update: `input` replaces all `current` texts, then `name` sets the English name.
pub fn merge(
    errors: &mut FieldErrors,
    text_fields: &TextFields,
    current: &Translations,
    name: Option<&str>,
    input: Option<&Translations>,
) -> Translations {
    let merged = merge_unchecked(errors, text_fields, current, name, input);
    require_english_name(
        errors,
        &merged,
        if input.is_some() && name.is_none() { ENGLISH_NAME_FIELD } else { "name" },
    );
    merged
}

/// Like [`merge`], for an input that has no separate field for the name.
pub fn merge_texts(
    errors: &mut FieldErrors,
    text_fields: &TextFields,
    current: &Translations,
    input: Option<&Translations>,
) -> Translations {
    let merged = merge_unchecked(errors, text_fields, current, None, input);
    require_english_name(errors, &merged, ENGLISH_NAME_FIELD);
    merged
}

/// Adds an error to `field` if there is no English name.
fn require_english_name(errors: &mut FieldErrors, translations: &Translations, field: &str) {
    if translations.text(ENGLISH, "name").is_none() && !errors.0.contains_key(field) {
        errors.add(field, "Enter an English name. It is also shown in languages that have no name.");
    }
}

/// Like [`merge`], but does not require an English name.
fn merge_unchecked(
    errors: &mut FieldErrors,
    text_fields: &TextFields,
    current: &Translations,
    name: Option<&str>,
    input: Option<&Translations>,
) -> Translations {
    let mut translations =
        input.map_or_else(|| current.clone(), |input| validate(errors, text_fields, input));
    if let Some(name) = name {
        let max_chars = text_fields
            .fields
            .iter()
            .find(|text_field| text_field.field == "name")
            .map_or(0, |text_field| text_field.max_chars);
        if let Err(message) = check_text(name.trim(), max_chars) {
            errors.add("name", message);
        }
        translations.put(ENGLISH, "name", name.trim());
    }
    translations
}

/// Sets the text of one field in one language; `None` removes it.
pub fn set(translations: &mut Translations, locale: &str, field: &str, text: Option<&str>) {
    match text {
        Some(text) => translations.put(locale, field, text),
        None => {
            if let Some(fields) = translations.0.get_mut(locale) {
                fields.remove(field);
            }
        }
    }
}

/// Validates and trims the texts of an input. Returns the texts that are not empty.
pub fn validate(errors: &mut FieldErrors, text_fields: &TextFields, input: &Translations) -> Translations {
    let mut validated = Translations::default();
    for (locale, fields) in &input.0 {
        if !LOCALES.iter().any(|(code, _)| code == locale) {
            errors.add(format!("translations.{locale}"), "This language is not supported.");
            continue;
        }
        for (field, text) in fields {
            let error_field = || format!("translations.{locale}.{field}");
            let Some(text_field) = text_fields.fields.iter().find(|text_field| text_field.field == field)
            else {
                errors.add(error_field(), "This record has no such text field. Remove the text.");
                continue;
            };
            let text = text.trim();
            if let Err(message) = check_text(text, text_field.max_chars) {
                errors.add(error_field(), message);
            }
            if !text.is_empty() {
                validated.put(locale, field, text);
            }
        }
    }
    validated
}

// Store

/// SQL column `texts` with all texts of a record in one string, for the rows of a list; [`parse`] parses the string. The separators
/// are two control characters, which no text contains.
#[macro_export]
macro_rules! texts_of {
    ($owner:literal, $id:literal) => {
        concat!(
            "(SELECT string_agg(t.locale || '\u{1f}' || t.field || '\u{1f}' || t.value, '\u{1e}') FROM translations t WHERE t.owner_type = '",
            $owner,
            "' AND t.owner_id = ",
            $id,
            ") AS texts"
        )
    };
}

/// Parses the column `texts` of a record (see [`texts_of`]); `name` is the English name of the record.
#[must_use]
pub fn parse(joined_texts: Option<&str>, name: &str) -> Translations {
    let mut translations = Translations::default();
    for text in joined_texts.unwrap_or_default().split('\u{1e}') {
        let mut parts = text.splitn(3, '\u{1f}');
        if let (Some(locale), Some(field), Some(value)) = (parts.next(), parts.next(), parts.next()) {
            translations.put(locale, field, value);
        }
    }
    // A record that is older than the table `translations` may have no row in this table.
    translations.put(ENGLISH, "name", name);
    translations
}

/// Loads the texts of records, by record id.
pub async fn load<I: Id>(
    db: &mut impl SqlExecutor,
    text_fields: &TextFields,
    ids: &[I],
) -> DbResult<BTreeMap<I, Translations>> {
    let sql = Sql::new(
        "SELECT owner_id, locale, field, value FROM translations WHERE owner_type = ? AND owner_id IN ",
    )
    .bind(text_fields.owner_type)
    .ids(ids);
    let rows: Vec<(i64, String, String, String)> = db.fetch_all(sql).await?;
    let mut translations_by_id: BTreeMap<I, Translations> = BTreeMap::new();
    for (id, locale, field, value) in rows {
        translations_by_id.entry(I::new(id)).or_default().0.entry(locale).or_default().insert(field, value);
    }
    Ok(translations_by_id)
}

/// Loads the texts of one record; `name` is the English name of the record.
pub async fn load_one(
    db: &mut impl SqlExecutor,
    text_fields: &TextFields,
    id: impl Into<RecordId>,
    name: &str,
) -> DbResult<Translations> {
    let id = id.into();
    let mut translations = load(db, text_fields, &[id]).await?.remove(&id).unwrap_or_default();
    // A record that is older than the table `translations` may have no row in this table.
    translations.put(ENGLISH, "name", name);
    Ok(translations)
}

/// Replaces all texts of a record.
pub async fn write(
    work: &mut UnitOfWork,
    text_fields: &TextFields,
    id: impl Into<RecordId>,
    translations: &Translations,
) -> DbResult<()> {
    let id = id.into();
    let delete_sql = Sql::new("DELETE FROM translations WHERE owner_type = ? AND owner_id = ?");
    work.execute(delete_sql.bind(text_fields.owner_type).bind(id)).await?;
    let rows: Vec<Vec<Val>> = translations
        .0
        .iter()
        .flat_map(|(locale, fields)| {
            fields
                .iter()
                .map(move |(field, value)| [locale, field, value].map(|value| value.as_str().into()).to_vec())
        })
        .collect();
    let sql = Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT ?, ?, r.locale, r.field, r.value FROM ",
    );
    work.execute(sql.bind(text_fields.owner_type).bind(id).rows("r", &["locale", "field", "value"], rows))
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT_FIELDS: TextFields = TextFields {
        owner_type: "thing",
        fields: &[TextField { field: "name", max_chars: 5 }, TextField { field: "faq", max_chars: 9 }],
    };

    /// Returns the merged texts, or the names of the invalid fields.
    fn merge_into_empty(name: Option<&str>, input: &str) -> Result<Translations, Vec<String>> {
        let mut errors = FieldErrors::default();
        let input: Option<Translations> = serde_json::from_str(input).unwrap();
        let merged = merge(&mut errors, &TEXT_FIELDS, &Translations::default(), name, input.as_ref());
        errors.into_result(merged).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn requires_an_english_name_and_drops_empty_texts() {
        assert_eq!(merge_into_empty(None, "null").unwrap_err(), ["name"]);
        assert_eq!(
            merge_into_empty(None, r#"{"de":{"name":"Ding"}}"#).unwrap_err(),
            ["translations.en.name"]
        );
        let texts =
            merge_into_empty(Some(" Thing "), r#"{"de":{"name":" ","faq":"F"},"fr":{"name":""}}"#).unwrap();
        assert_eq!((texts.text("en", "name"), texts.text("de", "faq")), (Some("Thing"), Some("F")));
        assert_eq!((texts.text("de", "name"), texts.0.contains_key("fr")), (None, false));
    }

    #[test]
    fn parses_the_column_with_all_texts() {
        let column = "de\u{1f}name\u{1f}Ding\u{1e}en\u{1f}name\u{1f}Old\u{1e}en\u{1f}faq\u{1f}A\nB";
        let texts = parse(Some(column), "Thing");
        assert_eq!((texts.text("de", "name"), texts.text("en", "name")), (Some("Ding"), Some("Thing")));
        assert_eq!(
            (texts.text("en", "faq"), parse(None, "Thing").text("en", "name")),
            (Some("A\nB"), Some("Thing"))
        );
    }

    #[test]
    fn reports_the_field_of_each_invalid_text() {
        let input = r#"{"xx":{},"en":{"name":"Longest","colour":"a"},"de":{"faq":"a\u0007"}}"#;
        assert_eq!(
            merge_into_empty(None, input).unwrap_err(),
            ["translations.de.faq", "translations.en.colour", "translations.en.name", "translations.xx"]
        );
    }
}

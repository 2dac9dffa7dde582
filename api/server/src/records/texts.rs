//! Texts of catalogue records in many languages: validated here, stored in the table `translations`. English is required; empty
//! texts in other languages are dropped. The English name is also the record's `name`; both are always written together.

use std::collections::BTreeMap;

use panel_contract::common::Translations;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, RecordId};

use panel_contract::dictionary::LOCALES;
use panel_domain::fields::fits;
use panel_platform::db::{DbResult, Source, Sql, Val};
use panel_platform::work::UnitOfWork;

/// The language in which every record has texts.
const ENGLISH: &str = "en";

/// Error field of a missing English name.
const ENGLISH_NAME: &str = "translations.en.name";

/// A text that a kind of record has in every language.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// Its name on the wire.
    pub field: &'static str,
    /// Longest length, in characters.
    pub most: usize,
}

/// The translated texts of a kind of record.
#[derive(Debug)]
pub struct Texts {
    /// Value of `translations.owner_type`, such as `service`.
    pub owner: &'static str,
    /// Its texts; one is `name`.
    pub fields: &'static [Text],
}

// Rules

/// Returns the texts of a record after an input: `input` replaces all of them, then `name` sets the English name.
pub fn merge(
    errors: &mut FieldErrors,
    texts: &Texts,
    before: &Translations,
    name: Option<&str>,
    input: Option<&Translations>,
) -> Translations {
    let after = apply(errors, texts, before, name, input);
    require(errors, &after, if input.is_some() && name.is_none() { ENGLISH_NAME } else { "name" });
    after
}

/// Like [`merge`], for a record whose input has no separate name.
pub fn merge_texts(
    errors: &mut FieldErrors,
    texts: &Texts,
    before: &Translations,
    input: Option<&Translations>,
) -> Translations {
    let after = apply(errors, texts, before, None, input);
    require(errors, &after, ENGLISH_NAME);
    after
}

fn require(errors: &mut FieldErrors, after: &Translations, field: &str) {
    if after.text(ENGLISH, "name").is_none() && !errors.0.contains_key(field) {
        errors.add(field, "Give an English name; other languages fall back to it.");
    }
}

fn apply(
    errors: &mut FieldErrors,
    texts: &Texts,
    before: &Translations,
    name: Option<&str>,
    input: Option<&Translations>,
) -> Translations {
    let mut after = input.map_or_else(|| before.clone(), |input| validate(errors, texts, input));
    if let Some(name) = name {
        let most = texts.fields.iter().find(|text| text.field == "name").map_or(0, |text| text.most);
        if let Err(message) = fits(name.trim(), most) {
            errors.add("name", message);
        }
        after.put(ENGLISH, "name", name.trim());
    }
    after
}

/// Sets one text, or removes it.
pub fn put(all: &mut Translations, locale: &str, field: &str, text: Option<&str>) {
    match text {
        Some(text) => all.put(locale, field, text),
        None => {
            if let Some(fields) = all.0.get_mut(locale) {
                fields.remove(field);
            }
        }
    }
}

/// Validates and trims the texts of an input; empty ones are dropped.
pub fn validate(errors: &mut FieldErrors, texts: &Texts, input: &Translations) -> Translations {
    let mut clean = Translations::default();
    for (locale, fields) in &input.0 {
        if !LOCALES.iter().any(|(code, _)| code == locale) {
            errors.add(format!("translations.{locale}"), "This language is not supported.");
            continue;
        }
        for (field, text) in fields {
            let named = || format!("translations.{locale}.{field}");
            let Some(declared) = texts.fields.iter().find(|declared| declared.field == field) else {
                errors.add(named(), "This record has no such text; remove it.");
                continue;
            };
            let text = text.trim();
            if let Err(message) = fits(text, declared.most) {
                errors.add(named(), message);
            }
            if !text.is_empty() {
                clean.put(locale, field, text);
            }
        }
    }
    clean
}

// Store

/// SQL column with a record's texts, for lists: parse it with [`read`]. No text contains a control character, so two of them
/// are the separators.
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

/// Parses the column `texts` of a record with this name.
#[must_use]
pub fn read(texts: Option<&str>, name: &str) -> Translations {
    let mut translations = Translations::default();
    for text in texts.unwrap_or_default().split('\u{1e}') {
        let mut parts = text.splitn(3, '\u{1f}');
        if let (Some(locale), Some(field), Some(value)) = (parts.next(), parts.next(), parts.next()) {
            translations.put(locale, field, value);
        }
    }
    // Records older than the table of translations have only their name.
    translations.put(ENGLISH, "name", name);
    translations
}

/// The texts of records, by id.
pub async fn load<I: Id>(
    db: &mut impl Source,
    texts: &Texts,
    ids: &[I],
) -> DbResult<BTreeMap<I, Translations>> {
    let sql = Sql::new(
        "SELECT owner_id, locale, field, value FROM translations WHERE owner_type = ? AND owner_id IN ",
    )
    .bind(texts.owner)
    .ids(ids);
    let rows: Vec<(i64, String, String, String)> = db.all(sql).await?;
    let mut translations: BTreeMap<I, Translations> = BTreeMap::new();
    for (id, locale, field, value) in rows {
        translations.entry(I::new(id)).or_default().0.entry(locale).or_default().insert(field, value);
    }
    Ok(translations)
}

/// The texts of one record with this name.
pub async fn load_one(
    db: &mut impl Source,
    texts: &Texts,
    id: impl Into<RecordId>,
    name: &str,
) -> DbResult<Translations> {
    let id = id.into();
    let mut translations = load(db, texts, &[id]).await?.remove(&id).unwrap_or_default();
    // Records older than the table of translations have only their name.
    translations.put(ENGLISH, "name", name);
    Ok(translations)
}

/// Replaces all texts of a record.
pub async fn write(
    work: &mut UnitOfWork,
    texts: &Texts,
    id: impl Into<RecordId>,
    all: &Translations,
) -> DbResult<()> {
    let id = id.into();
    let delete = Sql::new("DELETE FROM translations WHERE owner_type = ? AND owner_id = ?");
    work.exec(delete.bind(texts.owner).bind(id)).await?;
    let rows: Vec<Vec<Val>> = all
        .0
        .iter()
        .flat_map(|(locale, fields)| {
            fields
                .iter()
                .map(move |(field, value)| [locale, field, value].map(|text| text.as_str().into()).to_vec())
        })
        .collect();
    let sql = Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT ?, ?, r.locale, r.field, r.value FROM ",
    );
    work.exec(sql.bind(texts.owner).bind(id).rows("r", &["locale", "field", "value"], rows)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: Texts =
        Texts { owner: "thing", fields: &[Text { field: "name", most: 5 }, Text { field: "faq", most: 9 }] };

    fn merged(name: Option<&str>, input: &str) -> Result<Translations, Vec<String>> {
        let mut errors = FieldErrors::default();
        let input: Option<Translations> = serde_json::from_str(input).unwrap();
        let after = merge(&mut errors, &TEXTS, &Translations::default(), name, input.as_ref());
        errors.or(after).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn english_is_required_and_empty_texts_are_dropped() {
        assert_eq!(merged(None, "null").unwrap_err(), ["name"]);
        assert_eq!(merged(None, r#"{"de":{"name":"Ding"}}"#).unwrap_err(), ["translations.en.name"]);
        let texts = merged(Some(" Thing "), r#"{"de":{"name":" ","faq":"F"},"fr":{"name":""}}"#).unwrap();
        assert_eq!((texts.text("en", "name"), texts.text("de", "faq")), (Some("Thing"), Some("F")));
        assert_eq!((texts.text("de", "name"), texts.0.contains_key("fr")), (None, false));
    }

    #[test]
    fn texts_are_parsed_from_their_column() {
        let texts = "de\u{1f}name\u{1f}Ding\u{1e}en\u{1f}name\u{1f}Old\u{1e}en\u{1f}faq\u{1f}A\nB";
        let all = read(Some(texts), "Thing");
        assert_eq!((all.text("de", "name"), all.text("en", "name")), (Some("Ding"), Some("Thing")));
        assert_eq!(
            (all.text("en", "faq"), read(None, "Thing").text("en", "name")),
            (Some("A\nB"), Some("Thing"))
        );
    }

    #[test]
    fn every_invalid_text_is_reported_on_its_field() {
        let input = r#"{"xx":{},"en":{"name":"Longest","colour":"a"},"de":{"faq":"a\u0007"}}"#;
        assert_eq!(
            merged(None, input).unwrap_err(),
            ["translations.de.faq", "translations.en.colour", "translations.en.name", "translations.xx"]
        );
    }
}

//! Texts of catalogue records in many languages: judged here, kept in `translations`. English is required, others are
//! dropped when empty. The English name is the record's own name; both are written together, never one alone.

use std::collections::BTreeMap;

use panel_contract::common::Translations;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, RecordId};

use panel_contract::dictionary::LOCALES;
use panel_domain::fields::fits;
use panel_platform::db::{DbResult, Source, Sql, Val};
use panel_platform::work::Work;

/// The language that every record has.
const ENGLISH: &str = "en";

/// Where it is said.
const ENGLISH_NAME: &str = "translations.en.name";

/// A text that a kind of record has in every language.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// As on the wire.
    pub field: &'static str,
    /// Longest, in characters.
    pub most: usize,
}

/// What a kind of record has.
#[derive(Debug)]
pub struct Texts {
    /// `service`, as the table `translations` says it.
    pub owner: &'static str,
    /// Its texts; one is `name`.
    pub fields: &'static [Text],
}

// Rules

/// The texts of a record after an input: `given` replaces all of them, `name` then sets the English name.
pub fn settle(
    errors: &mut FieldErrors,
    texts: &Texts,
    before: &Translations,
    name: Option<&str>,
    given: Option<&Translations>,
) -> Translations {
    let after = put_in(errors, texts, before, name, given);
    require(errors, &after, if given.is_some() && name.is_none() { ENGLISH_NAME } else { "name" });
    after
}

/// The same of a record whose input has its texts only, and no name beside them.
pub fn settle_all(
    errors: &mut FieldErrors,
    texts: &Texts,
    before: &Translations,
    given: Option<&Translations>,
) -> Translations {
    let after = put_in(errors, texts, before, None, given);
    require(errors, &after, ENGLISH_NAME);
    after
}

fn require(errors: &mut FieldErrors, after: &Translations, field: &str) {
    if after.text(ENGLISH, "name").is_none() && !errors.0.contains_key(field) {
        errors.add(field, "Give an English name; other languages fall back to it.");
    }
}

fn put_in(
    errors: &mut FieldErrors,
    texts: &Texts,
    before: &Translations,
    name: Option<&str>,
    given: Option<&Translations>,
) -> Translations {
    let mut after = given.map_or_else(|| before.clone(), |given| cleaned(errors, texts, given));
    if let Some(name) = name {
        let most = texts.fields.iter().find(|text| text.field == "name").map_or(0, |text| text.most);
        if let Err(message) = fits(name.trim(), most) {
            errors.add("name", message);
        }
        after.put(ENGLISH, "name", name.trim());
    }
    after
}

/// Puts one text in its place, or takes it away.
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

/// The texts of an input, judged and trimmed; empty ones are dropped.
pub fn cleaned(errors: &mut FieldErrors, texts: &Texts, given: &Translations) -> Translations {
    let mut clean = Translations::default();
    for (locale, fields) in &given.0 {
        if !LOCALES.iter().any(|(code, _)| code == locale) {
            errors.add(format!("translations.{locale}"), "The panel does not speak this language.");
            continue;
        }
        for (field, text) in fields {
            let named = || format!("translations.{locale}.{field}");
            let Some(known) = texts.fields.iter().find(|known| known.field == field) else {
                errors.add(named(), "There is no such text here; remove it.");
                continue;
            };
            let text = text.trim();
            if let Err(message) = fits(text, known.most) {
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

/// A column of a record's texts, for lists that show them: read with [`read`]. No text holds a control character, so two
/// of them part the texts.
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

/// The texts of a record that is called `name`, from the column `texts`.
#[must_use]
pub fn read(texts: Option<&str>, name: &str) -> Translations {
    let mut found = Translations::default();
    for text in texts.unwrap_or_default().split('\u{1e}') {
        let mut parts = text.splitn(3, '\u{1f}');
        if let (Some(locale), Some(field), Some(value)) = (parts.next(), parts.next(), parts.next()) {
            found.put(locale, field, value);
        }
    }
    // Records of before there were texts have their name only.
    found.put(ENGLISH, "name", name);
    found
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
    let mut found: BTreeMap<I, Translations> = BTreeMap::new();
    for (id, locale, field, value) in rows {
        found.entry(I::new(id)).or_default().0.entry(locale).or_default().insert(field, value);
    }
    Ok(found)
}

/// The texts of one record that is called `name`.
pub async fn of(
    db: &mut impl Source,
    texts: &Texts,
    id: impl Into<RecordId>,
    name: &str,
) -> DbResult<Translations> {
    let id = id.into();
    let mut found = load(db, texts, &[id]).await?.remove(&id).unwrap_or_default();
    // Records of before there were texts have their name only.
    found.put(ENGLISH, "name", name);
    Ok(found)
}

/// Replaces the texts of a record.
pub async fn write(
    work: &mut Work,
    texts: &Texts,
    id: impl Into<RecordId>,
    all: &Translations,
) -> DbResult<()> {
    let id = id.into();
    let gone = Sql::new("DELETE FROM translations WHERE owner_type = ? AND owner_id = ?");
    work.exec(gone.bind(texts.owner).bind(id)).await?;
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

    fn settled(name: Option<&str>, given: &str) -> Result<Translations, Vec<String>> {
        let mut errors = FieldErrors::default();
        let given: Option<Translations> = serde_json::from_str(given).unwrap();
        let after = settle(&mut errors, &TEXTS, &Translations::default(), name, given.as_ref());
        errors.or(after).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn english_is_required_and_empty_texts_are_dropped() {
        assert_eq!(settled(None, "null").unwrap_err(), ["name"]);
        assert_eq!(settled(None, r#"{"de":{"name":"Ding"}}"#).unwrap_err(), ["translations.en.name"]);
        let kept = settled(Some(" Thing "), r#"{"de":{"name":" ","faq":"F"},"fr":{"name":""}}"#).unwrap();
        assert_eq!((kept.text("en", "name"), kept.text("de", "faq")), (Some("Thing"), Some("F")));
        assert_eq!((kept.text("de", "name"), kept.0.contains_key("fr")), (None, false));
    }

    #[test]
    fn texts_are_read_from_their_column() {
        let texts = "de\u{1f}name\u{1f}Ding\u{1e}en\u{1f}name\u{1f}Old\u{1e}en\u{1f}faq\u{1f}A\nB";
        let all = read(Some(texts), "Thing");
        assert_eq!((all.text("de", "name"), all.text("en", "name")), (Some("Ding"), Some("Thing")));
        assert_eq!(
            (all.text("en", "faq"), read(None, "Thing").text("en", "name")),
            (Some("A\nB"), Some("Thing"))
        );
    }

    #[test]
    fn each_wrong_text_is_named() {
        let given = r#"{"xx":{},"en":{"name":"Longest","colour":"a"},"de":{"faq":"a\u0007"}}"#;
        assert_eq!(
            settled(None, given).unwrap_err(),
            ["translations.de.faq", "translations.en.colour", "translations.en.name", "translations.xx"]
        );
    }
}

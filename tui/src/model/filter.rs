//! The filter prompt's language, the same words as panelctl's filters: `status:in_moderation cost>50 user:anna`,
//! ranges `from..to`, lists with commas, `"quotes"` around spaces; bare words go to the common search.

use panel_contract::amount::{Money, Percent};
use panel_contract::moment::{Day, Time};
use panel_contract::table::TableQuery;

/// Lists show moments to the second, so the next moment is a second away.
const SECOND_MICROS: i64 = 1_000_000;

/// What a field holds.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Part of a text.
    Text,
    /// Whole numbers: one, `from..to`, or a list.
    Number,
    /// Money, likewise.
    Money,
    /// Percents with two decimals, likewise.
    Percent,
    /// Days or moments, likewise.
    Time,
    /// One of these words, or a list.
    Word(&'static [&'static str]),
    /// Yes or no.
    Flag,
}

/// A field that can be filtered.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name in the API.
    pub name: &'static str,
    /// Shorter names for the hand.
    pub also: &'static [&'static str],
    /// What it holds.
    pub kind: Kind,
}

impl Field {
    /// A field.
    #[must_use]
    pub const fn new(name: &'static str, also: &'static [&'static str], kind: Kind) -> Self {
        Self { name, also, kind }
    }

    fn called(&self, name: &str) -> bool {
        // As the API and as command lines write it: `user_id`, `user-id`.
        let name = &name.replace('-', "_");
        self.name.eq_ignore_ascii_case(name) || self.also.iter().any(|also| also.eq_ignore_ascii_case(name))
    }
}

/// What is asked of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Column searches: the API's name, and the text.
    pub terms: Vec<(&'static str, String)>,
    /// The common search.
    pub search: String,
}

/// What is wrong with a filter, and from which character on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The first character of the wrong part.
    pub at: usize,
    /// What to do.
    pub message: String,
}

impl Filter {
    /// Reads a filter.
    pub fn read(typed: &str, fields: &'static [Field]) -> Result<Self, Wrong> {
        let mut filter = Self::default();
        for (at, word) in words(typed)? {
            let wrong = |message| Wrong { at, message };
            // The server takes a blank search for none: the list, and what is marked in it, would be everything.
            if word.trim().is_empty() {
                return Err(wrong("These quotes are empty; write a word between them.".to_owned()));
            }
            match split(&word) {
                None => {
                    if !filter.search.is_empty() {
                        filter.search.push(' ');
                    }
                    filter.search.push_str(&word);
                }
                Some((name, sign, value)) => {
                    let field = fields.iter().find(|field| field.called(name));
                    let field = field.ok_or_else(|| wrong(unknown(name, fields)))?;
                    let text = term(field, sign, value).map_err(wrong)?;
                    filter.add(field, text).map_err(wrong)?;
                }
            }
        }
        Ok(filter)
    }

    fn add(&mut self, field: &Field, text: String) -> Result<(), String> {
        let Some(known) = self.terms.iter_mut().find(|(name, _)| *name == field.name) else {
            self.terms.push((field.name, text));
            return Ok(());
        };
        known.1 = both(&known.1, &text).ok_or_else(|| {
            format!("{} is given twice. Use one range ({0}:from..to) or a list with commas.", field.name)
        })?;
        Ok(())
    }

    /// Puts the filter on a list's query.
    #[must_use]
    pub fn apply(&self, query: TableQuery) -> TableQuery {
        let query = if self.search.is_empty() { query } else { query.search(self.search.clone()) };
        self.terms.iter().fold(query, |query, (name, text)| query.filter(name, text.clone()))
    }
}

/// Two ends of one range: `50..` and `..100`.
fn both(one: &str, other: &str) -> Option<String> {
    let (low, high) = if one.ends_with("..") { (one, other) } else { (other, one) };
    let (low, high) = (low.strip_suffix("..")?, high.strip_prefix("..")?);
    (!low.is_empty() && !high.is_empty()).then(|| format!("{low}..{high}"))
}

fn unknown(name: &str, fields: &[Field]) -> String {
    let close = fields.iter().find(|field| field.name.starts_with(name) || name.starts_with(field.name));
    let known: Vec<&str> = fields.iter().map(|field| field.name).take(8).collect();
    match close {
        Some(field) => format!("There is no field {name}; did you mean {}?", field.name),
        None => format!("There is no field {name}. Some that there are: {}.", known.join(", ")),
    }
}

/// The words with the place of their first character; quotes keep spaces.
fn words(typed: &str) -> Result<Vec<(usize, String)>, Wrong> {
    let (mut words, mut word, mut start, mut quote) = (Vec::new(), String::new(), None, None);
    for (at, letter) in typed.chars().enumerate() {
        match letter {
            '"' if quote.is_some() => quote = None,
            '"' => {
                quote = Some(at);
                start.get_or_insert(at);
            }
            ' ' if quote.is_none() => {
                if let Some(start) = start.take() {
                    words.push((start, std::mem::take(&mut word)));
                }
            }
            letter => {
                start.get_or_insert(at);
                word.push(letter);
            }
        }
    }
    if let Some(at) = quote {
        return Err(Wrong { at, message: "This quote has no end; add a \".".into() });
    }
    words.extend(start.map(|start| (start, word)));
    Ok(words)
}

/// `cost>=50` → `cost`, `>=`, `50`; none for a bare word or an address.
fn split(word: &str) -> Option<(&str, &'static str, &str)> {
    let name =
        word.len() - word.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "._-".contains(c)).len();
    let (name, rest) = word.split_at(name);
    if name.is_empty() || rest.starts_with("://") {
        return None;
    }
    let signs = [">=", "<=", ">", "<", ":", "="];
    let sign = signs.into_iter().find(|sign| rest.starts_with(sign))?;
    Some((name, sign, &rest[sign.len()..]))
}

/// The search text of one term, checked as far as that goes without the server.
fn term(field: &Field, sign: &str, value: &str) -> Result<String, String> {
    let name = field.name;
    if value.trim().is_empty() {
        return Err(format!("Say what {name} should be: {name}{sign}…"));
    }
    if matches!(sign, ":" | "=") {
        check(field, value)?;
        return Ok(value.to_owned());
    }
    let (up, equal) = (sign.starts_with('>'), sign.ends_with('='));
    let bound = match field.kind {
        Kind::Number => value.parse::<i64>().map(|value| step(value, 1, up, equal).to_string()).ok(),
        Kind::Money => value.parse().map(|Money(value)| Money(step(value, 1, up, equal)).to_string()).ok(),
        Kind::Percent => {
            value.parse().map(|Percent(value)| Percent(step(value, 1, up, equal)).to_string()).ok()
        }
        Kind::Time => beyond(value, up, equal),
        Kind::Text | Kind::Word(_) | Kind::Flag => {
            return Err(format!("{name} has no order; write {name}:{value}."));
        }
    };
    let bound = bound.ok_or_else(|| bad(field, value))?;
    Ok(if up { format!("{bound}..") } else { format!("..{bound}") })
}

fn step(value: i64, by: i64, up: bool, equal: bool) -> i64 {
    match (equal, up) {
        (true, _) => value,
        (false, true) => value.saturating_add(by),
        (false, false) => value.saturating_sub(by),
    }
}

fn beyond(value: &str, up: bool, equal: bool) -> Option<String> {
    if let Ok(Day(day)) = value.parse() {
        return Some(Day(step(day, 1, up, equal)).to_string());
    }
    let time: Time = value.parse().ok()?;
    Some(Time(step(time.0, SECOND_MICROS, up, equal)).to_string())
}

fn check(field: &Field, value: &str) -> Result<(), String> {
    let ends =
        || value.split("..").flat_map(|end| end.split(',')).map(str::trim).filter(|end| !end.is_empty());
    let fine = match field.kind {
        Kind::Text => true,
        Kind::Number => ends().all(|end| end.parse::<i64>().is_ok()),
        Kind::Money => ends().all(|end| end.parse::<Money>().is_ok()),
        Kind::Percent => ends().all(|end| end.parse::<Percent>().is_ok()),
        Kind::Time => ends().all(|end| end.parse::<Day>().is_ok() || end.parse::<Time>().is_ok()),
        Kind::Word(known) => ends().all(|end| known.contains(&end)),
        Kind::Flag => matches!(value, "0" | "1" | "true" | "false"),
    };
    if fine { Ok(()) } else { Err(bad(field, value)) }
}

fn bad(field: &Field, value: &str) -> String {
    let name = field.name;
    match field.kind {
        Kind::Word(known) => format!("{value} is no {name}. There are: {}.", known.join(", ")),
        Kind::Flag => format!("{name} is 1 or 0."),
        Kind::Money => format!("{value} is no amount; write {name}>50 or {name}:12.50..99."),
        Kind::Percent => format!("{value} is no percent; write {name}>50 or {name}:12.5..99."),
        Kind::Time => {
            format!("{value} is no day or time; write {name}>2026-11-01 or {name}:2026-11-01..2026-11-20.")
        }
        Kind::Number | Kind::Text => format!("{value} is no whole number; write {name}:1000 or {name}>500."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::queue::Source;

    fn read(typed: &str) -> Filter {
        Filter::read(typed, Source::Orders.fields()).unwrap()
    }

    fn wrong(typed: &str) -> (usize, String) {
        let wrong = Filter::read(typed, Source::Orders.fields()).unwrap_err();
        (wrong.at, wrong.message)
    }

    #[test]
    fn terms_become_column_searches() {
        let filter = read("status:in_moderation cost>50 user:anna qty<=10 created>2026-11-01");
        let expected: [(&str, &str); 5] = [
            ("status", "in_moderation"),
            ("cost", "50.000001.."),
            ("user", "anna"),
            ("quantity", "..10"),
            ("created_at", "2026-11-02.."),
        ];
        assert_eq!(filter.terms, expected.map(|(name, text)| (name, text.to_owned())));
        assert_eq!(
            read("percent_of_current_fill>50").terms,
            [("percent_of_current_fill", "50.01..".to_owned())]
        );
        assert_eq!(read("cost>=50 cost<100").terms, [("cost", "50..99.999999".to_owned())]);
        assert_eq!(
            read("no-active-providers:1 user-id:7").terms,
            read("has_no_active_providers:1 user.id:7").terms
        );
        assert_eq!(read("id:7,9,12").terms, [("id", "7,9,12".to_owned())]);
    }

    #[test]
    fn bare_words_quotes_and_addresses_are_searched_for() {
        assert_eq!(read("  anna  kowalski ").search, "anna kowalski");
        assert_eq!(read("https://example.com/a:b").search, "https://example.com/a:b");
        assert_eq!(read("user:\"anna maria\"").terms, [("user", "anna maria".to_owned())]);
        assert_eq!(read(""), Filter::default());
    }

    #[test]
    fn errors_say_where_and_what_to_do() {
        assert_eq!(wrong("anna statsu:x").0, 5);
        assert!(wrong("stat:x").1.contains("did you mean status"));
        assert!(wrong("status:open").1.contains("in_moderation"));
        assert!(wrong("cost>abc").1.contains("no amount"));
        assert!(wrong("user>5").1.contains("no order"));
        assert!(wrong("cost:").1.contains("Say what"));
        assert!(wrong("cost:5 cost:6").1.contains("twice"));
        for empty in ["user:\"\"", "user:\" \"", "\"\"", "\"  \"", "anna \" \""] {
            assert!(Filter::read(empty, Source::Orders.fields()).is_err(), "{empty}");
        }
        assert_eq!(wrong("user:\"anna").0, 5);
        assert!(wrong("is_paid:maybe").1.contains("1 or 0"));
    }
}

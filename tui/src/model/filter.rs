//! Parses the filter prompt. It has the same fields as the filters of panelctl: `status:in_moderation cost>50 user:anna`,
//! ranges `from..to`, lists with commas, `"quotes"` around spaces. A word without a field searches the common columns.

use panel_contract::amount::{Money, Percent};
use panel_contract::moment::{Day, Time};
use panel_contract::table::TableQuery;

/// The step between two times: lists show times to the second.
const SECOND_MICROS: i64 = 1_000_000;

/// The type of a field.
#[derive(Debug, Clone, Copy)]
pub enum FieldKind {
    Text,
    /// Whole numbers: one number, a range `from..to`, or a list.
    Number,
    /// Money, in the same forms.
    Money,
    /// Percentages with two decimals, in the same forms.
    Percent,
    /// Dates or times, in the same forms.
    Time,
    /// One of these values, or a list of them.
    Enum(&'static [&'static str]),
    Flag,
}

/// A field that the filter accepts.
#[derive(Debug, Clone, Copy)]
pub struct FilterField {
    /// The name in the API.
    pub name: &'static str,
    /// Short names for the prompt.
    pub aliases: &'static [&'static str],
    pub kind: FieldKind,
}

impl FilterField {
    #[must_use]
    pub const fn new(name: &'static str, aliases: &'static [&'static str], kind: FieldKind) -> Self {
        Self { name, aliases, kind }
    }

    fn is_named(&self, name: &str) -> bool {
        // The API writes `user_id`, command lines write `user-id`.
        let name = &name.replace('-', "_");
        self.name.eq_ignore_ascii_case(name)
            || self.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Column filters: the API name and the search text.
    pub terms: Vec<(&'static str, String)>,
    /// The search over the common columns.
    pub search: String,
}

/// A syntax error of a filter with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterError {
    /// The position of the first wrong character.
    pub position: usize,
    pub message: String,
}

impl Filter {
    pub fn parse(text: &str, fields: &'static [FilterField]) -> Result<Self, FilterError> {
        let mut filter = Self::default();
        for (position, word) in split_words(text)? {
            let to_error = |message| FilterError { position, message };
            // The server ignores an empty search. The list would show all records, and marking all would mark them.
            if word.trim().is_empty() {
                return Err(to_error("These quotes are empty. Put a word between them.".to_owned()));
            }
            match split_term(&word) {
                None => {
                    if !filter.search.is_empty() {
                        filter.search.push(' ');
                    }
                    filter.search.push_str(&word);
                }
                Some((name, operator, value)) => {
                    let field = fields.iter().find(|field| field.is_named(name));
                    let field = field.ok_or_else(|| to_error(unknown_field_message(name, fields)))?;
                    let search_text = to_search_text(field, operator, value).map_err(to_error)?;
                    filter.add_term(field, search_text).map_err(to_error)?;
                }
            }
        }
        Ok(filter)
    }

    fn add_term(&mut self, field: &FilterField, search_text: String) -> Result<(), String> {
        let Some(existing) = self.terms.iter_mut().find(|(name, _)| *name == field.name) else {
            self.terms.push((field.name, search_text));
            return Ok(());
        };
        existing.1 = join_bounds(&existing.1, &search_text).ok_or_else(|| {
            format!("{} appears twice. Use one range ({0}:from..to) or a list with commas.", field.name)
        })?;
        Ok(())
    }

    /// Adds the filter to a query.
    #[must_use]
    pub fn apply(&self, query: TableQuery) -> TableQuery {
        let query = if self.search.is_empty() { query } else { query.search(self.search.clone()) };
        self.terms.iter().fold(query, |query, (name, text)| query.filter(name, text.clone()))
    }
}

/// Joins `50..` and `..100` to `50..100`.
fn join_bounds(first: &str, second: &str) -> Option<String> {
    let (low, high) = if first.ends_with("..") { (first, second) } else { (second, first) };
    let (low, high) = (low.strip_suffix("..")?, high.strip_prefix("..")?);
    (!low.is_empty() && !high.is_empty()).then(|| format!("{low}..{high}"))
}

fn unknown_field_message(name: &str, fields: &[FilterField]) -> String {
    let similar = fields.iter().find(|field| field.name.starts_with(name) || name.starts_with(field.name));
    let names: Vec<&str> = fields.iter().map(|field| field.name).take(8).collect();
    match similar {
        Some(field) => format!("There is no field {name}. Did you mean {}?", field.name),
        None => format!("There is no field {name}. Fields include {}.", names.join(", ")),
    }
}

/// Splits the text at spaces outside of quotes. Returns each word with the position of its first character.
fn split_words(text: &str) -> Result<Vec<(usize, String)>, FilterError> {
    let (mut words, mut word, mut word_start, mut open_quote) = (Vec::new(), String::new(), None, None);
    for (position, letter) in text.chars().enumerate() {
        match letter {
            '"' if open_quote.is_some() => open_quote = None,
            '"' => {
                open_quote = Some(position);
                word_start.get_or_insert(position);
            }
            ' ' if open_quote.is_none() => {
                if let Some(start) = word_start.take() {
                    words.push((start, std::mem::take(&mut word)));
                }
            }
            letter => {
                word_start.get_or_insert(position);
                word.push(letter);
            }
        }
    }
    if let Some(position) = open_quote {
        return Err(FilterError { position, message: "This quote is not closed. Add a \".".into() });
    }
    words.extend(word_start.map(|start| (start, word)));
    Ok(words)
}

/// Splits `cost>=50` into field name, operator and value; `None` for a word without a field and for a URL.
fn split_term(word: &str) -> Option<(&str, &'static str, &str)> {
    let name_length =
        word.len() - word.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "._-".contains(c)).len();
    let (name, rest) = word.split_at(name_length);
    if name.is_empty() || rest.starts_with("://") {
        return None;
    }
    let operators = [">=", "<=", ">", "<", ":", "="];
    let operator = operators.into_iter().find(|operator| rest.starts_with(operator))?;
    Some((name, operator, &rest[operator.len()..]))
}

/// Converts a term to a search text for the server. Validates the value as far as possible without the server.
fn to_search_text(field: &FilterField, operator: &str, value: &str) -> Result<String, String> {
    let name = field.name;
    if value.trim().is_empty() {
        return Err(format!("Enter a value after {name}{operator}"));
    }
    if matches!(operator, ":" | "=") {
        validate_value(field, value)?;
        return Ok(value.to_owned());
    }
    let (is_lower, is_inclusive) = (operator.starts_with('>'), operator.ends_with('='));
    let bound = match field.kind {
        FieldKind::Number => {
            value.parse::<i64>().map(|value| bound_value(value, 1, is_lower, is_inclusive).to_string()).ok()
        }
        FieldKind::Money => value
            .parse()
            .map(|Money(value)| Money(bound_value(value, 1, is_lower, is_inclusive)).to_string())
            .ok(),
        FieldKind::Percent => value
            .parse()
            .map(|Percent(value)| Percent(bound_value(value, 1, is_lower, is_inclusive)).to_string())
            .ok(),
        FieldKind::Time => time_bound(value, is_lower, is_inclusive),
        FieldKind::Text | FieldKind::Enum(_) | FieldKind::Flag => {
            return Err(format!("{name} cannot be compared. Use {name}:{value}."));
        }
    };
    let bound = bound.ok_or_else(|| invalid_value_message(field, value))?;
    Ok(if is_lower { format!("{bound}..") } else { format!("..{bound}") })
}

fn bound_value(value: i64, step: i64, is_lower: bool, is_inclusive: bool) -> i64 {
    match (is_inclusive, is_lower) {
        (true, _) => value,
        (false, true) => value.saturating_add(step),
        (false, false) => value.saturating_sub(step),
    }
}

fn time_bound(value: &str, is_lower: bool, is_inclusive: bool) -> Option<String> {
    if let Ok(Day(day)) = value.parse() {
        return Some(Day(bound_value(day, 1, is_lower, is_inclusive)).to_string());
    }
    let time: Time = value.parse().ok()?;
    Some(Time(bound_value(time.0, SECOND_MICROS, is_lower, is_inclusive)).to_string())
}

fn validate_value(field: &FilterField, value: &str) -> Result<(), String> {
    let bounds = || {
        value.split("..").flat_map(|bound| bound.split(',')).map(str::trim).filter(|bound| !bound.is_empty())
    };
    let is_valid = match field.kind {
        FieldKind::Text => true,
        FieldKind::Number => bounds().all(|bound| bound.parse::<i64>().is_ok()),
        FieldKind::Money => bounds().all(|bound| bound.parse::<Money>().is_ok()),
        FieldKind::Percent => bounds().all(|bound| bound.parse::<Percent>().is_ok()),
        FieldKind::Time => {
            bounds().all(|bound| bound.parse::<Day>().is_ok() || bound.parse::<Time>().is_ok())
        }
        FieldKind::Enum(allowed) => bounds().all(|bound| allowed.contains(&bound)),
        FieldKind::Flag => matches!(value, "0" | "1" | "true" | "false"),
    };
    if is_valid { Ok(()) } else { Err(invalid_value_message(field, value)) }
}

fn invalid_value_message(field: &FilterField, value: &str) -> String {
    let name = field.name;
    match field.kind {
        FieldKind::Enum(allowed) => {
            format!("{value} is not a valid {name}. Use one of: {}.", allowed.join(", "))
        }
        FieldKind::Flag => format!("{name} must be 1 or 0."),
        FieldKind::Money => format!("{value} is not an amount. Use {name}>50 or {name}:12.50..99."),
        FieldKind::Percent => format!("{value} is not a percentage. Use {name}>50 or {name}:12.5..99."),
        FieldKind::Time => {
            format!("{value} is not a date or time. Use {name}>2026-11-01 or {name}:2026-11-01..2026-11-20.")
        }
        FieldKind::Number | FieldKind::Text => {
            format!("{value} is not a whole number. Use {name}:1000 or {name}>500.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::queue::Source;

    fn parse(text: &str) -> Filter {
        Filter::parse(text, Source::Orders.fields()).unwrap()
    }

    fn parse_to_error(text: &str) -> (usize, String) {
        let error = Filter::parse(text, Source::Orders.fields()).unwrap_err();
        (error.position, error.message)
    }

    #[test]
    fn terms_become_column_filters() {
        let filter = parse("status:in_moderation cost>50 user:anna qty<=10 created>2026-11-01");
        let expected: [(&str, &str); 5] = [
            ("status", "in_moderation"),
            ("cost", "50.000001.."),
            ("user", "anna"),
            ("quantity", "..10"),
            ("created_at", "2026-11-02.."),
        ];
        assert_eq!(filter.terms, expected.map(|(name, text)| (name, text.to_owned())));
        assert_eq!(
            parse("percent_of_current_fill>50").terms,
            [("percent_of_current_fill", "50.01..".to_owned())]
        );
        assert_eq!(parse("cost>=50 cost<100").terms, [("cost", "50..99.999999".to_owned())]);
        assert_eq!(
            parse("no-active-providers:1 user-id:7").terms,
            parse("has_no_active_providers:1 user.id:7").terms
        );
        assert_eq!(parse("id:7,9,12").terms, [("id", "7,9,12".to_owned())]);
    }

    #[test]
    fn searches_words_without_a_field_quoted_texts_and_urls() {
        assert_eq!(parse("  anna  kowalski ").search, "anna kowalski");
        assert_eq!(parse("https://example.com/a:b").search, "https://example.com/a:b");
        assert_eq!(parse("user:\"anna maria\"").terms, [("user", "anna maria".to_owned())]);
        assert_eq!(parse(""), Filter::default());
    }

    #[test]
    fn errors_have_a_position_and_advice() {
        assert_eq!(parse_to_error("anna statsu:x").0, 5);
        assert!(parse_to_error("stat:x").1.contains("Did you mean status"));
        assert!(parse_to_error("status:open").1.contains("in_moderation"));
        assert!(parse_to_error("cost>abc").1.contains("not an amount"));
        assert!(parse_to_error("user>5").1.contains("cannot be compared"));
        assert!(parse_to_error("cost:").1.contains("Enter a value"));
        assert!(parse_to_error("cost:5 cost:6").1.contains("twice"));
        for empty_quotes in ["user:\"\"", "user:\" \"", "\"\"", "\"  \"", "anna \" \""] {
            assert!(Filter::parse(empty_quotes, Source::Orders.fields()).is_err(), "{empty_quotes}");
        }
        assert_eq!(parse_to_error("user:\"anna").0, 5);
        assert!(parse_to_error("is_paid:maybe").1.contains("1 or 0"));
    }
}

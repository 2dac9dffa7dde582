//! Parses the names in a PromQL query: the metrics that it selects, their labels, and the labels by which it groups.

#[derive(Debug, Default)]
pub(crate) struct ParsedQuery {
    pub(crate) selectors: Vec<Selector>,
    /// Labels of `by`, `without`, `on` and `ignoring`.
    pub(crate) grouped_by: Vec<String>,
    /// Whether every bracket is closed.
    pub(crate) is_balanced: bool,
}

/// A metric and the labels in its braces.
#[derive(Debug)]
pub(crate) struct Selector {
    pub(crate) metric: String,
    pub(crate) labels: Vec<String>,
}

const GROUPING_KEYWORDS: [&str; 6] = ["by", "without", "on", "ignoring", "group_left", "group_right"];
const OTHER_KEYWORDS: [&str; 5] = ["and", "or", "unless", "offset", "bool"];

/// The kind of the innermost open bracket, which decides what a word means.
#[derive(Clone, Copy, PartialEq)]
enum Scope {
    Expression,
    Grouping,
    Braces,
}

pub(crate) fn parse(text: &str) -> ParsedQuery {
    let mut query = ParsedQuery::default();
    let (mut rest, mut open_scopes, mut is_grouping_next) = (text, vec![Scope::Expression], false);
    while let Some(letter) = rest.chars().next() {
        let scope = open_scopes.last().copied().unwrap_or(Scope::Expression);
        match letter {
            '"' => rest = after_string(rest),
            '[' => rest = rest.split_once(']').map_or("", |(_, after)| after),
            '(' => {
                open_scopes.push(if is_grouping_next { Scope::Grouping } else { Scope::Expression });
                (is_grouping_next, rest) = (false, &rest[1..]);
            }
            '{' => {
                open_scopes.push(Scope::Braces);
                rest = &rest[1..];
            }
            ')' | '}' => {
                open_scopes.pop();
                rest = &rest[1..];
            }
            letter if letter.is_ascii_digit() => {
                rest = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '.')
            }
            letter if letter.is_ascii_alphabetic() || letter == '_' => {
                let (word, after) = split_word(rest);
                rest = after;
                match scope {
                    Scope::Braces => query.selectors.last_mut().unwrap().labels.push(word.to_owned()),
                    Scope::Grouping => query.grouped_by.push(word.to_owned()),
                    Scope::Expression if GROUPING_KEYWORDS.contains(&word) => is_grouping_next = true,
                    Scope::Expression if OTHER_KEYWORDS.contains(&word) || is_function(after) => {}
                    Scope::Expression => {
                        query.selectors.push(Selector { metric: word.to_owned(), labels: Vec::new() });
                    }
                }
            }
            _ => rest = &rest[letter.len_utf8()..],
        }
    }
    query.is_balanced = open_scopes == [Scope::Expression];
    query
}

/// Whether the text after a name shows that it is a function or an aggregation.
fn is_function(after: &str) -> bool {
    let after = after.trim_start();
    after.starts_with('(') || GROUPING_KEYWORDS.contains(&split_word(after).0)
}

fn split_word(text: &str) -> (&str, &str) {
    let end =
        text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(text.len());
    text.split_at(end)
}

fn after_string(text: &str) -> &str {
    let mut is_escaped = false;
    for (index, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return &text[index + 1..],
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    ""
}

#[test]
fn parses_metrics_labels_and_groupings() {
    let query = r#"topk(10, sum by (code, le) (rate(a_total{x=~"b{(\"",y!=""}[5m]))) / on (i) b{z="1"} > 0.5e3 and c"#;
    let parsed = parse(query);
    let selectors: Vec<_> = parsed
        .selectors
        .iter()
        .map(|selector| (selector.metric.as_str(), selector.labels.join(",")))
        .collect();
    assert_eq!(selectors, [("a_total", "x,y".into()), ("b", "z".into()), ("c", String::new())]);
    assert_eq!((parsed.grouped_by.join(","), parsed.is_balanced), ("code,le,i".into(), true));
    assert!(!parse("sum(a").is_balanced);
}

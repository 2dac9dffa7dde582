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

/// The kind of the innermost open bracket. It decides whether a word is a metric, a label or a grouping label.
#[derive(Clone, Copy, PartialEq)]
enum Scope {
    Expression,
    Grouping,
    Braces,
}

pub(crate) fn parse(query_text: &str) -> ParsedQuery {
    let mut query = ParsedQuery::default();
    let (mut remaining_text, mut open_scopes, mut is_grouping_next) =
        (query_text, vec![Scope::Expression], false);
    while let Some(letter) = remaining_text.chars().next() {
        let current_scope = open_scopes.last().copied().unwrap_or(Scope::Expression);
        match letter {
            '"' => remaining_text = skip_string(remaining_text),
            '[' => remaining_text = remaining_text.split_once(']').map_or("", |(_, text_after)| text_after),
            '(' => {
                open_scopes.push(if is_grouping_next { Scope::Grouping } else { Scope::Expression });
                (is_grouping_next, remaining_text) = (false, &remaining_text[1..]);
            }
            '{' => {
                open_scopes.push(Scope::Braces);
                remaining_text = &remaining_text[1..];
            }
            ')' | '}' => {
                open_scopes.pop();
                remaining_text = &remaining_text[1..];
            }
            letter if letter.is_ascii_digit() => {
                remaining_text = remaining_text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '.')
            }
            letter if letter.is_ascii_alphabetic() || letter == '_' => {
                let (word, text_after) = split_word(remaining_text);
                remaining_text = text_after;
                match current_scope {
                    Scope::Braces => query.selectors.last_mut().unwrap().labels.push(word.to_owned()),
                    Scope::Grouping => query.grouped_by.push(word.to_owned()),
                    Scope::Expression if GROUPING_KEYWORDS.contains(&word) => is_grouping_next = true,
                    Scope::Expression
                        if OTHER_KEYWORDS.contains(&word) || is_followed_by_arguments(text_after) => {}
                    Scope::Expression => {
                        query.selectors.push(Selector { metric: word.to_owned(), labels: Vec::new() });
                    }
                }
            }
            _ => remaining_text = &remaining_text[letter.len_utf8()..],
        }
    }
    query.is_balanced = open_scopes == [Scope::Expression];
    query
}

/// Whether the text after a name shows that the name is a function or an aggregation.
fn is_followed_by_arguments(text_after: &str) -> bool {
    let text_after = text_after.trim_start();
    text_after.starts_with('(') || GROUPING_KEYWORDS.contains(&split_word(text_after).0)
}

fn split_word(query_text: &str) -> (&str, &str) {
    let end = query_text
        .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .unwrap_or(query_text.len());
    query_text.split_at(end)
}

fn skip_string(query_text: &str) -> &str {
    let mut is_escaped = false;
    for (index, letter) in query_text.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return &query_text[index + 1..],
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

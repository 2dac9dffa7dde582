//! Reads the names out of a PromQL query: which metrics it selects with which labels, and by which labels it groups.

/// What a query names.
#[derive(Debug, Default)]
pub(crate) struct Query {
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

const GROUPINGS: [&str; 6] = ["by", "without", "on", "ignoring", "group_left", "group_right"];
const WORDS: [&str; 5] = ["and", "or", "unless", "offset", "bool"];

/// Where a word stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Expression,
    Grouping,
    Braces,
}

/// Reads a query.
pub(crate) fn read(query: &str) -> Query {
    let mut found = Query::default();
    let (mut rest, mut open, mut groups_next) = (query, vec![Place::Expression], false);
    while let Some(letter) = rest.chars().next() {
        let place = open.last().copied().unwrap_or(Place::Expression);
        match letter {
            '"' => rest = after_string(rest),
            '[' => rest = rest.split_once(']').map_or("", |(_, after)| after),
            '(' => {
                open.push(if groups_next { Place::Grouping } else { Place::Expression });
                (groups_next, rest) = (false, &rest[1..]);
            }
            '{' => {
                open.push(Place::Braces);
                rest = &rest[1..];
            }
            ')' | '}' => {
                open.pop();
                rest = &rest[1..];
            }
            letter if letter.is_ascii_digit() => {
                rest = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '.')
            }
            letter if letter.is_ascii_alphabetic() || letter == '_' => {
                let (word, after) = split_word(rest);
                rest = after;
                match place {
                    Place::Braces => found.selectors.last_mut().unwrap().labels.push(word.to_owned()),
                    Place::Grouping => found.grouped_by.push(word.to_owned()),
                    Place::Expression if GROUPINGS.contains(&word) => groups_next = true,
                    Place::Expression if WORDS.contains(&word) || is_function(after) => {}
                    Place::Expression => {
                        found.selectors.push(Selector { metric: word.to_owned(), labels: Vec::new() });
                    }
                }
            }
            _ => rest = &rest[letter.len_utf8()..],
        }
    }
    found.is_balanced = open == [Place::Expression];
    found
}

/// A function or an aggregation, by what stands behind its name.
fn is_function(after: &str) -> bool {
    let after = after.trim_start();
    after.starts_with('(') || GROUPINGS.contains(&split_word(after).0)
}

fn split_word(text: &str) -> (&str, &str) {
    let end =
        text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(text.len());
    text.split_at(end)
}

fn after_string(text: &str) -> &str {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return &text[at + 1..],
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    ""
}

#[test]
fn names_are_read_where_they_stand() {
    let query = r#"topk(10, sum by (code, le) (rate(a_total{x=~"b{(\"",y!=""}[5m]))) / on (i) b{z="1"} > 0.5e3 and c"#;
    let read = read(query);
    let selectors: Vec<_> =
        read.selectors.iter().map(|selector| (selector.metric.as_str(), selector.labels.join(","))).collect();
    assert_eq!(selectors, [("a_total", "x,y".into()), ("b", "z".into()), ("c", String::new())]);
    assert_eq!((read.grouped_by.join(","), read.is_balanced), ("code,le,i".into(), true));
    assert!(!self::read("sum(a").is_balanced);
}

//! Rules for values in the sources: a statement with many values uses named placeholders, and a time span is a `Duration`.

use crate::tidy::{CRATES, assert_empty, rust_files};

/// The most `?` in one statement: with more of them a review misses two values in the wrong order.
const MAX_POSITIONAL_PLACEHOLDERS: usize = 4;

/// A string literal that contains one of these is an SQL statement.
const SQL_WORDS: [&str; 6] = ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "VALUES (", "WHERE "];

/// The string literals of a source with their line numbers. Skips comments, character literals and raw strings.
fn string_literals(source: &str) -> Vec<(usize, &str)> {
    let bytes = source.as_bytes();
    let (mut string_literals, mut position, mut line) = (Vec::new(), 0, 1);
    while position < bytes.len() {
        let rest = &source[position..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(length) = raw_string_length(rest) {
            length
        } else if rest.starts_with('"') {
            let length = string_length(rest);
            string_literals.push((line, &rest[1..length - 1]));
            length
        } else if rest.starts_with("'\\") {
            4
        } else if bytes[position] == b'\'' && bytes.get(position + 2) == Some(&b'\'') {
            3
        } else {
            1
        };
        let end = (position + length).min(bytes.len());
        line += bytes[position..end].iter().filter(|byte| **byte == b'\n').count();
        position = (end..=bytes.len()).find(|index| source.is_char_boundary(*index)).unwrap_or(bytes.len());
    }
    string_literals
}

/// The length of a raw string at the start of `rest`. Raw strings are skipped, because none contains SQL.
fn raw_string_length(rest: &str) -> Option<usize> {
    let hashes = rest.strip_prefix('r')?.len() - rest[1..].trim_start_matches('#').len();
    let open = 1 + hashes;
    let close = format!("\"{}", "#".repeat(hashes));
    rest[open..].starts_with('"').then(|| open + 1 + rest[open + 1..].find(&close).unwrap_or(0) + close.len())
}

/// The length of the string literal at the start of `rest`, with its quotes.
fn string_length(rest: &str) -> usize {
    let mut escaped = false;
    let end = rest[1..].bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(rest.len(), |end| end + 2)
}

#[test]
fn finds_the_string_literals_of_a_source() {
    let source = "let a = 'x'; // \"no\"\nlet b = \"one\\\"?\"; f::<'a>('\\'', r#\"raw \" ?\"#, \"two\n?\");\n\"three\"";
    assert_eq!(string_literals(source), [(2, "one\\\"?"), (2, "two\n?"), (4, "three")]);
}

#[test]
fn long_statements_use_named_placeholders() {
    let folders = ["api/server/tests", "api/server/benches", "cli/tests", "tui/tests"];
    let mut violations = Vec::new();
    for file in CRATES.iter().chain(&folders).flat_map(|folder| rust_files(folder)) {
        for (line, text) in string_literals(&file.text) {
            let count = text.matches('?').count();
            if count > MAX_POSITIONAL_PLACEHOLDERS && SQL_WORDS.iter().any(|word| text.contains(word)) {
                violations.push(format!("{}:{line} has {count} `?`", file.path));
            }
        }
    }
    assert_empty(&violations, "use named placeholders (`sql!`) in a statement with more than four values");
}

/// The units in the names of constants that hold a time span as a number.
const UNITS: [&str; 6] = ["_MICROS", "_MILLIS", "_SECS", "_MINS", "_HOURS", "_DAYS"];
/// Substrings of the documentation or the value of a constant that show that it is a time span.
const TIME_SPAN_MARKS: [&str; 11] = [
    "Microseconds",
    "microseconds",
    "Seconds ",
    " in seconds",
    " in days",
    "How long",
    "How often",
    "How soon",
    "3_600",
    "86_400",
    "* SECOND",
];

/// The integer constants of a file: line number, name, and documentation with value.
fn integer_constants(code: &str) -> Vec<(usize, String, String)> {
    let mut doc = String::new();
    let mut constants = Vec::new();
    for (index, line) in code.lines().enumerate() {
        let line = line.trim();
        if let Some(words) = line.strip_prefix("///") {
            doc.push_str(words);
            continue;
        }
        let declaration = line.split_once("const ").and_then(|(before, rest)| {
            let is_item = (before.is_empty() || before.starts_with("pub")) && !rest.starts_with("fn ");
            rest.split_once(": ").filter(|_| is_item)
        });
        if let Some((name, rest)) = declaration {
            let kind = rest.trim_start_matches('[');
            if ["i64", "u64", "i32", "u32"].iter().any(|integer_type| kind.starts_with(integer_type)) {
                constants.push((index + 1, name.to_owned(), format!("{doc} {rest}")));
            }
        }
        doc.clear();
    }
    constants
}

#[test]
fn time_spans_are_durations() {
    let mut violations = Vec::new();
    for file in CRATES.iter().flat_map(|folder| rust_files(folder)) {
        for (line, name, words) in integer_constants(file.code()) {
            let is_time = TIME_SPAN_MARKS.iter().any(|mark| words.contains(mark));
            if is_time && !UNITS.iter().any(|unit| name.ends_with(unit)) {
                violations.push(format!("{}:{line}: {name}", file.path));
            }
        }
    }
    assert_empty(&violations, "use Duration for a time span, or add its unit to the name");
}

#[test]
fn finds_integer_constants_with_their_documentation() {
    let code = "/// How long.\n/// At most.\npub(super) const WAIT: i64 = 5;\nconst NAME: &str = \"3_600\";\nconst ALL: [u32; 2] = [3_600, 1];";
    let constants: Vec<String> =
        integer_constants(code).into_iter().map(|(_, name, words)| format!("{name}{words}")).collect();
    assert_eq!(constants, ["WAIT How long. At most. i64 = 5;", "ALL [u32; 2] = [3_600, 1];"]);
}

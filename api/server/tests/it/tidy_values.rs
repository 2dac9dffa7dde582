//! Values that say what they are: a statement with many values names them, and a length of time is a `Duration`.

use crate::tidy::{CRATES, none, rust};

/// Most `?` of one text: more of them are counted by eye, and two values in the wrong order go unnoticed.
const MOST_POSITIONAL: usize = 4;

/// Words of SQL; a text without one is no statement.
const SQL: [&str; 6] = ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "VALUES (", "WHERE "];

/// The string literals of a source, with their lines. Comments and characters are passed over.
fn literals(source: &str) -> Vec<(usize, &str)> {
    let bytes = source.as_bytes();
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while at < bytes.len() {
        let rest = &source[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(length) = raw(rest) {
            length
        } else if rest.starts_with('"') {
            let length = quoted(rest);
            found.push((line, &rest[1..length - 1]));
            length
        } else if rest.starts_with("'\\") {
            4
        } else if bytes[at] == b'\'' && bytes.get(at + 2) == Some(&b'\'') {
            3
        } else {
            1
        };
        let end = (at + length).min(bytes.len());
        line += bytes[at..end].iter().filter(|byte| **byte == b'\n').count();
        at = (end..=bytes.len()).find(|at| source.is_char_boundary(*at)).unwrap_or(bytes.len());
    }
    found
}

/// The length of a raw string that begins here. None holds SQL.
fn raw(rest: &str) -> Option<usize> {
    let hashes = rest.strip_prefix('r')?.len() - rest[1..].trim_start_matches('#').len();
    let open = 1 + hashes;
    let close = format!("\"{}", "#".repeat(hashes));
    rest[open..].starts_with('"').then(|| open + 1 + rest[open + 1..].find(&close).unwrap_or(0) + close.len())
}

/// The length of a string, with its quotes.
fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    let end = rest[1..].bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(rest.len(), |end| end + 2)
}

#[test]
fn strings_are_found_among_the_rest() {
    let source = "let a = 'x'; // \"no\"\nlet b = \"one\\\"?\"; f::<'a>('\\'', r#\"raw \" ?\"#, \"two\n?\");\n\"three\"";
    assert_eq!(literals(source), [(2, "one\\\"?"), (2, "two\n?"), (4, "three")]);
}

#[test]
fn long_statements_name_their_values() {
    let folders = ["api/server/tests", "api/server/benches", "cli/tests", "tui/tests"];
    let mut wrong = Vec::new();
    for file in CRATES.iter().chain(&folders).flat_map(|folder| rust(folder)) {
        for (line, text) in literals(&file.text) {
            let count = text.matches('?').count();
            if count > MOST_POSITIONAL && SQL.iter().any(|word| text.contains(word)) {
                wrong.push(format!("{}:{line} has {count} `?`", file.path));
            }
        }
    }
    none(&wrong, "a text with more than four values names them: `sql!`");
}

/// Units that a bare number of time has in its name.
const UNITS: [&str; 6] = ["_MICROS", "_MILLIS", "_SECS", "_MINS", "_HOURS", "_DAYS"];
/// What says that a number is a length of time: words of its documentation, and parts of its value.
const TIME: [&str; 11] = [
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

/// Constants of a file that are whole numbers, with their lines: name, documentation and value.
fn numbers(code: &str) -> Vec<(usize, String, String)> {
    let mut doc = String::new();
    let mut found = Vec::new();
    for (at, line) in code.lines().enumerate() {
        let line = line.trim();
        if let Some(words) = line.strip_prefix("///") {
            doc.push_str(words);
            continue;
        }
        let declared = line.split_once("const ").and_then(|(before, rest)| {
            let is_item = (before.is_empty() || before.starts_with("pub")) && !rest.starts_with("fn ");
            rest.split_once(": ").filter(|_| is_item)
        });
        if let Some((name, rest)) = declared {
            let kind = rest.trim_start_matches('[');
            if ["i64", "u64", "i32", "u32"].iter().any(|number| kind.starts_with(number)) {
                found.push((at + 1, name.to_owned(), format!("{doc} {rest}")));
            }
        }
        doc.clear();
    }
    found
}

#[test]
fn lengths_of_time_are_durations() {
    let mut found = Vec::new();
    for file in CRATES.iter().flat_map(|folder| rust(folder)) {
        for (line, name, words) in numbers(file.code()) {
            let is_time = TIME.iter().any(|mark| words.contains(mark));
            if is_time && !UNITS.iter().any(|unit| name.ends_with(unit)) {
                found.push(format!("{}:{line}: {name}", file.path));
            }
        }
    }
    none(&found, "a length of time is a Duration, or its name has the unit");
}

#[test]
fn numbers_are_found_with_what_is_said_of_them() {
    let code = "/// How long.\n/// At most.\npub(super) const WAIT: i64 = 5;\nconst NAME: &str = \"3_600\";\nconst ALL: [u32; 2] = [3_600, 1];";
    let found: Vec<String> =
        numbers(code).into_iter().map(|(_, name, words)| format!("{name}{words}")).collect();
    assert_eq!(found, ["WAIT How long. At most. i64 = 5;", "ALL [u32; 2] = [3_600, 1];"]);
}

//! Parses the comments in the text of a CREATE TABLE, which SQLite stores unchanged.
//!
//! `--` lines below CREATE TABLE, up to an empty line, describe the table. `--` lines above a column describe the column. A
//! column that ALTER TABLE added has a `/* … */` after its definition, because SQLite stores no other comment of such a column.

use std::collections::BTreeMap;

/// The comments on a table and on its columns.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Comments {
    pub(super) table: String,
    /// By column name.
    pub(super) columns: BTreeMap<String, String>,
}

pub(super) fn parse(create_statement: &str) -> Comments {
    let mut comments = Comments::default();
    let mut preceding_comments: Vec<&str> = Vec::new();
    for line in create_statement.lines().skip(1).map(str::trim) {
        if let Some(comment) = line.strip_prefix("--") {
            preceding_comments.push(comment.trim());
        } else if line.is_empty() {
            if comments.table.is_empty() {
                comments.table = preceding_comments.join(" ");
            }
            preceding_comments.clear();
        } else {
            if !preceding_comments.is_empty() {
                comments.columns.insert(first_word(line), preceding_comments.join(" "));
                preceding_comments.clear();
            }
            comments.columns.extend(inline_comments(line));
        }
    }
    comments
}

/// The columns in a line with a comment after their definition: the name and the comment of each column.
fn inline_comments(line: &str) -> Vec<(String, String)> {
    line.match_indices("/*")
        .filter_map(|(index, _)| {
            let (comment, _) = line[index + 2..].split_once("*/")?;
            Some((first_word(last_definition(&line[..index])), comment.trim().to_owned()))
        })
        .collect()
}

/// The text after the last comma outside of brackets.
fn last_definition(text: &str) -> &str {
    let (mut open_brackets, mut start) = (0, 0);
    for (index, character) in text.char_indices() {
        match character {
            '(' => open_brackets += 1,
            ')' => open_brackets -= 1,
            ',' if open_brackets == 0 => start = index + 1,
            _ => {}
        }
    }
    &text[start..]
}

fn first_word(text: &str) -> String {
    let text = text.trim_start_matches([',', ' ']);
    text.split(' ').next().unwrap_or_default().to_owned()
}

#[test]
fn parses_the_comments_of_tables_and_columns() {
    let create_statement = "CREATE TABLE memos (\n  -- A note of staff.\n  -- Staff write it.\n\n  id INTEGER PRIMARY KEY,\n  -- In\n  -- millionths.\n  \
        cost INTEGER NOT NULL CHECK (cost IN (0, 1)),\n  done_at INTEGER, shown INTEGER CHECK (shown IN (0, 1)) /* To all, always. */,\n  CHECK (cost > 0)\n\
        , memo TEXT /* Plain text. */) STRICT";
    let comments = parse(create_statement);
    assert_eq!(comments.table, "A note of staff. Staff write it.");
    let columns: Vec<(&str, &str)> =
        comments.columns.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(columns, [("cost", "In millionths."), ("memo", "Plain text."), ("shown", "To all, always.")]);
}

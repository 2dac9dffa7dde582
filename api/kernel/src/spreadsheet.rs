//! Protects cells against formula injection: a spreadsheet evaluates a CSV cell whose text starts like a formula. Every CSV writer
//! of the workspace passes all cells through [`escape_formula`], so that no column can miss it. It must never change a plain
//! number.

use std::borrow::Cow;

use panel_contract::hidden_characters::is_hidden;

/// First characters of a formula; spreadsheets treat the full-width forms alike.
const FORMULA_STARTS: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Prepends an apostrophe where a spreadsheet could evaluate the cell as a formula. A text that already starts with
/// apostrophes before such a formula gets one more, so that [`unescape_formula`] removes exactly what was added.
#[must_use]
pub fn escape_formula(cell: &str) -> Cow<'_, str> {
    match is_formula(cell.trim_start_matches('\'')) {
        true => Cow::Owned(format!("'{cell}")),
        false => Cow::Borrowed(cell),
    }
}

/// The cell as it was before [`escape_formula`].
#[must_use]
pub fn unescape_formula(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if is_formula(rest.trim_start_matches('\'')) => rest,
        _ => cell,
    }
}

/// Whether a spreadsheet could evaluate the text. Spreadsheets skip spaces and some hidden characters before a formula, and a tab or
/// a line end at the start of the text may begin another cell.
fn is_formula(text: &str) -> bool {
    let is_skipped = |character: char| character.is_whitespace() || is_hidden(character);
    let may_start_next_cell = text.starts_with(['\t', '\r', '\n']);
    may_start_next_cell
        || (text.trim_start_matches(is_skipped).starts_with(FORMULA_STARTS) && !is_number(text))
}

/// `-12`, `0.5`: digits with at most one sign and one point.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole) && is_digits(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_formulas_round_trip() {
        let formulas = [
            "=1+1",
            "+1",
            "-1+1",
            "@SUM(A1)",
            "\tx",
            "\rx",
            "\n=1",
            "＝1",
            "＋1",
            "－1",
            "＠a",
            " =1",
            "\u{a0}=1",
            "\u{200b}=1",
            "\u{feff}@a",
            "\u{1}=1",
            "\u{202e}=1",
            "'=1",
            "''-x",
            "' =1",
            "-",
            "--1",
            "-1.2.3",
            "-1e5",
        ];
        for text in formulas {
            let cell = escape_formula(text);
            assert_eq!(cell, format!("'{text}"), "{text:?}");
            assert_eq!(unescape_formula(&cell), text);
        }
    }

    #[test]
    fn other_cells_stay_unchanged() {
        for text in [
            "",
            "'",
            "'quoted'",
            "plain",
            "a=1",
            "0",
            "-5",
            "-0.000001",
            "12.5",
            " a",
            "'-5",
            "[1]",
            "{\"a\":1}",
        ] {
            assert_eq!(escape_formula(text), text, "{text:?}");
            assert_eq!(unescape_formula(text), text, "{text:?}");
        }
    }

    #[test]
    fn fuzz_cells() {
        const SAMPLES: &[&str] = &["=1+1", "'=x", "-1.5", " \t@a", "＝1"];
        const TOKENS: &[&str] = &["'", "=", "-", "\t", " ", "\u{feff}", "＋", ".", "1"];
        panel_fuzz::FuzzTarget::new("panel-kernel", "cells").run(
            panel_fuzz::mutated_texts(SAMPLES, TOKENS),
            |text| {
                let cell = escape_formula(text);
                assert_eq!(unescape_formula(&cell), text);
                assert!(!cell.starts_with(FORMULA_STARTS) || is_number(&cell), "{cell}");
            },
        );
    }
}

//! Makes texts safe to show in the terminal, measures them in columns, and formats money, counts and ages.
//!
//! Every text of a customer goes through [`sanitize`] before the state stores it. This module does not draw.

use panel_contract::amount::Money;
use panel_contract::moment::Time;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Maximum number of combining marks per letter. More marks would cover other rows.
const MAX_COMBINING_MARKS: usize = 2;

/// Makes an untrusted text safe for one line: removes control characters (so also escape sequences), bidi overrides and
/// characters whose width differs between terminals.
#[must_use]
pub fn sanitize(text: &str) -> String {
    let (mut output, mut marks) = (String::with_capacity(text.len()), 0);
    for letter in text.chars() {
        match letter {
            '\n' | '\r' | '\t' => output.push(' '),
            letter if letter.is_control() || is_invisible(letter) => {}
            // A flag has two regional indicators, which some terminals draw as one sign and others as two.
            '\u{1F1E6}'..='\u{1F1FF}' => output.push(letter_of_regional_indicator(letter)),
            letter if letter.width() == Some(0) => {
                marks += 1;
                if marks <= MAX_COMBINING_MARKS && !output.is_empty() {
                    output.push(letter);
                }
                continue;
            }
            letter => output.push(letter),
        }
        marks = 0;
    }
    output
}

/// Whether a character is a bidi control, a joiner, a variation selector, a skin tone, a tag or similar.
fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}' | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0000}'..='\u{E0FFF}')
}

/// The letter that a regional indicator (U+1F1E6 to U+1F1FF) stands for.
fn letter_of_regional_indicator(indicator: char) -> char {
    let offset = u32::from(indicator) - 0x1F1E6;
    char::from_u32(u32::from('A') + offset).unwrap_or('?')
}

/// The width of a text in columns.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// The alignment of a text in its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    /// For ids and amounts.
    Right,
}

/// Truncates the text (ending in `ellipsis`) or pads it with spaces, so that it has exactly `columns` columns.
#[must_use]
pub fn fit_to_columns(text: &str, columns: usize, align: Align, ellipsis: &str) -> String {
    let text = truncate(text, columns, ellipsis);
    let padding = " ".repeat(columns.saturating_sub(width(&text)));
    match align {
        Align::Left => text + &padding,
        Align::Right => padding + &text,
    }
}

/// Truncates the text to at most `columns` columns. A truncated text ends in `ellipsis`.
#[must_use]
pub fn truncate(text: &str, columns: usize, ellipsis: &str) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let ellipsis = if width(ellipsis) <= columns { ellipsis } else { "" };
    let mut output = fitting_prefix(text, columns.saturating_sub(width(ellipsis)));
    output.push_str(ellipsis);
    output
}

/// The longest prefix that fits into `columns`.
fn fitting_prefix(text: &str, columns: usize) -> String {
    let (mut output, mut used_columns) = (String::new(), 0);
    for letter in text.chars() {
        used_columns += letter.width().unwrap_or(0);
        if used_columns > columns {
            break;
        }
        output.push(letter);
    }
    output
}

/// Wraps the text to lines of at most `columns` columns, between words if possible.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split(' ') {
        let mut word = word.to_owned();
        let gap = usize::from(!line.is_empty());
        if width(&line) + gap + width(&word) <= columns {
            if gap == 1 {
                line.push(' ');
            }
            line.push_str(&word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        while width(&word) > columns {
            let prefix = fitting_prefix(&word, columns);
            word = word[prefix.len()..].to_owned();
            lines.push(prefix);
        }
        line = word;
    }
    lines.push(line);
    lines
}

#[must_use]
pub fn capitalize(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A whole number with spaces between thousands: `12 873`.
#[must_use]
pub fn format_count(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut output = String::new();
    if number < 0 {
        output.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            output.push(' ');
        }
        output.push(digit);
    }
    output
}

/// Money with at least two decimals and spaces between thousands: `1 204.50`.
#[must_use]
pub fn format_money(amount: Money) -> String {
    let text = amount.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), format_count);
    format!("{sign}{whole}.{decimals:0<2}")
}

/// The age in its largest unit: `12s`, `4m`, `3h`, `9d`.
#[must_use]
pub fn format_age(since: Time, now: Time) -> String {
    let seconds = now.since(since).as_secs();
    match seconds {
        ..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// The time of day in UTC: `12:04:31Z`.
#[must_use]
pub fn format_clock(now: Time) -> String {
    let text = now.to_string();
    format!("{}Z", text.split_once(' ').map_or("", |(_, time)| time))
}

/// A number with its noun: `1 order`, `12 873 orders`.
#[must_use]
pub fn pluralize(number: usize, noun: &str) -> String {
    let count = format_count(i64::try_from(number).unwrap_or(i64::MAX));
    if number == 1 { format!("{count} {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sanitize_removes_control_sequences() {
        assert_eq!(sanitize("a\u{1b}[31mb\u{7}\nc\u{9b}2Jd"), "a[31mb c2Jd");
        assert_eq!(sanitize("ab\u{202e}dc\u{2066}e\u{200b}f"), "abdcef");
        assert_eq!(sanitize("👩\u{200d}👧 ❤\u{fe0f} 👍🏽 🇯🇵"), "👩👧 ❤ 👍 JP");
        assert_eq!(sanitize("z\u{301}\u{302}\u{303}\u{304}!"), "z\u{301}\u{302}!");
    }

    #[test]
    fn fitted_texts_have_the_requested_width() {
        for text in ["", "abc", "鈴木さん Instagram reels", "👍👍👍👍👍", "a鈴b木c"] {
            for columns in 0..12 {
                for align in [Align::Left, Align::Right] {
                    assert_eq!(
                        width(&fit_to_columns(text, columns, align, "…")),
                        columns,
                        "{text} {columns}"
                    );
                }
            }
        }
        assert_eq!(fit_to_columns("鈴木さん", 6, Align::Left, "…"), "鈴木… ");
    }

    #[test]
    fn wrapped_lines_fit_and_lose_no_text() {
        let text = "You cannot cancel 鈴木さん鈴木さん an order that_is_very_long_without_any_space ok";
        for columns in 2..40 {
            let lines = wrap(text, columns);
            assert!(lines.iter().all(|line| width(line) <= columns), "{lines:?}");
            let without_spaces = |text: &str| text.replace(' ', "");
            assert_eq!(without_spaces(&lines.concat()), without_spaces(text));
        }
    }

    #[test]
    fn formats_counts_and_money() {
        assert_eq!(
            (format_count(12_873).as_str(), format_count(-1_000).as_str(), format_count(7).as_str()),
            ("12 873", "-1 000", "7")
        );
        let formatted = |text: &str| format_money(text.parse().unwrap());
        assert_eq!((formatted("1204.5"), formatted("-0.05")), ("1 204.50".into(), "-0.05".into()));
        assert_eq!((formatted("0"), formatted("2.000001")), ("0.00".into(), "2.000001".into()));
    }

    #[test]
    fn formats_ages() {
        let age_of = |seconds: i64| format_age(Time(0), Time(seconds * 1_000_000));
        assert_eq!(
            [age_of(5), age_of(240), age_of(4 * 3_600 + 5), age_of(86_400 * 9), age_of(-3)],
            ["5s", "4m", "4h", "9d", "0s"]
        );
    }
}

//! Texts for cells: sanitizing, widths in columns, money, counts and ages.
//!
//! Every text of a customer goes through [`sanitize`] before it is stored in the state. Nothing here draws.

use panel_contract::amount::Money;
use panel_contract::moment::Time;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Maximum combining marks per letter; more would reach into other rows.
const MAX_COMBINING_MARKS: usize = 2;

/// Makes an untrusted text safe for one line: removes control characters (so also escape sequences), bidi overrides and
/// characters whose width differs between terminals.
#[must_use]
pub fn sanitize(text: &str) -> String {
    let (mut out, mut marks) = (String::with_capacity(text.len()), 0);
    for letter in text.chars() {
        match letter {
            '\n' | '\r' | '\t' => out.push(' '),
            letter if letter.is_control() || is_invisible(letter) => {}
            // Flags are two characters; some terminals join them and some do not.
            '\u{1F1E6}'..='\u{1F1FF}' => out.push(regional(letter)),
            letter if letter.width() == Some(0) => {
                marks += 1;
                if marks <= MAX_COMBINING_MARKS && !out.is_empty() {
                    out.push(letter);
                }
                continue;
            }
            letter => out.push(letter),
        }
        marks = 0;
    }
    out
}

/// Bidi controls, joiners, variation selectors, skin tones, tags and similar characters.
fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}' | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0000}'..='\u{E0FFF}')
}

fn regional(letter: char) -> char {
    let place = u32::from(letter) - 0x1F1E6;
    char::from_u32(u32::from('A') + place).unwrap_or('?')
}

/// The width of a text in columns.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// The alignment of a text in its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// For texts.
    Left,
    /// For ids and amounts.
    Right,
}

/// Truncates (ending in `ellipsis`) or pads the text to exactly `columns`.
#[must_use]
pub fn fit(text: &str, columns: usize, align: Align, ellipsis: &str) -> String {
    let text = truncate(text, columns, ellipsis);
    let space = " ".repeat(columns.saturating_sub(width(&text)));
    match align {
        Align::Left => text + &space,
        Align::Right => space + &text,
    }
}

/// Truncates the text to at most `columns`, ending in `ellipsis` where text is missing.
#[must_use]
pub fn truncate(text: &str, columns: usize, ellipsis: &str) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let ellipsis = if width(ellipsis) <= columns { ellipsis } else { "" };
    let mut out = fitting_prefix(text, columns.saturating_sub(width(ellipsis)));
    out.push_str(ellipsis);
    out
}

/// The longest prefix that fits into `columns`.
fn fitting_prefix(text: &str, columns: usize) -> String {
    let (mut out, mut used) = (String::new(), 0);
    for letter in text.chars() {
        used += letter.width().unwrap_or(0);
        if used > columns {
            break;
        }
        out.push(letter);
    }
    out
}

/// Wraps the text to lines of at most `columns`, between words where possible.
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
            let part = fitting_prefix(&word, columns);
            word = word[part.len()..].to_owned();
            lines.push(part);
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
    let mut out = String::new();
    if number < 0 {
        out.push('-');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// Money with at least two decimals and spaces between thousands: `1 204.50`.
#[must_use]
pub fn format_money(amount: Money) -> String {
    let text = amount.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |rest| ("-", rest));
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
    let shown = format_count(i64::try_from(number).unwrap_or(i64::MAX));
    if number == 1 { format!("{shown} {noun}") } else { format!("{shown} {noun}s") }
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
                    assert_eq!(width(&fit(text, columns, align, "…")), columns, "{text} {columns}");
                }
            }
        }
        assert_eq!(fit("鈴木さん", 6, Align::Left, "…"), "鈴木… ");
    }

    #[test]
    fn wrapped_lines_fit_and_lose_no_text() {
        let text = "You cannot cancel 鈴木さん鈴木さん an order that_is_very_long_without_any_space ok";
        for columns in 2..40 {
            let lines = wrap(text, columns);
            assert!(lines.iter().all(|line| width(line) <= columns), "{lines:?}");
            let bare = |text: &str| text.replace(' ', "");
            assert_eq!(bare(&lines.concat()), bare(text));
        }
    }

    #[test]
    fn formats_counts_and_money() {
        assert_eq!(
            (format_count(12_873).as_str(), format_count(-1_000).as_str(), format_count(7).as_str()),
            ("12 873", "-1 000", "7")
        );
        let shown = |text: &str| format_money(text.parse().unwrap());
        assert_eq!((shown("1204.5"), shown("-0.05")), ("1 204.50".into(), "-0.05".into()));
        assert_eq!((shown("0"), shown("2.000001")), ("0.00".into(), "2.000001".into()));
    }

    #[test]
    fn formats_ages() {
        let ago = |seconds: i64| format_age(Time(0), Time(seconds * 1_000_000));
        assert_eq!(
            [ago(5), ago(240), ago(4 * 3_600 + 5), ago(86_400 * 9), ago(-3)],
            ["5s", "4m", "4h", "9d", "0s"]
        );
    }
}

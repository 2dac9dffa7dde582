//! Texts for cells: what strangers typed made harmless, widths in columns, money, counts and ages.
//!
//! Everything that came from a customer goes through [`clean`] before it is kept; nothing here draws.

use panel_contract::amount::Money;
use panel_contract::moment::Time;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Combining marks kept on one letter; more of them would climb over the neighbouring rows.
const MOST_MARKS: usize = 2;

/// A stranger's text made safe for one line: no control characters (so no escape sequences), no bidi overrides,
/// nothing that terminals disagree on the width of.
#[must_use]
pub fn clean(text: &str) -> String {
    let (mut out, mut marks) = (String::with_capacity(text.len()), 0);
    for letter in text.chars() {
        match letter {
            '\n' | '\r' | '\t' => out.push(' '),
            letter if letter.is_control() || invisible(letter) => {}
            // Flags are two letters; some terminals join them and some do not.
            '\u{1F1E6}'..='\u{1F1FF}' => out.push(regional(letter)),
            letter if letter.width() == Some(0) => {
                marks += 1;
                if marks <= MOST_MARKS && !out.is_empty() {
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

/// Bidi controls, joiners, variation selectors, skin tones, tags, and the like.
fn invisible(letter: char) -> bool {
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

/// Columns that a text takes.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// Where a text stands in its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// From the left.
    Left,
    /// To the right: ids and amounts.
    Right,
}

/// The text cut (ending in `more`) and padded to exactly `columns`.
#[must_use]
pub fn fit(text: &str, columns: usize, align: Align, more: &str) -> String {
    let text = cut(text, columns, more);
    let space = " ".repeat(columns.saturating_sub(width(&text)));
    match align {
        Align::Left => text + &space,
        Align::Right => space + &text,
    }
}

/// The text cut to at most `columns`, ending in `more` where something is missing.
#[must_use]
pub fn cut(text: &str, columns: usize, more: &str) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let more = if width(more) <= columns { more } else { "" };
    let mut out = head(text, columns.saturating_sub(width(more)));
    out.push_str(more);
    out
}

/// The first letters that fit.
fn head(text: &str, columns: usize) -> String {
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

/// The text in lines of at most `columns`, broken between words where there are any.
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
            let part = head(&word, columns);
            word = word[part.len()..].to_owned();
            lines.push(part);
        }
        line = word;
    }
    lines.push(line);
    lines
}

/// With a capital letter.
#[must_use]
pub fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A whole number with spaces between thousands: `12 873`.
#[must_use]
pub fn count(number: i64) -> String {
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
pub fn money(amount: Money) -> String {
    let text = amount.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |rest| ("-", rest));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), count);
    format!("{sign}{whole}.{decimals:0<2}")
}

/// How long ago, in the one largest unit: `12s`, `4m`, `3h`, `9d`.
#[must_use]
pub fn age(since: Time, now: Time) -> String {
    let seconds = now.since(since).as_secs();
    match seconds {
        ..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// The time of day: `12:04:31Z`.
#[must_use]
pub fn clock(now: Time) -> String {
    let text = now.to_string();
    format!("{}Z", text.split_once(' ').map_or("", |(_, time)| time))
}

/// `1 order`, `12 873 orders`.
#[must_use]
pub fn many(number: usize, noun: &str) -> String {
    let shown = count(i64::try_from(number).unwrap_or(i64::MAX));
    if number == 1 { format!("{shown} {noun}") } else { format!("{shown} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_cannot_draw() {
        assert_eq!(clean("a\u{1b}[31mb\u{7}\nc\u{9b}2Jd"), "a[31mb c2Jd");
        assert_eq!(clean("ab\u{202e}dc\u{2066}e\u{200b}f"), "abdcef");
        assert_eq!(clean("👩\u{200d}👧 ❤\u{fe0f} 👍🏽 🇯🇵"), "👩👧 ❤ 👍 JP");
        assert_eq!(clean("z\u{301}\u{302}\u{303}\u{304}!"), "z\u{301}\u{302}!");
    }

    #[test]
    fn cells_are_exactly_as_wide_as_asked() {
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
    fn lines_hold_their_width_and_lose_nothing() {
        let text = "You cannot cancel 鈴木さん鈴木さん an order that_is_very_long_without_any_space ok";
        for columns in 2..40 {
            let lines = wrap(text, columns);
            assert!(lines.iter().all(|line| width(line) <= columns), "{lines:?}");
            let bare = |text: &str| text.replace(' ', "");
            assert_eq!(bare(&lines.concat()), bare(text));
        }
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(
            (count(12_873).as_str(), count(-1_000).as_str(), count(7).as_str()),
            ("12 873", "-1 000", "7")
        );
        let shown = |text: &str| money(text.parse().unwrap());
        assert_eq!((shown("1204.5"), shown("-0.05")), ("1 204.50".into(), "-0.05".into()));
        assert_eq!((shown("0"), shown("2.000001")), ("0.00".into(), "2.000001".into()));
    }

    #[test]
    fn ages() {
        let ago = |seconds: i64| age(Time(0), Time(seconds * 1_000_000));
        assert_eq!(
            [ago(5), ago(240), ago(4 * 3_600 + 5), ago(86_400 * 9), ago(-3)],
            ["5s", "4m", "4h", "9d", "0s"]
        );
    }
}

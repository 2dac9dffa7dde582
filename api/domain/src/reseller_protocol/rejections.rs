//! Error messages that prove that a panel did not accept an order. Pure.
//!
//! Only these messages allow another attempt. With any other message the outcome is unknown, whatever it suggests: a panel that
//! accepted the order and failed afterwards may send anything. A message must match as a whole, never in part, because a message
//! about a crash can contain a known one.

use panel_contract::external_panels::PanelType;
use panel_contract::rejections::{RejectionMessage, RejectionReason};

use super::known::{KNOWN, Meaning, OWN_REFUSAL, UsedBy};

/// Rejection messages of one panel: those that staff entered, and the known ones of its kind.
#[derive(Debug, Clone, Default)]
pub struct Rejections {
    by_staff: Vec<(Vec<String>, RejectionReason)>,
    is_this_product: bool,
}

impl Rejections {
    /// The rejections of a panel of this kind, with the messages that staff entered for it.
    #[must_use]
    pub fn of(kind: PanelType, messages: &[RejectionMessage]) -> Self {
        let by_staff = messages.iter().map(|one| (pattern(&one.message), one.reason));
        Self { by_staff: by_staff.collect(), is_this_product: kind == PanelType::Socpanel }
    }

    /// Why the order was not accepted, where the message proves that it was not. Messages of staff have priority over the table.
    #[must_use]
    pub fn reason_of(&self, message: &str) -> Option<RejectionReason> {
        let words = normalized(message);
        let by_staff = self.by_staff.iter().find(|(pattern, _)| matches_pattern(pattern, &words));
        let known = || match meaning_of(&words, self.is_this_product)? {
            Meaning::NotAccepted(reason) => Some(reason),
            Meaning::UnknownOrder | Meaning::UnknownRefill => None,
        };
        // The only prefix that is sufficient: a panel of this product puts its own explanation behind it.
        let is_own_refusal = self.is_this_product && message.trim().starts_with(OWN_REFUSAL);
        let own = is_own_refusal.then_some(RejectionReason::InvalidRequest);
        by_staff.map(|(_, reason)| *reason).or_else(known).or(own)
    }
}

/// The known meaning of a message for panels of any kind.
#[must_use]
pub fn meaning(words: &str) -> Option<Meaning> {
    meaning_of(&normalized(words), false)
}

/// The normalized form of a message, by which two messages are compared.
#[must_use]
pub fn comparable(message: &str) -> String {
    pattern(message).join(" ")
}

fn meaning_of(words: &[String], is_this_product: bool) -> Option<Meaning> {
    let mut known = KNOWN.iter().filter(|known| is_this_product || known.used_by != UsedBy::ThisProduct);
    known.find(|known| matches_pattern(&pattern(known.message), words)).map(|known| known.meaning)
}

/// Stands for a number in a pattern. No word of a message equals it, because words contain no braces.
pub const NUMBER: &str = "{number}";

fn pattern(message: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in message.split(NUMBER).enumerate() {
        if at > 0 {
            words.push(NUMBER.to_owned());
        }
        words.extend(normalized(part));
    }
    words
}

fn matches_pattern(pattern: &[String], words: &[String]) -> bool {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    !pattern.is_empty()
        && pattern.len() == words.len()
        && pattern.iter().zip(words).all(|(one, word)| one == word || (one == NUMBER && is_number(word)))
}

/// The words of a message in lower case: letters and digits only, without HTML tags and entities. An apostrophe, and a point or comma
/// within a number, do not split a word.
fn normalized(message: &str) -> Vec<String> {
    let text: Vec<char> = without_tags(message).to_lowercase().chars().collect();
    let mut words = vec![String::new()];
    for (at, letter) in text.iter().enumerate() {
        let beside = |next: Option<&char>| next.is_some_and(char::is_ascii_digit);
        let is_within_number =
            matches!(letter, '.' | ',') && at > 0 && beside(text.get(at - 1)) && beside(text.get(at + 1));
        if letter.is_alphanumeric() {
            if let Some(word) = words.last_mut() {
                word.push(*letter);
            }
        } else if !is_within_number && !matches!(letter, '\'' | '\u{2019}') {
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The text without HTML tags and entities. A `<` or `&` that begins neither is kept with the text behind it, which may be the
/// relevant sentence.
fn without_tags(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        let is_name = |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '#');
        let length = if from.starts_with('<') {
            from.find('>').filter(|end| is_tag(&from[1..*end]))
        } else {
            from.find(';').filter(|end| *end <= 8 && is_name(&from[1..*end]))
        };
        text.push(' ');
        rest = &from[length.map_or(1, |end| end + 1)..];
    }
    text + rest
}

/// Tags in which panels wrap their sentences.
const TAGS: [&str; 20] = [
    "a", "b", "br", "code", "div", "em", "font", "h1", "h2", "h3", "h4", "i", "li", "p", "pre", "small",
    "span", "strong", "u", "ul",
];

/// Whether the text between `<` and `>` is such a tag, with at most one attribute, a class or a style.
fn is_tag(inside: &str) -> bool {
    let inside = inside.strip_prefix('/').or(inside.strip_suffix('/')).unwrap_or(inside).trim();
    let (name, attribute) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
    let is_layout = |attribute: &str| {
        let value = attribute.strip_prefix("class=\"").or(attribute.strip_prefix("style=\""));
        value.and_then(|value| value.strip_suffix('"')).is_some_and(|value| !value.contains(['"', ' ']))
    };
    let has_no_words = attribute.is_empty() || is_layout(attribute.trim());
    has_no_words && TAGS.contains(&name.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn any() -> Rejections {
        Rejections::default()
    }

    #[test]
    fn every_known_message_is_found_as_it_is_and_as_panels_write_it() {
        for known in KNOWN {
            assert!(known.evidence.len() > 20, "{known:?}: say from where this is known");
            let kind = match known.used_by {
                UsedBy::ThisProduct => PanelType::Socpanel,
                _ => PanelType::PerfectPanel,
            };
            let wanted = match known.meaning {
                Meaning::NotAccepted(reason) => Some(reason),
                Meaning::UnknownOrder | Meaning::UnknownRefill => None,
            };
            let rejections = Rejections::of(kind, &[]);
            let message = known.message.replace(NUMBER, "1,000");
            for written in [
                message.clone(),
                message.to_uppercase(),
                format!("  {} !", message.replace(' ', "\n ")),
                format!("<p class=\"x\"><b>{message}</b></p>&nbsp;"),
            ] {
                assert_eq!(rejections.reason_of(&written), wanted, "{written}");
            }
        }
    }

    #[test]
    fn known_messages_are_distinct_and_cover_all_reasons_but_one() {
        let all: BTreeSet<String> = KNOWN.iter().map(|known| comparable(known.message)).collect();
        assert_eq!(all.len(), KNOWN.len());
        let has = |reason: &RejectionReason| {
            KNOWN.iter().any(|known| known.meaning == Meaning::NotAccepted(*reason))
        };
        let without: Vec<_> = RejectionReason::ALL.iter().filter(|reason| !has(reason)).collect();
        assert_eq!(without, [&RejectionReason::ServiceDisabled], "no exact message was seen; staff teach it");
    }

    #[test]
    fn a_part_of_a_known_message_is_never_enough() {
        for known in KNOWN {
            let message = known.message.replace(NUMBER, "5");
            for accident in [
                format!("Internal error: {message}"),
                format!("{message} (timeout)"),
                format!("{message}, your order is being processed"),
                format!("Order accepted. {message}"),
                format!("not {message}"),
            ] {
                assert_eq!(any().reason_of(&accident), None, "{accident}");
            }
        }
        for words in
            ["", " ", "<b></b>", "error", "fail", "Not enough", "funds", "Quantity less than minimal x"]
        {
            assert_eq!(any().reason_of(words), None, "{words}");
        }
    }

    #[test]
    fn accidents_are_not_known() {
        for accident in [
            "Service temporarily unavailable",
            "There was an error processing your request. Please try again later",
            "Internal server error",
            "Request timed out",
            "Too many requests",
            "Unauthorized",
            "Forbidden",
            "Maintenance",
            "Duplicate order",
            "neworder.error",
            "neworder.error.account_banned",
        ] {
            assert_eq!(any().reason_of(accident), None, "{accident}");
        }
    }

    #[test]
    fn words_of_this_product_count_for_its_panels_only() {
        assert_eq!(any().reason_of("Incorrect quantity"), None);
        let ours = Rejections::of(PanelType::Socpanel, &[]);
        assert_eq!(ours.reason_of("Incorrect quantity"), Some(RejectionReason::InvalidRequest));
        assert_eq!(meaning("Incorrect order ID"), Some(Meaning::UnknownOrder));
        let why = "Incorrect request: Order 100 to 1000 in steps of 50, counted from 100.";
        assert_eq!(ours.reason_of(why), Some(RejectionReason::InvalidRequest));
        assert_eq!(any().reason_of(why), None);
        assert_eq!(ours.reason_of(&format!("Internal error: {why}")), None);
    }

    #[test]
    fn staff_teach_whole_messages() {
        let taught = |message: &str| {
            let one = RejectionMessage { message: message.into(), reason: RejectionReason::ServiceDisabled };
            Rejections::of(PanelType::PerfectPanel, &[one])
        };
        let off = Some(RejectionReason::ServiceDisabled);
        let rejections = taught("Der Dienst #{number} ist abgeschaltet.");
        assert_eq!(rejections.reason_of("<i>der dienst 1.234 ist abgeschaltet</i>"), off);
        for other in ["Der Dienst ist abgeschaltet", "Der Dienst x ist abgeschaltet", "Der Dienst 5 ist"] {
            assert_eq!(rejections.reason_of(other), None, "{other}");
        }
        assert_eq!(taught("Услуга выключена").reason_of("УСЛУГА  ВЫКЛЮЧЕНА!"), off);
        assert_eq!(taught("Bad link").reason_of("bad link"), off, "staff go before the table");
        assert_eq!(
            taught("Code 5").reason_of("Code 6"),
            None,
            "a number is compared where nothing else is said"
        );
        assert_eq!(taught("...").reason_of("..."), None, "nothing to compare");
    }

    #[test]
    fn signs_that_begin_no_tag_stay() {
        assert_eq!(normalized("a < b & c > d"), ["a", "b", "c", "d"]);
        assert_eq!(normalized("a<br/>b &amp; c</p><BR />"), ["a", "b", "c"]);
        assert_eq!(normalized("<span style=\"color:red\">a</span>"), ["a"]);
        assert_eq!(normalized("<order 7 taken> a"), ["order", "7", "taken", "a"]);
        assert_eq!(normalized("<b class=\"order taken\">a"), ["b", "class", "order", "taken", "a"]);
        assert_eq!(
            normalized("You don\u{2019}t have 1,000.50 left"),
            ["you", "dont", "have", "100050", "left"]
        );
    }
}

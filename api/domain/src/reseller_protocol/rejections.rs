//! Error messages that prove that a panel did not accept an order. Pure.
//!
//! Only these messages allow another attempt. With any other message the outcome is unknown, whatever it suggests: a panel that
//! accepted the order and failed afterwards may send anything. A message must match as a whole, never in part, because a message
//! about a crash can contain a known one.

use panel_contract::external_panels::PanelType;
use panel_contract::rejections::{RejectionMessage, RejectionReason};

use super::known_messages::{KNOWN_MESSAGES, MessageMeaning, OWN_REJECTION_PREFIX, UsedBy};

/// The rejection messages of one panel: those that staff entered, and the known ones of its type.
#[derive(Debug, Clone, Default)]
pub struct PanelRejections {
    by_staff: Vec<(Vec<String>, RejectionReason)>,
    is_this_product: bool,
}

impl PanelRejections {
    /// The rejections of a panel of this type, with the messages that staff entered for it.
    #[must_use]
    pub fn of(kind: PanelType, messages: &[RejectionMessage]) -> Self {
        let by_staff = messages.iter().map(|entry| (pattern(&entry.message), entry.reason));
        Self { by_staff: by_staff.collect(), is_this_product: kind == PanelType::Socpanel }
    }

    /// Why the panel did not accept the order; `None` if the message does not prove that. Messages of staff have priority over
    /// known ones.
    #[must_use]
    pub fn rejection_reason(&self, message: &str) -> Option<RejectionReason> {
        let words = words_of(message);
        let by_staff = self.by_staff.iter().find(|(pattern, _)| matches_pattern(pattern, &words));
        let by_table = || match meaning_of_words(&words, self.is_this_product)? {
            MessageMeaning::NotAccepted(reason) => Some(reason),
            MessageMeaning::UnknownOrder | MessageMeaning::UnknownRefill => None,
        };
        // The only prefix that is sufficient: a panel of this product adds its explanation after it.
        let is_own_rejection = self.is_this_product && message.trim().starts_with(OWN_REJECTION_PREFIX);
        let own_rejection = is_own_rejection.then_some(RejectionReason::InvalidRequest);
        by_staff.map(|(_, reason)| *reason).or_else(by_table).or(own_rejection)
    }
}

/// The known meaning of a message for panels of any type.
#[must_use]
pub fn meaning_of_message(message: &str) -> Option<MessageMeaning> {
    meaning_of_words(&words_of(message), false)
}

/// The normalized form of a message, by which two messages are compared.
#[must_use]
pub fn normalized_message(message: &str) -> String {
    pattern(message).join(" ")
}

fn meaning_of_words(words: &[String], is_this_product: bool) -> Option<MessageMeaning> {
    let mut known =
        KNOWN_MESSAGES.iter().filter(|known| is_this_product || known.used_by != UsedBy::ThisProduct);
    known.find(|known| matches_pattern(&pattern(known.message), words)).map(|known| known.meaning)
}

/// The placeholder of a number in a pattern. No word of a message equals it, because words contain no braces.
pub const NUMBER_PLACEHOLDER: &str = "{number}";

fn pattern(message: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in message.split(NUMBER_PLACEHOLDER).enumerate() {
        if index > 0 {
            words.push(NUMBER_PLACEHOLDER.to_owned());
        }
        words.extend(words_of(part));
    }
    words
}

fn matches_pattern(pattern: &[String], words: &[String]) -> bool {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    !pattern.is_empty()
        && pattern.len() == words.len()
        && pattern
            .iter()
            .zip(words)
            .all(|(expected, word)| expected == word || (expected == NUMBER_PLACEHOLDER && is_number(word)))
}

/// The words of a message in lower case: letters and digits only, without HTML tags and entities. An apostrophe, and a point or
/// comma within a number, do not split a word.
fn words_of(message: &str) -> Vec<String> {
    let chars: Vec<char> = without_tags(message).to_lowercase().chars().collect();
    let mut words = vec![String::new()];
    for (index, char) in chars.iter().enumerate() {
        let is_digit = |neighbor: Option<&char>| neighbor.is_some_and(char::is_ascii_digit);
        let is_within_number = matches!(char, '.' | ',')
            && index > 0
            && is_digit(chars.get(index - 1))
            && is_digit(chars.get(index + 1));
        if char.is_alphanumeric() {
            if let Some(word) = words.last_mut() {
                word.push(*char);
            }
        } else if !is_within_number && !matches!(char, '\'' | '\u{2019}') {
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The text without HTML tags and entities. A `<` or `&` that begins neither stays with the text after it, which may be the
/// relevant sentence.
fn without_tags(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        let is_entity = |name: &str| name.chars().all(|char| char.is_ascii_alphanumeric() || char == '#');
        let length = if from.starts_with('<') {
            from.find('>').filter(|end| is_tag(&from[1..*end]))
        } else {
            from.find(';').filter(|end| *end <= 8 && is_entity(&from[1..*end]))
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

/// Whether the text between `<` and `>` is such a tag with at most one attribute, which must be a class or a style.
fn is_tag(inside: &str) -> bool {
    let inside = inside.strip_prefix('/').or(inside.strip_suffix('/')).unwrap_or(inside).trim();
    let (name, attribute) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
    let is_class_or_style = |attribute: &str| {
        let value = attribute.strip_prefix("class=\"").or(attribute.strip_prefix("style=\""));
        value.and_then(|value| value.strip_suffix('"')).is_some_and(|value| !value.contains(['"', ' ']))
    };
    let has_no_words = attribute.is_empty() || is_class_or_style(attribute.trim());
    has_no_words && TAGS.contains(&name.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn of_any_panel() -> PanelRejections {
        PanelRejections::default()
    }

    #[test]
    fn finds_every_known_message_in_the_forms_that_panels_send() {
        for known in KNOWN_MESSAGES {
            assert!(known.evidence.len() > 20, "{known:?}: name the source of the message");
            let kind = match known.used_by {
                UsedBy::ThisProduct => PanelType::Socpanel,
                _ => PanelType::PerfectPanel,
            };
            let expected = match known.meaning {
                MessageMeaning::NotAccepted(reason) => Some(reason),
                MessageMeaning::UnknownOrder | MessageMeaning::UnknownRefill => None,
            };
            let rejections = PanelRejections::of(kind, &[]);
            let message = known.message.replace(NUMBER_PLACEHOLDER, "1,000");
            for sent in [
                message.clone(),
                message.to_uppercase(),
                format!("  {} !", message.replace(' ', "\n ")),
                format!("<p class=\"x\"><b>{message}</b></p>&nbsp;"),
            ] {
                assert_eq!(rejections.rejection_reason(&sent), expected, "{sent}");
            }
        }
    }

    #[test]
    fn known_messages_are_distinct_and_cover_all_reasons_but_one() {
        let all: BTreeSet<String> =
            KNOWN_MESSAGES.iter().map(|known| normalized_message(known.message)).collect();
        assert_eq!(all.len(), KNOWN_MESSAGES.len());
        let has = |reason: &RejectionReason| {
            KNOWN_MESSAGES.iter().any(|known| known.meaning == MessageMeaning::NotAccepted(*reason))
        };
        let without: Vec<_> = RejectionReason::ALL.iter().filter(|reason| !has(reason)).collect();
        assert_eq!(without, [&RejectionReason::ServiceDisabled], "no exact message is known; staff enter it");
    }

    #[test]
    fn a_part_of_a_known_message_is_never_enough() {
        for known in KNOWN_MESSAGES {
            let message = known.message.replace(NUMBER_PLACEHOLDER, "5");
            for longer_message in [
                format!("Internal error: {message}"),
                format!("{message} (timeout)"),
                format!("{message}, your order is being processed"),
                format!("Order accepted. {message}"),
                format!("not {message}"),
            ] {
                assert_eq!(of_any_panel().rejection_reason(&longer_message), None, "{longer_message}");
            }
        }
        for message in
            ["", " ", "<b></b>", "error", "fail", "Not enough", "funds", "Quantity less than minimal x"]
        {
            assert_eq!(of_any_panel().rejection_reason(message), None, "{message}");
        }
    }

    #[test]
    fn messages_of_unexpected_failures_are_not_known() {
        for message in [
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
            assert_eq!(of_any_panel().rejection_reason(message), None, "{message}");
        }
    }

    #[test]
    fn messages_of_this_product_count_for_its_panels_only() {
        assert_eq!(of_any_panel().rejection_reason("Incorrect quantity"), None);
        let ours = PanelRejections::of(PanelType::Socpanel, &[]);
        assert_eq!(ours.rejection_reason("Incorrect quantity"), Some(RejectionReason::InvalidRequest));
        assert_eq!(meaning_of_message("Incorrect order ID"), Some(MessageMeaning::UnknownOrder));
        let with_explanation = "Incorrect request: Order 100 to 1000 in steps of 50, counted from 100.";
        assert_eq!(ours.rejection_reason(with_explanation), Some(RejectionReason::InvalidRequest));
        assert_eq!(of_any_panel().rejection_reason(with_explanation), None);
        assert_eq!(ours.rejection_reason(&format!("Internal error: {with_explanation}")), None);
    }

    #[test]
    fn messages_that_staff_enter_must_match_as_a_whole() {
        let with_message = |message: &str| {
            let entry =
                RejectionMessage { message: message.into(), reason: RejectionReason::ServiceDisabled };
            PanelRejections::of(PanelType::PerfectPanel, &[entry])
        };
        let disabled = Some(RejectionReason::ServiceDisabled);
        let rejections = with_message("Der Dienst #{number} ist abgeschaltet.");
        assert_eq!(rejections.rejection_reason("<i>der dienst 1.234 ist abgeschaltet</i>"), disabled);
        for other in ["Der Dienst ist abgeschaltet", "Der Dienst x ist abgeschaltet", "Der Dienst 5 ist"] {
            assert_eq!(rejections.rejection_reason(other), None, "{other}");
        }
        assert_eq!(with_message("Услуга выключена").rejection_reason("УСЛУГА  ВЫКЛЮЧЕНА!"), disabled);
        assert_eq!(
            with_message("Bad link").rejection_reason("bad link"),
            disabled,
            "messages of staff have priority over the table"
        );
        assert_eq!(
            with_message("Code 5").rejection_reason("Code 6"),
            None,
            "numbers without a placeholder must be equal"
        );
        assert_eq!(with_message("...").rejection_reason("..."), None, "nothing to compare");
    }

    #[test]
    fn removes_tags_and_keeps_other_angle_brackets() {
        assert_eq!(words_of("a < b & c > d"), ["a", "b", "c", "d"]);
        assert_eq!(words_of("a<br/>b &amp; c</p><BR />"), ["a", "b", "c"]);
        assert_eq!(words_of("<span style=\"color:red\">a</span>"), ["a"]);
        assert_eq!(words_of("<order 7 taken> a"), ["order", "7", "taken", "a"]);
        assert_eq!(words_of("<b class=\"order taken\">a"), ["b", "class", "order", "taken", "a"]);
        assert_eq!(
            words_of("You don\u{2019}t have 1,000.50 left"),
            ["you", "dont", "have", "100050", "left"]
        );
    }
}

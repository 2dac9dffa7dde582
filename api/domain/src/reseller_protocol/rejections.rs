//! Error messages which prove that an external panel did not accept an order. Pure functions.
//!
//! Only these messages allow another attempt. After any other message the outcome is unknown, because an external panel that
//! accepted the order and failed afterwards may send any message. A message must match completely, because a message about a crash
//! can contain a known message.

use panel_contract::external_panels::PanelType;
use panel_contract::rejections::{RejectionMessage, RejectionReason};

use super::known_messages::{KNOWN_MESSAGES, MessageMeaning, MessageSource, OWN_REJECTION_PREFIX};

/// The rejection messages of one external panel: the messages that staff entered, and the known messages of the type of panel.
#[derive(Debug, Clone, Default)]
pub struct PanelRejections {
    by_staff: Vec<(Vec<String>, RejectionReason)>,
    is_this_product: bool,
}

impl PanelRejections {
    /// The rejections of a panel of the type `kind`, with the messages that staff entered for the panel.
    #[must_use]
    pub fn for_panel(kind: PanelType, messages: &[RejectionMessage]) -> Self {
        let by_staff = messages.iter().map(|entry| (parse_pattern(&entry.message), entry.reason));
        Self { by_staff: by_staff.collect(), is_this_product: kind == PanelType::Socpanel }
    }

    /// Why the external panel did not accept the order; `None` if the message does not prove a rejection. Messages that staff
    /// entered have priority over known messages.
    #[must_use]
    pub fn rejection_reason(&self, message: &str) -> Option<RejectionReason> {
        let words = split_words(message);
        let by_staff = self.by_staff.iter().find(|(pattern, _)| matches_pattern(pattern, &words));
        let by_table = || match find_meaning(&words, self.is_this_product)? {
            MessageMeaning::NotAccepted(reason) => Some(reason),
            MessageMeaning::UnknownOrder | MessageMeaning::UnknownRefill => None,
        };
        // This is the only case in which a prefix is sufficient: panels of this product add an explanation after the prefix.
        let is_own_rejection = self.is_this_product && message.trim().starts_with(OWN_REJECTION_PREFIX);
        let own_rejection = is_own_rejection.then_some(RejectionReason::InvalidRequest);
        by_staff.map(|(_, reason)| *reason).or_else(by_table).or(own_rejection)
    }
}

/// The known meaning of a message for panels of any type.
#[must_use]
pub fn meaning_of_message(message: &str) -> Option<MessageMeaning> {
    find_meaning(&split_words(message), false)
}

/// The normalized form of a message, by which two messages are compared.
#[must_use]
pub fn normalized_message(message: &str) -> String {
    parse_pattern(message).join(" ")
}

fn find_meaning(words: &[String], is_this_product: bool) -> Option<MessageMeaning> {
    let mut applicable_messages =
        KNOWN_MESSAGES.iter().filter(|known| is_this_product || known.used_by != MessageSource::ThisProduct);
    applicable_messages
        .find(|known| matches_pattern(&parse_pattern(known.message), words))
        .map(|known| known.meaning)
}

/// The placeholder of a number in a pattern. It never equals a word of a message, because words do not contain braces.
pub const NUMBER_PLACEHOLDER: &str = "{number}";

fn parse_pattern(message: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in message.split(NUMBER_PLACEHOLDER).enumerate() {
        if index > 0 {
            words.push(NUMBER_PLACEHOLDER.to_owned());
        }
        words.extend(split_words(part));
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
fn split_words(message: &str) -> Vec<String> {
    let chars: Vec<char> = remove_tags(message).to_lowercase().chars().collect();
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

/// Removes HTML tags and entities. Removes only the `<` or `&` if it does not begin a tag or entity, because the text after it may
/// be the relevant sentence.
fn remove_tags(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut remaining = message;
    while let Some(index) = remaining.find(['<', '&']) {
        let (text_before, markup) = remaining.split_at(index);
        text.push_str(text_before);
        let is_entity = |name: &str| name.chars().all(|char| char.is_ascii_alphanumeric() || char == '#');
        let length = if markup.starts_with('<') {
            markup.find('>').filter(|end| is_tag(&markup[1..*end]))
        } else {
            markup.find(';').filter(|end| *end <= 8 && is_entity(&markup[1..*end]))
        };
        text.push(' ');
        remaining = &markup[length.map_or(1, |end| end + 1)..];
    }
    text + remaining
}

/// Tags that external panels use in error messages.
const TAGS: [&str; 20] = [
    "a", "b", "br", "code", "div", "em", "font", "h1", "h2", "h3", "h4", "i", "li", "p", "pre", "small",
    "span", "strong", "u", "ul",
];

/// Whether the text between `<` and `>` is one of [`TAGS`], with at most one attribute, which must be a class or a style.
fn is_tag(content: &str) -> bool {
    let content = content.strip_prefix('/').or(content.strip_suffix('/')).unwrap_or(content).trim();
    let (name, attribute) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
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

    fn other_panel() -> PanelRejections {
        PanelRejections::default()
    }

    #[test]
    fn finds_each_known_message_in_all_forms_that_panels_send() {
        for known in KNOWN_MESSAGES {
            assert!(known.evidence.len() > 20, "{known:?} must name the source of the message");
            let kind = match known.used_by {
                MessageSource::ThisProduct => PanelType::Socpanel,
                _ => PanelType::PerfectPanel,
            };
            let expected = match known.meaning {
                MessageMeaning::NotAccepted(reason) => Some(reason),
                MessageMeaning::UnknownOrder | MessageMeaning::UnknownRefill => None,
            };
            let rejections = PanelRejections::for_panel(kind, &[]);
            let message = known.message.replace(NUMBER_PLACEHOLDER, "1,000");
            for sent_message in [
                message.clone(),
                message.to_uppercase(),
                format!("  {} !", message.replace(' ', "\n ")),
                format!("<p class=\"x\"><b>{message}</b></p>&nbsp;"),
            ] {
                assert_eq!(rejections.rejection_reason(&sent_message), expected, "{sent_message}");
            }
        }
    }

    #[test]
    fn known_messages_are_distinct_and_cover_all_reasons_but_one() {
        let normalized_messages: BTreeSet<String> =
            KNOWN_MESSAGES.iter().map(|known| normalized_message(known.message)).collect();
        assert_eq!(normalized_messages.len(), KNOWN_MESSAGES.len());
        let is_covered = |reason: &RejectionReason| {
            KNOWN_MESSAGES.iter().any(|known| known.meaning == MessageMeaning::NotAccepted(*reason))
        };
        let uncovered: Vec<_> = RejectionReason::ALL.iter().filter(|reason| !is_covered(reason)).collect();
        assert_eq!(
            uncovered,
            [&RejectionReason::ServiceDisabled],
            "every other reason must have a known message"
        );
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
                assert_eq!(other_panel().rejection_reason(&longer_message), None, "{longer_message}");
            }
        }
        for message in
            ["", " ", "<b></b>", "error", "fail", "Not enough", "funds", "Quantity less than minimal x"]
        {
            assert_eq!(other_panel().rejection_reason(message), None, "{message}");
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
            assert_eq!(other_panel().rejection_reason(message), None, "{message}");
        }
    }

    #[test]
    fn messages_of_this_product_apply_to_panels_of_this_product_only() {
        assert_eq!(other_panel().rejection_reason("Incorrect quantity"), None);
        let own_panel = PanelRejections::for_panel(PanelType::Socpanel, &[]);
        assert_eq!(own_panel.rejection_reason("Incorrect quantity"), Some(RejectionReason::InvalidRequest));
        assert_eq!(meaning_of_message("Incorrect order ID"), Some(MessageMeaning::UnknownOrder));
        let with_explanation = "Incorrect request: Order 100 to 1000 in steps of 50, counted from 100.";
        assert_eq!(own_panel.rejection_reason(with_explanation), Some(RejectionReason::InvalidRequest));
        assert_eq!(other_panel().rejection_reason(with_explanation), None);
        assert_eq!(own_panel.rejection_reason(&format!("Internal error: {with_explanation}")), None);
    }

    #[test]
    fn messages_that_staff_enter_must_match_completely() {
        let with_message = |message: &str| {
            let entry =
                RejectionMessage { message: message.into(), reason: RejectionReason::ServiceDisabled };
            PanelRejections::for_panel(PanelType::PerfectPanel, &[entry])
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
            "messages of staff must have priority over known messages"
        );
        assert_eq!(
            with_message("Code 5").rejection_reason("Code 6"),
            None,
            "numbers without a placeholder must be equal"
        );
        assert_eq!(
            with_message("...").rejection_reason("..."),
            None,
            "a message without words must not match"
        );
    }

    #[test]
    fn removes_tags_and_keeps_other_angle_brackets() {
        assert_eq!(split_words("a < b & c > d"), ["a", "b", "c", "d"]);
        assert_eq!(split_words("a<br/>b &amp; c</p><BR />"), ["a", "b", "c"]);
        assert_eq!(split_words("<span style=\"color:red\">a</span>"), ["a"]);
        assert_eq!(split_words("<order 7 taken> a"), ["order", "7", "taken", "a"]);
        assert_eq!(split_words("<b class=\"order taken\">a"), ["b", "class", "order", "taken", "a"]);
        assert_eq!(
            split_words("You don\u{2019}t have 1,000.50 left"),
            ["you", "dont", "have", "100050", "left"]
        );
    }
}

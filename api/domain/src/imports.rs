//! What a service of a panel costs here. Pure.

use std::collections::BTreeSet;

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_services::PanelServiceRefusal;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::ImportableServiceId;
use panel_contract::panel_service_types::PanelServiceType;

use crate::reseller_protocol::read::ServiceParameter;

/// Most things of one import.
pub const MOST: usize = 20_000;
/// Largest margin: ten times what the panel asks.
pub const LARGEST_MARGIN: i64 = 10_000_000;
/// Largest price, as services have it.
pub const DEAREST: i64 = 1_000_000_000_000;

/// Units that a panel's price is for: a package is sold by the piece, everything else by the thousand.
#[must_use]
pub fn per(kind: &str) -> i64 {
    if is_package(kind) { 1 } else { 1_000 }
}

/// Whether a panel's word for a type means a package, with comments or without.
#[must_use]
pub fn is_package(kind: &str) -> bool {
    PanelServiceType::parse(kind).is_some_and(PanelServiceType::is_package)
}

/// Why a service of a panel cannot be sold here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NotSellable {
    /// What lists are filtered by.
    pub kind: PanelServiceRefusal,
    /// The end of a sentence about the service.
    reason: String,
}

/// The type of a panel's service that can be sold here, or why it cannot.
///
/// # Errors
/// What is not known is never taken for something else.
pub fn sellable(kind: &str, parameters: &[ServiceParameter]) -> Result<PanelServiceType, NotSellable> {
    let refused = |kind, reason| Err(NotSellable { kind, reason });
    let Some(found) = PanelServiceType::parse(kind) else {
        let reason = format!("is of the type {kind}, which this panel does not know; it cannot be ordered");
        return refused(PanelServiceRefusal::UnknownType, reason);
    };
    if let Some(reason) = found.refusal() {
        let reason = format!("is of the type {found}, which cannot be sold here: {reason}");
        return refused(PanelServiceRefusal::NotSold, reason);
    }
    match parameters.iter().find(|parameter| parameter.required && parameter.known().is_none()) {
        Some(parameter) => {
            let reason = format!("asks for {}, which this panel cannot ask its customers", parameter.name);
            refused(PanelServiceRefusal::UnknownParameter, reason)
        }
        None => Ok(found),
    }
}

/// The margin that counts: what is wanted, and never below the least.
#[must_use]
pub fn margin(wanted: Option<Fraction>, least: Option<Fraction>) -> Fraction {
    let least = least.unwrap_or_default();
    wanted.map_or(least, |wanted| wanted.max(least))
}

/// Whether a price changes by more than `limit` of what it was. From nothing, everything is a jump.
#[must_use]
pub fn jumps(old: Money, new: Money, limit: Fraction) -> bool {
    let change = (i128::from(new.0) - i128::from(old.0)).abs();
    change * i128::from(Money::UNIT) > i128::from(old.0) * i128::from(limit.0)
}

/// The margin that a price of one's own has, in millionths; rounded up, so that a price that follows does not fall.
#[must_use]
pub fn margin_of(price: Money, cost: Money) -> Option<Fraction> {
    if cost.0 <= 0 {
        return None;
    }
    let more = (i128::from(price.0) - i128::from(cost.0)) * i128::from(Money::UNIT);
    let share = more.div_euclid(i128::from(cost.0));
    let share = share + i128::from(more.rem_euclid(i128::from(cost.0)) != 0);
    i64::try_from(share.max(0)).ok().map(|share| Fraction(share.min(LARGEST_MARGIN)))
}

/// Whether a margin may be asked for; whether it is enough is judged by the minimum margin.
pub fn check_margin(errors: &mut FieldErrors, wanted: Option<Fraction>) {
    if wanted.is_some_and(|wanted| !(0..=LARGEST_MARGIN).contains(&wanted.0)) {
        errors.add("margin_percent", "Give a margin from 0 to 10, which is ten times the cost.");
    }
}

/// Each id once, and 1 to `most` of them; `field` is the list's name, `at` what follows the place.
pub fn check_ids(errors: &mut FieldErrors, field: &str, at: &str, ids: &[ImportableServiceId], most: usize) {
    if ids.is_empty() || ids.len() > most {
        errors.add(field, format!("Choose 1 to {most}; there are {}.", ids.len()));
    }
    let mut seen = BTreeSet::new();
    for (place, id) in ids.iter().enumerate().take(most) {
        if !seen.insert(*id) {
            errors.add(format!("{field}.{place}{at}"), format!("Service {id} is named twice."));
        }
    }
}

/// Longest description, as services have it.
pub const LONGEST_TEXT: usize = 50_000;

/// What a panel says about a service as a text: descriptions are no HTML here, and a stranger's least of all.
#[must_use]
pub fn plain_text(html: &str) -> String {
    // What no text may hold, such as U+0000, is a space.
    let blank = |letter: char| if letter.is_control() && letter != '\n' { ' ' } else { letter };
    let text: String = without_tags(html).chars().map(blank).collect();
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let text = lines.collect::<Vec<_>>().join("\n");
    text.trim().chars().take(LONGEST_TEXT).collect()
}

/// Tags away, lines where they end one. A sign that begins no tag stays.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        plain.push_str(before);
        if !tag.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '/' | '!' | '?')) {
            plain.push('<');
            rest = tag;
            continue;
        }
        let (name, behind) = tag.split_once('>').unwrap_or((tag, ""));
        let name = name.trim_matches('/').split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        if matches!(name.trim_end_matches('/'), "br" | "p" | "div" | "li" | "tr") && !plain.ends_with('\n') {
            plain.push('\n');
        }
        // What stood around a tag is no tag of its own.
        if plain.ends_with('<') {
            plain.push(' ');
        }
        rest = behind;
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::least_margin::price_with_margin;

    fn money(text: &str) -> Money {
        text.parse().unwrap()
    }

    fn share(text: &str) -> Fraction {
        text.parse().unwrap()
    }

    #[test]
    fn prices_are_cost_and_margin_and_never_less() {
        assert_eq!(price_with_margin(money("0.9"), 1_000, 1_000, share("0.3")).unwrap(), money("1.17"));
        assert_eq!(
            price_with_margin(money("0.000001"), 1_000, 1_000, share("0.1")).unwrap(),
            money("0.000002")
        );
        assert_eq!(price_with_margin(money("0.9"), 1_000, 100, share("0.3")).unwrap(), money("0.117"));
        assert_eq!(price_with_margin(money("0.000009"), 1_000, 100, share("0")).unwrap(), money("0.000001"));
        assert!(price_with_margin(Money(i64::MAX), 1, 1_000, share("1")).is_err());
        assert_eq!((per("Default"), per(" package "), per("Custom Comments Package")), (1_000, 1, 1));
    }

    #[test]
    fn refuses_services_that_the_panel_cannot_deliver() {
        let says = |kind, parameters: &[ServiceParameter]| {
            sellable(kind, parameters).map_err(|refused| refused.kind)
        };
        assert_eq!(says("custom comments", &[]), Ok(PanelServiceType::CustomComments));
        assert_eq!(says("Subscriptions", &[]), Err(PanelServiceRefusal::NotSold));
        assert_eq!(says("Something New", &[]), Err(PanelServiceRefusal::UnknownType));
        let asks = |name: &str, required| [ServiceParameter { name: name.into(), required, values: vec![] }];
        assert_eq!(says("Default", &asks("country", true)), Ok(PanelServiceType::Default));
        assert_eq!(says("Default", &asks("City", false)), Ok(PanelServiceType::Default));
        assert_eq!(says("Default", &asks("City", true)), Err(PanelServiceRefusal::UnknownParameter));
    }

    #[test]
    fn descriptions_are_texts() {
        for (html, text) in [
            ("Fast<br/>and <b>real</b>", "Fast\nand real"),
            ("<p>One</p><p>Two  words</p>", "One\nTwo words"),
            ("i <3 you, 1 < 2", "i <3 you, 1 < 2"),
            ("<<b>script>alert(1)<</b>/script>", "< script>alert(1)< /script>"),
            ("open <img src=x onerror=", "open"),
            ("&lt;b&gt; stays as it is", "&lt;b&gt; stays as it is"),
            ("no\0\u{7} control", "no control"),
        ] {
            assert_eq!(plain_text(html), text, "{html}");
        }
    }

    #[test]
    fn margins_are_at_least_the_least() {
        assert_eq!(margin(Some(share("0.1")), Some(share("0.2"))), share("0.2"));
        assert_eq!(margin(Some(share("0.3")), Some(share("0.2"))), share("0.3"));
        assert_eq!((margin(None, Some(share("0.2"))), margin(None, None)), (share("0.2"), Fraction(0)));
        assert_eq!(margin_of(money("1.17"), money("0.9")), Some(share("0.3")));
        assert_eq!(margin_of(money("1"), money("3")), Some(Fraction(0)));
        assert_eq!(margin_of(money("1"), money("0")), None);
    }

    #[test]
    fn a_jump_is_more_than_the_limit_either_way() {
        let limit = share("0.2");
        assert!(!jumps(money("1"), money("1.2"), limit) && jumps(money("1"), money("1.200001"), limit));
        assert!(!jumps(money("1"), money("0.8"), limit) && jumps(money("1"), money("0.799999"), limit));
        assert!(jumps(money("0"), money("0.000001"), limit) && !jumps(money("0"), money("0"), limit));
    }
}

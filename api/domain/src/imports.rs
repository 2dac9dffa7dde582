//! Rules of importing services of external panels: types that can be sold, margins, price jumps and plain texts. Pure.

use std::collections::BTreeSet;

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_services::PanelServiceRefusal;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::ImportableServiceId;
use panel_contract::panel_service_types::PanelServiceType;

use crate::reseller_protocol::responses::ServiceParameter;

/// Largest number of services or providers of one import.
pub const MAX_IMPORT_ITEMS: usize = 20_000;
/// Largest margin in millionths: ten times the cost.
pub const MAX_MARGIN: i64 = 10_000_000;
/// Largest price in millionths, equal to the limit of a service: 1,000,000 of the currency.
pub const MAX_PRICE: i64 = 1_000_000_000_000;

/// The number of units that a panel's price is for: 1 for a package, else 1,000.
#[must_use]
pub fn pricing_per(kind: &str) -> i64 {
    if is_package(kind) { 1 } else { 1_000 }
}

/// Whether a type, as a panel writes it, is a package, with or without comments.
#[must_use]
pub fn is_package(kind: &str) -> bool {
    PanelServiceType::parse(kind).is_some_and(PanelServiceType::is_package)
}

/// Why a service of an external panel cannot be sold by this panel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NotSellable {
    /// The value by which lists are filtered.
    pub kind: PanelServiceRefusal,
    /// The end of a sentence that begins with the service, such as "is of the type …".
    reason: String,
}

/// The type of a panel's service, if this panel can sell it.
///
/// # Errors
/// An unknown type, a type that this panel does not sell, or a required parameter that this panel does not know.
pub fn sellable_type(kind: &str, parameters: &[ServiceParameter]) -> Result<PanelServiceType, NotSellable> {
    let not_sellable = |kind, reason| Err(NotSellable { kind, reason });
    let Some(service_type) = PanelServiceType::parse(kind) else {
        let reason = format!("is of the type {kind}, which this panel does not know; it cannot be ordered");
        return not_sellable(PanelServiceRefusal::UnknownType, reason);
    };
    if let Some(reason) = service_type.reason_not_sellable() {
        let reason = format!("is of the type {service_type}, which cannot be sold here: {reason}");
        return not_sellable(PanelServiceRefusal::NotSold, reason);
    }
    match parameters.iter().find(|parameter| parameter.required && parameter.panel_parameter().is_none()) {
        Some(parameter) => {
            let reason = format!("requires {}, which this panel cannot ask customers for", parameter.name);
            not_sellable(PanelServiceRefusal::UnknownParameter, reason)
        }
        None => Ok(service_type),
    }
}

/// The margin to calculate with: the requested one, but at least the minimum margin. A missing minimum margin counts as 0.
#[must_use]
pub fn effective_margin(requested: Option<Fraction>, min_margin: Option<Fraction>) -> Fraction {
    let min_margin = min_margin.unwrap_or_default();
    requested.map_or(min_margin, |requested| requested.max(min_margin))
}

/// Whether a price rises or falls by more than the fraction `limit` of the old price. Every change of a price of 0 is a jump.
#[must_use]
pub fn is_price_jump(old: Money, new: Money, limit: Fraction) -> bool {
    let change = (i128::from(new.0) - i128::from(old.0)).abs();
    change * i128::from(Money::MILLIONTHS_PER_UNIT) > i128::from(old.0) * i128::from(limit.0)
}

/// The margin that a price set by staff has over its cost. It is rounded up to millionths, so that a sync with this margin does
/// not lower the price. `None` if the cost is 0.
#[must_use]
pub fn margin_of_price(price: Money, cost: Money) -> Option<Fraction> {
    if cost.0 <= 0 {
        return None;
    }
    let markup = (i128::from(price.0) - i128::from(cost.0)) * i128::from(Money::MILLIONTHS_PER_UNIT);
    let margin = markup.div_euclid(i128::from(cost.0));
    let margin = margin + i128::from(markup.rem_euclid(i128::from(cost.0)) != 0);
    i64::try_from(margin.max(0)).ok().map(|margin| Fraction(margin.min(MAX_MARGIN)))
}

/// Checks that a requested margin is from 0 to [`MAX_MARGIN`]. `least_margin::check_resale_margin` compares it with the minimum
/// margin.
pub fn check_margin(errors: &mut FieldErrors, requested: Option<Fraction>) {
    if requested.is_some_and(|requested| !(0..=MAX_MARGIN).contains(&requested.0)) {
        errors.add("margin_fraction", "Give a margin from 0 to 10; 10 is ten times the cost.");
    }
}

/// Checks that a request has 1 to `max_ids` ids, and none twice. `field` is the list of the request; `id_field` is the rest of the
/// path of an id after the index, such as `.id`.
pub fn check_ids(
    errors: &mut FieldErrors,
    field: &str,
    id_field: &str,
    ids: &[ImportableServiceId],
    max_ids: usize,
) {
    if ids.is_empty() || ids.len() > max_ids {
        errors.add(field, format!("Choose 1 to {max_ids}; there are {}.", ids.len()));
    }
    let mut seen = BTreeSet::new();
    for (index, id) in ids.iter().enumerate().take(max_ids) {
        if !seen.insert(*id) {
            errors.add(
                format!("{field}.{index}{id_field}"),
                format!("Service {id} is in the list twice. Remove one of them."),
            );
        }
    }
}

/// Longest description in characters, equal to the limit of a service.
pub const MAX_DESCRIPTION_CHARS: usize = 50_000;

/// The description of a panel's service without HTML tags. This panel shows descriptions as plain text, because HTML of another
/// server could contain scripts.
#[must_use]
pub fn plain_text(html: &str) -> String {
    // Control characters such as U+0000 become spaces, because the database refuses some of them.
    let without_control = |char: char| if char.is_control() && char != '\n' { ' ' } else { char };
    let text: String = without_tags(html).chars().map(without_control).collect();
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let text = lines.collect::<Vec<_>>().join("\n");
    text.trim().chars().take(MAX_DESCRIPTION_CHARS).collect()
}

/// Removes tags; tags such as `<br>` and `<p>` become line breaks. A `<` that begins no tag stays.
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
        let (name, after_tag) = tag.split_once('>').unwrap_or((tag, ""));
        let name = name.trim_matches('/').split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        if matches!(name.trim_end_matches('/'), "br" | "p" | "div" | "li" | "tr") && !plain.ends_with('\n') {
            plain.push('\n');
        }
        // A space prevents that the texts around a removed tag form a new tag.
        if plain.ends_with('<') {
            plain.push(' ');
        }
        rest = after_tag;
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

    fn fraction(text: &str) -> Fraction {
        text.parse().unwrap()
    }

    #[test]
    fn prices_are_the_cost_plus_the_margin_rounded_up() {
        assert_eq!(price_with_margin(money("0.9"), 1_000, 1_000, fraction("0.3")).unwrap(), money("1.17"));
        assert_eq!(
            price_with_margin(money("0.000001"), 1_000, 1_000, fraction("0.1")).unwrap(),
            money("0.000002")
        );
        assert_eq!(price_with_margin(money("0.9"), 1_000, 100, fraction("0.3")).unwrap(), money("0.117"));
        assert_eq!(
            price_with_margin(money("0.000009"), 1_000, 100, fraction("0")).unwrap(),
            money("0.000001")
        );
        assert!(price_with_margin(Money(i64::MAX), 1, 1_000, fraction("1")).is_err());
        assert_eq!(
            (pricing_per("Default"), pricing_per(" package "), pricing_per("Custom Comments Package")),
            (1_000, 1, 1)
        );
    }

    #[test]
    fn refuses_services_that_this_panel_cannot_sell() {
        let type_of = |kind, parameters: &[ServiceParameter]| {
            sellable_type(kind, parameters).map_err(|not_sellable| not_sellable.kind)
        };
        assert_eq!(type_of("custom comments", &[]), Ok(PanelServiceType::CustomComments));
        assert_eq!(type_of("Subscriptions", &[]), Err(PanelServiceRefusal::NotSold));
        assert_eq!(type_of("Something New", &[]), Err(PanelServiceRefusal::UnknownType));
        let parameters =
            |name: &str, required| [ServiceParameter { name: name.into(), required, values: vec![] }];
        assert_eq!(type_of("Default", &parameters("country", true)), Ok(PanelServiceType::Default));
        assert_eq!(type_of("Default", &parameters("City", false)), Ok(PanelServiceType::Default));
        assert_eq!(type_of("Default", &parameters("City", true)), Err(PanelServiceRefusal::UnknownParameter));
    }

    #[test]
    fn descriptions_become_plain_text() {
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
    fn an_effective_margin_is_at_least_the_minimum_margin() {
        assert_eq!(effective_margin(Some(fraction("0.1")), Some(fraction("0.2"))), fraction("0.2"));
        assert_eq!(effective_margin(Some(fraction("0.3")), Some(fraction("0.2"))), fraction("0.3"));
        assert_eq!(
            (effective_margin(None, Some(fraction("0.2"))), effective_margin(None, None)),
            (fraction("0.2"), Fraction(0))
        );
        assert_eq!(margin_of_price(money("1.17"), money("0.9")), Some(fraction("0.3")));
        assert_eq!(margin_of_price(money("1"), money("3")), Some(Fraction(0)));
        assert_eq!(margin_of_price(money("1"), money("0")), None);
    }

    #[test]
    fn a_price_jump_is_a_rise_or_fall_above_the_limit() {
        let limit = fraction("0.2");
        assert!(
            !is_price_jump(money("1"), money("1.2"), limit)
                && is_price_jump(money("1"), money("1.200001"), limit)
        );
        assert!(
            !is_price_jump(money("1"), money("0.8"), limit)
                && is_price_jump(money("1"), money("0.799999"), limit)
        );
        assert!(
            is_price_jump(money("0"), money("0.000001"), limit)
                && !is_price_jump(money("0"), money("0"), limit)
        );
    }
}

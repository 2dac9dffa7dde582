//! Rules of the import of services from external panels: service types that can be sold, margins, price jumps, and descriptions as
//! plain text. Pure functions.

use std::collections::BTreeSet;

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_services::PanelServiceRejection;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::ImportableServiceId;
use panel_contract::panel_service_types::PanelServiceType;

use crate::reseller_protocol::responses::ServiceParameter;

/// Maximum number of services or providers in one import.
pub const MAX_IMPORT_ITEMS: usize = 20_000;
/// Maximum margin in millionths: ten times the cost.
pub const MAX_MARGIN: i64 = 10_000_000;
/// Maximum price in millionths, which is the same as for a service: 1,000,000 of the currency.
pub const MAX_PRICE: i64 = 1_000_000_000_000;

/// The number of units that a price of an external panel is for: 1 for a package, otherwise 1,000.
#[must_use]
pub fn units_per_price(kind: &str) -> i64 {
    if is_package(kind) { 1 } else { 1_000 }
}

/// Whether a service type, as an external panel spells it, is a package, with or without comments.
#[must_use]
pub fn is_package(kind: &str) -> bool {
    PanelServiceType::parse(kind).is_some_and(PanelServiceType::is_package)
}

/// Why this panel cannot sell a service of an external panel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NotSellableError {
    /// Machine-readable reason, by which the list of services can be filtered.
    pub kind: PanelServiceRejection,
    /// Reason as an English clause after the name of the service, such as "is of the type …".
    reason: String,
}

/// Parses the type of a service of an external panel, and checks that this panel can sell the service.
///
/// # Errors
/// Returns an error for an unknown type, for a type that this panel does not sell, and for an unknown required parameter.
pub fn parse_sellable_type(
    kind: &str,
    parameters: &[ServiceParameter],
) -> Result<PanelServiceType, NotSellableError> {
    let not_sellable = |kind, reason| Err(NotSellableError { kind, reason });
    let Some(service_type) = PanelServiceType::parse(kind) else {
        let reason = format!("is of the type {kind}, which this panel does not know; it cannot be ordered");
        return not_sellable(PanelServiceRejection::UnknownType, reason);
    };
    if let Some(reason) = service_type.reason_not_sellable() {
        let reason = format!("is of the type {service_type}, which this panel cannot sell: {reason}");
        return not_sellable(PanelServiceRejection::NotSold, reason);
    }
    match parameters.iter().find(|parameter| parameter.required && parameter.panel_parameter().is_none()) {
        Some(parameter) => {
            let reason =
                format!("requires {}, which the order form of this panel does not support", parameter.name);
            not_sellable(PanelServiceRejection::UnknownParameter, reason)
        }
        None => Ok(service_type),
    }
}

/// The margin for calculations: the requested margin, but at least the minimum margin. A missing minimum margin counts as 0.
#[must_use]
pub fn effective_margin(requested: Option<Fraction>, min_margin: Option<Fraction>) -> Fraction {
    let min_margin = min_margin.unwrap_or_default();
    requested.map_or(min_margin, |requested| requested.max(min_margin))
}

/// Whether a price rises or falls by more than the fraction `limit` of the old price. For an old price of 0, each change is a jump.
#[must_use]
pub fn is_price_jump(old: Money, new: Money, limit: Fraction) -> bool {
    let change = (i128::from(new.0) - i128::from(old.0)).abs();
    change * i128::from(Money::MILLIONTHS_PER_UNIT) > i128::from(old.0) * i128::from(limit.0)
}

/// The margin of a price that staff entered. The margin is rounded up to millionths, so that a synchronization with this margin
/// does not lower the price. `None` if the cost is 0.
#[must_use]
pub fn margin_from_price(price: Money, cost: Money) -> Option<Fraction> {
    if cost.0 <= 0 {
        return None;
    }
    let markup = (i128::from(price.0) - i128::from(cost.0)) * i128::from(Money::MILLIONTHS_PER_UNIT);
    let truncated_margin = markup.div_euclid(i128::from(cost.0));
    let margin = truncated_margin + i128::from(markup.rem_euclid(i128::from(cost.0)) != 0);
    i64::try_from(margin.max(0)).ok().map(|margin| Fraction(margin.min(MAX_MARGIN)))
}

/// Checks that a requested margin is from 0 to [`MAX_MARGIN`]. `minimum_margin::check_resale_margin` compares it with the minimum
/// margin.
pub fn check_margin(errors: &mut FieldErrors, requested: Option<Fraction>) {
    if requested.is_some_and(|requested| !(0..=MAX_MARGIN).contains(&requested.0)) {
        errors.add("margin_fraction", "Enter a margin from 0 to 10. A margin of 10 is ten times the cost.");
    }
}

/// Checks that a request has 1 to `max_ids` ids without duplicates. For the errors, `field` is the name of the list in the request,
/// and `id_field` is the path of the id within an element, such as `.id`, or empty for a list of ids.
pub fn check_ids(
    errors: &mut FieldErrors,
    field: &str,
    id_field: &str,
    ids: &[ImportableServiceId],
    max_ids: usize,
) {
    if ids.is_empty() || ids.len() > max_ids {
        errors.add(field, format!("Choose 1 to {max_ids} services instead of {}.", ids.len()));
    }
    let mut previous_ids = BTreeSet::new();
    for (index, id) in ids.iter().enumerate().take(max_ids) {
        if !previous_ids.insert(*id) {
            errors.add(
                format!("{field}.{index}{id_field}"),
                format!("Service {id} is in the list twice. Remove one of them."),
            );
        }
    }
}

/// Maximum length of a description in characters, which is the same as for a service.
pub const MAX_DESCRIPTION_CHARS: usize = 50_000;

/// Removes HTML tags from the description of a service of an external panel. This panel shows descriptions as plain text, because
/// the HTML of another server could contain scripts.
#[must_use]
pub fn html_to_plain_text(html: &str) -> String {
    // Control characters such as U+0000 become spaces, because the database cannot store some of them.
    let replace_control = |char: char| if char.is_control() && char != '\n' { ' ' } else { char };
    let text: String = remove_tags(html).chars().map(replace_control).collect();
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let text = lines.collect::<Vec<_>>().join("\n");
    text.trim().chars().take(MAX_DESCRIPTION_CHARS).collect()
}

/// Removes tags; tags such as `<br>` and `<p>` become line breaks. Keeps a `<` that does not begin a tag.
fn remove_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut remaining = text;
    while let Some((before, tag)) = remaining.split_once('<') {
        plain.push_str(before);
        if !tag.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '/' | '!' | '?')) {
            plain.push('<');
            remaining = tag;
            continue;
        }
        let (name, after_tag) = tag.split_once('>').unwrap_or((tag, ""));
        let name = name.trim_matches('/').split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        if matches!(name.trim_end_matches('/'), "br" | "p" | "div" | "li" | "tr") && !plain.ends_with('\n') {
            plain.push('\n');
        }
        // Without this space, the characters around a removed tag could form a new tag.
        if plain.ends_with('<') {
            plain.push(' ');
        }
        remaining = after_tag;
    }
    plain + remaining
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimum_margin::price_with_margin;

    fn money(text: &str) -> Money {
        text.parse().unwrap()
    }

    fn fraction(text: &str) -> Fraction {
        text.parse().unwrap()
    }

    #[test]
    fn a_price_is_the_cost_plus_the_margin_rounded_up() {
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
            (
                units_per_price("Default"),
                units_per_price(" package "),
                units_per_price("Custom Comments Package")
            ),
            (1_000, 1, 1)
        );
    }

    #[test]
    fn rejects_services_that_this_panel_cannot_sell() {
        let parse_type = |kind, parameters: &[ServiceParameter]| {
            parse_sellable_type(kind, parameters).map_err(|not_sellable| not_sellable.kind)
        };
        assert_eq!(parse_type("custom comments", &[]), Ok(PanelServiceType::CustomComments));
        assert_eq!(parse_type("Subscriptions", &[]), Err(PanelServiceRejection::NotSold));
        assert_eq!(parse_type("Something New", &[]), Err(PanelServiceRejection::UnknownType));
        let parameters =
            |name: &str, required| [ServiceParameter { name: name.into(), required, values: vec![] }];
        assert_eq!(parse_type("Default", &parameters("country", true)), Ok(PanelServiceType::Default));
        assert_eq!(parse_type("Default", &parameters("City", false)), Ok(PanelServiceType::Default));
        assert_eq!(
            parse_type("Default", &parameters("City", true)),
            Err(PanelServiceRejection::UnknownParameter)
        );
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
            assert_eq!(html_to_plain_text(html), text, "{html}");
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
        assert_eq!(margin_from_price(money("1.17"), money("0.9")), Some(fraction("0.3")));
        assert_eq!(margin_from_price(money("1"), money("3")), Some(Fraction(0)));
        assert_eq!(margin_from_price(money("1"), money("0")), None);
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

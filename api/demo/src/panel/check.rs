//! What real panels refuse of a new order: parameters that its service type needs and that are missing or wrong. Pure.

use std::collections::BTreeMap;

use panel_contract::panel_service_types::{PanelParameter, PanelServiceType, QuantitySource};

/// What is wrong with the parameters of an order, in the words of this field.
pub(crate) fn wrong(
    kind: PanelServiceType,
    extra: &[(PanelParameter, bool)],
    fields: &BTreeMap<String, String>,
) -> Option<&'static str> {
    let text = |parameter: PanelParameter| {
        fields.get(parameter.as_str()).map(String::as_str).filter(|text| !text.trim().is_empty())
    };
    if kind != PanelServiceType::Subscriptions && fields.get("link").is_none_or(|link| link.trim().is_empty())
    {
        return Some("neworder.error.link");
    }
    let is_good =
        |parameter: &PanelParameter| text(*parameter).is_some_and(|text| parameter.check(text).is_ok());
    let needed = extra.iter().filter(|(_, required)| *required).map(|(parameter, _)| parameter);
    if !kind.required().iter().chain(needed).all(is_good) {
        return Some("There are missing required parameters. Please check your API Manual");
    }
    // A quantity that counts lines cannot disagree with them here: it is not read at all.
    let answers = |parameter| match kind.quantity() {
        QuantitySource::LinesOf(counted) if counted == parameter => None,
        _ => text(parameter),
    };
    kind.check(0, answers).map(|_| "There are missing required parameters. Please check your API Manual")
}

//! Validation of a new order, as at real panels: refuses missing and invalid parameters of the service type. Pure.

use std::collections::BTreeMap;

use panel_contract::panel_service_types::{PanelParameter, PanelServiceType, QuantitySource};

/// The error message for the parameters of an order, as real panels word it; `None` if they are valid.
pub(crate) fn error_message(
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
    // If the quantity is the number of lines, a given quantity is ignored.
    let answers = |parameter| match kind.quantity() {
        QuantitySource::LinesOf(counted) if counted == parameter => None,
        _ => text(parameter),
    };
    kind.check(0, answers).map(|_| "There are missing required parameters. Please check your API Manual")
}

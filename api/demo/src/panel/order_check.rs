//! Validates a new order as real panels do: refuses missing and invalid parameters of the service type. Pure.

use std::collections::BTreeMap;

use panel_contract::panel_service_types::{PanelParameter, PanelServiceType, QuantitySource};

/// The error message for the parameters of an order, as real panels word it; `None` if they are valid.
pub(crate) fn error_message(
    kind: PanelServiceType,
    additional: &[(PanelParameter, bool)],
    fields: &BTreeMap<String, String>,
) -> Option<&'static str> {
    let text = |parameter: PanelParameter| {
        fields.get(parameter.as_str()).map(String::as_str).filter(|text| !text.trim().is_empty())
    };
    if kind != PanelServiceType::Subscriptions && fields.get("link").is_none_or(|link| link.trim().is_empty())
    {
        return Some("neworder.error.link");
    }
    let is_valid =
        |parameter: &PanelParameter| text(*parameter).is_some_and(|text| parameter.check(text).is_ok());
    let required = additional.iter().filter(|(_, is_required)| *is_required).map(|(parameter, _)| parameter);
    if !kind.required_parameters().iter().chain(required).all(is_valid) {
        return Some("There are missing required parameters. Please check your API Manual");
    }
    // If the quantity is the number of lines, the panel ignores the quantity of the call.
    let value_of = |parameter| match kind.quantity_source() {
        QuantitySource::LinesOf(counted) if counted == parameter => None,
        _ => text(parameter),
    };
    kind.check(0, value_of).map(|_| "There are missing required parameters. Please check your API Manual")
}

//! Validates a new order as real panels do: rejects missing and invalid parameters of the service type. Has no side effects.

use std::collections::BTreeMap;

use panel_contract::panel_service_types::{PanelParameter, PanelServiceType, QuantitySource};

/// Returns the error message of real panels for invalid parameters of an order; `None` if all are valid. `additional_parameters`
/// are those of the service besides the parameters of its type, each with the flag whether it is required.
pub(crate) fn validate_parameters(
    service_type: PanelServiceType,
    additional_parameters: &[(PanelParameter, bool)],
    fields: &BTreeMap<String, String>,
) -> Option<&'static str> {
    let non_empty_value = |parameter: PanelParameter| {
        fields.get(parameter.as_str()).map(String::as_str).filter(|value| !value.trim().is_empty())
    };
    if service_type != PanelServiceType::Subscriptions
        && fields.get("link").is_none_or(|link| link.trim().is_empty())
    {
        return Some("neworder.error.link");
    }
    let is_valid = |parameter: &PanelParameter| {
        non_empty_value(*parameter).is_some_and(|value| parameter.check(value).is_ok())
    };
    let required_parameters =
        additional_parameters.iter().filter(|(_, is_required)| *is_required).map(|(parameter, _)| parameter);
    if !service_type.required_parameters().iter().chain(required_parameters).all(is_valid) {
        return Some("There are missing required parameters. Please check your API Manual");
    }
    // If the quantity is the number of lines of a parameter, the panel ignores the field `quantity` of the request.
    let value_of = |parameter| match service_type.quantity_source() {
        QuantitySource::LinesOf(counted_parameter) if counted_parameter == parameter => None,
        _ => non_empty_value(parameter),
    };
    service_type
        .check(0, value_of)
        .map(|_| "There are missing required parameters. Please check your API Manual")
}

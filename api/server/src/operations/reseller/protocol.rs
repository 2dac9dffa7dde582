//! Parses calls of the reseller API, and translates the panel's statuses and errors to its conventions. No I/O.

use std::collections::BTreeSet;

use panel_contract::external_panels::PanelType;
use panel_contract::ids::Id;
use panel_contract::order_requests::ResellerRequest;
use panel_contract::orders::OrderStatus;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::{Rejection, RejectionKind};

use crate::operations::orders::create;
use panel_domain::reseller_protocol::known_messages::OWN_REJECTION_PREFIX;
use panel_domain::reseller_protocol::rejections::PanelRejections;

/// Maximum number of ids in one call, as in other implementations of this API.
pub(super) const MAX_IDS: usize = 100;

/// The text of a field; empty if the call does not have it.
pub(super) fn field<'c>(call: &'c ResellerRequest, name: &str) -> &'c str {
    call.0.get(name).map_or("", String::as_str)
}

/// Builds an error in the form that clients of the reseller API expect.
pub(super) fn reseller_error(message: &str) -> Error {
    Error::rejected(RejectionKind::Invalid, "rejected", message)
}

/// Field with the country of the end customer. The field `country` is another one: it holds the value of a geotargeting target.
const COUNTRY_FIELD: &str = "customer_country";

/// Parses the country of the end customer.
pub(super) fn parse_country(call: &ResellerRequest) -> Result<Option<String>> {
    create::parse_country(Some(field(call, COUNTRY_FIELD)))
        .map_err(|_| reseller_error(&format!("Incorrect {COUNTRY_FIELD}")))
}

/// Parses a whole number of 0 or more. Accepts decimals that are zero (`10.00`). No field of this API has negative numbers.
pub(super) fn parse_number(text: &str) -> Option<i64> {
    let whole_part = match text.split_once('.') {
        Some((whole_part, zeros)) if zeros.bytes().all(|byte| byte == b'0') => whole_part,
        Some(_) => return None,
        None => text,
    };
    whole_part.bytes().all(|byte| byte.is_ascii_digit()).then(|| whole_part.parse().ok())?
}

/// Parses an id with [`parse_number`].
pub(super) fn parse_id<I: Id>(text: &str) -> Option<I> {
    parse_number(text).map(I::new)
}

/// Parses a field with a number of at least `min`; `default` if the field is empty.
pub(super) fn parse_number_field(call: &ResellerRequest, name: &str, min: i64, default: i64) -> Result<i64> {
    let number = match field(call, name) {
        "" => Some(default),
        text => parse_number(text).filter(|number| *number >= min),
    };
    number.ok_or_else(|| reseller_error(&format!("Incorrect {name}: send a whole number, at least {min}")))
}

/// The ids of a request. One field holds a single id, another field a list of up to 100 ids, separated by commas or line breaks.
/// Duplicates are removed.
pub(super) enum Ids<I> {
    /// The request has a single id; `None` if its text is not an id.
    One(Option<I>),
    /// The request has a list. Each entry holds the text that the client sent, and its id; `None` if the text is not an id.
    Many(Vec<(String, Option<I>)>),
}

impl<I: Id> Ids<I> {
    /// Parses the field `list_field`; if this field is empty, parses the field `single_field`.
    pub(super) fn from_call(call: &ResellerRequest, single_field: &str, list_field: &str) -> Result<Self> {
        let list = field(call, list_field);
        if list.is_empty() {
            return Ok(Self::One(parse_id(field(call, single_field))));
        }
        let mut distinct_texts = BTreeSet::new();
        let texts = list.split([',', '\n']).map(str::trim).filter(|text| !text.is_empty());
        let ids: Vec<_> = texts
            .filter(|text| distinct_texts.insert(*text))
            .map(|text| (text.to_owned(), parse_id(text)))
            .take(MAX_IDS + 1)
            .collect();
        if ids.len() > MAX_IDS {
            return Err(reseller_error("Too many ids: send at most 100 at once"));
        }
        Ok(Self::Many(ids))
    }

    pub(super) fn valid_ids(&self) -> Vec<I> {
        match self {
            Self::One(id) => id.iter().copied().collect(),
            Self::Many(ids) => ids.iter().filter_map(|(_, id)| *id).collect(),
        }
    }
}

/// Returns the name of the status of an order in the reseller API.
pub(super) fn order_status_name(status: OrderStatus, delivered: i64) -> &'static str {
    match status {
        OrderStatus::Unpaid | OrderStatus::InModeration => "Pending",
        OrderStatus::InProcessing if delivered > 0 => "In progress",
        OrderStatus::InProcessing | OrderStatus::Stopped => "Processing",
        OrderStatus::Completed => "Completed",
        OrderStatus::Canceled if delivered > 0 => "Partial",
        OrderStatus::Canceled => "Canceled",
    }
}

/// Returns the name of the status of a refill in the reseller API.
pub(super) fn refill_status_name(status: &str) -> &'static str {
    match status {
        "pending" => "Pending",
        "sent" => "In progress",
        "completed" => "Completed",
        _ => "Rejected",
    }
}

/// Returns the message that clients of the reseller API know for a rejection. If there is none, returns the message of the
/// rejection.
pub(super) fn rejection_message(rejection: &Rejection) -> String {
    let protocol_message = match rejection.code {
        "not_enough_balance" | "insufficient_funds" => "Not enough funds on balance",
        "url_in_use" => "You have active order with this link. Please wait until order being completed.",
        "service_unknown" => "Incorrect service ID",
        "user_not_active" => "Your account is suspended and cannot order",
        _ if rejection.errors.0.contains_key("service_id") => "Incorrect service ID",
        _ if rejection.errors.0.contains_key("balance") => "Not enough funds on balance",
        _ => return rejection.message.clone(),
    };
    protocol_message.to_owned()
}

/// The quantity that a request contains, and the minimum and maximum of the service.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestedQuantity {
    pub(super) quantity: i64,
    pub(super) min: i64,
    pub(super) max: i64,
}

/// Converts the rejection of an order to a message that programs recognize: a usual message of this API, or, if there is none, the
/// message of the rejection after [`OWN_REJECTION_PREFIX`]. From both messages, another panel with our software concludes that the
/// order was not placed, so that it may fail over to another provider.
pub(super) fn order_error(error: Error, requested_quantity: Option<RequestedQuantity>) -> Error {
    match error {
        // If the error has a `Retry-After`, the program sends the request again. After a server error it is unknown whether the
        // order was placed. Both errors stay unchanged.
        Error::Rejected(rejection)
            if rejection.retry_after_secs.is_none() && !rejection.kind.is_server_error() =>
        {
            reseller_error(&order_rejection(&rejection, requested_quantity))
        }
        other => other,
    }
}

fn order_rejection(rejection: &Rejection, requested_quantity: Option<RequestedQuantity>) -> String {
    let message = rejection_message(rejection);
    if PanelRejections::for_panel(PanelType::Socpanel, &[]).rejection_reason(&message).is_some() {
        return message;
    }
    let has_error_for = |field: &str| rejection.errors.0.contains_key(field);
    match requested_quantity {
        Some(RequestedQuantity { quantity, min, .. }) if has_error_for("quantity") && quantity < min => {
            format!("Quantity less than minimal {min}")
        }
        Some(RequestedQuantity { quantity, max, .. }) if has_error_for("quantity") && quantity > max => {
            format!("Quantity more than maximum {max}")
        }
        _ if has_error_for("url") && !has_error_for("quantity") => "Incorrect link".to_owned(),
        _ => format!("{OWN_REJECTION_PREFIX}{message}"),
    }
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::OrderId;

    use super::*;

    #[test]
    fn order_errors_use_the_known_messages() {
        let own_rejections = PanelRejections::for_panel(PanelType::Socpanel, &[]);
        let rejection = |error: Error, quantity: i64| {
            let message =
                error_message(order_error(error, Some(RequestedQuantity { quantity, min: 100, max: 1_000 })));
            assert!(own_rejections.rejection_reason(&message).is_some(), "{message}");
            message
        };
        let field_error = |field: &str| Error::invalid(field, "invalid", "Something is wrong.");
        assert_eq!(rejection(field_error("quantity"), 99), "Quantity less than minimal 100");
        assert_eq!(rejection(field_error("quantity"), 1_001), "Quantity more than maximum 1000");
        assert_eq!(rejection(field_error("quantity"), 105), "Incorrect request: Something is wrong.");
        assert_eq!(rejection(field_error("url"), 105), "Incorrect link");
        assert_eq!(rejection(field_error("coupon"), 105), "Incorrect request: Something is wrong.");
        assert_eq!(rejection(field_error("service_id"), 99), "Incorrect service ID");
        assert_eq!(rejection(Error::conflict("changed", "It moved."), 105), "Incorrect request: It moved.");
        let throttled = Error::throttled(5);
        assert!(error_message(order_error(throttled, None)).starts_with("Too Many"));
    }

    fn error_message(error: Error) -> String {
        rejection_message(&error.report("test"))
    }

    fn call(fields: &[(&str, &str)]) -> ResellerRequest {
        ResellerRequest(fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
    }

    #[test]
    fn accepts_only_whole_numbers() {
        assert_eq!(
            [parse_number("10"), parse_number("10.00"), parse_number("0")],
            [Some(10), Some(10), Some(0)]
        );
        assert_eq!(
            [
                parse_number(""),
                parse_number("1.5"),
                parse_number("1e3"),
                parse_number("99999999999999999999")
            ],
            [None; 4]
        );
        assert_eq!(
            [parse_number("-1"), parse_number("-0"), parse_number("+1"), parse_number("-1.0")],
            [None; 4]
        );
    }

    #[test]
    fn removes_duplicate_ids_and_keeps_their_order() {
        let ids_of = |fields: &[(&str, &str)]| Ids::<OrderId>::from_call(&call(fields), "order", "orders");
        let Ids::Many(ids) = ids_of(&[("orders", "3, 1,x\n3")]).unwrap() else { panic!() };
        let parsed = |id| Some(OrderId::new(id));
        assert_eq!(ids, [("3".into(), parsed(3)), ("1".into(), parsed(1)), ("x".to_owned(), None)]);
        let list_of = |count: usize| (0..count).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
        assert!(ids_of(&[("orders", &list_of(100))]).is_ok());
        assert!(ids_of(&[("orders", &list_of(101))]).is_err());
        assert_eq!(ids_of(&[("order", "7")]).unwrap().valid_ids(), [OrderId::new(7)]);
    }

    #[test]
    fn translates_statuses() {
        use OrderStatus::*;
        let statuses = [
            (Unpaid, 0, "Pending"),
            (InModeration, 0, "Pending"),
            (InProcessing, 0, "Processing"),
            (InProcessing, 5, "In progress"),
            (Stopped, 0, "Processing"),
            (Completed, 9, "Completed"),
            (Canceled, 0, "Canceled"),
            (Canceled, 5, "Partial"),
        ];
        for (status, delivered, name) in statuses {
            assert_eq!(order_status_name(status, delivered), name);
        }
        assert_eq!(
            ["pending", "sent", "completed", "rejected"].map(refill_status_name),
            ["Pending", "In progress", "Completed", "Rejected"]
        );
    }
}

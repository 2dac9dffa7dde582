//! Parses calls of the reseller API, and translates the panel's statuses and errors to its conventions. Pure.

use std::collections::BTreeSet;

use panel_contract::external_panels::PanelType;
use panel_contract::ids::Id;
use panel_contract::intake::ResellerCall;
use panel_contract::orders::OrderStatus;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::{Rejection, RejectionKind};

use crate::operations::orders::create;
use panel_domain::reseller_protocol::known::OWN_REFUSAL;
use panel_domain::reseller_protocol::rejections::Rejections;

/// Largest number of ids in one call, as in other implementations of this API.
pub(super) const MAX_IDS: usize = 100;

/// The text of a field; empty if the call does not have it.
pub(super) fn field<'c>(call: &'c ResellerCall, name: &str) -> &'c str {
    call.0.get(name).map_or("", String::as_str)
}

/// An error in the conventions of the reseller API.
pub(super) fn refused(message: &str) -> Error {
    Error::rejected(RejectionKind::Invalid, "refused", message)
}

/// Country of the end customer. It is not `country`, which is the value of a geotargeting target.
const COUNTRY: &str = "customer_country";

/// Parses the country of the end customer.
pub(super) fn country(call: &ResellerCall) -> Result<Option<String>> {
    create::country(Some(field(call, COUNTRY))).map_err(|_| refused(&format!("Incorrect {COUNTRY}")))
}

/// Parses a whole number of 0 or more. A fraction of zeros (`10.00`) is accepted; no field of this API has negative numbers.
pub(super) fn number(text: &str) -> Option<i64> {
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if zeros.bytes().all(|byte| byte == b'0') => whole,
        Some(_) => return None,
        None => text,
    };
    whole.bytes().all(|byte| byte.is_ascii_digit()).then(|| whole.parse().ok())?
}

/// Parses an id with [`number`].
pub(super) fn id<I: Id>(text: &str) -> Option<I> {
    number(text).map(I::new)
}

/// Parses a number of at least `least`; `otherwise` if the field is empty.
pub(super) fn number_from(call: &ResellerCall, name: &str, least: i64, otherwise: i64) -> Result<i64> {
    let number = match field(call, name) {
        "" => Some(otherwise),
        text => number(text).filter(|number| *number >= least),
    };
    number.ok_or_else(|| refused(&format!("Incorrect {name}: send a whole number, at least {least}")))
}

/// The ids of a call: one field holds a single id, another up to a hundred, separated by commas or lines. Duplicates are removed.
pub(super) enum Ids<I> {
    /// The call names one id.
    One(Option<I>),
    /// The call has a list: each text as it was sent, and its id if it is one.
    Many(Vec<(String, Option<I>)>),
}

impl<I: Id> Ids<I> {
    /// Parses the field `many`, or `one` if `many` is empty.
    pub(super) fn of(call: &ResellerCall, one: &str, many: &str) -> Result<Self> {
        let list = field(call, many);
        if list.is_empty() {
            return Ok(Self::One(id(field(call, one))));
        }
        let mut seen = BTreeSet::new();
        let texts = list.split([',', '\n']).map(str::trim).filter(|text| !text.is_empty());
        let ids: Vec<_> = texts
            .filter(|text| seen.insert(*text))
            .map(|text| (text.to_owned(), id(text)))
            .take(MAX_IDS + 1)
            .collect();
        if ids.len() > MAX_IDS {
            return Err(refused("Too many ids: send at most 100 at once"));
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

/// The name of an order's status in the reseller API.
pub(super) fn order_status(status: OrderStatus, delivered: i64) -> &'static str {
    match status {
        OrderStatus::Unpaid | OrderStatus::InModeration => "Pending",
        OrderStatus::InProcessing if delivered > 0 => "In progress",
        OrderStatus::InProcessing | OrderStatus::Stopped => "Processing",
        OrderStatus::Completed => "Completed",
        OrderStatus::Canceled if delivered > 0 => "Partial",
        OrderStatus::Canceled => "Canceled",
    }
}

/// The name of a refill's status in the reseller API.
pub(super) fn refill_status(status: &str) -> &'static str {
    match status {
        "pending" => "Pending",
        "sent" => "In progress",
        "completed" => "Completed",
        _ => "Rejected",
    }
}

/// The message of a rejection in the conventions of the reseller API; other rejections keep the panel's message.
pub(super) fn sentence(rejection: &Rejection) -> String {
    let common = match rejection.code {
        "not_enough_balance" | "insufficient_funds" => "Not enough funds on balance",
        "url_in_use" => "You have active order with this link. Please wait until order being completed.",
        "service_unknown" => "Incorrect service ID",
        "user_not_active" => "Your account is suspended and cannot order",
        _ if rejection.errors.0.contains_key("service_id") => "Incorrect service ID",
        _ if rejection.errors.0.contains_key("balance") => "Not enough funds on balance",
        _ => return rejection.message.clone(),
    };
    common.to_owned()
}

/// The rejection of an order in messages that programs recognise: a common message of this API if there is one, else the panel's
/// message after [`OWN_REFUSAL`]. Both tell another panel of this product that the order was not placed, so that it may fail over.
/// `ordered` is the quantity, with the smallest and the largest quantity of an order.
pub(super) fn refused_order(error: Error, ordered: Option<(i64, (i64, i64))>) -> Error {
    match error {
        // With `Retry-After` the program calls again; after a server error it cannot know whether the order was placed.
        Error::Rejected(rejection)
            if rejection.retry_after_secs.is_none() && !rejection.kind.is_server_error() =>
        {
            refused(&order_rejection(&rejection, ordered))
        }
        other => other,
    }
}

fn order_rejection(rejection: &Rejection, ordered: Option<(i64, (i64, i64))>) -> String {
    let message = sentence(rejection);
    if Rejections::of(PanelType::Socpanel, &[]).reason_of(&message).is_some() {
        return message;
    }
    let names = |field: &str| rejection.errors.0.contains_key(field);
    match ordered {
        Some((quantity, (least, _))) if names("quantity") && quantity < least => {
            format!("Quantity less than minimal {least}")
        }
        Some((quantity, (_, most))) if names("quantity") && quantity > most => {
            format!("Quantity more than maximum {most}")
        }
        _ if names("url") && !names("quantity") => "Incorrect link".to_owned(),
        _ => format!("{OWN_REFUSAL}{message}"),
    }
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::OrderId;

    use super::*;

    #[test]
    fn order_errors_use_the_known_messages() {
        let ours = Rejections::of(PanelType::Socpanel, &[]);
        let rejection = |error: Error, quantity: i64| {
            let message = error_message(refused_order(error, Some((quantity, (100, 1_000)))));
            assert!(ours.reason_of(&message).is_some(), "{message}");
            message
        };
        let wrong = |field: &str| Error::invalid(field, "invalid", "Something is wrong.");
        assert_eq!(rejection(wrong("quantity"), 99), "Quantity less than minimal 100");
        assert_eq!(rejection(wrong("quantity"), 1_001), "Quantity more than maximum 1000");
        assert_eq!(rejection(wrong("quantity"), 105), "Incorrect request: Something is wrong.");
        assert_eq!(rejection(wrong("url"), 105), "Incorrect link");
        assert_eq!(rejection(wrong("coupon"), 105), "Incorrect request: Something is wrong.");
        assert_eq!(rejection(wrong("service_id"), 99), "Incorrect service ID");
        assert_eq!(rejection(Error::conflict("changed", "It moved."), 105), "Incorrect request: It moved.");
        let wait = Error::throttled(5);
        assert!(error_message(refused_order(wait, None)).starts_with("Too Many"));
    }

    fn error_message(refusal: Error) -> String {
        sentence(&refusal.report("test"))
    }

    fn call(fields: &[(&str, &str)]) -> ResellerCall {
        ResellerCall(fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
    }

    #[test]
    fn numbers_are_whole() {
        assert_eq!([number("10"), number("10.00"), number("0")], [Some(10), Some(10), Some(0)]);
        assert_eq!([number(""), number("1.5"), number("1e3"), number("99999999999999999999")], [None; 4]);
        assert_eq!([number("-1"), number("-0"), number("+1"), number("-1.0")], [None; 4]);
    }

    #[test]
    fn removes_duplicate_ids_and_keeps_their_order() {
        let of = |fields: &[(&str, &str)]| Ids::<OrderId>::of(&call(fields), "order", "orders");
        let Ids::Many(ids) = of(&[("orders", "3, 1,x\n3")]).unwrap() else { panic!() };
        let parsed = |id| Some(OrderId::new(id));
        assert_eq!(ids, [("3".into(), parsed(3)), ("1".into(), parsed(1)), ("x".to_owned(), None)]);
        let hundred = |count: usize| (0..count).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
        assert!(of(&[("orders", &hundred(100))]).is_ok());
        assert!(of(&[("orders", &hundred(101))]).is_err());
        assert_eq!(of(&[("order", "7")]).unwrap().valid_ids(), [OrderId::new(7)]);
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
        for (status, delivered, word) in statuses {
            assert_eq!(order_status(status, delivered), word);
        }
        assert_eq!(
            ["pending", "sent", "completed", "rejected"].map(refill_status),
            ["Pending", "In progress", "Completed", "Rejected"]
        );
    }
}

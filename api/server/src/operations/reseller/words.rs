//! The field's words: how a call is read and what the panel's own statuses and refusals are called there. Pure.

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

/// Most ids of one call, as everywhere in this field.
pub(super) const MOST_IDS: usize = 100;

/// A field's text; empty when it is not there.
pub(super) fn field<'c>(call: &'c ResellerCall, name: &str) -> &'c str {
    call.0.get(name).map_or("", String::as_str)
}

/// An answer in the field's words.
pub(super) fn refused(message: &str) -> Error {
    Error::rejected(RejectionKind::Invalid, "refused", message)
}

/// Where the program's customer is; `country` alone is what a geotargeted service asks.
const COUNTRY: &str = "customer_country";

/// The country that a call names for the program's customer.
pub(super) fn country(call: &ResellerCall) -> Result<Option<String>> {
    create::country(Some(field(call, COUNTRY))).map_err(|_| refused(&format!("Incorrect {COUNTRY}")))
}

/// A whole number of a field, 0 or more; a fraction of zeros is one too. No field of this API takes a negative number.
pub(super) fn number(text: &str) -> Option<i64> {
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if zeros.bytes().all(|byte| byte == b'0') => whole,
        Some(_) => return None,
        None => text,
    };
    whole.bytes().all(|byte| byte.is_ascii_digit()).then(|| whole.parse().ok())?
}

/// The id of a text, as [`number`] reads it.
pub(super) fn id<I: Id>(text: &str) -> Option<I> {
    number(text).map(I::new)
}

/// A number of a field from `least` on, or `otherwise` where the call leaves the field out.
pub(super) fn number_from(call: &ResellerCall, name: &str, least: i64, otherwise: i64) -> Result<i64> {
    let number = match field(call, name) {
        "" => Some(otherwise),
        text => number(text).filter(|number| *number >= least),
    };
    number.ok_or_else(|| refused(&format!("Incorrect {name}: send a whole number, at least {least}")))
}

/// The ids of a call: one field for one, another for up to a hundred, by commas or lines. Each once, in their order.
pub(super) enum Ids<I> {
    /// Asked about one.
    One(Option<I>),
    /// Asked about several; what is no id is kept as it was written.
    Many(Vec<(String, Option<I>)>),
}

impl<I: Id> Ids<I> {
    /// Reads `one` or `many`.
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
            .take(MOST_IDS + 1)
            .collect();
        if ids.len() > MOST_IDS {
            return Err(refused("Too many ids: send at most 100 at once"));
        }
        Ok(Self::Many(ids))
    }

    /// All that are ids.
    pub(super) fn known(&self) -> Vec<I> {
        match self {
            Self::One(id) => id.iter().copied().collect(),
            Self::Many(ids) => ids.iter().filter_map(|(_, id)| *id).collect(),
        }
    }
}

/// What an order's status is called.
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

/// What a refill's status is called.
pub(super) fn refill_status(status: &str) -> &'static str {
    match status {
        "pending" => "Pending",
        "sent" => "In progress",
        "completed" => "Completed",
        _ => "Rejected",
    }
}

/// A rejection by the panel in the field's words; what has none there keeps the panel's sentence.
pub(super) fn sentence(rejection: &Rejection) -> String {
    let known = match rejection.code {
        "not_enough_balance" | "insufficient_funds" => "Not enough funds on balance",
        "url_in_use" => "You have active order with this link. Please wait until order being completed.",
        "service_unknown" => "Incorrect service ID",
        "user_not_active" => "Your account is suspended and cannot order",
        _ if rejection.errors.0.contains_key("service_id") => "Incorrect service ID",
        _ if rejection.errors.0.contains_key("balance") => "Not enough funds on balance",
        _ => return rejection.message.clone(),
    };
    known.to_owned()
}

/// The refusal of an order in words that programs recognise: the field's own where it has some, else the panel's sentence
/// behind [`OWN_REFUSAL`]. A panel of this product that ordered here knows from each that its order was not taken, and may
/// send it elsewhere. `ordered` is the quantity, with the smallest and the largest order.
pub(super) fn refused_order(error: Error, ordered: Option<(i64, (i64, i64))>) -> Error {
    match error {
        // Told to wait, the program calls again; after a fault it does not know what became of the order.
        Error::Rejected(rejection)
            if rejection.retry_after_secs.is_none() && !rejection.kind.is_server_error() =>
        {
            refused(&order_rejection(&rejection, ordered))
        }
        other => other,
    }
}

fn order_rejection(rejection: &Rejection, ordered: Option<(i64, (i64, i64))>) -> String {
    let said = sentence(rejection);
    if Rejections::of(PanelType::Socpanel, &[]).reason_of(&said).is_some() {
        return said;
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
        _ => format!("{OWN_REFUSAL}{said}"),
    }
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::OrderId;

    use super::*;

    #[test]
    fn an_order_is_refused_in_words_that_are_known() {
        let ours = Rejections::of(PanelType::Socpanel, &[]);
        let words = |error: Error, quantity: i64| {
            let said = error_of(refused_order(error, Some((quantity, (100, 1_000)))));
            assert!(ours.reason_of(&said).is_some(), "{said}");
            said
        };
        let wrong = |field: &str| Error::invalid(field, "invalid", "Something is wrong.");
        assert_eq!(words(wrong("quantity"), 99), "Quantity less than minimal 100");
        assert_eq!(words(wrong("quantity"), 1_001), "Quantity more than maximum 1000");
        assert_eq!(words(wrong("quantity"), 105), "Incorrect request: Something is wrong.");
        assert_eq!(words(wrong("url"), 105), "Incorrect link");
        assert_eq!(words(wrong("coupon"), 105), "Incorrect request: Something is wrong.");
        assert_eq!(words(wrong("service_id"), 99), "Incorrect service ID");
        assert_eq!(words(Error::conflict("changed", "It moved."), 105), "Incorrect request: It moved.");
        let wait = Error::throttled(5);
        assert!(error_of(refused_order(wait, None)).starts_with("Too Many"));
    }

    fn error_of(refusal: Error) -> String {
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
    fn ids_come_once_in_their_order() {
        let of = |fields: &[(&str, &str)]| Ids::<OrderId>::of(&call(fields), "order", "orders");
        let Ids::Many(ids) = of(&[("orders", "3, 1,x\n3")]).unwrap() else { panic!() };
        let known = |id| Some(OrderId::new(id));
        assert_eq!(ids, [("3".into(), known(3)), ("1".into(), known(1)), ("x".to_owned(), None)]);
        let hundred = |count: usize| (0..count).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
        assert!(of(&[("orders", &hundred(100))]).is_ok());
        assert!(of(&[("orders", &hundred(101))]).is_err());
        assert_eq!(of(&[("order", "7")]).unwrap().known(), [OrderId::new(7)]);
    }

    #[test]
    fn statuses_have_the_fields_words() {
        use OrderStatus::*;
        let words = [
            (Unpaid, 0, "Pending"),
            (InModeration, 0, "Pending"),
            (InProcessing, 0, "Processing"),
            (InProcessing, 5, "In progress"),
            (Stopped, 0, "Processing"),
            (Completed, 9, "Completed"),
            (Canceled, 0, "Canceled"),
            (Canceled, 5, "Partial"),
        ];
        for (status, delivered, word) in words {
            assert_eq!(order_status(status, delivered), word);
        }
        assert_eq!(
            ["pending", "sent", "completed", "rejected"].map(refill_status),
            ["Pending", "In progress", "Completed", "Rejected"]
        );
    }
}

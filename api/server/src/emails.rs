//! The templates of all emails to one person. Each template declares its subject and paragraphs; only `compose` adds the
//! layout. A template reads no record and no setting, and inserts customers' input as plain text.

use panel_contract::amount::Money;
use panel_contract::ids::{OrderId, SubscriptionId, WebhookId, WithdrawalId};
use panel_contract::moment::Time;

use panel_platform::mail::Email;

/// The recipient of an email.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recipient {
    pub name: String,
    pub email: String,
}

impl From<(String, String)> for Recipient {
    fn from((name, email): (String, String)) -> Self {
        Self { name, email }
    }
}

/// The layout of every email: a greeting, then the paragraphs. A link is a separate paragraph, so that mail programs find its end.
fn compose(to: Recipient, subject: impl Into<String>, paragraphs: &[&str]) -> Email {
    let body_text = format!("Hello {},\n\n{}\n", to.name, paragraphs.join("\n\n"));
    Email { name: to.name, email: to.email, subject: subject.into(), text: body_text }
}

pub(crate) fn password_changed(to: Recipient, ip: &str) -> Email {
    let event_text = format!(
        "The password of your account was changed from {ip}, and all of your other sessions have ended."
    );
    let advice = "If you did not do this, ask an administrator of the panel immediately to set a new password for you.";
    compose(to, "Your password was changed", &[&event_text, advice])
}

pub(crate) fn password_reset(to: Recipient, ip: &str, expires_at: Time, link: &str) -> Email {
    let event_text = format!(
        "A new password for your account was requested from {ip}. Open this link to choose one. It works once, until {expires_at} UTC:"
    );
    let advice = "If you did not request it, ignore this email. Your password does not change.";
    compose(to, "Choose a new password", &[&event_text, link, advice])
}

pub(crate) fn invitation(to: Recipient, panel_name: &str, expires_at: Time, link: &str) -> Email {
    let event_text = format!(
        "You are invited to work with {panel_name}. Open this link to choose your password. It works once, until {expires_at} UTC:"
    );
    let advice = format!("Then sign in with {} and your password.", to.email);
    compose(to, format!("Your invitation to {panel_name}"), &[&event_text, link, &advice])
}

/// `event_clause` is a clause without its full stop, such as "the second factor of your account was enabled".
pub(crate) fn second_factor_changed(to: Recipient, event_clause: &str, ip: &str) -> Email {
    let event_text = format!(
        "Your sign-in settings were changed: {event_clause}. The request came from the IP address {ip}."
    );
    let advice =
        "If you did not do this, change your password and ask an administrator to end your sessions.";
    compose(to, "Your second factor was changed", &[&event_text, advice])
}

/// A change of a customer's API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApiKeyChange {
    Created,
    Replaced,
    Removed,
}

/// The email never contains the API key: staff give the key to the customer in another way.
pub(crate) fn api_key_changed(to: Recipient, change: ApiKeyChange) -> Email {
    let (verb, event_text) = match change {
        ApiKeyChange::Created => (
            "created",
            "An API key was created for your account. Orders placed with it are paid from your balance.",
        ),
        ApiKeyChange::Replaced => (
            "replaced",
            "The API key of your account was replaced. The old key no longer works; orders placed with the new one are paid from your balance.",
        ),
        ApiKeyChange::Removed => ("removed", "The API key of your account was removed. It no longer works."),
    };
    let advice = "If you did not request this, contact us immediately.";
    compose(to, format!("Your API key was {verb}"), &[event_text, advice])
}

/// An email to staff; `notice` describes why the webhook was switched off and what to do next.
pub(crate) fn webhook_switched_off(to: Recipient, webhook_id: WebhookId, url: &str, notice: &str) -> Email {
    let event_text = format!("The panel no longer delivers to {url}.");
    compose(to, format!("Webhook {webhook_id} was switched off"), &[&event_text, notice])
}

/// An order or a subscription, as its customer sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OrderSummary<'a, I> {
    pub id: I,
    pub name: &'a str,
    pub url: &'a str,
}

pub(crate) fn order_canceled(
    to: Recipient,
    order: OrderSummary<'_, OrderId>,
    reason: Option<&str>,
    refunded: Option<Money>,
) -> Email {
    let OrderSummary { id, name, url } = order;
    let mut event_text = format!("Your order {id} ({name}) was canceled.\n{url}");
    if let Some(reason) = reason {
        event_text.push_str(&format!("\n\nReason: {reason}"));
    }
    if let Some(refunded) = refunded {
        event_text.push_str(&format!("\n\nWe refunded {refunded} to your balance."));
    }
    compose(to, format!("Order {id} was canceled"), &[&event_text])
}

pub(crate) fn invoice_paid(to: Recipient, invoice_number: &str, amount: Money, bonus: Money) -> Email {
    let credited_text = match bonus {
        Money::ZERO => amount.to_string(),
        bonus => format!("{amount} and a bonus of {bonus}"),
    };
    let event_text =
        format!("Your invoice {invoice_number} was paid. We added {credited_text} to your balance.");
    compose(to, format!("Invoice {invoice_number} was paid"), &[&event_text])
}

/// `reason` is a sentence that describes why the renewal failed.
pub(crate) fn subscription_paused(
    to: Recipient,
    subscription: OrderSummary<'_, SubscriptionId>,
    reason: &str,
) -> Email {
    let OrderSummary { id, name, url } = subscription;
    let event_text = format!(
        "Your subscription {id} ({name}) is paused, because its period is over and we could not renew it.\n{url}"
    );
    compose(to, format!("Subscription {id} is paused"), &[&event_text, reason])
}

/// The decision of staff about a withdrawal.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WithdrawalDecision<'a> {
    Approved,
    Rejected { note: &'a str },
    Paid { transaction: &'a str },
}

pub(crate) fn withdrawal_decided(
    to: Recipient,
    id: WithdrawalId,
    (amount, payment_method): (Money, &str),
    decision: WithdrawalDecision<'_>,
) -> Email {
    let (verb, advice) = match decision {
        WithdrawalDecision::Approved => ("approved", "We will pay it out soon.".to_owned()),
        WithdrawalDecision::Rejected { note } => {
            ("rejected", format!("We returned {amount} to your balance.\n\nReason: {note}"))
        }
        WithdrawalDecision::Paid { transaction } => ("paid", format!("Transaction: {transaction}")),
    };
    let event_text = format!("Your withdrawal {id} of {amount} by {payment_method} was {verb}.\n{advice}");
    compose(to, format!("Withdrawal {id} was {verb}"), &[&event_text])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compose_every_email() -> Vec<Email> {
        let olga = || Recipient { name: "Olga".into(), email: "olga@shop.example".into() };
        let dollars = |amount: i64| Money(amount * 1_000_000);
        let (expires_at, ip) = (Time(1_767_225_600_000_000), "203.0.113.7");
        let order = OrderSummary { id: OrderId::new(7), name: "Likes", url: "https://video.example/7" };
        let subscription = OrderSummary { id: SubscriptionId::new(7), name: order.name, url: order.url };
        let withdrawal_id = WithdrawalId::new(9);
        let withdrawal = (dollars(25), "Bank transfer");
        vec![
            password_changed(olga(), ip),
            password_reset(olga(), ip, expires_at, "https://panel.example/set-password#token=t"),
            invitation(olga(), "North", expires_at, "https://panel.example/set-password#token=t"),
            second_factor_changed(olga(), "the second factor of your account was enabled", ip),
            api_key_changed(olga(), ApiKeyChange::Created),
            api_key_changed(olga(), ApiKeyChange::Replaced),
            api_key_changed(olga(), ApiKeyChange::Removed),
            webhook_switched_off(
                olga(),
                WebhookId::new(3),
                "https://hooks.example/in",
                "Every delivery failed for 3 days.",
            ),
            order_canceled(olga(), order, Some("The video is private."), Some(dollars(2))),
            order_canceled(olga(), order, None, None),
            invoice_paid(olga(), "INV-4", dollars(100), dollars(5)),
            invoice_paid(olga(), "INV-5", dollars(100), Money::ZERO),
            subscription_paused(olga(), subscription, "Your balance is too low."),
            withdrawal_decided(olga(), withdrawal_id, withdrawal, WithdrawalDecision::Approved),
            withdrawal_decided(
                olga(),
                withdrawal_id,
                withdrawal,
                WithdrawalDecision::Rejected { note: "Wrong IBAN." },
            ),
            withdrawal_decided(
                olga(),
                withdrawal_id,
                withdrawal,
                WithdrawalDecision::Paid { transaction: "T-1" },
            ),
        ]
    }

    /// Compares the full texts, so that a review of a change shows each changed word.
    #[test]
    fn emails_match_their_expected_text() {
        let emails: Vec<String> = compose_every_email()
            .into_iter()
            .map(|email| {
                assert_eq!((email.name.as_str(), email.email.as_str()), ("Olga", "olga@shop.example"));
                let body =
                    email.text.strip_prefix("Hello Olga,\n\n").expect("every email starts with the greeting");
                assert!(
                    body.ends_with(".\n") || body.ends_with("T-1\n") || body.ends_with("/7\n"),
                    "the email must end with a sentence, a transaction id or a URL: {body}"
                );
                assert!(
                    body.starts_with(|first: char| first.is_uppercase()),
                    "the email must start with a capital letter: {body}"
                );
                format!("# {}\n{body}", email.subject)
            })
            .collect();
        assert_eq!(emails.join("\n"), EXPECTED_EMAILS);
    }

    const EXPECTED_EMAILS: &str = include_str!("emails.txt");
}

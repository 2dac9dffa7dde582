//! Validates order widgets and builds their embed code.

use panel_contract::amount::{Fraction, Money};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{PaymentMethodId, UserId};
use panel_contract::order_widgets::OrderWidgetInput;
use serde::Serialize;

use panel_domain::fields;
use panel_platform::html::escape;

/// Maximum length of a name in characters.
const MAX_NAME_CHARS: usize = 100;
/// Maximum number of payment methods of a widget.
const MAX_METHODS: usize = 50;

/// The fields of an order widget that staff edit, as recorded in the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct OrderWidgetDraft {
    pub name: String,
    /// `None` until a new widget gets its owner.
    pub user_id: Option<UserId>,
    pub is_outer: bool,
    pub minimum_purchase_amount: Option<Money>,
    pub reward_fraction: Fraction,
    pub payment_methods: Vec<PaymentMethodId>,
}

impl Default for OrderWidgetDraft {
    fn default() -> Self {
        Self {
            name: String::new(),
            user_id: None,
            is_outer: true,
            minimum_purchase_amount: None,
            reward_fraction: Fraction(0),
            payment_methods: Vec::new(),
        }
    }
}

impl OrderWidgetDraft {
    /// Applies an input and returns the errors of all fields.
    pub(super) fn apply_input(mut self, input: &OrderWidgetInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        if let Some(name) = &input.name {
            self.name = name.trim().to_owned();
        }
        match fields::check_text(&self.name, MAX_NAME_CHARS) {
            Ok(()) if self.name.is_empty() => errors.add("name", "Enter a name."),
            Ok(()) => {}
            Err(message) => errors.add("name", message),
        }
        self.user_id = input.user_id.or(self.user_id);
        if self.user_id.is_none_or(|id| id.get() == 0) {
            errors.add("user_id", "Choose an owner.");
        }
        self.is_outer = input.is_outer.unwrap_or(self.is_outer);
        if let Some(amount) = input.minimum_purchase_amount.as_update() {
            self.minimum_purchase_amount = amount.copied();
            if amount.is_some_and(|amount| *amount < Money::ZERO) {
                errors.add("minimum_purchase_amount", "Enter an amount of 0 or more.");
            }
        }
        self.reward_fraction = input.reward_fraction.unwrap_or(self.reward_fraction);
        if !(0..=1_000_000).contains(&self.reward_fraction.0) || self.reward_fraction.0 % 1_000 != 0 {
            let message = "Enter a fraction from 0 to 1 with at most three decimals, such as 0.05.";
            errors.add("reward_fraction", message);
        }
        if let Some(methods) = &input.payment_methods {
            self.payment_methods = Vec::new();
            for id in methods {
                if !self.payment_methods.contains(id) {
                    self.payment_methods.push(*id);
                }
            }
            if self.payment_methods.len() > MAX_METHODS {
                errors.add("payment_methods", format!("Choose at most {MAX_METHODS} payment methods."));
            }
        }
        (self, errors)
    }
}

/// Builds the HTML that embeds `/order-widget` of the customers' site in another page: an iframe, so that no script of the panel runs
/// there. `None` if `site_url` is not a URL.
pub(super) fn embed_html(site_url: &str, token: &str, name: &str) -> Option<String> {
    let mut widget_url = url::Url::parse(site_url).ok()?.join("/order-widget").ok()?;
    widget_url.query_pairs_mut().clear().append_pair("token", token);
    Some(format!(
        "<iframe src=\"{}\" title=\"{}\" width=\"100%\" height=\"640\" loading=\"lazy\"></iframe>",
        escape(widget_url.as_str()),
        escape(name)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_draft(body: &str) -> Result<OrderWidgetDraft, Vec<String>> {
        let input: OrderWidgetInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        let (draft, errors) = OrderWidgetDraft::default().apply_input(&input);
        errors.into_result(draft).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn names_each_field_with_an_error() {
        assert_eq!(parse_draft("{}").unwrap_err(), ["name", "user_id"]);
        let invalid = r#"{"name":" ","user_id":1,"minimum_purchase_amount":"-1","reward_fraction":"0.0005"}"#;
        assert_eq!(parse_draft(invalid).unwrap_err(), ["minimum_purchase_amount", "name", "reward_fraction"]);
        let draft = parse_draft(
            r#"{"name":" Blog ","user_id":7,"reward_fraction":"0.05","payment_methods":[3,1,3]}"#,
        );
        let draft = draft.unwrap();
        assert_eq!(
            (draft.name.as_str(), draft.reward_fraction, draft.payment_methods.as_slice()),
            ("Blog", Fraction(50_000), [3, 1].map(PaymentMethodId::new).as_slice())
        );
        let clearing_input = OrderWidgetInput {
            minimum_purchase_amount: panel_contract::common::Patch::Clear,
            ..OrderWidgetInput::default()
        };
        let draft_with_minimum = OrderWidgetDraft { minimum_purchase_amount: Some(Money(5)), ..draft };
        assert_eq!(draft_with_minimum.apply_input(&clearing_input).0.minimum_purchase_amount, None);
    }

    #[test]
    fn the_embed_code_escapes_user_input() {
        let html =
            embed_html("https://shop.example/a?b=c", "t-1", "\"><script>alert('x')</script>&").unwrap();
        assert_eq!(
            html,
            "<iframe src=\"https://shop.example/order-widget?token=t-1\" title=\"&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;\" \
             width=\"100%\" height=\"640\" loading=\"lazy\"></iframe>"
        );
        assert_eq!(embed_html("nowhere", "t", "n"), None);
    }
}

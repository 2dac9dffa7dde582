//! What a customer may use: the payment methods they are offered, and their key to the reseller API.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::Named;
use crate::ids::PaymentMethodId;
use crate::moment::Time;

/// Body of `PATCH users/{id}/sync-payment-methods`: the whole list; left out, it stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserPaymentMethodsInput {
    /// Ids of payment methods; an empty list gives back what new users have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_methods: Option<Vec<PaymentMethodId>>,
}

/// The payment methods of one customer, by position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserPaymentMethods {
    /// Empty: those that new users have.
    pub payment_methods: Vec<Named<PaymentMethodId>>,
}

/// A payment method as one customer sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OfferedMethod {
    /// The payment method's id.
    pub id: PaymentMethodId,
    /// Its name.
    pub name: String,
    /// Whether the panel has it switched on at all.
    pub is_enabled: bool,
    /// Whether it was chosen for this customer. Chosen for none of them: those that new users have.
    pub is_offered: bool,
}

/// A new key to the reseller API, shown this once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApiKey {
    /// The key itself; only its hash is kept.
    pub key: String,
    /// When it was made.
    pub created_at: Time,
}

crate::wire!(UserPaymentMethodsInput, UserPaymentMethods, OfferedMethod, ApiKey);

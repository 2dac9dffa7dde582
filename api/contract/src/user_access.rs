//! What a customer may use: the payment methods they are offered, and their key to the reseller API.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::Named;
use crate::moment::Time;

/// Body of `PATCH users/{id}/sync-payment-methods`: the whole list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserPaymentMethodsInput {
    /// Ids of payment methods; an empty list gives back what new users have.
    pub payment_methods: Vec<i64>,
}

/// The payment methods of one customer, by position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserPaymentMethods {
    /// Empty: those that new users have.
    pub payment_methods: Vec<Named>,
}

/// A new key to the reseller API, shown this once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApiKey {
    /// The key itself; only its hash is kept.
    pub key: String,
    /// When it was made.
    pub created_at: Time,
}

crate::wire!(UserPaymentMethodsInput, UserPaymentMethods, ApiKey);

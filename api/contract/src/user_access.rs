//! Access of a customer: assigned payment methods, and the key for the reseller API.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::Named;
use crate::ids::PaymentMethodId;
use crate::moment::Time;

/// Body of `PATCH users/{id}/sync-payment-methods`. An absent list keeps its value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserPaymentMethodsInput {
    /// Ids of payment methods; an empty list restores the defaults of new users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_methods: Option<Vec<PaymentMethodId>>,
}

/// Payment methods that are assigned to a customer, by position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserPaymentMethods {
    /// Assigned payment methods; empty for the defaults of new users.
    pub payment_methods: Vec<Named<PaymentMethodId>>,
}

/// A payment method and its assignment to a customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OfferedMethod {
    /// Id of the payment method.
    pub id: PaymentMethodId,
    /// Name of the payment method.
    pub name: String,
    /// Whether the payment method is enabled.
    pub is_enabled: bool,
    /// Whether it is assigned to the customer. Without any assignment the defaults of new users apply.
    pub is_offered: bool,
}

/// A new key for the reseller API, which is only returned once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApiKey {
    /// The key; the server stores only its hash.
    pub key: String,
    /// When the key was created.
    pub created_at: Time,
}

crate::wire!(UserPaymentMethodsInput, UserPaymentMethods, OfferedMethod, ApiKey);

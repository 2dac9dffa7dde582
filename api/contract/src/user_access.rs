//! Payment methods that a customer can use, and the customer's key for the reseller API.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::NamedRef;
use crate::ids::PaymentMethodId;
use crate::moment::Time;

/// Body of `PATCH users/{id}/sync-payment-methods`. An absent list keeps its value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserPaymentMethodsInput {
    /// Ids of all payment methods that the customer can use; an empty list restores the defaults of new users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_methods: Option<Vec<PaymentMethodId>>,
}

/// Response of `PATCH users/{id}/sync-payment-methods`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserPaymentMethods {
    /// Payment methods that are assigned to the customer by id and name, in their order; empty for the defaults of new users.
    pub payment_methods: Vec<NamedRef<PaymentMethodId>>,
}

/// A payment method, and whether it is assigned to a customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserPaymentMethod {
    /// Id of the payment method.
    pub id: PaymentMethodId,
    /// Name of the payment method.
    pub name: String,
    /// Whether the payment method is enabled.
    pub is_enabled: bool,
    /// Whether the payment method is assigned to the customer. A customer without assigned payment methods has the defaults of new
    /// users.
    pub is_offered: bool,
}

/// A new key for the reseller API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApiKey {
    /// The key. It is returned only once, because the server stores only its hash.
    pub key: String,
    /// When the key was created.
    pub created_at: Time,
}

crate::json_bodies!(UserPaymentMethodsInput, UserPaymentMethods, UserPaymentMethod, ApiKey);

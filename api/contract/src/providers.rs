//! Providers as pickers see them; the rest of supply comes with its own issue.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::Money;

/// Query of `GET providers/available-for-order-recreate`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct AvailableProvidersQuery {
    /// Part of a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// From 1; 30 a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<i64>,
}

/// A provider that an order can move to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AvailableProvider {
    /// The provider's id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// What it asks, per `source_pricing_per`.
    pub source_price: Money,
    /// Currency of that price.
    pub source_currency: String,
    /// Units that price is for.
    pub source_pricing_per: i64,
}

/// One page of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AvailableProviders {
    /// By name.
    pub items: Vec<AvailableProvider>,
    /// From 1.
    pub current_page: i64,
    /// At least 1.
    pub last_page: i64,
}

crate::plain_query!(AvailableProvidersQuery);
crate::wire!(AvailableProviders);

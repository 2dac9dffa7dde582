//! External panels: other panels at which this panel places orders. API tokens are write-only.

mod payments;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use payments::{ExternalPanelPayment, ExternalPanelPaymentActions, ExternalPanelPaymentInput};

use crate::amount::{Fraction, Money};
use crate::common::{Choice, Patch};
use crate::ids::ExternalPanelId;
use crate::moment::{Time, Timestamp};
use crate::rejections::RejectionMessage;

crate::string_enum! {
    /// Type of an external panel.
    PanelType {
        /// A panel with the reseller API v2, which most panels in this market have.
        PerfectPanel = "perfect_panel",
        /// A panel of this product; user interfaces display the type as panvy.
        Socpanel = "socpanel",
    }
}

crate::string_enum! {
    /// Status of an external panel.
    PanelStatus {
        Active = "active",
        /// The external panel rejects the API token, or this panel must not connect to the address.
        Error = "error",
        Disabled = "disabled",
        Archived = "archived",
    }
}

crate::string_enum! {
    /// Source of the delivered quantity of an order.
    StatisticType {
        /// The remaining quantity that the external panel reports.
        Remains = "remains",
        /// The charge that the external panel reports.
        Charge = "charge",
    }
}

/// What each synchronization updates from an external panel. Packages, labels, texts for search engines, short descriptions and
/// reviews require a panel of this product; these options cannot be enabled for another type of panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "sqlx", derive(sqlx::FromRow))]
pub struct PanelSync {
    /// Whether synchronization imports new services by the import rule. If any of these fields is true, synchronization also
    /// detects services that the external panel no longer sells.
    pub sync_services: bool,
    /// Whether synchronization updates packages that are linked to packages of the external panel. Packages from another type of
    /// panel have a field `sync` of their own.
    pub sync_packages: bool,
    /// Whether synchronization updates prices.
    pub sync_prices: bool,
    /// Whether synchronization updates labels, matched by English name; it creates missing labels.
    pub sync_labels: bool,
    /// Whether synchronization updates names.
    pub sync_name: bool,
    /// Whether synchronization updates English texts for search engines.
    pub sync_meta: bool,
    /// Whether synchronization updates refill and drip-feed support, if the external panel reports it.
    pub sync_service_details: bool,
    /// Whether synchronization updates English descriptions, as plain text.
    pub sync_description: bool,
    /// Whether synchronization updates English short descriptions.
    pub sync_short_description: bool,
    /// Whether synchronization updates English reviews.
    pub sync_reviews: bool,
    /// Whether synchronization updates minimum and maximum quantities.
    pub sync_params: bool,
}

/// An external panel, without its API token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanel {
    /// Id of the external panel.
    pub id: ExternalPanelId,
    /// Name of the external panel, for staff only.
    pub name: String,
    /// Type of the external panel.
    #[serde(rename = "type")]
    pub kind: PanelType,
    /// Display name of the type.
    pub type_label: String,
    /// URL of the API of the external panel.
    pub endpoint: String,
    /// Whether an API token is stored.
    pub api_token_is_set: bool,
    /// Last characters of the API token; null if the token is too short to show any.
    pub api_token_hint: Option<String>,
    /// Currency code of the prices, charges and balance at the external panel.
    pub currency: String,
    /// Last known balance at the external panel, in `currency`; null before the first successful request.
    pub balance: Option<Money>,
    /// When the external panel last reported the balance.
    pub balance_at: Option<Time>,
    /// When a request to the external panel last succeeded; null until then.
    pub last_ok_at: Option<Time>,
    /// Error message of the last failed request.
    pub last_error: Option<String>,
    /// Balance in `currency`; staff get one notification when the balance falls below it. Null for no notification.
    pub low_balance: Option<Money>,
    /// Whether the balance is below `low_balance`.
    pub balance_is_low: bool,
    /// Source of the delivered quantity of orders.
    pub statistic_type: StatisticType,
    /// What each synchronization updates.
    #[serde(flatten)]
    pub sync: PanelSync,
    /// Markup on the prices of imported services, as a fraction; null for none.
    pub resale_margin_fraction: Option<Fraction>,
    /// Smallest relative price change that staff must approve, as a fraction: `"0.2"` for 20 %.
    pub price_jump_fraction: Fraction,
    /// Whether this panel automatically sends the undelivered part of an order to the next provider.
    pub auto_recreate_orders_is_allowed: bool,
    /// Messages with which the external panel rejects orders, in addition to the built-in messages.
    #[serde(default)]
    pub rejection_messages: Vec<RejectionMessage>,
    /// Whether the last synchronization failed.
    pub sync_failed: bool,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// Status of the external panel.
    pub status: PanelStatus,
    /// URL of the icon of the external panel; null if its API URL is invalid.
    pub favicon: Option<String>,
    /// Number of providers of the external panel that are not archived.
    pub providers_count: i64,
    /// Number of open external orders.
    pub open_orders_count: i64,
    /// When the external panel was added.
    pub created_at: Time,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: ExternalPanelActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanelActions {
    /// Whether the caller can update the record.
    pub editable: bool,
    /// Whether the caller can archive the record.
    pub archivable: bool,
    /// Whether the caller can restore the archived record.
    pub restore: bool,
    /// Whether the caller can list the payments to the external panel.
    pub show_billing: bool,
    /// Whether the caller can import packages.
    pub import_packages: bool,
}

/// Body of `POST external-panels` and `PATCH external-panels/{id}`. Absent fields keep their value.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExternalPanelInput {
    /// Name of the external panel, for staff only, 1 to 255 characters; required for a new panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Type of the external panel; defaults to `perfect_panel`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<PanelType>,
    /// URL of the API; required for a new panel. The scheme defaults to https and the path to `/api/v2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// API token; required for a new panel and whenever scheme, host or port of the endpoint change. Empty keeps the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_token: Option<String>,
    /// Currency code of prices, charges and balance at the external panel; defaults to `USD`. It cannot change once amounts are
    /// stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Source of the delivered quantity of orders; defaults to `remains`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistic_type: Option<StatisticType>,
    /// Whether synchronization imports new services, that is, whether the import rule is enabled
    /// (`PUT external-panels/{id}/import-rule`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_services: Option<bool>,
    /// Whether synchronization updates packages that are linked to packages of the panel; requires a panel of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_packages: Option<bool>,
    /// Whether synchronization updates prices; defaults to true for a new panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_prices: Option<bool>,
    /// Whether synchronization updates labels; requires a panel of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_labels: Option<bool>,
    /// Whether synchronization updates names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_name: Option<bool>,
    /// Whether synchronization updates texts for search engines; requires a panel of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_meta: Option<bool>,
    /// Whether synchronization updates refill and drip-feed support, if the external panel reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_service_details: Option<bool>,
    /// Whether synchronization updates English descriptions, as plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_description: Option<bool>,
    /// Whether synchronization updates short descriptions; requires a panel of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_short_description: Option<bool>,
    /// Whether synchronization updates reviews; requires a panel of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_reviews: Option<bool>,
    /// Whether synchronization updates minimum and maximum quantities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_params: Option<bool>,
    /// Markup on the prices of imported services, a fraction from 0 to 10; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub resale_margin_fraction: Patch<Fraction>,
    /// Smallest relative price change that staff must approve, a fraction from 0 to 10; defaults to `"0.2"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_jump_fraction: Option<Fraction>,
    /// Balance in `currency`; staff get one notification when the balance falls below it. Null for no notification.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub low_balance: Patch<Money>,
    /// Whether this panel automatically sends the undelivered part of an order to the next provider; defaults to false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_recreate_orders_is_allowed: Option<bool>,
    /// All messages with which the external panel rejects orders, in addition to the built-in messages, at most 100. They apply to
    /// future responses only: an attempt whose outcome is unknown stays unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejection_messages: Option<Vec<RejectionMessage>>,
    /// `updated_at` of the panel that the editor read; 409 `stale_record` if the panel has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

// The token is secret.
impl std::fmt::Debug for ExternalPanelInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let token = self.api_token.as_ref().map(|_| "[token]");
        f.debug_struct("ExternalPanelInput")
            .field("name", &self.name)
            .field("endpoint", &self.endpoint)
            .field("api_token", &token)
            .finish_non_exhaustive()
    }
}

/// Response of `GET external-panels/collections`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalPanelCollections {
    /// Values of `currency`.
    pub currencies: Vec<Choice>,
    /// Values of `statistic_type`.
    pub statistic_types: Vec<Choice>,
    /// Values of `type`.
    pub types: Vec<Choice>,
    /// Values of `rejection_messages.N.reason`.
    #[serde(default)]
    pub rejection_reasons: Vec<Choice>,
}

/// A preset for adding an external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelPreset {
    /// Position of the preset in the list.
    pub id: i64,
    /// Display name of the preset.
    pub name: String,
    /// Type that panels of the preset have.
    #[serde(rename = "type")]
    pub kind: PanelType,
    /// Usual URL of the API, with the placeholder `HOST` for the host name.
    pub endpoint: String,
    /// One sentence about where a user finds the API token.
    pub hint: String,
    /// Whether `POST external-panels/create-account` may work for panels of the preset.
    pub can_create_account: bool,
}

/// Body of `POST external-panels/validate`.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidatePanelInput {
    /// URL or host name, as the user entered it.
    pub endpoint: String,
    /// API token to test in addition to the address; absent to test only the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_token: Option<String>,
}

// The token is secret.
impl std::fmt::Debug for ValidatePanelInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ValidatePanelInput").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// Response of `POST external-panels/validate` for an address at which a panel responds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidatedPanel {
    /// Whether the panel is a panel of this product.
    pub is_our_panel: bool,
    /// Normalized URL of the API.
    pub endpoint: String,
    /// Balance of the account; null without a token.
    pub balance: Option<Money>,
    /// Currency code of the account; null unless the panel reported it.
    pub currency: Option<String>,
}

/// Body of `POST external-panels/create-account`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateAccountInput {
    /// URL of a panel of this product.
    pub endpoint: String,
    /// Confirms that a staff member has checked that no account exists. Required if the same panel was requested before.
    #[serde(default)]
    pub checked: bool,
}

/// Response of `POST external-panels/create-account`. The server stores nothing and returns the token only once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedAccount {
    /// API token of the new account.
    pub api_token: String,
    /// URL of the API of the external panel.
    pub endpoint: String,
    /// Currency code of the account.
    pub currency: String,
}

// The token is secret.
impl std::fmt::Debug for CreatedAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreatedAccount").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

crate::json_bodies!(
    CreateAccountInput,
    CreatedAccount,
    ExternalPanel,
    ExternalPanelCollections,
    ExternalPanelInput,
    ValidatePanelInput,
    ValidatedPanel
);

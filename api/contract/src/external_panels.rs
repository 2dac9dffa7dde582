//! External panels: other panels at which this panel places orders. API tokens are write-only.

mod payments;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use payments::{ExternalPanelPayment, ExternalPanelPaymentActions, ExternalPanelPaymentInput};

use crate::amount::{Fraction, Money};
use crate::common::{Choice, Patch};
use crate::ids::ExternalPanelId;
use crate::moment::{Stamp, Time};
use crate::rejections::RejectionMessage;

crate::string_enum! {
    /// Type of an external panel.
    PanelType {
        /// A panel with the reseller API v2 that is common in this market.
        PerfectPanel = "perfect_panel",
        /// A panel of this product; displayed as panvy.
        Socpanel = "socpanel",
    }
}

crate::string_enum! {
    /// Status of an external panel.
    PanelStatus {
        Active = "active",
        /// The external panel refuses the API token, or its address must not be called.
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

/// Fields that each synchronization imports from an external panel. Packages, labels, search engine texts, short descriptions
/// and reviews require a panel of this product; enabling them for another panel is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "sqlx", derive(sqlx::FromRow))]
pub struct PanelSync {
    /// Import new services by the import rule. Removed services are detected with any of these switches.
    pub sync_services: bool,
    /// Update packages that are linked to packages of the external panel. Packages from other panel types depend on their own
    /// `sync`.
    pub sync_packages: bool,
    /// Update prices.
    pub sync_prices: bool,
    /// Update labels, matched by English name; missing labels are created.
    pub sync_labels: bool,
    /// Update names.
    pub sync_name: bool,
    /// Update English search engine texts.
    pub sync_meta: bool,
    /// Update refill and drip-feed support, where the external panel reports it.
    pub sync_service_details: bool,
    /// Update English descriptions, as plain text.
    pub sync_description: bool,
    /// Update English short descriptions.
    pub sync_short_description: bool,
    /// Update English reviews.
    pub sync_reviews: bool,
    /// Update minimum and maximum quantities.
    pub sync_params: bool,
}

/// An external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanel {
    /// Id of the external panel.
    pub id: ExternalPanelId,
    /// Name for staff.
    pub name: String,
    /// Type of an external panel.
    #[serde(rename = "type")]
    pub kind: PanelType,
    /// Display name of the type.
    pub type_label: String,
    /// URL of the API.
    pub endpoint: String,
    /// Whether an API token is stored.
    pub api_token_is_set: bool,
    /// Last characters of the API token; null where the token is too short to show any.
    pub api_token_hint: Option<String>,
    /// Currency code of the prices, charges and balance at the external panel.
    pub currency: String,
    /// Last known balance at the external panel.
    pub balance: Option<Money>,
    /// When the balance was last requested.
    pub balance_at: Option<Time>,
    /// When a call last succeeded.
    pub last_ok_at: Option<Time>,
    /// Error message of the last failed call.
    pub last_error: Option<String>,
    /// Threshold below which staff get one notification about the balance; null for none.
    pub low_balance: Option<Money>,
    /// Whether the balance is below `low_balance`.
    pub balance_is_low: bool,
    /// Source of the delivered quantity.
    pub statistic_type: StatisticType,
    /// Fields that each synchronization imports.
    #[serde(flatten)]
    pub sync: PanelSync,
    /// Markup on the prices of imported services, as a fraction.
    pub resale_margin_percent: Option<Fraction>,
    /// Price change above which a change waits for the approval of staff, as a fraction.
    pub price_jump_percent: Fraction,
    /// Whether the undelivered part of an order is sent to the next provider automatically.
    pub auto_recreate_orders_is_allowed: bool,
    /// Messages by which this panel rejects an order, in addition to the built-in ones.
    #[serde(default)]
    pub rejection_messages: Vec<RejectionMessage>,
    /// Whether the last synchronization failed.
    pub sync_failed: bool,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// Status of the external panel.
    pub status: PanelStatus,
    /// URL of the favicon.
    pub favicon: Option<String>,
    /// Number of providers that use the panel, without archived ones.
    pub providers_count: i64,
    /// Number of open external orders.
    pub open_orders_count: i64,
    /// When the external panel was connected.
    pub created_at: Time,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
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
    /// Name for staff, 1 to 255 characters; required for a new panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Type of an external panel.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<PanelType>,
    /// URL of the API; required for a new panel. The scheme defaults to https and the path to `/api/v2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// API token; required for a new panel and whenever scheme, host or port of the endpoint change. Empty keeps the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_token: Option<String>,
    /// Currency code of the prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Source of the delivered quantity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistic_type: Option<StatisticType>,
    /// Import new services: whether the import rule is enabled (`external-panels/{id}/import-rule`). Removed services are detected
    /// with any of these switches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_services: Option<bool>,
    /// Update packages that are linked to packages of the panel; requires a panel of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_packages: Option<bool>,
    /// Update prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_prices: Option<bool>,
    /// Update labels; requires a panel of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_labels: Option<bool>,
    /// Update names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_name: Option<bool>,
    /// Update search engine texts; requires a panel of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_meta: Option<bool>,
    /// Update refill and drip-feed support, where the external panel reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_service_details: Option<bool>,
    /// Update English descriptions, as plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_description: Option<bool>,
    /// Update short descriptions; requires a panel of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_short_description: Option<bool>,
    /// Update reviews; requires a panel of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_reviews: Option<bool>,
    /// Update minimum and maximum quantities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_params: Option<bool>,
    /// Markup on the prices of imported services, a fraction from 0 to 10; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub resale_margin_percent: Patch<Fraction>,
    /// Price change above which a change waits for the approval of staff, a fraction from 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_jump_percent: Option<Fraction>,
    /// Threshold below which staff get one notification about the balance; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub low_balance: Patch<Money>,
    /// Whether the undelivered part of an order is sent to the next provider automatically.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_recreate_orders_is_allowed: Option<bool>,
    /// All messages by which this panel rejects an order, at most 100. They apply to future responses; an attempt with an unknown
    /// outcome does not change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejection_messages: Option<Vec<RejectionMessage>>,
    /// `updated_at` of the panel that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Leaves the token out.
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
    /// Currencies of external panels.
    pub currencies: Vec<Choice>,
    /// Values of `statistic_type`.
    pub statistic_types: Vec<Choice>,
    /// Values of `type`.
    pub types: Vec<Choice>,
    /// Reasons why a panel can reject an order.
    #[serde(default)]
    pub rejection_reasons: Vec<Choice>,
}

/// A preset for adding an external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PresetPanel {
    /// Number of the preset.
    pub id: i64,
    /// Display name of the preset.
    pub name: String,
    /// Type of the panel.
    #[serde(rename = "type")]
    pub kind: PanelType,
    /// Usual URL of the API, with the placeholder `HOST`.
    pub endpoint: String,
    /// One sentence about where to find the API token.
    pub hint: String,
    /// Whether the panel may support creating an account by API.
    pub can_create_account: bool,
}

/// Body of `POST external-panels/validate`.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidatePanelInput {
    /// URL or host name, as the user entered it.
    pub endpoint: String,
    /// API token to test as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_token: Option<String>,
}

/// Leaves the token out.
impl std::fmt::Debug for ValidatePanelInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ValidatePanelInput").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// Response of `POST external-panels/validate`for an address at which a panel responds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidatedPanel {
    /// Whether the panel is of this product.
    pub is_our_panel: bool,
    /// Normalized URL of the API.
    pub endpoint: String,
    /// Balance of the account; null without a token.
    pub balance: Option<Money>,
    /// Currency of the account, if the panel reported it.
    pub currency: Option<String>,
}

/// Body of `POST external-panels/create-account`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateAccountInput {
    /// URL of a panel of this product.
    pub endpoint: String,
    /// Confirms that a person has checked that no account exists; required after an earlier call for the same panel.
    #[serde(default)]
    pub checked: bool,
}

/// Response of `POST external-panels/create-account`. The server stores nothing and returns the token only once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedAccount {
    /// API token of the new account.
    pub api_token: String,
    /// URL of the API.
    pub endpoint: String,
    /// Currency code of the account.
    pub currency: String,
}

/// Leaves the token out.
impl std::fmt::Debug for CreatedAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreatedAccount").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

crate::wire!(
    CreateAccountInput,
    CreatedAccount,
    ExternalPanel,
    ExternalPanelCollections,
    ExternalPanelInput,
    ValidatePanelInput,
    ValidatedPanel
);

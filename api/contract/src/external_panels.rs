//! External panels as they cross the wire: other panels that we order at. A token goes in and never comes out.

mod payments;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use payments::{ExternalPanelPayment, ExternalPanelPaymentActions, ExternalPanelPaymentInput};

use crate::amount::{Fraction, Money};
use crate::common::{Choice, Patch};
use crate::ids::ExternalPanelId;
use crate::moment::{Stamp, Time};
use crate::rejections::RejectionMessage;

crate::words! {
    /// What kind of panel it is.
    PanelType {
        /// Any panel that speaks the reseller API v2 of this field.
        PerfectPanel = "perfect_panel",
        /// A panel of this product; shown as panvy.
        Socpanel = "socpanel",
    }
}

crate::words! {
    /// How a panel does.
    PanelStatus {
        Active = "active",
        /// It refuses our token, or may not be called.
        Error = "error",
        Disabled = "disabled",
        Archived = "archived",
    }
}

crate::words! {
    /// What tells how much of an order a panel delivered.
    StatisticType {
        /// What it says remains.
        Remains = "remains",
        /// What it charged.
        Charge = "charge",
    }
}

/// What of a panel is taken over whenever it is looked at. Only a panel of this product says anything of packages, labels,
/// texts for search engines, short descriptions and reviews; to switch these on for another panel is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "sqlx", derive(sqlx::FromRow))]
pub struct PanelSync {
    /// New services: the panel's import rule imports them. What a panel no longer sells is seen with any of these switches.
    pub sync_services: bool,
    /// Packages of ours that follow packages of the panel. Those of other panels follow by their own `sync` alone.
    pub sync_packages: bool,
    /// Prices.
    pub sync_prices: bool,
    /// Labels, by their English names; those that there are not here are made.
    pub sync_labels: bool,
    /// Names.
    pub sync_name: bool,
    /// English texts for search engines.
    pub sync_meta: bool,
    /// Refill and drip-feed, where the panel says yes or no.
    pub sync_service_details: bool,
    /// English descriptions, as text.
    pub sync_description: bool,
    /// English short descriptions.
    pub sync_short_description: bool,
    /// English reviews.
    pub sync_reviews: bool,
    /// Smallest and largest order.
    pub sync_params: bool,
}

/// An external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanel {
    /// Its id.
    pub id: ExternalPanelId,
    /// What staff call it.
    pub name: String,
    /// What kind of panel it is.
    #[serde(rename = "type")]
    pub kind: PanelType,
    /// What people call that kind.
    pub type_label: String,
    /// The address of its API.
    pub endpoint: String,
    /// Whether there is a token.
    pub api_token_is_set: bool,
    /// The end of the token, where it is long enough to tell nothing.
    pub api_token_hint: Option<String>,
    /// The currency of its prices, charges and our balance there.
    pub currency: String,
    /// Our balance there, as it was last heard.
    pub balance: Option<Money>,
    /// When it was last asked for the balance.
    pub balance_at: Option<Time>,
    /// When it last answered as it should.
    pub last_ok_at: Option<Time>,
    /// Why its last answer was none, in its own words.
    pub last_error: Option<String>,
    /// Staff are told once when the balance falls below.
    pub low_balance: Option<Money>,
    /// Whether the balance is below that.
    pub balance_is_low: bool,
    /// What tells how much it delivered.
    pub statistic_type: StatisticType,
    /// What is taken over from it.
    #[serde(flatten)]
    pub sync: PanelSync,
    /// What is put on top of its prices when services are taken over.
    pub resale_margin_percent: Option<Fraction>,
    /// A price that changes by more at once waits for somebody's yes.
    pub price_jump_percent: Fraction,
    /// Whether what it leaves undelivered goes to the next provider by itself.
    pub auto_recreate_orders_is_allowed: bool,
    /// Messages by which this panel says that it did not take an order, beside those that every panel may use.
    #[serde(default)]
    pub rejection_messages: Vec<RejectionMessage>,
    /// Whether the last look at its catalogue failed.
    pub sync_failed: bool,
    /// Whether it is put away.
    pub is_archived: bool,
    /// How it does.
    pub status: PanelStatus,
    /// Its icon.
    pub favicon: Option<String>,
    /// Providers that deliver by it, archived ones aside.
    pub providers_count: i64,
    /// Orders that are with it now.
    pub open_orders_count: i64,
    /// When it was connected.
    pub created_at: Time,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
    /// What the caller may do with it.
    pub actions: ExternalPanelActions,
}

/// What the caller may do with an external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanelActions {
    /// Change it.
    pub editable: bool,
    /// Put it away.
    pub archivable: bool,
    /// Bring it back.
    pub restore: bool,
    /// See what was paid there.
    pub show_billing: bool,
    /// Take its packages over.
    pub import_packages: bool,
}

/// Body of `POST external-panels` and `PATCH external-panels/{id}`: what is left out stays.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExternalPanelInput {
    /// 1 to 255 characters; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What kind of panel it is.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<PanelType>,
    /// The address of its API; required for a new one. Without a scheme it is https, without a path `/api/v2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Our token there; required for a new one, and whenever scheme, host or port of the endpoint change. Empty: as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_token: Option<String>,
    /// The currency of its prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// What tells how much it delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistic_type: Option<StatisticType>,
    /// New services: whether the panel's import rule is on (`external-panels/{id}/import-rule`). What a panel no longer sells
    /// is seen with any of these switches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_services: Option<bool>,
    /// Packages of ours that follow packages of the panel; refused for other panels than those of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_packages: Option<bool>,
    /// Prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_prices: Option<bool>,
    /// Labels; refused for other panels than those of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_labels: Option<bool>,
    /// Names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_name: Option<bool>,
    /// Texts for search engines; refused for other panels than those of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_meta: Option<bool>,
    /// Refill and drip-feed, where the panel says yes or no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_service_details: Option<bool>,
    /// English descriptions, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_description: Option<bool>,
    /// Short descriptions; refused for other panels than those of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_short_description: Option<bool>,
    /// Reviews; refused for other panels than those of this product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_reviews: Option<bool>,
    /// Smallest and largest order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_params: Option<bool>,
    /// What is put on top of its prices, 0 to 10; null for nothing.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub resale_margin_percent: Patch<Fraction>,
    /// A price that changes by more at once waits for somebody's yes, 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_jump_percent: Option<Fraction>,
    /// Staff are told once when the balance falls below; null for never.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub low_balance: Patch<Money>,
    /// Whether what it leaves undelivered goes to the next provider by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_recreate_orders_is_allowed: Option<bool>,
    /// Messages by which this panel says that it did not take an order: all of them, at most 100. They count for
    /// answers from now on; an attempt that is unknown stays so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejection_messages: Option<Vec<RejectionMessage>>,
    /// As it was read: refused when somebody changed the panel meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Never tells the token.
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

/// Answer of `GET external-panels/collections`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalPanelCollections {
    /// What panels count in.
    pub currencies: Vec<Choice>,
    /// What tells how much a panel delivered.
    pub statistic_types: Vec<Choice>,
    /// What kinds of panels there are.
    pub types: Vec<Choice>,
    /// Why a panel may not take an order.
    #[serde(default)]
    pub rejection_reasons: Vec<Choice>,
}

/// A kind of panel that is known, to begin with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PresetPanel {
    /// Its number in the list.
    pub id: i64,
    /// What people call it.
    pub name: String,
    /// What kind it is.
    #[serde(rename = "type")]
    pub kind: PanelType,
    /// Where its API usually is, with `HOST` in the place of its host.
    pub endpoint: String,
    /// Where its token is found, in a sentence.
    pub hint: String,
    /// Whether it may hand out an account by itself.
    pub can_create_account: bool,
}

/// Body of `POST external-panels/validate`.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidatePanelInput {
    /// The address, as somebody typed it.
    pub endpoint: String,
    /// Our token there, to try it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_token: Option<String>,
}

/// Never tells the token.
impl std::fmt::Debug for ValidatePanelInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ValidatePanelInput").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// Answer of `POST external-panels/validate`: a panel answers there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidatedPanel {
    /// Whether it is a panel of this product.
    pub is_our_panel: bool,
    /// The address as it is kept.
    pub endpoint: String,
    /// Our balance there, where a token was given.
    pub balance: Option<Money>,
    /// Its currency, where it said so.
    pub currency: Option<String>,
}

/// Body of `POST external-panels/create-account`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateAccountInput {
    /// The address of a panel of this product.
    pub endpoint: String,
    /// A person looked whether it opened an account before: needed where it was asked already.
    #[serde(default)]
    pub checked: bool,
}

/// Answer of `POST external-panels/create-account`. Nothing is stored; the token is shown this once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedAccount {
    /// The token of the account.
    pub api_token: String,
    /// The address of the API.
    pub endpoint: String,
    /// What the account counts in.
    pub currency: String,
}

/// Never tells the token.
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

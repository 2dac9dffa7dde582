//! Free trials: requests of customers for a free order, and the quests that they complete for it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::{Named, Patch, Translations, UnarchivableActions};
use crate::ids::{FreeTrialId, FreeTrialQuestId, OrderId, ServiceId, UserId};
use crate::moment::{Stamp, Time};
use crate::payments::PaymentUser;
use crate::upload::Picture;

crate::string_enum! {
    /// Status of a free-trial request.
    FreeTrialStatus { Pending = "pending", Approved = "approved", Rejected = "rejected" }
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct FreeTrialActions {
    /// Whether the caller can call `POST free-trials/{id}/approve`.
    pub approvable: bool,
    /// Whether the caller can call `POST free-trials/{id}/reject`.
    pub rejectable: bool,
}

/// A request for a free trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FreeTrial {
    /// Id of the free trial.
    pub id: FreeTrialId,
    /// Id of the order that the approval created; null before.
    pub order_id: Option<OrderId>,
    /// Link by which the customer proves that they completed the quest.
    pub proof_url: Option<String>,
    /// Requested quantity in units.
    pub quantity: i64,
    /// Name of the request, by default the name of the quest at the time.
    pub name: String,
    /// Link to deliver to, as the customer entered it.
    pub url: String,
    /// Status of the free trial.
    pub status: FreeTrialStatus,
    /// Customer of the free trial.
    pub user: PaymentUser,
    /// Staff member who approved or rejected the request.
    pub approved_by: Option<Named<UserId>>,
    /// When the request was approved or rejected.
    pub approved_at: Option<Time>,
    /// When the free trial was created.
    pub created_at: Time,
    /// Id of the quest.
    pub free_trial_quest_id: FreeTrialQuestId,
    /// Id of the free service, which may require parameters at approval.
    #[serde(default = "unknown_service")]
    pub service_id: ServiceId,
    /// Start of the quest.
    pub valid_from: Time,
    /// End of the quest; null if unlimited.
    pub valid_to: Option<Time>,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: FreeTrialActions,
}

/// Servers from before 2026 did not send the field.
fn unknown_service() -> ServiceId {
    ServiceId::new(0)
}

/// Body of the approval of a free-trial request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveFreeTrialInput {
    /// Quantity within the limits of the service; defaults to the quantity of the quest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<i64>,
    /// Parameters that the service requires besides the link, by name, such as `comment` with one comment per line. An approval
    /// without a required parameter is refused.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, String>,
}

/// A task for customers and the free service that they get for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FreeTrialQuest {
    /// Id of the free trial quest.
    pub id: FreeTrialQuestId,
    /// English name of the free trial quest.
    pub name: String,
    /// URL of the picture.
    pub image: Option<String>,
    /// URL of the icon.
    pub icon: Option<String>,
    /// Service that customers get for free.
    pub service: Named<ServiceId>,
    /// Quantity in units that customers get for free.
    pub quantity: i64,
    /// End of approvals; null if unlimited.
    pub deadline: Option<Time>,
    /// Whether customers see the quest.
    pub is_enabled: bool,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// Whether a customer may complete the quest more than once.
    pub is_repeatable: bool,
    /// Maximum number of completions per customer, if repeatable; null for unlimited.
    pub repeats_count: Option<i64>,
    /// Whether customers must send a proof link.
    pub allow_proof_url: bool,
    /// Whether requests of customers with enough spending are approved automatically.
    pub auto_approve_is_allowed: bool,
    /// Minimum spending for an automatic approval.
    pub min_amount_for_auto_approve: Option<Money>,
    /// Whether the quest requires a minimum spending.
    pub is_allowed_with_spend_above: bool,
    /// Minimum spending to request the quest.
    pub min_user_spend_amount: Option<Money>,
    /// Names by locale; English is always present.
    pub translations: Translations,
    /// When the free trial quest was created.
    pub created_at: Time,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: UnarchivableActions,
}

/// Body of create and update, as JSON or multipart. Absent fields of an update keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QuestInput {
    /// Names by locale, at most 200 characters; English is required for a new quest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// Image of the quest.
    #[serde(skip_serializing_if = "Picture::is_unchanged")]
    pub image: Picture,
    /// Icon image of the quest.
    #[serde(skip_serializing_if = "Picture::is_unchanged")]
    pub icon: Picture,
    /// Id of the free service; required for a new quest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_id: Option<ServiceId>,
    /// Free quantity within the limits of the service; required for a new quest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<i64>,
    /// End of approvals, in the future; null for unlimited.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Time>)]
    pub deadline: Patch<Time>,
    /// Whether customers see the quest; defaults to true for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Whether a customer may complete the quest more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_repeatable: Option<bool>,
    /// Maximum completions per customer, 1 to 10,000; null for unlimited.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub repeats_count: Patch<i64>,
    /// Whether customers must send a proof link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_proof_url: Option<bool>,
    /// Whether requests of customers with enough spending are approved automatically.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_approve_is_allowed: Option<bool>,
    /// Minimum spending for an automatic approval, 0 or more; required where automatic approval is allowed.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub min_amount_for_auto_approve: Patch<Money>,
    /// Whether the quest requires a minimum spending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_with_spend_above: Option<bool>,
    /// Minimum spending to request the quest, 0 or more; required where the quest requires spending.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub min_user_spend_amount: Patch<Money>,
    /// On update: `updated_at` of the record that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::wire!(FreeTrial, FreeTrialQuest, ApproveFreeTrialInput, QuestInput);

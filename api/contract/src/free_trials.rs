//! Free trials. A customer completes a quest, and then requests a free order as the reward.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::{ArchiveAndRestoreActions, NamedRef, Patch, Translations};
use crate::ids::{FreeTrialId, FreeTrialQuestId, OrderId, ServiceId, UserId};
use crate::moment::{Time, Timestamp};
use crate::payments::UserSummary;
use crate::upload::ImageInput;

crate::string_enum! {
    /// Status of a free-trial request.
    FreeTrialStatus { Pending = "pending", Approved = "approved", Rejected = "rejected" }
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct FreeTrialActions {
    /// Whether the caller can send `POST free-trials/{id}/approve`.
    pub approvable: bool,
    /// Whether the caller can send `POST free-trials/{id}/reject`.
    pub rejectable: bool,
}

/// A request of a customer for a free trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FreeTrial {
    /// Id of the request.
    pub id: FreeTrialId,
    /// Id of the order that the approval created; null without an approval.
    pub order_id: Option<OrderId>,
    /// Link with which the customer proves that they completed the quest; null if there is none.
    pub proof_url: Option<String>,
    /// Requested quantity in units.
    pub quantity: i64,
    /// Name of the request, by default the name that the quest had at the time of the request.
    pub name: String,
    /// Link to deliver to, as the customer entered it.
    pub url: String,
    /// Status of the request.
    pub status: FreeTrialStatus,
    /// Customer who requested the free trial.
    pub user: UserSummary,
    /// Staff member who approved or rejected the request; null while the request is pending, and for automatic approvals.
    pub approved_by: Option<NamedRef<UserId>>,
    /// When the request was approved or rejected; null while the request is pending.
    pub approved_at: Option<Time>,
    /// When the customer made the request.
    pub created_at: Time,
    /// Id of the quest that the customer completed.
    pub free_trial_quest_id: FreeTrialQuestId,
    /// Id of the free service. If the service requires parameters, the approval must contain them.
    #[serde(default = "missing_service_id")]
    pub service_id: ServiceId,
    /// When the quest was created.
    pub valid_from: Time,
    /// Time until which the request can be approved, which is the `deadline` of the quest; null if unlimited.
    pub valid_to: Option<Time>,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: FreeTrialActions,
}

// Servers of versions before 2026 do not send the field.
fn missing_service_id() -> ServiceId {
    ServiceId::new(0)
}

/// Body of `POST free-trials/{id}/approve`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveFreeTrialInput {
    /// Quantity within the limits of the service; defaults to the quantity of the quest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<i64>,
    /// Parameters that the service requires besides the link, by name, such as `comment` with one comment per line. An approval
    /// without a required parameter is rejected.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, String>,
}

/// A quest: a task for customers, and the free order that is the reward.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FreeTrialQuest {
    /// Id of the quest.
    pub id: FreeTrialQuestId,
    /// English name of the quest.
    pub name: String,
    /// URL of the image; null if there is none.
    pub image: Option<String>,
    /// URL of the icon; null if there is none.
    pub icon: Option<String>,
    /// Service that customers get for free.
    pub service: NamedRef<ServiceId>,
    /// Quantity in units that customers get for free.
    pub quantity: i64,
    /// Time until which requests can be approved; null if unlimited.
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
    /// Minimum spending for an automatic approval, in the panel's currency; null without automatic approval.
    pub min_amount_for_auto_approve: Option<Money>,
    /// Whether only customers with `min_user_spend_amount` can request the free trial.
    pub is_allowed_with_spend_above: bool,
    /// Minimum spending to request the free trial, in the panel's currency; null if there is none.
    pub min_user_spend_amount: Option<Money>,
    /// Names by locale; English is always present.
    pub translations: Translations,
    /// When the quest was created.
    pub created_at: Time,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: ArchiveAndRestoreActions,
}

/// Body of `POST free-trial-quests` and `PUT free-trial-quests/{id}`, as JSON or multipart. Absent fields of an update keep their
/// value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QuestInput {
    /// Names by locale, at most 200 characters; English is required for a new quest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// Image file of the quest.
    #[serde(skip_serializing_if = "ImageInput::is_unchanged")]
    pub image: ImageInput,
    /// Icon file of the quest.
    #[serde(skip_serializing_if = "ImageInput::is_unchanged")]
    pub icon: ImageInput,
    /// Id of the free service; required for a new quest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_id: Option<ServiceId>,
    /// Free quantity within the limits of the service; required for a new quest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<i64>,
    /// Time until which requests can be approved, in the future; null for unlimited.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Time>)]
    pub deadline: Patch<Time>,
    /// Whether customers see the quest; defaults to true for a new quest.
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
    /// Minimum spending for an automatic approval, 0 or more; required if automatic approval is allowed.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub min_amount_for_auto_approve: Patch<Money>,
    /// Whether only customers with `min_user_spend_amount` can request the free trial.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_with_spend_above: Option<bool>,
    /// Minimum spending to request the free trial, 0 or more; required if `is_allowed_with_spend_above` is true.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub min_user_spend_amount: Patch<Money>,
    /// On update: `updated_at` of the record that the editor read; 409 `stale_record` if the record has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

crate::json_bodies!(FreeTrial, FreeTrialQuest, ApproveFreeTrialInput, QuestInput);

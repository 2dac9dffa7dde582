//! Free trials: requests of customers for something free, and the quests that they are answers to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::{Named, Patch, Translations, UnarchivableActions};
use crate::ids::{FreeTrialId, FreeTrialQuestId, OrderId, ServiceId, UserId};
use crate::moment::{Stamp, Time};
use crate::payments::PaymentUser;
use crate::upload::Picture;

crate::words! {
    /// Where a free-trial request stands.
    FreeTrialStatus { Pending = "pending", Approved = "approved", Rejected = "rejected" }
}

/// What the caller may do with a request now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct FreeTrialActions {
    /// `POST free-trials/{id}/approve`.
    pub approvable: bool,
    /// `POST free-trials/{id}/reject`.
    pub rejectable: bool,
}

/// A request for a free trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FreeTrial {
    /// Its id.
    pub id: FreeTrialId,
    /// The order that its approval made.
    pub order_id: Option<OrderId>,
    /// Where the customer shows what they did.
    pub proof_url: Option<String>,
    /// How many are asked for.
    pub quantity: i64,
    /// What is asked for, usually the quest's name then.
    pub name: String,
    /// Where to deliver: what the customer typed.
    pub url: String,
    /// Where it stands.
    pub status: FreeTrialStatus,
    /// The customer.
    pub user: PaymentUser,
    /// Who approved or rejected it.
    pub approved_by: Option<Named<UserId>>,
    /// When it was approved or rejected.
    pub approved_at: Option<Time>,
    /// When it was made.
    pub created_at: Time,
    /// The quest that it answers.
    pub free_trial_quest_id: FreeTrialQuestId,
    /// The service that the quest gives; it may ask for answers at approval.
    #[serde(default = "unknown_service")]
    pub service_id: ServiceId,
    /// Since when the quest is offered.
    pub valid_from: Time,
    /// Until when the quest counts; none for always.
    pub valid_to: Option<Time>,
    /// What the caller may do now.
    pub actions: FreeTrialActions,
}

/// Servers of before 2026 did not name it.
fn unknown_service() -> ServiceId {
    ServiceId::new(0)
}

/// Body of an approval.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveFreeTrialInput {
    /// Within the service's bounds; what the quest gives when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<i64>,
    /// What the service asks for beside the address: name → value, such as `comment` → one comment a line. An approval without
    /// a required answer is refused.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, String>,
}

/// Something to do, and what is given for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FreeTrialQuest {
    /// Its id.
    pub id: FreeTrialQuestId,
    /// Its English name.
    pub name: String,
    /// The address of its picture.
    pub image: Option<String>,
    /// The address of its icon.
    pub icon: Option<String>,
    /// What is given.
    pub service: Named<ServiceId>,
    /// How many of it.
    pub quantity: i64,
    /// Until when requests are approved; none for always.
    pub deadline: Option<Time>,
    /// Whether customers see it.
    pub is_enabled: bool,
    /// Whether it is put away.
    pub is_archived: bool,
    /// Whether a customer may have it more than once.
    pub is_repeatable: bool,
    /// How often at the most, where it is repeatable; none for any number of times.
    pub repeats_count: Option<i64>,
    /// Whether customers show what they did by an address.
    pub allow_proof_url: bool,
    /// Whether requests of good customers are approved at once.
    pub auto_approve_is_allowed: bool,
    /// What a good customer has spent.
    pub min_amount_for_auto_approve: Option<Money>,
    /// Whether only customers who spent enough may ask.
    pub is_allowed_with_spend_above: bool,
    /// How much is enough.
    pub min_user_spend_amount: Option<Money>,
    /// By language its `name`; English is always there.
    pub translations: Translations,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
    /// What the caller may do with it.
    pub actions: UnarchivableActions,
}

/// Body of create and update, as JSON or multipart; an update takes what is absent as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QuestInput {
    /// By language its `name`, at most 200 characters; English is required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// Its picture.
    #[serde(skip_serializing_if = "Picture::is_unchanged")]
    pub image: Picture,
    /// Its icon.
    #[serde(skip_serializing_if = "Picture::is_unchanged")]
    pub icon: Picture,
    /// What is given; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_id: Option<ServiceId>,
    /// Within the service's bounds; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<i64>,
    /// A moment to come; null for always.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Time>)]
    pub deadline: Patch<Time>,
    /// Whether customers see it; a new one is seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Whether a customer may have it more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_repeatable: Option<bool>,
    /// 1 to 10,000; null for any number of times.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub repeats_count: Patch<i64>,
    /// Whether customers show what they did by an address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_proof_url: Option<bool>,
    /// Whether requests of good customers are approved at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_approve_is_allowed: Option<bool>,
    /// Not below zero; required where auto approve is allowed.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub min_amount_for_auto_approve: Patch<Money>,
    /// Whether only customers who spent enough may ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_with_spend_above: Option<bool>,
    /// Not below zero; required where it is asked for.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub min_user_spend_amount: Patch<Money>,
    /// On update: the record as the editor read it; a newer one is a 409.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::wire!(FreeTrial, FreeTrialQuest, ApproveFreeTrialInput, QuestInput);

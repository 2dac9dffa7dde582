//! Free trials: requests of customers for something free, and the quests that they are answers to.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::Named;
use crate::moment::Time;
use crate::payments::PaymentUser;

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
    pub id: i64,
    /// The order that its approval made.
    pub order_id: Option<i64>,
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
    pub approved_by: Option<Named>,
    /// When it was approved or rejected.
    pub approved_at: Option<Time>,
    /// When it was made.
    pub created_at: Time,
    /// The quest that it answers.
    pub free_trial_quest_id: i64,
    /// Since when the quest is offered.
    pub valid_from: Time,
    /// Until when the quest counts; none for always.
    pub valid_to: Option<Time>,
    /// What the caller may do now.
    pub actions: FreeTrialActions,
}

/// Body of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveFreeTrialInput {
    /// Within the service's bounds; what the quest gives when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<i64>,
}

crate::wire!(FreeTrial, ApproveFreeTrialInput);

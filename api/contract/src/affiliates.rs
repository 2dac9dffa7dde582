//! Affiliates of a user. An affiliate is another user who referred this user and earns commission in a time range.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::{AffiliateId, UserId};
use crate::moment::Time;

/// An affiliate of a user, in a time range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Affiliate {
    /// Id of the assignment.
    pub id: AffiliateId,
    /// Id of the affiliate, who referred the user `referral_id`.
    pub user_id: UserId,
    /// Id of the referred user.
    pub referral_id: UserId,
    /// Name of the affiliate.
    pub name: String,
    /// Email address of the affiliate.
    pub email: String,
    /// Start of the time range.
    pub started_at: Time,
    /// End of the time range; null if the time range has no end yet.
    pub ended_at: Option<Time>,
    /// Whether the time range includes the current time.
    pub is_current: bool,
}

/// Body of `POST users/{id}/affiliates` and `PUT users/{id}/affiliates/{affiliate_id}`. The time ranges of a user's affiliates must
/// not overlap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AffiliateInput {
    /// Id of the affiliate, who must be another user.
    pub affiliate_id: UserId,
    /// Start of the time range; defaults to now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Time>,
    /// End of the time range, after its start; absent for a time range without an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Time>,
}

crate::json_bodies!(Affiliate, AffiliateInput);

//! Affiliates of a user: the user who referred them, and the time range in which that applies.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::{AffiliateId, UserId};
use crate::moment::Time;

/// The affiliate of a user in a time range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Affiliate {
    /// Id of the assignment.
    pub id: AffiliateId,
    /// Id of the affiliate: the user who referred the other.
    pub user_id: UserId,
    /// Id of the referred user.
    pub referral_id: UserId,
    /// Name of the affiliate.
    pub name: String,
    /// Email address of the affiliate.
    pub email: String,
    /// Start of the time range.
    pub started_at: Time,
    /// End of the time range; null while it is open.
    pub ended_at: Option<Time>,
    /// Whether the time range includes the present.
    pub is_current: bool,
}

/// Body of `POST users/{id}/affiliates` and of its PUT. The time ranges of a user's affiliates must not overlap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AffiliateInput {
    /// Id of the affiliate; must be another user.
    pub affiliate_id: UserId,
    /// Start of the time range; defaults to now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Time>,
    /// End of the time range, after its start; open when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Time>,
}

crate::wire!(Affiliate, AffiliateInput);

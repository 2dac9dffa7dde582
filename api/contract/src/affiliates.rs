//! Affiliates of a user: who brought them, and from when to when that counts.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::{AffiliateId, UserId};
use crate::moment::Time;

/// One affiliate of one user, for a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Affiliate {
    /// The record's id.
    pub id: AffiliateId,
    /// The affiliate: the user who brought the other.
    pub user_id: UserId,
    /// The user who was brought.
    pub referral_id: UserId,
    /// The affiliate's name.
    pub name: String,
    /// The affiliate's e-mail address.
    pub email: String,
    /// From when it counts.
    pub started_at: Time,
    /// Until when; null while it goes on.
    pub ended_at: Option<Time>,
    /// Whether it counts now.
    pub is_current: bool,
}

/// Body of `POST users/{id}/affiliates` and of its PUT. The times of one user's affiliates may not overlap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AffiliateInput {
    /// The user who brought them; another one than themselves.
    pub affiliate_id: UserId,
    /// From when it counts; now when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Time>,
    /// Until when, after the start; it goes on when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Time>,
}

crate::wire!(Affiliate, AffiliateInput);

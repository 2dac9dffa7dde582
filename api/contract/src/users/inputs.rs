//! What is sent to change a user, or many.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Fraction;
use crate::common::Patch;
use crate::ids::{GradeId, UserId};
use crate::moment::Stamp;
use crate::users::{Messenger, SellerStatus, UserStatus};

crate::words! {
    /// The last step of the talk with a possible seller.
    ContactStep {
        NotContacted = "not_contacted",
        FirstMessage = "first_message",
        SecondMessage = "second_message",
        Call = "call",
        Offer = "offer",
        Agreed = "agreed",
        Refused = "refused",
    }
}

crate::words! {
    /// What a user's own discount is taken off.
    DiscountType { Orders = "orders", Packages = "packages", All = "all" }
}

/// Body of `PATCH users/{id}`: only what is set changes; null clears. Never balance, roles or permissions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UserInput {
    /// 1 to 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Nobody else's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// 5 to 32 letters, digits and underscores; an at sign in front is taken off.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub telegram_username: Patch<String>,
    /// All of them, at most 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messengers: Option<Vec<Messenger>>,
    /// Company.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub company_name: Patch<String>,
    /// Company address.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub company_address: Patch<String>,
    /// Absolute http(s) address.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub company_site: Patch<String>,
    /// VAT number.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub vat: Patch<String>,
    /// Anything else.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub additional_info: Patch<String>,
    /// 3 to 32 letters, digits, hyphens and underscores; nobody else's.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub affiliate_code: Patch<String>,
    /// Marketing mark.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub marketing_subid: Patch<String>,
    /// Mail about orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notify_orders: Option<bool>,
    /// Mail about payments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notify_payments: Option<bool>,
    /// Share of what referred customers spend, `0.05` for 5 %, two decimals; null for the panel's default.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub referral_program_percent: Patch<Fraction>,
    /// The record as the editor read it; a newer one is a 409.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `update-seller`: only what is set changes; null clears.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SellerInput {
    /// Where the talk stands.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<SellerStatus>)]
    pub seller_status: Patch<SellerStatus>,
    /// The manager who looks after them; a staff member.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub seller_id: Patch<UserId>,
    /// The last step of the talk.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<ContactStep>)]
    pub contact_step: Patch<ContactStep>,
    /// The record as the editor read it; a newer one is a 409.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `change-grade`: only what is set changes; null clears.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UserGradeInput {
    /// The grade; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub grade_id: Patch<GradeId>,
    /// Whether the grade counts as set by hand, so that spending does not change it. Left out: yes for another grade, no
    /// for none, and as it is for the same grade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade_is_manual: Option<bool>,
    /// Whether grades count for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grades_enabled: Option<bool>,
    /// Whether the grade's discount counts for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade_discounts_enabled: Option<bool>,
    /// The record as the editor read it; a newer one is a 409.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// A discount of one user's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserDiscount {
    /// `0.125` for 12.5 %; zero for none.
    pub percent: Fraction,
    /// What it is taken off.
    #[serde(rename = "type")]
    pub kind: DiscountType,
}

/// Body of `POST user-discount`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserDiscountInput {
    /// 0 to 1 with three decimals; zero takes the discount away.
    pub percent: Fraction,
    /// What it is taken off.
    #[serde(rename = "type")]
    pub kind: DiscountType,
    /// The user as the editor read it; a newer one is a 409.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `users/bulk-actions`: only what is set changes, each part by its own permission.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BulkUsersInput {
    /// 1 to 10,000 ids; duplicates count once.
    pub user_ids: Vec<UserId>,
    /// Needs `manage grades for user`.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub grade_id: Patch<GradeId>,
    /// The manager.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub seller_id: Patch<UserId>,
    /// The last step of the talk.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<ContactStep>)]
    pub contact_step: Patch<ContactStep>,
    /// Needs the permission to freeze, deactivate or activate users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<UserStatus>,
    /// As in `PATCH users/{id}`.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub referral_program_percent: Patch<Fraction>,
    /// Who brought them.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub affiliate_id: Patch<UserId>,
}

crate::wire!(UserInput, SellerInput, UserGradeInput, UserDiscount, UserDiscountInput, BulkUsersInput);

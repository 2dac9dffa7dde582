//! Request bodies that update users.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Fraction;
use crate::common::Patch;
use crate::ids::{GradeId, UserId};
use crate::moment::Timestamp;
use crate::users::{Messenger, SellerStatus, UserStatus};

crate::string_enum! {
    /// Step of the sales contact with a user.
    ContactStep {
        NotContacted = "not_contacted",
        FirstMessage = "first_message",
        SecondMessage = "second_message",
        Call = "call",
        Offer = "offer",
        Agreed = "agreed",
        Rejected = "rejected",
    }
}

crate::string_enum! {
    /// Purchases that the individual discount of a user applies to.
    DiscountType { Orders = "orders", Packages = "packages", All = "all" }
}

/// Body of `PATCH users/{id}`. Absent fields keep their value; null clears a field. Balance, roles and permissions cannot be
/// changed by this request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UserInput {
    /// Display name, 1 to 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Email address, unique among users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Telegram user name: 5 to 32 letters, digits and underscores; a leading at sign is removed. Null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub telegram_username: Patch<String>,
    /// All contacts at messengers other than Telegram, at most 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messengers: Option<Vec<Messenger>>,
    /// Name of the company of the user, up to 255 characters; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub company_name: Patch<String>,
    /// Postal address of the company; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub company_address: Patch<String>,
    /// Absolute http(s) URL of the website of the company; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub company_site: Patch<String>,
    /// VAT identification number of the company; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub vat: Patch<String>,
    /// Additional information that only staff see; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub additional_info: Patch<String>,
    /// Unique affiliate code: 3 to 32 letters, digits, hyphens and underscores; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub affiliate_code: Patch<String>,
    /// Marketing sub-id, which identifies the campaign that the user came from; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub marketing_subid: Patch<String>,
    /// Whether the user gets emails about orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notify_orders: Option<bool>,
    /// Whether the user gets emails about payments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notify_payments: Option<bool>,
    /// Individual referral commission as a fraction with two decimals, `0.05` for 5 %; null for the panel's default.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub referral_program_fraction: Patch<Fraction>,
    /// `updated_at` of the record that the editor read; 409 `stale_record` if the record has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Body of `POST users/{id}/update-seller`. Absent fields keep their value; null clears a field.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SellerInput {
    /// Status of the sales contact with the user; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<SellerStatus>)]
    pub seller_status: Patch<SellerStatus>,
    /// Id of the account manager, who must be a staff member; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub seller_id: Patch<UserId>,
    /// Last step of the sales contact with the user; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<ContactStep>)]
    pub contact_step: Patch<ContactStep>,
    /// `updated_at` of the record that the editor read; 409 `stale_record` if the record has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Body of `POST users/{id}/change-grade`. Absent fields keep their value; null clears a field.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UserGradeInput {
    /// Id of the grade; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub grade_id: Patch<GradeId>,
    /// Whether the grade is set manually, so that spending does not change it. Defaults to true for a different grade, to false for
    /// none, and to the current value for the same grade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade_is_manual: Option<bool>,
    /// Whether grades apply to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grades_enabled: Option<bool>,
    /// Whether the discount of the grade applies to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade_discounts_enabled: Option<bool>,
    /// `updated_at` of the record that the editor read; 409 `stale_record` if the record has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Response of `GET` and `POST users/{id}/user-discount`: the individual discount of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserDiscount {
    /// Discount as a fraction: `"0.125"` is 12.5 %, 0 is none.
    pub discount_fraction: Fraction,
    /// Purchases that the discount applies to.
    #[serde(rename = "type")]
    pub kind: DiscountType,
}

/// Body of `POST users/{id}/user-discount`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserDiscountInput {
    /// Discount as a fraction from 0 to 1 with up to three decimals: `"0.125"` is 12.5 %, 0 removes the discount.
    pub discount_fraction: Fraction,
    /// Purchases that the discount applies to.
    #[serde(rename = "type")]
    pub kind: DiscountType,
    /// `updated_at` of the user that the editor read; 409 `stale_record` if the user has changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Body of `POST users/bulk-actions`. Absent fields keep their value; each field requires its own permission.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BulkUsersInput {
    /// 1 to 10,000 ids of users; duplicates count once.
    pub user_ids: Vec<UserId>,
    /// Id of the grade, null for none; requires `manage grades for user`.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub grade_id: Patch<GradeId>,
    /// Id of the account manager, who must be a staff member; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub seller_id: Patch<UserId>,
    /// Last step of the sales contact with the user; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<ContactStep>)]
    pub contact_step: Patch<ContactStep>,
    /// New status; requires the permission to freeze, deactivate or activate users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<UserStatus>,
    /// Individual referral commission, as in `PATCH users/{id}`.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub referral_program_fraction: Patch<Fraction>,
    /// Id of the affiliate who referred the users; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub affiliate_id: Patch<UserId>,
}

crate::json_bodies!(UserInput, SellerInput, UserGradeInput, UserDiscount, UserDiscountInput, BulkUsersInput);

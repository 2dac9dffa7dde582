//! Request bodies that update users.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Fraction;
use crate::common::Patch;
use crate::ids::{GradeId, UserId};
use crate::moment::Stamp;
use crate::users::{Messenger, SellerStatus, UserStatus};

crate::string_enum! {
    /// Last step of the contact with a potential seller.
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

crate::string_enum! {
    /// What the individual discount of a user applies to.
    DiscountType { Orders = "orders", Packages = "packages", All = "all" }
}

/// Body of `PATCH users/{id}`. Absent fields keep their value, null clears. Never balance, roles or permissions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UserInput {
    /// Name, 1 to 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Email address, unique among users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Telegram user name: 5 to 32 letters, digits and underscores; a leading at sign is removed.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub telegram_username: Patch<String>,
    /// All messenger contacts, at most 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messengers: Option<Vec<Messenger>>,
    /// Name of the company.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub company_name: Patch<String>,
    /// Postal address of the company.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub company_address: Patch<String>,
    /// Website of the company, an absolute http(s) URL.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub company_site: Patch<String>,
    /// VAT identification number of the company.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub vat: Patch<String>,
    /// Additional information for staff, free text.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub additional_info: Patch<String>,
    /// Unique affiliate code: 3 to 32 letters, digits, hyphens and underscores.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub affiliate_code: Patch<String>,
    /// Marketing sub-id, which identifies the campaign of the sign-up.
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
    pub referral_program_percent: Patch<Fraction>,
    /// `updated_at` of the record that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `update-seller`. Absent fields keep their value, null clears.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SellerInput {
    /// Status of the contact with a potential seller.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<SellerStatus>)]
    pub seller_status: Patch<SellerStatus>,
    /// Id of the account manager, who must be a staff member.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub seller_id: Patch<UserId>,
    /// Last step of the contact with a potential seller.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<ContactStep>)]
    pub contact_step: Patch<ContactStep>,
    /// `updated_at` of the record that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `change-grade`. Absent fields keep their value, null clears.
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
    /// `updated_at` of the record that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// The individual discount of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserDiscount {
    /// Discount as a fraction, `0.125` for 12.5 %; 0 for none.
    pub percent: Fraction,
    /// What the discount applies to.
    #[serde(rename = "type")]
    pub kind: DiscountType,
}

/// Body of `POST user-discount`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserDiscountInput {
    /// Discount as a fraction, 0 to 1 with three decimals; 0 removes the discount.
    pub percent: Fraction,
    /// What the discount applies to.
    #[serde(rename = "type")]
    pub kind: DiscountType,
    /// `updated_at` of the user that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `users/bulk-actions`. Absent fields keep their value; each field requires its own permission.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BulkUsersInput {
    /// 1 to 10,000 ids of users; duplicates count once.
    pub user_ids: Vec<UserId>,
    /// Id of the grade; requires `manage grades for user`.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub grade_id: Patch<GradeId>,
    /// Id of the account manager.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub seller_id: Patch<UserId>,
    /// Last step of the contact with a potential seller.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<ContactStep>)]
    pub contact_step: Patch<ContactStep>,
    /// Status; requires the permission to freeze, deactivate or activate users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<UserStatus>,
    /// Individual referral commission, as in `PATCH users/{id}`.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub referral_program_percent: Patch<Fraction>,
    /// Id of the affiliate who referred the users.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub affiliate_id: Patch<UserId>,
}

crate::wire!(UserInput, SellerInput, UserGradeInput, UserDiscount, UserDiscountInput, BulkUsersInput);

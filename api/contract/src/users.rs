//! Users: customers, and staff, who are users with a role or permission.

mod inputs;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::affiliates::Affiliate;
use crate::amount::{Fraction, Money};
use crate::common::Named;
use crate::ids::{GradeId, PaymentMethodId, RecordId, RoleId, UserId};
use crate::moment::{Stamp, Time};
use crate::permission::PermissionEntry;

pub use inputs::{
    BulkUsersInput, ContactStep, DiscountType, SellerInput, UserDiscount, UserDiscountInput, UserGradeInput,
    UserInput,
};

crate::string_enum! {
    /// Status of a user: `frozen` users cannot order, `deactivated` users cannot sign in.
    UserStatus { Active = "active", Frozen = "frozen", Deactivated = "deactivated" }
}

crate::string_enum! {
    /// Status of the contact with a potential seller.
    SellerStatus { New = "new", InProgress = "in_progress", Paid = "paid", Cancel = "cancel" }
}

/// A row of the users list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserRow {
    /// Id of the user.
    pub id: UserId,
    /// Display name of the user.
    pub name: String,
    /// Email address of the user.
    pub email: String,
    /// Main balance of the user.
    pub balance: Money,
    /// Charges minus refunds over all orders.
    pub spent: Money,
    /// Status of the user.
    pub status: UserStatus,
    /// When the user signed up.
    pub created_at: Time,
    /// Telegram user name, without the at sign.
    pub telegram_username: Option<String>,
    /// Code with which the user refers customers.
    pub affiliate_code: Option<String>,
    /// Affiliate who referred the user.
    pub affiliate: Option<Named<UserId>>,
    /// Account manager of the user.
    pub manager: Option<Named<UserId>>,
    /// The same value under the name of the specification.
    pub seller: Option<Named<UserId>>,
    /// Grade of the user; absent without the permission to view grades.
    pub grade: Option<Named<GradeId>>,
    /// The same value under the name of the specification.
    pub current_grade: Option<Named<GradeId>>,
    /// Whether the user has individual prices.
    pub user_service_exists: bool,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: UserActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct UserActions {
    /// Whether the caller can call `PATCH users/{id}`.
    pub editable: bool,
    /// Whether the caller can call `POST users/{id}/change-grade`.
    pub gradable: bool,
    /// Whether the caller can call `POST` and `DELETE users/{id}/api-key`.
    pub api_key: bool,
    /// Whether the caller can call `POST users/{id}/freeze`.
    pub freezable: bool,
    /// Whether the caller can call `POST users/{id}/deactivate`.
    pub deactivable: bool,
    /// Whether the caller can call `POST users/{id}/activate`.
    pub activable: bool,
    /// Whether the caller can call `GET users/{id}/data-export`.
    #[serde(default)]
    pub data_exportable: bool,
    /// Whether the caller can call `POST users/{id}/erase`.
    #[serde(default)]
    pub erasable: bool,
    /// Whether the caller can call `PATCH users/{id}/sync-roles-and-permissions`.
    #[serde(default)]
    pub grantable: bool,
}

crate::string_enum! {
    /// Type of record that holds money of a customer.
    HoldKind { Withdrawal = "withdrawal", DripFeed = "drip_feed", Subscription = "subscription" }
}

/// Held money of a customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Hold {
    /// Type of record that holds the money.
    pub kind: HoldKind,
    /// Id of the withdrawal, drip-feed or subscription.
    pub id: RecordId,
    /// Amount on hold, in the panel's currency.
    pub amount: Money,
}

/// A user with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct User {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: UserRow,
    /// Type of the account: `customer` or `seller`.
    pub account_type: String,
    /// When the user was deactivated.
    pub deactivated_at: Option<Time>,
    /// When the user was frozen.
    pub frozen_at: Option<Time>,
    /// When the erasure of the personal data was requested, which cannot be undone.
    #[serde(default)]
    pub erasure_requested_at: Option<Time>,
    /// When the erasure was completed.
    #[serde(default)]
    pub erased_at: Option<Time>,
    /// When the record last changed.
    pub updated_at: Stamp,
    /// Affiliates of the user with their time ranges, latest first.
    pub affiliates: Vec<Affiliate>,
    /// Further messenger contacts.
    pub messengers: Vec<Messenger>,
    /// Name of the company.
    pub company_name: Option<String>,
    /// Postal address of the company.
    pub company_address: Option<String>,
    /// Website of the company.
    pub company_site: Option<String>,
    /// VAT identification number of the company.
    pub vat: Option<String>,
    /// Additional information for staff, free text.
    pub additional_info: Option<String>,
    /// Id of the account manager, repeated for old clients.
    pub seller_id: Option<UserId>,
    /// Status of the contact with a potential seller.
    pub seller_status: Option<SellerStatus>,
    /// Last step of the contact with a potential seller.
    pub contact_step: Option<String>,
    /// Marketing sub-id, which identifies the campaign of the sign-up.
    pub marketing_subid: Option<String>,
    /// Whether the user gets emails about orders.
    pub notify_orders: bool,
    /// Whether the user gets emails about payments.
    pub notify_payments: bool,
    /// Individual referral commission, as a fraction; null for the panel's default.
    pub referral_program_percent: Option<Fraction>,
    /// Effective referral commission: the individual one, or the panel's `default_referral_program_percent`.
    pub effective_referral_program_percent: Fraction,
    /// Balance of earned referral commission.
    pub referral_user_balance: Money,
    /// Balance earned by completing quests.
    pub task_user_balance: Money,
    /// Amount on hold for withdrawals and prepayments, over all balances.
    pub held: Money,
    /// Holds by type and id; the first hundred that the caller may view.
    #[serde(default)]
    pub holds: Vec<Hold>,
    /// Number of placed orders.
    pub orders_count: i64,
    /// Whether staff set the grade manually, so that spending does not change it.
    #[serde(default)]
    pub grade_is_manual: bool,
    /// Whether grades apply to the user.
    pub grades_enabled: bool,
    /// Whether the discount of the grade applies to the user.
    pub grade_discounts_enabled: bool,
    /// Roles of the user; empty for customers.
    pub roles: Vec<Named<RoleId>>,
    /// Permissions that are granted directly; empty for customers.
    pub permissions: Vec<PermissionEntry>,
    /// Assigned payment methods, by position; empty for the defaults of new users, or if the caller lacks `view payment methods`.
    pub payment_methods: Vec<Named<PaymentMethodId>>,
    /// Whether the user has a key for the reseller API.
    pub has_api_key: bool,
    /// When the key was last used, to the minute.
    pub api_key_last_used_at: Option<Time>,
    /// IP address of the last use of the key.
    pub api_key_last_used_ip: Option<String>,
}

/// A messenger contact of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Messenger {
    /// Name of the messenger, such as `whatsapp`.
    pub name: String,
    /// User name or number at the messenger.
    pub value: String,
}

/// Query of `GET users/search`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct UserSearchQuery {
    /// Part of a name or email address, or an id.
    #[serde(default)]
    pub query: String,
}

/// A user for pickers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserHit {
    /// Id of the user.
    pub id: UserId,
    /// Display name of the user.
    pub name: String,
    /// Email address of the user.
    pub email: String,
}

crate::plain_query!(UserSearchQuery);
crate::wire!(User);

//! Users: customers and staff. A staff member is a user with a role or permission.

mod inputs;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::affiliates::Affiliate;
use crate::amount::{Fraction, Money};
use crate::common::NamedRef;
use crate::ids::{GradeId, PaymentMethodId, RecordId, RoleId, UserId};
use crate::moment::{Time, Timestamp};
use crate::permission::PermissionInfo;

pub use inputs::{
    BulkUsersInput, ContactStep, DiscountType, SellerInput, UserDiscount, UserDiscountInput, UserGradeInput,
    UserInput,
};

crate::string_enum! {
    /// Status of a user: `frozen` users cannot order, `deactivated` users cannot sign in.
    UserStatus { Active = "active", Frozen = "frozen", Deactivated = "deactivated" }
}

crate::string_enum! {
    /// Status of the sales contact with a user.
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
    /// Main balance of the user, in the panel's currency.
    pub balance: Money,
    /// Charges minus refunds over all orders, in the panel's currency.
    pub spent: Money,
    /// Status of the user.
    pub status: UserStatus,
    /// When the user signed up.
    pub created_at: Time,
    /// Telegram user name without the at sign; null if there is none.
    pub telegram_username: Option<String>,
    /// Code with which the user refers customers; null if there is none.
    pub affiliate_code: Option<String>,
    /// Current affiliate, who referred the user, by id and name; null if there is none.
    pub affiliate: Option<NamedRef<UserId>>,
    /// Account manager of the user, by id and name; null if there is none.
    pub manager: Option<NamedRef<UserId>>,
    /// The same value as `manager`, under the name of the specification.
    pub seller: Option<NamedRef<UserId>>,
    /// Grade of the user, by id and name; null if there is none, or if the caller lacks the permission to view grades.
    pub grade: Option<NamedRef<GradeId>>,
    /// The same value as `grade`, under the name of the specification.
    pub current_grade: Option<NamedRef<GradeId>>,
    /// Whether the user has individual prices or refill settings for a service.
    pub user_service_exists: bool,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: UserActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct UserActions {
    /// Whether the caller can send `PATCH users/{id}`.
    pub editable: bool,
    /// Whether the caller can send `POST users/{id}/change-grade`.
    pub gradable: bool,
    /// Whether the caller can send `POST` and `DELETE users/{id}/api-key`.
    pub api_key: bool,
    /// Whether the caller can send `POST users/{id}/freeze`.
    pub freezable: bool,
    /// Whether the caller can send `POST users/{id}/deactivate`.
    pub deactivable: bool,
    /// Whether the caller can send `POST users/{id}/activate`.
    pub activable: bool,
    /// Whether the caller can send `GET users/{id}/data-export`.
    #[serde(default)]
    pub data_exportable: bool,
    /// Whether the caller can send `POST users/{id}/erase`.
    #[serde(default)]
    pub erasable: bool,
    /// Whether the caller can send `PATCH users/{id}/sync-roles-and-permissions`.
    #[serde(default)]
    pub grantable: bool,
}

crate::string_enum! {
    /// Type of record that holds money of a customer.
    HoldKind { Withdrawal = "withdrawal", DripFeed = "drip_feed", Subscription = "subscription" }
}

/// Money of a customer that a withdrawal or prepayment holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Hold {
    /// Type of record that holds the money.
    pub kind: HoldKind,
    /// Id of the withdrawal, drip-feed or subscription that holds the money.
    pub id: RecordId,
    /// Amount on hold, in the panel's currency.
    pub amount: Money,
}

/// A user with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct User {
    /// Fields of a row of the users list.
    #[serde(flatten)]
    pub row: UserRow,
    /// Type of the account: `customer`, `seller` or `child_panel`.
    pub account_type: String,
    /// When the user was deactivated; null unless the user is deactivated.
    pub deactivated_at: Option<Time>,
    /// When the user was frozen; null unless the user is frozen.
    pub frozen_at: Option<Time>,
    /// When the erasure of the personal data was requested; null if no erasure was requested. The request cannot be undone.
    #[serde(default)]
    pub erasure_requested_at: Option<Time>,
    /// When the erasure was completed; null until then.
    #[serde(default)]
    pub erased_at: Option<Time>,
    /// When the record last changed.
    pub updated_at: Timestamp,
    /// Affiliates of the user with their time ranges, latest first.
    pub affiliates: Vec<Affiliate>,
    /// Contacts of the user at messengers other than Telegram.
    pub messengers: Vec<Messenger>,
    /// Name of the company of the user; null if there is none.
    pub company_name: Option<String>,
    /// Postal address of the company; null if there is none.
    pub company_address: Option<String>,
    /// URL of the website of the company; null if there is none.
    pub company_site: Option<String>,
    /// VAT identification number of the company; null if there is none.
    pub vat: Option<String>,
    /// Additional information that only staff see; null if there is none.
    pub additional_info: Option<String>,
    /// Id of `manager`, for old clients; null if there is none.
    pub seller_id: Option<UserId>,
    /// Status of the sales contact with the user; null if there is none.
    pub seller_status: Option<SellerStatus>,
    /// Last step of the sales contact with the user; null if there is none.
    pub contact_step: Option<String>,
    /// Marketing sub-id, which identifies the campaign that the user came from; null if there is none.
    pub marketing_subid: Option<String>,
    /// Whether the user gets emails about orders.
    pub notify_orders: bool,
    /// Whether the user gets emails about payments.
    pub notify_payments: bool,
    /// Individual referral commission, as a fraction; null for the panel's default.
    pub referral_program_fraction: Option<Fraction>,
    /// Effective referral commission: the individual one, or the panel's `default_referral_program_fraction`.
    pub effective_referral_program_fraction: Fraction,
    /// Balance of earned referral commission, in the panel's currency.
    pub referral_user_balance: Money,
    /// Balance that the user earned with tasks, in the panel's currency.
    pub task_user_balance: Money,
    /// Amount on hold for withdrawals and prepayments, over all balances, in the panel's currency.
    pub held_amount: Money,
    /// Records that hold this amount, sorted by type and id; only the first 100 that the caller may view.
    #[serde(default)]
    pub holds: Vec<Hold>,
    /// Number of orders that the user has placed.
    pub orders_count: i64,
    /// Whether staff set the grade manually, so that spending does not change it.
    #[serde(default)]
    pub grade_is_manual: bool,
    /// Whether grades apply to the user.
    pub grades_enabled: bool,
    /// Whether the discount of the grade applies to the user.
    pub grade_discounts_enabled: bool,
    /// Roles of the user, by id and name; empty for customers.
    pub roles: Vec<NamedRef<RoleId>>,
    /// Permissions that are granted directly; empty for customers.
    pub permissions: Vec<PermissionInfo>,
    /// Assigned payment methods, by position; empty for the defaults of new users, or if the caller lacks `view payment methods`.
    pub payment_methods: Vec<NamedRef<PaymentMethodId>>,
    /// Whether the user has a key for the reseller API.
    pub has_api_key: bool,
    /// When the key was last used, to the minute; null if it was never used.
    pub api_key_last_used_at: Option<Time>,
    /// IP address of the last use of the key; null if it was never used.
    pub api_key_last_used_ip: Option<String>,
}

/// A contact of a user at a messenger.
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
    /// Part of a name or email address, or an id, to search for.
    #[serde(default)]
    pub query: String,
}

/// A user in the result of a search, for search fields in user interfaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserSearchResult {
    /// Id of the user.
    pub id: UserId,
    /// Display name of the user.
    pub name: String,
    /// Email address of the user.
    pub email: String,
}

crate::serde_queries!(UserSearchQuery);
crate::json_bodies!(User);

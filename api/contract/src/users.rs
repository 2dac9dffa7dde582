//! Customers (and staff, who are users with a role or permission) as they cross the wire; inputs beside them.

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

crate::words! {
    /// Whether a user may sign in and order.
    UserStatus { Active = "active", Frozen = "frozen", Deactivated = "deactivated" }
}

crate::words! {
    /// Where the talk with a possible seller stands.
    SellerStatus { New = "new", InProgress = "in_progress", Paid = "paid", Cancel = "cancel" }
}

/// One row of the users list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserRow {
    /// The user's id.
    pub id: UserId,
    /// Name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// Main balance.
    pub balance: Money,
    /// Charged minus returned, over all orders.
    pub spent: Money,
    /// Whether they may sign in and order.
    pub status: UserStatus,
    /// When they signed up.
    pub created_at: Time,
    /// Telegram name, without the at sign.
    pub telegram_username: Option<String>,
    /// The code they bring customers with.
    pub affiliate_code: Option<String>,
    /// Who brought them.
    pub affiliate: Option<Named<UserId>>,
    /// The manager who looks after them.
    pub manager: Option<Named<UserId>>,
    /// The same, by the name of the specification.
    pub seller: Option<Named<UserId>>,
    /// Their grade; absent without the permission to view grades.
    pub grade: Option<Named<GradeId>>,
    /// The same, by the name of the specification.
    pub current_grade: Option<Named<GradeId>>,
    /// Whether they have a price of their own.
    pub user_service_exists: bool,
    /// What the caller may do now.
    pub actions: UserActions,
}

/// What the caller may do with a user now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct UserActions {
    /// `PATCH users/{id}`.
    pub editable: bool,
    /// `POST users/{id}/change-grade`.
    pub gradable: bool,
    /// `POST` and `DELETE users/{id}/api-key`.
    pub api_key: bool,
    /// `POST users/{id}/freeze`.
    pub freezable: bool,
    /// `POST users/{id}/deactivate`.
    pub deactivable: bool,
    /// `POST users/{id}/activate`.
    pub activable: bool,
    /// `GET users/{id}/data-export`.
    #[serde(default)]
    pub data_exportable: bool,
    /// `POST users/{id}/erase`.
    #[serde(default)]
    pub erasable: bool,
    /// `PATCH users/{id}/sync-roles-and-permissions`.
    #[serde(default)]
    pub grantable: bool,
}

crate::words! {
    /// What holds money of a customer.
    HoldKind { Withdrawal = "withdrawal", DripFeed = "drip_feed", Subscription = "subscription" }
}

/// Money of a customer that something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Hold {
    /// Kind of record that holds the money.
    pub kind: HoldKind,
    /// The id of that withdrawal, drip-feed or subscription.
    pub id: RecordId,
    /// Held amount.
    pub amount: Money,
}

/// One user with everything about them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct User {
    /// What the list shows.
    #[serde(flatten)]
    pub row: UserRow,
    /// `customer` or `seller`.
    pub account_type: String,
    /// When they were deactivated.
    pub deactivated_at: Option<Time>,
    /// When they were frozen.
    pub frozen_at: Option<Time>,
    /// When the erasure of their personal data was requested; nothing of it can be undone.
    #[serde(default)]
    pub erasure_requested_at: Option<Time>,
    /// When the last record of that erasure was done.
    #[serde(default)]
    pub erased_at: Option<Time>,
    /// When the record last changed.
    pub updated_at: Stamp,
    /// Who brought them and when it counts, the latest first.
    pub affiliates: Vec<Affiliate>,
    /// Other messengers.
    pub messengers: Vec<Messenger>,
    /// Company.
    pub company_name: Option<String>,
    /// Company address.
    pub company_address: Option<String>,
    /// Company site.
    pub company_site: Option<String>,
    /// VAT number.
    pub vat: Option<String>,
    /// Anything else.
    pub additional_info: Option<String>,
    /// The manager's id, once more for old clients.
    pub seller_id: Option<UserId>,
    /// Where the talk stands.
    pub seller_status: Option<SellerStatus>,
    /// The last step of the talk.
    pub contact_step: Option<String>,
    /// Marketing mark.
    pub marketing_subid: Option<String>,
    /// Mail about orders.
    pub notify_orders: bool,
    /// Mail about payments.
    pub notify_payments: bool,
    /// Share of what referred customers spend; null for the panel's default.
    pub referral_program_percent: Option<Fraction>,
    /// The share that counts for them: their own, else the panel's `default_referral_program_percent`.
    pub effective_referral_program_percent: Fraction,
    /// Balance earned by referrals.
    pub referral_user_balance: Money,
    /// Balance earned by quests.
    pub task_user_balance: Money,
    /// Held for withdrawals and for what was paid ahead, all balances.
    pub held: Money,
    /// What it is held for, by kind and id; the first hundred of those that the caller may view.
    #[serde(default)]
    pub holds: Vec<Hold>,
    /// How many orders they placed.
    pub orders_count: i64,
    /// Whether staff set the grade by hand: spending never changes it then.
    #[serde(default)]
    pub grade_is_manual: bool,
    /// Whether grades count for them.
    pub grades_enabled: bool,
    /// Whether the grade's discount counts for them.
    pub grade_discounts_enabled: bool,
    /// Roles (staff).
    pub roles: Vec<Named<RoleId>>,
    /// Permissions held directly (staff).
    pub permissions: Vec<PermissionEntry>,
    /// The payment methods they are offered, by position; empty: those that new users have, or the caller lacks
    /// `view payment methods`.
    pub payment_methods: Vec<Named<PaymentMethodId>>,
    /// Whether they have a key to the reseller API.
    pub has_api_key: bool,
    /// When that key was last used, to the minute.
    pub api_key_last_used_at: Option<Time>,
    /// From where.
    pub api_key_last_used_ip: Option<String>,
}

/// A way to reach somebody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Messenger {
    /// Such as `whatsapp`.
    pub name: String,
    /// The name or number there.
    pub value: String,
}

/// Query of `GET users/search`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct UserSearchQuery {
    /// Part of a name or e-mail, or an id.
    #[serde(default)]
    pub query: String,
}

/// One row of a picker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserHit {
    /// The user's id.
    pub id: UserId,
    /// Name.
    pub name: String,
    /// E-mail address.
    pub email: String,
}

crate::plain_query!(UserSearchQuery);
crate::wire!(User);

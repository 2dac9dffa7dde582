//! Declares every table that holds data of customers: its exported fields, and what an erasure does with it. A test compares the
//! list with the schema and with the data inventory of docs/security.md, so that no new table is forgotten. No I/O.

use panel_contract::personal_data::ErasureTreatment;

use crate::operations::personal_data::exported::{self, Field};

/// How the records of a customer are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOwner {
    /// By a column with the customer's id; the table's key is `id`.
    Column(&'static str),
    /// By a column with the customer's id, in a table without `id`. A customer has only a few records, so they are one batch.
    Few(&'static str),
    /// Through a parent table with `user_id`: the parent table, and the column with the parent's id.
    Parent(&'static str, &'static str),
    /// Through records of the customer in another table: that table, and its column with the id of these records.
    Through(&'static str, &'static str),
    /// By the contents of each record, because the table has no column with the customer's id.
    Contents,
    /// By the customer's email address, in the transaction of the request.
    Address,
}

/// The value that an erasure writes into a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blank {
    Null,
    /// [`MARK`].
    Mark,
    /// [`MARK`] unless the column is NULL.
    MarkWhereSet,
    EmptyList,
    /// A different address for each record, because some columns are unique.
    Address,
    /// The same unless the column is NULL.
    AddressWhereSet,
}

/// The replacement of an erased text.
pub const MARK: &str = "erased";

/// What an erasure does with the records of a table.
#[derive(Debug, Clone, Copy)]
pub enum Treatment {
    /// The records and their files are deleted.
    Removed,
    /// These columns are overwritten.
    Overwritten(&'static [(&'static str, Blank)]),
    /// The transaction of the request overwrites these columns, because it closes the account.
    WithRequest(&'static [&'static str]),
    /// The records are kept for this reason.
    Kept(&'static str),
}

impl Treatment {
    /// Its value in the API.
    #[must_use]
    pub const fn treatment(&self) -> ErasureTreatment {
        match self {
            Self::Removed => ErasureTreatment::Removed,
            Self::Overwritten(_) | Self::WithRequest(_) => ErasureTreatment::Overwritten,
            Self::Kept(_) => ErasureTreatment::Kept,
        }
    }

    /// The fields that it overwrites.
    #[must_use]
    pub fn fields(&self) -> Vec<String> {
        match self {
            Self::Overwritten(columns) => columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
            Self::WithRequest(columns) => columns.iter().map(|name| (*name).to_owned()).collect(),
            Self::Removed | Self::Kept(_) => Vec::new(),
        }
    }
}

/// A table that holds data of customers.
#[derive(Debug, Clone, Copy)]
pub struct PersonalTable {
    pub table: &'static str,
    pub owner: RowOwner,
    /// Exported columns. Empty if the records are copies of others, or mean nothing to a person.
    pub fields: &'static [Field],
    pub erasure: Treatment,
}

const fn table(
    table: &'static str,
    owner: RowOwner,
    fields: &'static [Field],
    erasure: Treatment,
) -> PersonalTable {
    PersonalTable { table, owner, fields, erasure }
}

const USER: RowOwner = RowOwner::Column("user_id");
const USER_WITHOUT_ID: RowOwner = RowOwner::Few("user_id");
const OF_ORDER: RowOwner = RowOwner::Parent("orders", "order_id");
const MONEY: &str = "Money records are kept; the customer is then only an id.";
const TERMS: &str = "Terms without personal texts; earlier prices and commissions depend on them.";

/// All tables with data of customers, in the order of an erasure: first the records that give access to the account.
pub static PERSONAL: &[PersonalTable] = &[
    table(
        "users",
        RowOwner::Column("id"),
        exported::USERS,
        Treatment::WithRequest(&[
            "name",
            "email",
            "password_hash",
            "telegram_username",
            "messengers",
            "company_name",
            "company_address",
            "company_site",
            "vat",
            "additional_info",
            "affiliate_code",
            "contact_step",
            "marketing_subid",
            "totp_secret",
        ]),
    ),
    table("sessions", USER, exported::SESSIONS, Treatment::Removed),
    table("api_keys", USER_WITHOUT_ID, exported::API_KEYS, Treatment::Removed),
    table("recovery_codes", USER_WITHOUT_ID, &[], Treatment::Removed),
    table("handoff_codes", USER_WITHOUT_ID, &[], Treatment::Removed),
    table("passkeys", USER, exported::PASSKEYS, Treatment::Removed),
    table("account_links", USER_WITHOUT_ID, &[], Treatment::Removed),
    table("authenticator_enrolments", USER_WITHOUT_ID, &[], Treatment::Removed),
    table("passkey_ceremonies", USER_WITHOUT_ID, &[], Treatment::Removed),
    table("usual_networks", USER_WITHOUT_ID, exported::USUAL_NETWORKS, Treatment::Removed),
    table("login_throttle", RowOwner::Address, &[], Treatment::Removed),
    table("verification_documents", USER, exported::VERIFICATION_DOCUMENTS, Treatment::Removed),
    table("saved_views", USER, exported::SAVED_VIEWS, Treatment::Removed),
    table("notification_recipients", USER_WITHOUT_ID, &[], Treatment::Removed),
    table("order_widgets", USER, exported::ORDER_WIDGETS, Treatment::Overwritten(&[("name", Blank::Mark)])),
    table(
        "withdrawals",
        USER,
        exported::WITHDRAWALS,
        Treatment::Overwritten(&[
            ("account_number", Blank::Mark),
            ("user_comment", Blank::Null),
            ("admin_note", Blank::MarkWhereSet),
        ]),
    ),
    table(
        "free_trials",
        USER,
        exported::FREE_TRIALS,
        Treatment::Overwritten(&[("url", Blank::Address), ("proof_url", Blank::AddressWhereSet)]),
    ),
    table(
        "subscription_contents",
        RowOwner::Parent("subscriptions", "subscription_id"),
        exported::SUBSCRIPTION_CONTENTS,
        Treatment::Overwritten(&[("url", Blank::Address), ("last_error", Blank::MarkWhereSet)]),
    ),
    table(
        "subscriptions",
        USER,
        exported::SUBSCRIPTIONS,
        Treatment::Overwritten(&[
            ("name", Blank::Mark),
            ("url", Blank::Address),
            ("look_error", Blank::MarkWhereSet),
            ("wait_reason", Blank::MarkWhereSet),
        ]),
    ),
    table(
        "drip_feeds",
        USER,
        exported::DRIP_FEEDS,
        Treatment::Overwritten(&[
            ("url", Blank::Address),
            ("answers", Blank::EmptyList),
            ("last_error", Blank::MarkWhereSet),
        ]),
    ),
    table("combo_orders", USER, exported::COMBO_ORDERS, Treatment::Overwritten(&[("url", Blank::Address)])),
    table(
        "order_targetable_values",
        OF_ORDER,
        exported::ORDER_TARGETABLE_VALUES,
        Treatment::Overwritten(&[("value", Blank::Mark)]),
    ),
    table(
        "external_panel_orders",
        OF_ORDER,
        exported::EXTERNAL_PANEL_ORDERS,
        Treatment::Overwritten(&[
            ("last_request", Blank::MarkWhereSet),
            ("last_answer", Blank::MarkWhereSet),
            ("last_error", Blank::MarkWhereSet),
            ("unknown_message", Blank::MarkWhereSet),
        ]),
    ),
    table(
        "orders",
        USER,
        exported::ORDERS,
        Treatment::Overwritten(&[
            ("url", Blank::Address),
            ("comment", Blank::MarkWhereSet),
            ("seo_keyword", Blank::MarkWhereSet),
            ("keyword", Blank::MarkWhereSet),
            ("cancel_description", Blank::MarkWhereSet),
            ("promotable_embed_url", Blank::AddressWhereSet),
        ]),
    ),
    table("webhook_deliveries", RowOwner::Contents, &[], Treatment::Removed),
    table("webhook_events", RowOwner::Contents, &[], Treatment::Removed),
    table("jobs", RowOwner::Contents, &[], Treatment::Removed),
    table("invoices", USER, exported::INVOICES, Treatment::Kept(MONEY)),
    table("coupon_usages", USER, exported::COUPON_USAGES, Treatment::Kept(MONEY)),
    table("ledger_entries", USER, exported::LEDGER_ENTRIES, Treatment::Kept(MONEY)),
    table(
        "ledger_txns",
        RowOwner::Through("ledger_entries", "txn_id"),
        exported::LEDGER_TXNS,
        Treatment::Kept("The ledger is append-only, including the comments of staff on manual entries."),
    ),
    table(
        "order_cancel_requests",
        OF_ORDER,
        exported::ORDER_CANCEL_REQUESTS,
        Treatment::Kept("Time and result of a cancellation request, without a text of the customer."),
    ),
    table(
        "user_affiliates",
        RowOwner::Column("referral_id"),
        exported::USER_AFFILIATES,
        Treatment::Kept(TERMS),
    ),
    table("user_discounts", USER_WITHOUT_ID, exported::USER_DISCOUNTS, Treatment::Kept(TERMS)),
    table("user_services", USER, exported::USER_SERVICES, Treatment::Kept(TERMS)),
    table("user_payment_methods", USER_WITHOUT_ID, exported::USER_PAYMENT_METHODS, Treatment::Kept(TERMS)),
    table(
        "coupons",
        RowOwner::Column("affiliate_id"),
        exported::COUPONS,
        Treatment::Kept("Coupon codes of the panel that are assigned to an affiliate; usages refer to them."),
    ),
    table(
        "audits",
        USER,
        exported::AUDITS,
        Treatment::Kept(
            "The audit trail is append-only and sealed: former values stay in it, visible with \"view audits\" only.",
        ),
    ),
    table(
        "idempotency",
        RowOwner::Contents,
        &[],
        Treatment::Kept("Deleted automatically a week after each request."),
    ),
    table(
        "erasures",
        USER_WITHOUT_ID,
        &[],
        Treatment::Kept("The erasure itself; deleted with its last step."),
    ),
];

/// Tables without data of customers: catalogue, external panels, staff and counts. Together with [`PERSONAL`] these are all tables.
pub static WITHOUT: &[&str] = &[
    "access_version",
    "account_requests",
    "advances",
    "audit_seals",
    "auto_promotion_networks",
    "auto_promotion_types",
    "auto_promotions",
    "banner_informations",
    "banners",
    "call_paces",
    "change_logs",
    "claimed_batches",
    "custom_menu_items",
    "discount_services",
    "discounts",
    "external_panel_payments",
    "external_panel_services",
    "external_panels",
    "free_trial_quests",
    "grades",
    "import_rules",
    "labels",
    "manual_credits",
    "menu_items",
    "networks",
    "notification_switches",
    "order_balance_payments",
    "order_counters",
    "order_day_deltas",
    "order_days",
    "order_price_modifications",
    "order_refill_requests",
    "package_contents",
    "packages",
    "panel_pages",
    "payment_method_bonuses",
    "payment_methods",
    "processes",
    "promotable_checker_groups",
    "promotable_statistics",
    "provider_package_contents",
    "provider_packages",
    "provider_statistics",
    "providers",
    "quarantine",
    "retention_marks",
    "role_permissions",
    "roles",
    "row_count_deltas",
    "row_counts",
    "service_labels",
    "service_paces",
    "service_providers",
    "service_targets",
    "service_types",
    "services",
    "settings",
    "special_offer_services",
    "special_offer_types",
    "special_offers",
    "subscription_services",
    "sync_changes",
    "sync_runs",
    "target_types",
    "targets",
    "translations",
    "user_order_count_deltas",
    "user_order_counts",
    "user_permissions",
    "user_roles",
    "webhooks",
];

#[must_use]
pub fn by_name(name: &str) -> Option<&'static PersonalTable> {
    PERSONAL.iter().find(|of| of.table == name)
}

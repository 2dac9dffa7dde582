//! Declares every table that holds data of customers, with its exported fields, and how an erasure treats its records. A test
//! compares the declarations with the schema and with the data inventory of docs/security.md, so that no new table is forgotten.

use panel_contract::personal_data::ErasureTreatment;

use crate::operations::personal_data::export_fields::{self, ExportField};

/// How the records of a customer are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOwner {
    /// By a column with the id of the customer. The key of the table is `id`.
    Column(&'static str),
    /// By a column with the id of the customer, in a table without `id`. A customer has only a few such records, so all of them are
    /// one batch.
    ColumnWithoutId(&'static str),
    /// By the id of a parent record that has a `user_id`. Holds the parent table, and the column of this table with the id of the
    /// parent.
    Parent(&'static str, &'static str),
    /// By references from another table that has a `user_id`. Holds this other table, and its column with the ids of these records.
    Through(&'static str, &'static str),
    /// By the contents of each record, because the table has no column with the id of the customer.
    Contents,
    /// By the email address of the customer, in the transaction of the request.
    Address,
}

/// The value that an erasure writes into a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    Null,
    /// [`ERASED_TEXT`].
    ErasedText,
    /// [`ERASED_TEXT`] unless the column is NULL.
    ErasedTextWhereSet,
    EmptyList,
    /// A different URL for each record, because some columns are unique.
    Address,
    /// Like `Address`, unless the column is NULL.
    AddressWhereSet,
}

pub const ERASED_TEXT: &str = "erased";

/// How an erasure treats the records of a table.
#[derive(Debug, Clone, Copy)]
pub enum Treatment {
    /// The worker deletes the records and their files.
    Removed,
    /// The worker overwrites these columns.
    Overwritten(&'static [(&'static str, Replacement)]),
    /// The transaction of the request overwrites these columns, because it also closes the account.
    OverwrittenByRequest(&'static [&'static str]),
    /// The records stay, for this reason.
    Kept(&'static str),
}

impl Treatment {
    /// Returns the value of the treatment in the API.
    #[must_use]
    pub const fn api_value(&self) -> ErasureTreatment {
        match self {
            Self::Removed => ErasureTreatment::Removed,
            Self::Overwritten(_) | Self::OverwrittenByRequest(_) => ErasureTreatment::Overwritten,
            Self::Kept(_) => ErasureTreatment::Kept,
        }
    }

    #[must_use]
    pub fn overwritten_fields(&self) -> Vec<String> {
        match self {
            Self::Overwritten(columns) => columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
            Self::OverwrittenByRequest(columns) => columns.iter().map(|name| (*name).to_owned()).collect(),
            Self::Removed | Self::Kept(_) => Vec::new(),
        }
    }
}

/// A table that holds data of customers.
#[derive(Debug, Clone, Copy)]
pub struct PersonalTable {
    pub table: &'static str,
    pub owner: RowOwner,
    /// Exported columns. Empty if the records are copies of other records, or if they contain no information for the customer.
    pub fields: &'static [ExportField],
    pub erasure: Treatment,
}

const fn table(
    table: &'static str,
    owner: RowOwner,
    fields: &'static [ExportField],
    erasure: Treatment,
) -> PersonalTable {
    PersonalTable { table, owner, fields, erasure }
}

const USER: RowOwner = RowOwner::Column("user_id");
const USER_WITHOUT_ID: RowOwner = RowOwner::ColumnWithoutId("user_id");
const OF_ORDER: RowOwner = RowOwner::Parent("orders", "order_id");
const MONEY: &str = "Money records are kept; the customer is then only an id.";
const TERMS: &str = "Terms without personal texts; earlier prices and commissions depend on them.";

/// All tables with data of customers, in the order of an erasure: first the records that give access to the account.
pub static PERSONAL_TABLES: &[PersonalTable] = &[
    table(
        "users",
        RowOwner::Column("id"),
        export_fields::USERS,
        Treatment::OverwrittenByRequest(&[
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
    table("sessions", USER, export_fields::SESSIONS, Treatment::Removed),
    table("api_keys", USER_WITHOUT_ID, export_fields::API_KEYS, Treatment::Removed),
    table("recovery_codes", USER_WITHOUT_ID, &[], Treatment::Removed),
    table("handoff_codes", USER_WITHOUT_ID, &[], Treatment::Removed),
    table("passkeys", USER, export_fields::PASSKEYS, Treatment::Removed),
    table("account_links", USER_WITHOUT_ID, &[], Treatment::Removed),
    table("authenticator_enrolments", USER_WITHOUT_ID, &[], Treatment::Removed),
    table("passkey_ceremonies", USER_WITHOUT_ID, &[], Treatment::Removed),
    table("user_login_networks", USER_WITHOUT_ID, export_fields::USUAL_NETWORKS, Treatment::Removed),
    table("login_throttle", RowOwner::Address, &[], Treatment::Removed),
    table("verification_documents", USER, export_fields::VERIFICATION_DOCUMENTS, Treatment::Removed),
    table("saved_views", USER, export_fields::SAVED_VIEWS, Treatment::Removed),
    table("notification_recipients", USER_WITHOUT_ID, &[], Treatment::Removed),
    table(
        "order_widgets",
        USER,
        export_fields::ORDER_WIDGETS,
        Treatment::Overwritten(&[("name", Replacement::ErasedText)]),
    ),
    table(
        "withdrawals",
        USER,
        export_fields::WITHDRAWALS,
        Treatment::Overwritten(&[
            ("account_number", Replacement::ErasedText),
            ("user_comment", Replacement::Null),
            ("admin_note", Replacement::ErasedTextWhereSet),
        ]),
    ),
    table(
        "free_trials",
        USER,
        export_fields::FREE_TRIALS,
        Treatment::Overwritten(&[("url", Replacement::Address), ("proof_url", Replacement::AddressWhereSet)]),
    ),
    table(
        "subscription_contents",
        RowOwner::Parent("subscriptions", "subscription_id"),
        export_fields::SUBSCRIPTION_CONTENTS,
        Treatment::Overwritten(&[
            ("url", Replacement::Address),
            ("last_error", Replacement::ErasedTextWhereSet),
        ]),
    ),
    table(
        "subscriptions",
        USER,
        export_fields::SUBSCRIPTIONS,
        Treatment::Overwritten(&[
            ("name", Replacement::ErasedText),
            ("url", Replacement::Address),
            ("poll_error", Replacement::ErasedTextWhereSet),
            ("wait_reason", Replacement::ErasedTextWhereSet),
        ]),
    ),
    table(
        "drip_feeds",
        USER,
        export_fields::DRIP_FEEDS,
        Treatment::Overwritten(&[
            ("url", Replacement::Address),
            ("answers", Replacement::EmptyList),
            ("last_error", Replacement::ErasedTextWhereSet),
        ]),
    ),
    table(
        "combo_orders",
        USER,
        export_fields::COMBO_ORDERS,
        Treatment::Overwritten(&[("url", Replacement::Address)]),
    ),
    table(
        "order_targetable_values",
        OF_ORDER,
        export_fields::ORDER_TARGETABLE_VALUES,
        Treatment::Overwritten(&[("value", Replacement::ErasedText)]),
    ),
    table(
        "external_panel_orders",
        OF_ORDER,
        export_fields::EXTERNAL_PANEL_ORDERS,
        Treatment::Overwritten(&[
            ("last_request", Replacement::ErasedTextWhereSet),
            ("last_response", Replacement::ErasedTextWhereSet),
            ("last_error", Replacement::ErasedTextWhereSet),
            ("unknown_message", Replacement::ErasedTextWhereSet),
        ]),
    ),
    table(
        "orders",
        USER,
        export_fields::ORDERS,
        Treatment::Overwritten(&[
            ("url", Replacement::Address),
            ("comment", Replacement::ErasedTextWhereSet),
            ("seo_keyword", Replacement::ErasedTextWhereSet),
            ("keyword", Replacement::ErasedTextWhereSet),
            ("cancel_description", Replacement::ErasedTextWhereSet),
            ("promotable_embed_url", Replacement::AddressWhereSet),
        ]),
    ),
    table("webhook_deliveries", RowOwner::Contents, &[], Treatment::Removed),
    table("webhook_events", RowOwner::Contents, &[], Treatment::Removed),
    table("jobs", RowOwner::Contents, &[], Treatment::Removed),
    table("invoices", USER, export_fields::INVOICES, Treatment::Kept(MONEY)),
    table("coupon_usages", USER, export_fields::COUPON_USAGES, Treatment::Kept(MONEY)),
    table("ledger_entries", USER, export_fields::LEDGER_ENTRIES, Treatment::Kept(MONEY)),
    table(
        "ledger_txns",
        RowOwner::Through("ledger_entries", "txn_id"),
        export_fields::LEDGER_TXNS,
        Treatment::Kept("The ledger is append-only, including the comments of staff on manual entries."),
    ),
    table(
        "order_cancel_requests",
        OF_ORDER,
        export_fields::ORDER_CANCEL_REQUESTS,
        Treatment::Kept("Time and result of a cancellation request, without a text of the customer."),
    ),
    table(
        "user_affiliates",
        RowOwner::Column("referral_id"),
        export_fields::USER_AFFILIATES,
        Treatment::Kept(TERMS),
    ),
    table("user_discounts", USER_WITHOUT_ID, export_fields::USER_DISCOUNTS, Treatment::Kept(TERMS)),
    table("user_services", USER, export_fields::USER_SERVICES, Treatment::Kept(TERMS)),
    table(
        "user_payment_methods",
        USER_WITHOUT_ID,
        export_fields::USER_PAYMENT_METHODS,
        Treatment::Kept(TERMS),
    ),
    table(
        "coupons",
        RowOwner::Column("affiliate_id"),
        export_fields::COUPONS,
        Treatment::Kept("Coupon codes of the panel that are assigned to an affiliate; usages refer to them."),
    ),
    table(
        "audits",
        USER,
        export_fields::AUDITS,
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

/// Tables without data of customers: catalogue, external panels, staff and counts. Together with [`PERSONAL_TABLES`] these are all
/// tables.
pub static TABLES_WITHOUT_PERSONAL_DATA: &[&str] = &[
    "access_version",
    "account_requests",
    "advances",
    "audit_seals",
    "auto_promotion_networks",
    "auto_promotion_types",
    "auto_promotions",
    "banner_informations",
    "banners",
    "shared_schedules",
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
    "retention_cutoffs",
    "role_permissions",
    "roles",
    "row_count_deltas",
    "row_counts",
    "service_labels",
    "late_thresholds",
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
    PERSONAL_TABLES.iter().find(|table| table.table == name)
}

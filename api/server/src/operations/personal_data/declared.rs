//! Every table that holds data of customers, declared once: what an export shows of it, and what an erasure does with it.
//! A test compares the list with the schema and with the data inventory of docs/security.md, so that a new table cannot be
//! forgotten. Nothing here reads or writes.

use panel_contract::personal_data::ErasureTreatment;

use crate::operations::personal_data::exported::{self, Field};

/// How the records of a customer are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// By a column that names the customer; the table's key is `id`.
    Column(&'static str),
    /// The same in a table without `id`, of which a customer has a few records.
    Few(&'static str),
    /// Through a parent, whose records the customer owns by `user_id`: parent and the column that names it.
    Parent(&'static str, &'static str),
    /// Through records of the customer that name them: those records' table and the column there.
    Through(&'static str, &'static str),
    /// By the contents of each record: the outbox keeps no customer's id.
    Contents,
    /// By the customer's e-mail address, in one statement with the request.
    Address,
}

/// What an erasure writes into a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blank {
    /// NULL.
    Null,
    /// [`MARK`].
    Mark,
    /// [`MARK`], where there is a text.
    MarkWhereSet,
    /// An empty JSON list.
    EmptyList,
    /// An address of its own for each record, as some are unique.
    Address,
    /// The same, where there is one.
    AddressWhereSet,
}

/// What stands for an erased text.
pub const MARK: &str = "erased";

/// What an erasure does.
#[derive(Debug, Clone, Copy)]
pub enum Treatment {
    /// The records go, with their files.
    Removed,
    /// These columns are overwritten.
    Overwritten(&'static [(&'static str, Blank)]),
    /// The request itself overwrites these columns, as the account ends with it.
    WithRequest(&'static [&'static str]),
    /// The records stay, for this reason.
    Kept(&'static str),
}

impl Treatment {
    /// Its word on the wire.
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
    /// Its name.
    pub table: &'static str,
    /// How a customer's records are found.
    pub owner: Owner,
    /// What an export shows of each record; nothing where the records are copies of others, or say nothing to a person.
    pub fields: &'static [Field],
    /// What an erasure does with them.
    pub erasure: Treatment,
}

const fn table(
    table: &'static str,
    owner: Owner,
    fields: &'static [Field],
    erasure: Treatment,
) -> PersonalTable {
    PersonalTable { table, owner, fields, erasure }
}

const USER: Owner = Owner::Column("user_id");
const FEW: Owner = Owner::Few("user_id");
const OF_ORDER: Owner = Owner::Parent("orders", "order_id");
const MONEY: &str = "Money records stay; their customer is a number from then on.";
const TERMS: &str = "Terms without a personal text; earlier prices and commissions follow from them.";

/// All of them, in the order in which an erasure does them: what lets a person in first.
pub static PERSONAL: &[PersonalTable] = &[
    table(
        "users",
        Owner::Column("id"),
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
    table("api_keys", FEW, exported::API_KEYS, Treatment::Removed),
    table("recovery_codes", FEW, &[], Treatment::Removed),
    table("handoff_codes", FEW, &[], Treatment::Removed),
    table("passkeys", USER, exported::PASSKEYS, Treatment::Removed),
    table("account_links", FEW, &[], Treatment::Removed),
    table("authenticator_enrolments", FEW, &[], Treatment::Removed),
    table("passkey_ceremonies", FEW, &[], Treatment::Removed),
    table("usual_networks", FEW, exported::USUAL_NETWORKS, Treatment::Removed),
    table("login_throttle", Owner::Address, &[], Treatment::Removed),
    table("verification_documents", USER, exported::VERIFICATION_DOCUMENTS, Treatment::Removed),
    table("saved_views", USER, exported::SAVED_VIEWS, Treatment::Removed),
    table("notification_recipients", FEW, &[], Treatment::Removed),
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
        Owner::Parent("subscriptions", "subscription_id"),
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
    table("webhook_deliveries", Owner::Contents, &[], Treatment::Removed),
    table("webhook_events", Owner::Contents, &[], Treatment::Removed),
    table("jobs", Owner::Contents, &[], Treatment::Removed),
    table("invoices", USER, exported::INVOICES, Treatment::Kept(MONEY)),
    table("coupon_usages", USER, exported::COUPON_USAGES, Treatment::Kept(MONEY)),
    table("ledger_entries", USER, exported::LEDGER_ENTRIES, Treatment::Kept(MONEY)),
    table(
        "ledger_txns",
        Owner::Through("ledger_entries", "txn_id"),
        exported::LEDGER_TXNS,
        Treatment::Kept("The ledger is append-only, with the comments that staff gave for entries by hand."),
    ),
    table(
        "order_cancel_requests",
        OF_ORDER,
        exported::ORDER_CANCEL_REQUESTS,
        Treatment::Kept(
            "When a cancellation was asked for and how it ended, without a text of the customer.",
        ),
    ),
    table("user_affiliates", Owner::Column("referral_id"), exported::USER_AFFILIATES, Treatment::Kept(TERMS)),
    table("user_discounts", FEW, exported::USER_DISCOUNTS, Treatment::Kept(TERMS)),
    table("user_services", USER, exported::USER_SERVICES, Treatment::Kept(TERMS)),
    table("user_payment_methods", FEW, exported::USER_PAYMENT_METHODS, Treatment::Kept(TERMS)),
    table(
        "coupons",
        Owner::Column("affiliate_id"),
        exported::COUPONS,
        Treatment::Kept("Codes of the panel that count for an affiliate; usages refer to them."),
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
        Owner::Contents,
        &[],
        Treatment::Kept("Removed by itself, a week after each request."),
    ),
    table("erasures", FEW, &[], Treatment::Kept("The erasure itself; removed with its last step.")),
];

/// Tables without data of customers: the catalogue, other panels, staff's own, and counts. With [`PERSONAL`] all there are.
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

/// A table by its name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static PersonalTable> {
    PERSONAL.iter().find(|of| of.table == name)
}

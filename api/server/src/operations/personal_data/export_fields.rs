//! The exported columns of each table. They include no secrets, hashes and internal notes about the operation of the panel.

/// How the export converts a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// The stored value: texts, ids and counts.
    Plain,
    /// Stored in millionths, exported as a decimal text.
    Money,
    /// Stored in microseconds, exported in the format of the API.
    Time,
    /// Stored as a JSON text, exported as its value.
    Json,
    Flag,
}

/// A column of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportField {
    pub name: &'static str,
    pub kind: FieldKind,
}

const fn plain(name: &'static str) -> ExportField {
    ExportField { name, kind: FieldKind::Plain }
}
const fn money(name: &'static str) -> ExportField {
    ExportField { name, kind: FieldKind::Money }
}
const fn time(name: &'static str) -> ExportField {
    ExportField { name, kind: FieldKind::Time }
}
const fn json(name: &'static str) -> ExportField {
    ExportField { name, kind: FieldKind::Json }
}
const fn flag(name: &'static str) -> ExportField {
    ExportField { name, kind: FieldKind::Flag }
}

pub(super) const USERS: &[ExportField] = &[
    plain("id"),
    plain("name"),
    plain("email"),
    plain("account_type"),
    plain("status"),
    time("created_at"),
    time("deactivated_at"),
    time("frozen_at"),
    plain("telegram_username"),
    json("messengers"),
    plain("company_name"),
    plain("company_address"),
    plain("company_site"),
    plain("vat"),
    plain("additional_info"),
    plain("affiliate_code"),
    plain("affiliate_id"),
    plain("seller_status"),
    plain("contact_step"),
    plain("marketing_subid"),
    flag("notify_orders"),
    flag("notify_payments"),
    plain("grade_id"),
    money("spent"),
    money("balance_main"),
    money("balance_task"),
    money("balance_referral"),
    money("hold_main"),
    money("hold_task"),
    money("hold_referral"),
    time("erasure_requested_at"),
    time("erased_at"),
];
pub(super) const SESSIONS: &[ExportField] = &[
    plain("id"),
    time("created_at"),
    time("signed_in_at"),
    time("last_used_at"),
    time("expires_at"),
    plain("ip_address"),
    plain("user_agent"),
];
pub(super) const API_KEYS: &[ExportField] =
    &[time("created_at"), time("last_used_at"), plain("last_used_ip")];
pub(super) const PASSKEYS: &[ExportField] =
    &[plain("id"), plain("name"), time("created_at"), time("last_used_at")];
pub(super) const USUAL_NETWORKS: &[ExportField] = &[plain("network"), time("last_used_at")];
pub(super) const VERIFICATION_DOCUMENTS: &[ExportField] = &[plain("id"), plain("kind"), time("created_at")];
pub(super) const SAVED_VIEWS: &[ExportField] =
    &[plain("id"), plain("list"), plain("name"), time("created_at")];
pub(super) const ORDER_WIDGETS: &[ExportField] =
    &[plain("id"), plain("name"), money("minimum_purchase_amount"), time("created_at")];
pub(super) const WITHDRAWALS: &[ExportField] = &[
    plain("id"),
    plain("payment_method_id"),
    plain("account_number"),
    plain("balance_type"),
    money("amount"),
    plain("status"),
    plain("user_comment"),
    plain("admin_note"),
    plain("transaction_id"),
    time("created_at"),
    time("approved_at"),
    time("paid_at"),
    time("rejected_at"),
];
pub(super) const FREE_TRIALS: &[ExportField] = &[
    plain("id"),
    plain("name"),
    plain("url"),
    plain("proof_url"),
    plain("quantity"),
    plain("status"),
    plain("order_id"),
    time("approved_at"),
    time("created_at"),
];
pub(super) const SUBSCRIPTION_CONTENTS: &[ExportField] = &[
    plain("id"),
    plain("subscription_id"),
    plain("url"),
    plain("status"),
    plain("orders_count"),
    time("published_at"),
    time("created_at"),
];
pub(super) const SUBSCRIPTIONS: &[ExportField] = &[
    plain("id"),
    plain("name"),
    plain("url"),
    plain("type"),
    plain("status"),
    plain("billing_type"),
    plain("contents_limit"),
    plain("orders_count"),
    money("cost"),
    money("refunded"),
    json("recurring_payment_methods"),
    time("expired_at"),
    time("created_at"),
    time("completed_at"),
    time("canceled_at"),
];
pub(super) const DRIP_FEEDS: &[ExportField] = &[
    plain("id"),
    plain("name"),
    plain("url"),
    plain("status"),
    plain("runs"),
    plain("orders_count"),
    money("cost"),
    money("refunded"),
    plain("quantity"),
    plain("minutes_between_runs"),
    json("countries"),
    json("answers"),
    time("created_at"),
    time("completed_at"),
    time("canceled_at"),
];
pub(super) const COMBO_ORDERS: &[ExportField] = &[
    plain("id"),
    plain("url"),
    plain("status"),
    plain("source"),
    plain("package_name"),
    plain("orders_count"),
    time("created_at"),
    time("completed_at"),
    time("canceled_at"),
];
pub(super) const ORDER_TARGETABLE_VALUES: &[ExportField] =
    &[plain("order_id"), plain("target_id"), plain("name"), plain("value")];
pub(super) const EXTERNAL_PANEL_ORDERS: &[ExportField] = &[
    plain("id"),
    plain("order_id"),
    plain("status"),
    plain("initial_quantity"),
    time("created_at"),
    time("sent_at"),
    time("ended_at"),
];
pub(super) const ORDERS: &[ExportField] = &[
    plain("id"),
    plain("name"),
    plain("url"),
    plain("status"),
    plain("source"),
    plain("service_id"),
    money("cost"),
    money("price"),
    plain("pricing_per"),
    money("refunded"),
    plain("quantity"),
    plain("current_quantity"),
    flag("is_paid"),
    plain("comment"),
    plain("seo_keyword"),
    plain("keyword"),
    json("countries"),
    plain("cancel_reason"),
    plain("cancel_description"),
    plain("child_id"),
    plain("subscription_id"),
    plain("drip_feed_id"),
    plain("combo_order_id"),
    plain("free_trial_id"),
    plain("promotable_embed_url"),
    plain("order_widget_id"),
    time("created_at"),
    time("completed_at"),
    time("canceled_at"),
];
pub(super) const INVOICES: &[ExportField] = &[
    plain("id"),
    plain("payment_method_id"),
    plain("short_name"),
    money("amount"),
    plain("status"),
    money("paid_amount"),
    money("bonus_amount"),
    plain("coupon_id"),
    time("created_at"),
    time("paid_at"),
];
pub(super) const COUPON_USAGES: &[ExportField] = &[
    plain("id"),
    plain("coupon_id"),
    plain("invoice_id"),
    plain("order_id"),
    money("received"),
    money("spent"),
    time("created_at"),
];
pub(super) const LEDGER_ENTRIES: &[ExportField] = &[
    plain("id"),
    plain("txn_id"),
    plain("account"),
    money("amount"),
    money("balance_after"),
    plain("type"),
    plain("transaction_type"),
    plain("order_id"),
    plain("payment_method_id"),
    time("created_at"),
];
pub(super) const LEDGER_TXNS: &[ExportField] =
    &[plain("id"), plain("kind"), plain("ref_type"), plain("ref_id"), plain("comment"), time("created_at")];
pub(super) const ORDER_CANCEL_REQUESTS: &[ExportField] = &[
    plain("id"),
    plain("order_id"),
    plain("status"),
    money("refunded"),
    time("created_at"),
    time("decided_at"),
];
pub(super) const USER_AFFILIATES: &[ExportField] =
    &[plain("id"), plain("user_id"), time("started_at"), time("ended_at")];
pub(super) const USER_DISCOUNTS: &[ExportField] = &[plain("discount_ppm"), plain("kind"), time("updated_at")];
pub(super) const USER_SERVICES: &[ExportField] =
    &[plain("id"), plain("service_id"), money("min_price"), money("default_price"), time("created_at")];
pub(super) const USER_PAYMENT_METHODS: &[ExportField] = &[plain("payment_method_id")];
pub(super) const COUPONS: &[ExportField] = &[plain("id"), plain("name"), plain("code"), time("created_at")];
pub(super) const AUDITS: &[ExportField] =
    &[plain("id"), time("created_at"), plain("event"), plain("ip_address"), plain("user_agent")];

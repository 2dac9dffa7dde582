//! The exported columns of each table. Secrets, hashes and internal notes about the operation of the panel are excluded.

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
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
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
}

const fn plain(name: &'static str) -> Field {
    Field { name, kind: Kind::Plain }
}
const fn money(name: &'static str) -> Field {
    Field { name, kind: Kind::Money }
}
const fn time(name: &'static str) -> Field {
    Field { name, kind: Kind::Time }
}
const fn json(name: &'static str) -> Field {
    Field { name, kind: Kind::Json }
}
const fn flag(name: &'static str) -> Field {
    Field { name, kind: Kind::Flag }
}

pub(super) const USERS: &[Field] = &[
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
pub(super) const SESSIONS: &[Field] = &[
    plain("id"),
    time("created_at"),
    time("signed_in_at"),
    time("last_used_at"),
    time("expires_at"),
    plain("ip_address"),
    plain("user_agent"),
];
pub(super) const API_KEYS: &[Field] = &[time("created_at"), time("last_used_at"), plain("last_used_ip")];
pub(super) const PASSKEYS: &[Field] = &[plain("id"), plain("name"), time("created_at"), time("last_used_at")];
pub(super) const USUAL_NETWORKS: &[Field] = &[plain("network"), time("last_used_at")];
pub(super) const VERIFICATION_DOCUMENTS: &[Field] = &[plain("id"), plain("kind"), time("created_at")];
pub(super) const SAVED_VIEWS: &[Field] = &[plain("id"), plain("list"), plain("name"), time("created_at")];
pub(super) const ORDER_WIDGETS: &[Field] =
    &[plain("id"), plain("name"), money("minimum_purchase_amount"), time("created_at")];
pub(super) const WITHDRAWALS: &[Field] = &[
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
pub(super) const FREE_TRIALS: &[Field] = &[
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
pub(super) const SUBSCRIPTION_CONTENTS: &[Field] = &[
    plain("id"),
    plain("subscription_id"),
    plain("url"),
    plain("status"),
    plain("orders_count"),
    time("published_at"),
    time("created_at"),
];
pub(super) const SUBSCRIPTIONS: &[Field] = &[
    plain("id"),
    plain("name"),
    plain("url"),
    plain("type"),
    plain("status"),
    plain("billing_type"),
    plain("contents_limit"),
    plain("orders_count"),
    money("cost"),
    money("returned"),
    json("recurring_payment_methods"),
    time("expired_at"),
    time("created_at"),
    time("completed_at"),
    time("canceled_at"),
];
pub(super) const DRIP_FEEDS: &[Field] = &[
    plain("id"),
    plain("name"),
    plain("url"),
    plain("status"),
    plain("runs"),
    plain("orders_count"),
    money("cost"),
    money("returned"),
    plain("quantity"),
    plain("minutes_between_runs"),
    json("countries"),
    json("answers"),
    time("created_at"),
    time("completed_at"),
    time("canceled_at"),
];
pub(super) const COMBO_ORDERS: &[Field] = &[
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
pub(super) const ORDER_TARGETABLE_VALUES: &[Field] =
    &[plain("order_id"), plain("target_id"), plain("name"), plain("value")];
pub(super) const EXTERNAL_PANEL_ORDERS: &[Field] = &[
    plain("id"),
    plain("order_id"),
    plain("status"),
    plain("initial_quantity"),
    time("created_at"),
    time("sent_at"),
    time("ended_at"),
];
pub(super) const ORDERS: &[Field] = &[
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
pub(super) const INVOICES: &[Field] = &[
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
pub(super) const COUPON_USAGES: &[Field] = &[
    plain("id"),
    plain("coupon_id"),
    plain("invoice_id"),
    plain("order_id"),
    money("received"),
    money("spent"),
    time("created_at"),
];
pub(super) const LEDGER_ENTRIES: &[Field] = &[
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
pub(super) const LEDGER_TXNS: &[Field] =
    &[plain("id"), plain("kind"), plain("ref_type"), plain("ref_id"), plain("comment"), time("created_at")];
pub(super) const ORDER_CANCEL_REQUESTS: &[Field] = &[
    plain("id"),
    plain("order_id"),
    plain("status"),
    money("refunded"),
    time("created_at"),
    time("decided_at"),
];
pub(super) const USER_AFFILIATES: &[Field] =
    &[plain("id"), plain("user_id"), time("started_at"), time("ended_at")];
pub(super) const USER_DISCOUNTS: &[Field] = &[plain("percent_ppm"), plain("kind"), time("updated_at")];
pub(super) const USER_SERVICES: &[Field] =
    &[plain("id"), plain("service_id"), money("min_price"), money("default_price"), time("created_at")];
pub(super) const USER_PAYMENT_METHODS: &[Field] = &[plain("payment_method_id")];
pub(super) const COUPONS: &[Field] = &[plain("id"), plain("name"), plain("code"), time("created_at")];
pub(super) const AUDITS: &[Field] =
    &[plain("id"), time("created_at"), plain("event"), plain("ip_address"), plain("user_agent")];

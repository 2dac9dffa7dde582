//! Which records are removed by age, table by table. The daily run, docs/security.md and their tests use this one list. Money
//! (ledger, invoices, orders) and the sealed audit trail are never in it.

use panel_platform::settings::{CHANGE_LOGS_KEEP_DAYS, DOCUMENTS_KEEP_DAYS};

/// How many days records are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetentionPeriod {
    /// A fixed number of days.
    Days(i64),
    /// The value of this panel setting; 0 means that records are never removed.
    Setting(&'static str),
    /// `webhooks.keep_days` of the configuration.
    Webhooks,
}

/// How records are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// Deletes the records.
    Records,
    /// First deletes records of another table that refer to them, by this statement with the two bounds of their age.
    WithParts(&'static str),
    /// The database refuses to delete them unless they are older than a mark, which is set first.
    Marked,
    /// Documents of deactivated customers, with their files.
    Documents,
}

/// Retention of the records of one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionRule {
    pub table: &'static str,
    /// Column with the time from which their age counts. It must be the first column of an index.
    pub age: &'static str,
    /// How long they are kept.
    pub period: RetentionPeriod,
    pub removal: Removal,
}

const fn records(table: &'static str, age: &'static str, period: RetentionPeriod) -> RetentionRule {
    RetentionRule { table, age, period, removal: Removal::Records }
}

/// Retention of every table, except sessions, which have their own settings (`auth::store::delete_ended_sessions`).
pub static RETENTION_RULES: &[RetentionRule] = &[
    records("jobs", "done_at", RetentionPeriod::Days(7)),
    records("jobs", "dead_at", RetentionPeriod::Days(90)),
    records("idempotency", "created_at", RetentionPeriod::Days(7)),
    records("handoff_codes", "expires_at", RetentionPeriod::Days(0)),
    records("authenticator_enrolments", "expires_at", RetentionPeriod::Days(0)),
    records("passkey_ceremonies", "expires_at", RetentionPeriod::Days(0)),
    records("account_links", "expires_at", RetentionPeriod::Days(30)),
    records("login_throttle", "window_started_at", RetentionPeriod::Days(2)),
    records("usual_networks", "last_used_at", RetentionPeriod::Days(30)),
    RetentionRule {
        table: "webhook_events",
        age: "created_at",
        period: RetentionPeriod::Webhooks,
        removal: Removal::WithParts(
            "DELETE FROM webhook_deliveries WHERE event_id IN (SELECT id FROM webhook_events WHERE created_at < ? AND created_at <= ?)",
        ),
    },
    RetentionRule {
        table: "change_logs",
        age: "created_at",
        period: RetentionPeriod::Setting(CHANGE_LOGS_KEEP_DAYS),
        removal: Removal::Marked,
    },
    RetentionRule {
        table: "verification_documents",
        age: "users.deactivated_at",
        period: RetentionPeriod::Setting(DOCUMENTS_KEEP_DAYS),
        removal: Removal::Documents,
    },
];

#[cfg(test)]
mod tests {
    use panel_contract::moment::{DAY_MICROS, micros};

    use super::*;
    use crate::auth::throttle::USUAL_NETWORK_TTL;

    #[test]
    fn usual_networks_are_kept_for_their_ttl() {
        let networks = RETENTION_RULES.iter().find(|of| of.table == "usual_networks").unwrap();
        assert_eq!(networks.period, RetentionPeriod::Days(micros(USUAL_NETWORK_TTL) / DAY_MICROS));
    }

    #[test]
    fn money_and_the_audit_trail_are_never_removed() {
        for table in
            ["orders", "invoices", "ledger_entries", "ledger_txns", "withdrawals", "audits", "audit_seals"]
        {
            assert!(RETENTION_RULES.iter().all(|of| of.table != table), "{table}");
        }
    }
}

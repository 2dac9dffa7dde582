//! The retention rules: the tables whose old records the daily run removes. docs/security.md documents the same list, and a test
//! compares both. The list must never contain financial records (ledger, invoices, orders) or the audit trail.

use panel_platform::settings::{CHANGE_LOGS_RETENTION_DAYS, DOCUMENTS_RETENTION_DAYS};

/// The number of days after which records are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetentionPeriod {
    /// A fixed number of days.
    Days(i64),
    /// The value of the panel setting with this key; 0 means that records are never removed.
    Setting(&'static str),
    /// The configuration value `webhooks.keep_days`.
    Webhooks,
}

/// How records are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    Records,
    /// First deletes the records of another table that reference them with this statement. Binds: the two bounds of the batch.
    WithReferencing(&'static str),
    /// First stores the cutoff time, because a database trigger rejects the deletion of records that are newer than the cutoff.
    WithCutoff,
    /// Documents of deactivated customers, with their files.
    Documents,
}

/// Retention of the records of one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionRule {
    pub table: &'static str,
    /// Column with the start of the age. It must be the first column of an index.
    pub age_column: &'static str,
    pub period: RetentionPeriod,
    pub removal: Removal,
}

const fn delete_by_age(
    table: &'static str,
    age_column: &'static str,
    period: RetentionPeriod,
) -> RetentionRule {
    RetentionRule { table, age_column, period, removal: Removal::Records }
}

/// Retention of every table, except sessions, which have their own settings (`auth::store::delete_expired_sessions`).
pub static RETENTION_RULES: &[RetentionRule] = &[
    delete_by_age("jobs", "done_at", RetentionPeriod::Days(7)),
    delete_by_age("jobs", "dead_at", RetentionPeriod::Days(90)),
    delete_by_age("idempotency", "created_at", RetentionPeriod::Days(7)),
    delete_by_age("handoff_codes", "expires_at", RetentionPeriod::Days(0)),
    delete_by_age("authenticator_enrolments", "expires_at", RetentionPeriod::Days(0)),
    delete_by_age("passkey_ceremonies", "expires_at", RetentionPeriod::Days(0)),
    delete_by_age("account_links", "expires_at", RetentionPeriod::Days(30)),
    delete_by_age("login_throttle", "window_started_at", RetentionPeriod::Days(2)),
    delete_by_age("user_login_networks", "last_used_at", RetentionPeriod::Days(30)),
    RetentionRule {
        table: "webhook_events",
        age_column: "created_at",
        period: RetentionPeriod::Webhooks,
        removal: Removal::WithReferencing(
            "DELETE FROM webhook_deliveries WHERE event_id IN (SELECT id FROM webhook_events WHERE created_at < ? AND created_at <= ?)",
        ),
    },
    RetentionRule {
        table: "change_logs",
        age_column: "created_at",
        period: RetentionPeriod::Setting(CHANGE_LOGS_RETENTION_DAYS),
        removal: Removal::WithCutoff,
    },
    RetentionRule {
        table: "verification_documents",
        age_column: "users.deactivated_at",
        period: RetentionPeriod::Setting(DOCUMENTS_RETENTION_DAYS),
        removal: Removal::Documents,
    },
];

#[cfg(test)]
mod tests {
    use panel_contract::moment::{DAY_MICROS, duration_micros};

    use super::*;
    use crate::auth::throttle::USUAL_NETWORK_TTL;

    #[test]
    fn usual_networks_are_removed_after_their_ttl() {
        let networks_rule = RETENTION_RULES.iter().find(|rule| rule.table == "user_login_networks").unwrap();
        assert_eq!(
            networks_rule.period,
            RetentionPeriod::Days(duration_micros(USUAL_NETWORK_TTL) / DAY_MICROS)
        );
    }

    #[test]
    fn financial_records_and_the_audit_trail_are_never_removed() {
        for table in
            ["orders", "invoices", "ledger_entries", "ledger_txns", "withdrawals", "audits", "audit_seals"]
        {
            assert!(RETENTION_RULES.iter().all(|rule| rule.table != table), "{table}");
        }
    }
}

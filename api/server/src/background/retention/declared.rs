//! What ends by its age, table by table: the one list that the daily run, docs/security.md and their tests follow. Money
//! (ledger, invoices, orders) and the sealed audit trail are never in it.

use panel_platform::settings::{CHANGE_LOGS_KEEP_DAYS, DOCUMENTS_KEEP_DAYS};

/// How many days records are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Always so many.
    Days(i64),
    /// As this panel setting says; 0 for ever.
    Setting(&'static str),
    /// As `webhooks.keep_days` of the configuration says.
    Webhooks,
}

/// How records are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// The records alone.
    Records,
    /// First the records of another table that refer to them; a statement with the two bounds of their age.
    WithParts(&'static str),
    /// The database itself refuses to remove them, unless they are older than a mark that is set before.
    Marked,
    /// Documents of customers who left, with their files.
    Documents,
}

/// Records that end by their age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retained {
    /// Their table.
    pub table: &'static str,
    /// The moment from which their age counts; a column that begins an index.
    pub age: &'static str,
    /// How long they are kept.
    pub keep: Keep,
    /// How they are removed.
    pub removal: Removal,
}

const fn records(table: &'static str, age: &'static str, keep: Keep) -> Retained {
    Retained { table, age, keep, removal: Removal::Records }
}

/// All of them, beside sessions, which end by their own settings (`auth::store::forget_ended`).
pub static RETAINED: &[Retained] = &[
    records("jobs", "done_at", Keep::Days(7)),
    records("jobs", "dead_at", Keep::Days(90)),
    records("idempotency", "created_at", Keep::Days(7)),
    records("handoff_codes", "expires_at", Keep::Days(0)),
    records("authenticator_enrolments", "expires_at", Keep::Days(0)),
    records("passkey_ceremonies", "expires_at", Keep::Days(0)),
    records("account_links", "expires_at", Keep::Days(30)),
    records("login_throttle", "window_started_at", Keep::Days(2)),
    records("usual_networks", "last_used_at", Keep::Days(30)),
    Retained {
        table: "webhook_events",
        age: "created_at",
        keep: Keep::Webhooks,
        removal: Removal::WithParts(
            "DELETE FROM webhook_deliveries WHERE event_id IN (SELECT id FROM webhook_events WHERE created_at < ? AND created_at <= ?)",
        ),
    },
    Retained {
        table: "change_logs",
        age: "created_at",
        keep: Keep::Setting(CHANGE_LOGS_KEEP_DAYS),
        removal: Removal::Marked,
    },
    Retained {
        table: "verification_documents",
        age: "users.deactivated_at",
        keep: Keep::Setting(DOCUMENTS_KEEP_DAYS),
        removal: Removal::Documents,
    },
];

#[cfg(test)]
mod tests {
    use panel_contract::moment::{DAY_MICROS, micros};

    use super::*;
    use crate::auth::throttle::USUAL;

    #[test]
    fn a_usual_network_is_kept_as_long_as_it_counts() {
        let networks = RETAINED.iter().find(|of| of.table == "usual_networks").unwrap();
        assert_eq!(networks.keep, Keep::Days(micros(USUAL) / DAY_MICROS));
    }

    #[test]
    fn money_and_the_audit_trail_are_never_removed() {
        for table in
            ["orders", "invoices", "ledger_entries", "ledger_txns", "withdrawals", "audits", "audit_seals"]
        {
            assert!(RETAINED.iter().all(|of| of.table != table), "{table}");
        }
    }
}

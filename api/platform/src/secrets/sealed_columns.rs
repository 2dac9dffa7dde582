//! Every column that holds sealed values, declared once: `secrets rotate` seals these anew and `secrets status` counts them. A
//! test compares the list with the schema, so that a new sealed column cannot be left behind under a removed key.
//!
//! Sealed settings are named by `settings::sealed_keys`; documents are files (`uploads::private`).

use panel_contract::ids::RecordId;

/// A column of sealed values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealedColumn {
    /// The table.
    pub table: &'static str,
    /// The number that is the table's key.
    pub key: &'static str,
    /// The column; NULL where there is no secret.
    pub column: &'static str,
    /// What its values are sealed for, without the id.
    place: &'static str,
}

impl SealedColumn {
    /// What the value of one row is sealed for.
    #[must_use]
    pub fn place(&self, id: RecordId) -> String {
        format!("{}|{id}", self.place)
    }
}

const fn sealed(table: &'static str, column: &'static str, place: &'static str) -> SealedColumn {
    SealedColumn { table, key: "id", column, place }
}

/// All of them.
pub static SEALED: &[SealedColumn] = &[
    sealed("users", "totp_secret", "users|totp_secret"),
    SealedColumn {
        key: "user_id",
        ..sealed("authenticator_enrolments", "secret", "authenticator_enrolments|secret")
    },
    sealed("external_panels", "api_token_sealed", "external_panels|api_token"),
    sealed("payment_methods", "secrets", "payment_methods|secrets"),
    sealed("webhooks", "secret_sealed", "webhooks|secret"),
    // What signed before a webhook's rotation was sealed in the other column, and moved as it was.
    sealed("webhooks", "old_secret_sealed", "webhooks|secret"),
];

//! Every column that holds sealed values, declared once: `secrets rotate` reseals these and `secrets status` counts them. A
//! test compares the list with the schema, so that the rotation cannot miss a new sealed column.
//!
//! `settings::sealed_keys` lists the sealed settings; documents are files (`uploads::private`).

use panel_contract::ids::RecordId;

/// A column of sealed values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealedColumn {
    /// The table.
    pub table: &'static str,
    /// The table's primary key, an integer.
    pub key: &'static str,
    /// The column; NULL where there is no secret.
    pub column: &'static str,
    /// The place that its values are sealed for, without the id.
    place: &'static str,
}

impl SealedColumn {
    /// The place that the value of one row is sealed for.
    #[must_use]
    pub fn place(&self, id: RecordId) -> String {
        format!("{}|{id}", self.place)
    }
}

const fn sealed(table: &'static str, column: &'static str, place: &'static str) -> SealedColumn {
    SealedColumn { table, key: "id", column, place }
}

/// All sealed columns.
pub static SEALED: &[SealedColumn] = &[
    sealed("users", "totp_secret", "users|totp_secret"),
    SealedColumn {
        key: "user_id",
        ..sealed("authenticator_enrolments", "secret", "authenticator_enrolments|secret")
    },
    sealed("external_panels", "api_token_sealed", "external_panels|api_token"),
    sealed("payment_methods", "secrets", "payment_methods|secrets"),
    sealed("webhooks", "secret_sealed", "webhooks|secret"),
    // A rotation of a webhook's secret moves the sealed value from the other column without resealing it.
    sealed("webhooks", "old_secret_sealed", "webhooks|secret"),
];

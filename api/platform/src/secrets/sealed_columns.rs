//! Declares every column that holds sealed values: `secrets rotate` reseals these columns, and `secrets status` counts their
//! values. A test compares the list with the schema, so that a rotation cannot miss a new sealed column.
//!
//! `settings::sealed_keys` lists the sealed settings. Sealed documents are files (`uploads::private`).

use panel_contract::ids::RecordId;

/// A column of sealed values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealedColumn {
    pub table: &'static str,
    /// The primary key of the table, an integer.
    pub key: &'static str,
    /// NULL in a row without a secret.
    pub column: &'static str,
    /// [`Self::associated_data`] without the id.
    associated_data_prefix: &'static str,
}

impl SealedColumn {
    /// The associated data of the encryption, which binds a sealed value to its column and row.
    #[must_use]
    pub fn associated_data(&self, id: RecordId) -> String {
        format!("{}|{id}", self.associated_data_prefix)
    }
}

const fn sealed(
    table: &'static str,
    column: &'static str,
    associated_data_prefix: &'static str,
) -> SealedColumn {
    SealedColumn { table, key: "id", column, associated_data_prefix }
}

pub static SEALED_COLUMNS: &[SealedColumn] = &[
    sealed("users", "totp_secret", "users|totp_secret"),
    SealedColumn {
        key: "user_id",
        ..sealed("authenticator_enrolments", "secret", "authenticator_enrolments|secret")
    },
    sealed("external_panels", "api_token_sealed", "external_panels|api_token"),
    sealed("payment_methods", "secrets", "payment_methods|secrets"),
    sealed("webhooks", "secret_sealed", "webhooks|secret"),
    // The same prefix: a rotation of a webhook's secret moves the sealed value from `secret_sealed` without resealing it.
    sealed("webhooks", "old_secret_sealed", "webhooks|secret"),
];

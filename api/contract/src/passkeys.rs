//! Passkeys (WebAuthn) as a second factor: what is listed, registered and answered. Options and credentials are the JSON forms of
//! the WebAuthn standard (`PublicKeyCredentialCreationOptionsJSON` and its relatives); this crate does not look into them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::moment::Time;

/// A passkey of the signed-in member of staff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Passkey {
    /// Its id.
    pub id: i64,
    /// The name that its owner gave it.
    pub name: String,
    /// When it was registered.
    pub created_at: Time,
    /// When it was used last, to sign in or to confirm; none before the first use.
    pub last_used_at: Option<Time>,
}

/// A challenge for an authenticator. Its answer is accepted once, within five minutes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PasskeyChallenge {
    /// Names the challenge; returned with the answer.
    pub ceremony: String,
    /// What the browser hands to the authenticator: the argument of `PublicKeyCredential.parseCreationOptionsFromJSON` or
    /// `parseRequestOptionsFromJSON`.
    #[schema(value_type = Object)]
    pub options: Value,
}

/// An authenticator's answer to a [`PasskeyChallenge`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeyAnswer {
    /// The challenge that it answers.
    pub ceremony: String,
    /// What `PublicKeyCredential.toJSON` returns.
    #[schema(value_type = Object)]
    pub credential: Map<String, Value>,
}

/// Body of `POST profile/passkeys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterPasskeyInput {
    /// 1 to 60 characters.
    pub name: String,
    /// The challenge that it answers.
    pub ceremony: String,
    /// What `PublicKeyCredential.toJSON` returns.
    #[schema(value_type = Object)]
    pub credential: Map<String, Value>,
}

/// A passkey that was registered just now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RegisteredPasskey {
    /// The passkey.
    pub passkey: Passkey,
    /// Ten recovery codes, shown once; empty where the account has unused ones.
    pub recovery_codes: Vec<String>,
}

/// Body of `PATCH profile/passkeys/{id}`; what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RenamePasskeyInput {
    /// 1 to 60 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

crate::wire!(RegisterPasskeyInput, RenamePasskeyInput);

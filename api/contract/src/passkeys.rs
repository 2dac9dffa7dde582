//! Passkeys (WebAuthn) as a second factor: what is listed, registered and answered. Options and credentials are the JSON forms of
//! the WebAuthn standard (`PublicKeyCredentialCreationOptionsJSON` and its relatives); this crate does not look into them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::ids::PasskeyId;
use crate::moment::Time;

/// A passkey of the signed-in member of staff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Passkey {
    /// Identifier for `PATCH` and `DELETE profile/passkeys/{id}`; positive.
    pub id: PasskeyId,
    /// Name that its owner gave it, such as "YubiKey"; 1 to 60 characters.
    pub name: String,
    /// When it was registered, in UTC.
    pub created_at: Time,
    /// When it last signed its owner in or confirmed a change, in UTC; null before its first use.
    pub last_used_at: Option<Time>,
}

/// A challenge for an authenticator. Its answer is accepted once, within five minutes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PasskeyChallenge {
    /// Opaque name of the challenge; the answer sends it back as `ceremony`.
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
    /// `ceremony` of the challenge that it answers. A challenge that was answered before, or is older than five minutes, is refused.
    pub ceremony: String,
    /// What `PublicKeyCredential.toJSON` returns.
    #[schema(value_type = Object)]
    pub credential: Map<String, Value>,
}

/// Body of `POST profile/passkeys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterPasskeyInput {
    /// Name by which the owner tells it from their other passkeys; 1 to 60 characters.
    pub name: String,
    /// `ceremony` of the challenge that it answers. A challenge that was answered before, or is older than five minutes, is refused.
    pub ceremony: String,
    /// What `PublicKeyCredential.toJSON` returns.
    #[schema(value_type = Object)]
    pub credential: Map<String, Value>,
}

/// A passkey that was registered just now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RegisteredPasskey {
    /// The record as `GET profile/passkeys` lists it; `last_used_at` is null.
    pub passkey: Passkey,
    /// Ten recovery codes, shown once; empty where the account has unused ones.
    pub recovery_codes: Vec<String>,
}

/// Body of `PATCH profile/passkeys/{id}`; what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RenamePasskeyInput {
    /// New name, 1 to 60 characters; left out, it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

crate::wire!(RegisterPasskeyInput, RenamePasskeyInput);

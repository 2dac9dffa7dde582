//! Passkeys (WebAuthn) as a second factor: list, registration and verification. Options and credentials have the JSON formats of
//! the WebAuthn standard, such as `PublicKeyCredentialCreationOptionsJSON`. This crate does not inspect their contents.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::ids::PasskeyId;
use crate::moment::Time;

/// A passkey of the signed-in staff member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Passkey {
    /// Id of the passkey, for `PATCH` and `DELETE profile/passkeys/{id}`.
    pub id: PasskeyId,
    /// Name chosen by the owner, such as "YubiKey"; 1 to 60 characters.
    pub name: String,
    /// When the passkey was registered, in UTC.
    pub created_at: Time,
    /// When the passkey was last used to sign in or to confirm a change, in UTC; null before its first use.
    pub last_used_at: Option<Time>,
}

/// A challenge for an authenticator. The server accepts one response within five minutes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PasskeyChallenge {
    /// Opaque id of the challenge; the response sends it back as `ceremony`.
    pub ceremony: String,
    /// Options for the authenticator: the argument of `PublicKeyCredential.parseCreationOptionsFromJSON` or
    /// `parseRequestOptionsFromJSON`.
    #[schema(value_type = Object)]
    pub options: Value,
}

/// Response of an authenticator to a [`PasskeyChallenge`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeyResponse {
    /// `ceremony` of the challenge. A used challenge, or one that is older than five minutes, is rejected.
    pub ceremony: String,
    /// Result of `PublicKeyCredential.toJSON`.
    #[schema(value_type = Object)]
    pub credential: Map<String, Value>,
}

/// Body of `POST profile/passkeys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterPasskeyInput {
    /// Name of the passkey, 1 to 60 characters.
    pub name: String,
    /// `ceremony` of the challenge. A used challenge, or one that is older than five minutes, is rejected.
    pub ceremony: String,
    /// Result of `PublicKeyCredential.toJSON`.
    #[schema(value_type = Object)]
    pub credential: Map<String, Value>,
}

/// Response of `POST profile/passkeys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RegisteredPasskey {
    /// New passkey; its `last_used_at` is null.
    pub passkey: Passkey,
    /// Ten recovery codes, which are returned only once; empty if the account already has unused recovery codes.
    pub recovery_codes: Vec<String>,
}

/// Body of `PATCH profile/passkeys/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RenamePasskeyInput {
    /// New name, 1 to 60 characters; absent keeps the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

crate::json_bodies!(RegisterPasskeyInput, RenamePasskeyInput);

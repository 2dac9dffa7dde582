//! The second factor of a staff member: codes of an authenticator app (TOTP), passkeys, and recovery codes as a fallback if both
//! are
//! lost.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::passkeys::{PasskeyAnswer, PasskeyChallenge};

/// Whether the signed-in staff member has a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecondFactor {
    /// Whether sign-in requires a second factor.
    pub is_enabled: bool,
    /// Whether an authenticator app is set up.
    pub has_authenticator_app: bool,
    /// Number of passkeys.
    pub passkeys: i64,
    /// Whether a role requires a second factor: it cannot be disabled, and without it no other call is allowed.
    pub is_required: bool,
    /// Number of unused recovery codes.
    pub recovery_codes_left: i64,
    /// Whether the authenticator app may be removed: there is one, and no role requires it as the last factor.
    #[serde(default)]
    pub is_app_removable: bool,
}

/// A second factor that is not confirmed yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecondFactorEnrolment {
    /// Secret in base32, to enter in the authenticator app.
    pub secret: String,
    /// Secret as an `otpauth://` URL.
    pub otpauth_url: String,
    /// The URL as a QR code, an SVG image.
    pub qr_svg: String,
}

/// Body of `POST profile/second-factor/confirm`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmSecondFactorInput {
    /// Current six-digit code of the app.
    pub otp: String,
}

/// Proof of identity for changes of the second factor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SecondFactorProof {
    /// Password of the account.
    pub password: String,
    /// Six-digit code of the app or recovery code; either this or `passkey`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otp: Option<String>,
    /// Response of a passkey to `POST profile/passkeys/challenge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyAnswer>,
}

crate::string_enum! {
    /// Method of the second factor.
    SecondFactorMethod {
        Totp = "totp",
        Passkey = "passkey",
        RecoveryCode = "recovery_code",
    }
}

/// Methods with which a sign-in can be completed: part of the 422 with the code `otp_required`, `otp_wrong` or `passkey_wrong`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecondFactorChoice {
    /// Methods of the account.
    pub methods: Vec<SecondFactorMethod>,
    /// Challenge for a passkey, if it is one of the methods. Send the response in `passkey` of the next `POST /login`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyChallenge>,
}

/// Ten recovery codes. Each can replace the six-digit code once. They are only returned once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecoveryCodes {
    /// Codes such as `k7wq-2m3p-xv4d-9tfa-h5nc-8rej-ybz6`.
    pub recovery_codes: Vec<String>,
}

crate::wire!(ConfirmSecondFactorInput, SecondFactorProof);

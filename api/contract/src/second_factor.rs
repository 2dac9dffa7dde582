//! The second factor of a member of staff: codes of an authenticator app (TOTP), passkeys, and recovery codes for when both are
//! lost.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::passkeys::{PasskeyAnswer, PasskeyChallenge};

/// Whether the signed-in member of staff has a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecondFactor {
    /// Whether sign-in asks for it.
    pub is_enabled: bool,
    /// Whether an authenticator app is one of them.
    pub has_authenticator_app: bool,
    /// How many passkeys are.
    pub passkeys: i64,
    /// Whether a role requires it: it cannot be switched off then, and without it nothing else is allowed.
    pub is_required: bool,
    /// Recovery codes that were not used yet.
    pub recovery_codes_left: i64,
    /// Whether the authenticator app may be removed: there is one, and no role requires it as the last factor.
    #[serde(default)]
    pub is_app_removable: bool,
}

/// A second factor that waits for its first code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecondFactorEnrolment {
    /// The secret in base32, to be typed into the app.
    pub secret: String,
    /// The same as an `otpauth://` address.
    pub otpauth_url: String,
    /// The address as a QR code: an SVG image.
    pub qr_svg: String,
}

/// Body of `POST profile/second-factor/confirm`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmSecondFactorInput {
    /// Six digits that the app shows now.
    pub otp: String,
}

/// Proof of who asks, for changes of the second factor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SecondFactorProof {
    /// The account's password.
    pub password: String,
    /// Six digits of the app, or a recovery code; this or a passkey.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otp: Option<String>,
    /// The answer to `POST profile/passkeys/challenge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyAnswer>,
}

crate::words! {
    /// What an account can prove its second factor with.
    SecondFactorMethod {
        Totp = "totp",
        Passkey = "passkey",
        RecoveryCode = "recovery_code",
    }
}

/// What a sign-in that waits for its second factor can go on with: part of the 422 with the code `otp_required`, `otp_wrong`
/// or `passkey_wrong`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecondFactorChoice {
    /// The methods of this account.
    pub methods: Vec<SecondFactorMethod>,
    /// The challenge for a passkey, where it is one of the methods. The answer goes into `passkey` of the next `POST /login`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyChallenge>,
}

/// Ten codes, each of which signs in once in place of the six digits. They are shown once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecoveryCodes {
    /// Such as `k7wq-2m3p-xv4d-9tfa-h5nc-8rej-ybz6`.
    pub recovery_codes: Vec<String>,
}

crate::wire!(ConfirmSecondFactorInput, SecondFactorProof);

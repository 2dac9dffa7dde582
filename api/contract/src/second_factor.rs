//! The second factor of a staff member: codes of an authenticator app (TOTP) or passkeys. A recovery code can be
//! used once if the app or passkey is lost.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::passkeys::{PasskeyChallenge, PasskeyResponse};

/// The second factor of the signed-in staff member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecondFactor {
    /// Whether the staff member needs a second factor to sign in.
    pub is_enabled: bool,
    /// Whether an authenticator app is set up.
    pub has_authenticator_app: bool,
    /// Number of passkeys that are registered.
    pub passkeys: i64,
    /// Whether a role requires a second factor. If so, the second factor cannot be disabled, and without one the server rejects all
    /// other requests.
    pub is_required: bool,
    /// Number of unused recovery codes.
    pub recovery_codes_left: i64,
    /// Whether the caller can remove the authenticator app. False if no app is set up, or if a role requires a second factor and
    /// the account has no passkey.
    #[serde(default)]
    pub is_app_removable: bool,
}

/// A new authenticator secret. It becomes a second factor with `POST profile/second-factor/confirm`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecondFactorEnrolment {
    /// Secret in base32, to enter in the authenticator app.
    pub secret: String,
    /// Secret as an `otpauth://` URL.
    pub otpauth_url: String,
    /// The same URL as a QR code: an SVG image, as a string.
    pub qr_svg: String,
}

/// Body of `POST profile/second-factor/confirm`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmSecondFactorInput {
    /// Current six-digit code of the authenticator app.
    pub otp: String,
}

/// Proof of identity for a change of the second factor: the password, and `otp` or `passkey`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SecondFactorProof {
    /// Password of the caller.
    pub password: String,
    /// Six-digit code of the authenticator app, or a recovery code; absent with `passkey`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otp: Option<String>,
    /// Response of a passkey to the challenge of `POST profile/passkeys/challenge`; absent with `otp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyResponse>,
}

crate::string_enum! {
    /// Type of a second factor.
    SecondFactorMethod {
        Totp = "totp",
        Passkey = "passkey",
        RecoveryCode = "recovery_code",
    }
}

/// Methods with which the caller can complete a sign-in; part of the response 422 with the code `otp_required`, `otp_wrong` or
/// `passkey_wrong`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecondFactorChoice {
    /// Methods that the account has set up.
    pub methods: Vec<SecondFactorMethod>,
    /// Challenge for a passkey, if it is one of the methods. Send the response in `passkey` of the next `POST /login`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyChallenge>,
}

/// Ten recovery codes, which are returned only once. Each code can be used once instead of the six-digit code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecoveryCodes {
    /// Recovery codes, such as `k7wq-2m3p-xv4d-9tfa-h5nc-8rej-ybz6`.
    pub recovery_codes: Vec<String>,
}

crate::json_bodies!(ConfirmSecondFactorInput, SecondFactorProof);

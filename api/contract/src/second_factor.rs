//! The second factor of a member of staff: codes of an authenticator app (TOTP), and recovery codes for when it is lost.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whether the signed-in member of staff has a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecondFactor {
    /// Whether sign-in asks for it.
    pub is_enabled: bool,
    /// Whether a role requires it: it cannot be switched off then, and without it nothing else is allowed.
    pub is_required: bool,
    /// Recovery codes that were not used yet.
    pub recovery_codes_left: i64,
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
    /// Six digits of the app, or a recovery code.
    pub otp: String,
}

/// Ten codes, each of which signs in once in place of the six digits. They are shown once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecoveryCodes {
    /// Such as `k7wq-2m3p-xv4d-9tfa-h5nc-8rej-ybz6`.
    pub recovery_codes: Vec<String>,
}

crate::wire!(ConfirmSecondFactorInput, SecondFactorProof);

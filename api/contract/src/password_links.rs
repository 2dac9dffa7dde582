//! Passwords set by a link from an email: after a forgotten one, and with an invitation.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::moment::Time;

crate::words! {
    /// Why a member of staff sets a password by a link from an email.
    PasswordLinkPurpose {
        PasswordReset = "password_reset",
        Invitation = "invitation",
    }
}

/// Body of `POST /password-resets`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordResetInput {
    /// E-mail address of the account. The answer does not say whether there is one.
    pub email: String,
    /// The captcha's answer, when `captcha_is_enabled`.
    #[serde(default, rename = "g-recaptcha-response", skip_serializing_if = "Option::is_none")]
    pub captcha: Option<String>,
}

/// Body of `POST /password-links/show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordLinkInput {
    /// The token of the link.
    pub token: String,
}

/// A link that lets a member of staff set a password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PasswordLink {
    /// Why it was sent.
    pub purpose: PasswordLinkPurpose,
    /// Name of the account.
    pub name: String,
    /// E-mail address of the account.
    pub email: String,
    /// When it ends.
    pub expires_at: Time,
}

/// Body of `POST /password-links/use`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordByLinkInput {
    /// The token of the link; it works once.
    pub token: String,
    /// The new password: at least 8 characters, none of the most common ones.
    pub password: String,
}

crate::wire!(PasswordResetInput, PasswordLinkInput, PasswordLink, PasswordByLinkInput);

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
    /// Email address of the account, in any case. The answer does not say whether there is one.
    pub email: String,
    /// The captcha's answer; needed where the public setting `captcha_is_enabled` is true, else left out.
    #[serde(default, rename = "g-recaptcha-response", skip_serializing_if = "Option::is_none")]
    pub captcha: Option<String>,
}

/// Body of `POST /password-links/show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordLinkInput {
    /// What the link carries behind `#token=`. Showing it does not use it up.
    pub token: String,
}

/// A link that lets a member of staff set a password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PasswordLink {
    /// Whether the person forgot the password or was invited.
    pub purpose: PasswordLinkPurpose,
    /// Name of the member of staff whose password the link sets.
    pub name: String,
    /// Email address by which they sign in afterwards.
    pub email: String,
    /// Moment from which the link is refused, in UTC: an hour after a reset was asked for, seven days after an invitation.
    pub expires_at: Time,
}

/// Body of `POST /password-links/use`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordByLinkInput {
    /// What the link carries behind `#token=`; it works once.
    pub token: String,
    /// The new password: 8 to 256 characters, not among the 100,000 most common ones, without the person's name or address.
    pub password: String,
}

crate::wire!(PasswordResetInput, PasswordLinkInput, PasswordLink, PasswordByLinkInput);

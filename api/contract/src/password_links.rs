//! Links in emails by which staff members set a password: password resets and invitations.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::moment::Time;

crate::string_enum! {
    /// Purpose of a password link.
    PasswordLinkPurpose {
        PasswordReset = "password_reset",
        Invitation = "invitation",
    }
}

/// Body of `POST /password-resets`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordResetInput {
    /// Email address of the account, in any case. The response does not reveal whether the account exists.
    pub email: String,
    /// Response token of the captcha; required if the public setting `captcha_is_enabled` is true.
    #[serde(default, rename = "g-recaptcha-response", skip_serializing_if = "Option::is_none")]
    pub captcha: Option<String>,
}

/// Body of `POST /password-links/show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordLinkInput {
    /// Token after `#token=` in the link. The link remains valid after this request.
    pub token: String,
}

/// A link with which a staff member sets a password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PasswordLink {
    /// Whether the link belongs to a password reset or an invitation.
    pub purpose: PasswordLinkPurpose,
    /// Name of the staff member whose password the link sets.
    pub name: String,
    /// Email address with which the staff member signs in afterwards.
    pub email: String,
    /// Expiry of the link in UTC: one hour after the request of a reset, seven days after an invitation.
    pub expires_at: Time,
}

/// Body of `POST /password-links/use`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordByLinkInput {
    /// Token after `#token=` in the link, which can be used once.
    pub token: String,
    /// New password: 8 to 256 characters, not one of the 100,000 most common passwords, and without the name or email address of
    /// the user.
    pub password: String,
}

crate::json_bodies!(PasswordResetInput, PasswordLinkInput, PasswordLink, PasswordByLinkInput);

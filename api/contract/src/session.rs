//! Sign-in, profile and sessions of the signed-in staff member, public settings and dictionaries.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{LocaleCode, NamedRef, Patch};
use crate::ids::{RoleId, SessionId, UserId};
use crate::moment::{Time, Timestamp};
use crate::passkeys::PasskeyResponse;
use crate::permission::{Permission, PermissionInfo};
use crate::settings::SiteSettings;

/// Body of `POST /login`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginInput {
    /// Email address of the account.
    pub email: String,
    /// Password of the account.
    pub password: String,
    /// Response token of the captcha; required when `captcha_is_enabled`.
    #[serde(default, rename = "g-recaptcha-response", skip_serializing_if = "Option::is_none")]
    pub captcha: Option<String>,
    /// Six-digit code or recovery code; required when the account has a second factor. Without it the server returns 422
    /// `otp_required` with the methods of the account in `second_factor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otp: Option<String>,
    /// Response of a passkey to the challenge in `second_factor`, instead of `otp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyResponse>,
}

/// Response of each endpoint that signs a user in. The token is in the `Authorization` header, or in a cookie if the request has
/// the header `X-Panel-Session: cookie`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignInResponse {
    /// The staff member who signed in.
    pub user: Profile,
    /// When the token expires, unless the client uses it before that time.
    pub expires_at: Time,
}

/// The signed-in staff member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Profile {
    /// Id of the user.
    pub id: UserId,
    /// Display name of the user.
    pub name: String,
    /// Email address of the user.
    pub email: String,
    /// Roles of the staff member, by id and name.
    pub roles: Vec<NamedRef<RoleId>>,
    /// Whether a role requires a second factor that the staff member has not set up. Until then, the server responds with 403
    /// `second_factor_required` to every request except those that set up the second factor.
    #[serde(default)]
    pub must_enrol_second_factor: bool,
    /// All permissions of the staff member, granted directly or through a role.
    #[serde(rename = "allPermissions")]
    pub all_permissions: Vec<PermissionInfo>,
    /// Language of the console; null for the language of the browser.
    #[serde(default)]
    pub locale: Option<LocaleCode>,
    /// IANA time zone, such as `Europe/Berlin`; null for the time zone of the browser.
    #[serde(default)]
    pub time_zone: Option<String>,
    /// When the account last changed; editors send this time back to detect conflicts.
    #[serde(default)]
    pub updated_at: Option<Timestamp>,
}

impl Profile {
    /// Whether the staff member has `permission`.
    #[must_use]
    pub fn has_permission(&self, permission: Permission) -> bool {
        self.all_permissions.iter().any(|info| info.name == permission)
    }
}

/// Body of `PATCH /api/v1/profile`. Absent fields keep their value; null clears a field.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnProfileInput {
    /// Display name, 1 to 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Language of the console; null for the language of the browser.
    #[serde(default, skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<LocaleCode>)]
    pub locale: Patch<LocaleCode>,
    /// IANA time zone, such as `Europe/Berlin`; null for the time zone of the browser.
    #[serde(default, skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub time_zone: Patch<String>,
    /// `updated_at` of the profile that the editor read; 409 `stale_record` if the profile has changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Body of `POST /api/v1/profile/password`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnPasswordInput {
    /// Current password. A wrong password counts as a failed sign-in; too many return 429 `too_many_attempts`.
    pub current_password: String,
    /// New password: at least 8 characters and not a common password.
    pub password: String,
}

/// Body of `POST /api/v1/profile/confirm`: exactly one of the fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmInput {
    /// Password of the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// Six-digit code of the authenticator app or a recovery code, for accounts with a second factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otp: Option<String>,
    /// Response of a passkey to the challenge of `POST profile/passkeys/challenge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyResponse>,
}

/// A successful confirmation of the caller's identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Confirmation {
    /// Time until which the confirmation is valid for all requests that require a confirmation.
    pub confirmed_until: Time,
}

/// A session of the caller: one sign-in on one device, with the first token and all tokens that were refreshed from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OwnSession {
    /// Id of the session, which stays the same when tokens are refreshed.
    pub id: SessionId,
    /// Browser and operating system, or name of the program, from the `User-Agent` header; null if there is none.
    pub device: Option<String>,
    /// IP address of the request that last refreshed the token.
    pub ip_address: String,
    /// When the user signed in.
    pub signed_in_at: Time,
    /// When the session was last used, to the minute.
    pub last_used_at: Time,
    /// When the session expires, unless the client uses it before that time.
    pub ends_at: Time,
    /// Whether the caller made this request with the session.
    pub is_current: bool,
}

/// Response of the endpoints that end sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EndedSessions {
    /// Number of ended sessions, at least 1. If there is no session to end, the server responds with 409.
    pub ended: i64,
}

/// Body of `POST /handoff`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignInCodeInput {
    /// Sign-in code from the URL of the console.
    pub code: String,
}

/// The user who will be signed in by a sign-in code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignInCodeOwner {
    /// Id of the user.
    pub id: UserId,
    /// Display name of the user.
    pub name: String,
    /// Email address of the user.
    pub email: String,
    /// When the code expires.
    pub expires_at: Time,
}

/// A single-use sign-in code for the console.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignInCode {
    /// Code that can be used once within 60 seconds.
    pub code: String,
    /// When the code expires.
    pub expires_at: Time,
}

/// Body of `POST /setup`, which creates the owner of a new panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupInput {
    /// One-time token that the server printed at its first start.
    pub token: String,
    /// Name of the panel, 1 to 60 characters.
    pub panel_name: String,
    /// Display name of the owner.
    pub name: String,
    /// Email address of the owner.
    pub email: String,
    /// Password of the owner, at least 8 characters.
    pub password: String,
    /// Whether all staff, including the owner, must set up a second factor: the setting `second_factor_for_all_staff`.
    #[serde(default)]
    pub require_second_factor: bool,
}

crate::string_enum! {
    /// Service that provides the captcha.
    CaptchaProvider {
        Recaptcha = "recaptcha",
        Hcaptcha = "hcaptcha",
        Turnstile = "turnstile",
    }
}

// Old servers do not send the field; they support only reCAPTCHA.
const fn default_captcha() -> CaptchaProvider {
    CaptchaProvider::Recaptcha
}

/// Settings of the panel that callers can read without authentication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PublicSettings {
    /// Whether the company that develops this software operates the panel.
    pub inhouse: bool,
    /// URL of the favicon; null if there is none.
    pub favicon: Option<String>,
    /// Name of the panel.
    pub panel_name: String,
    /// Whether this is a child panel.
    pub is_child: bool,
    /// URL of the logo for light backgrounds; null if there is none.
    pub light_logo: Option<String>,
    /// URL of the logo for dark backgrounds; null if there is none.
    pub dark_logo: Option<String>,
    /// URL of the logo for small screens; null if there is none.
    pub mobile_logo: Option<String>,
    /// Id of this panel; always 1.
    pub panel_id: i64,
    /// Whether a sign-in requires a captcha.
    pub captcha_is_enabled: bool,
    /// Public site key of the captcha; null if there is none.
    pub captcha_site_key: Option<String>,
    /// Captcha service that the site key belongs to, derived from the configured verification URL.
    #[serde(default = "default_captcha")]
    pub captcha_provider: CaptchaProvider,
    /// URL that the logo links to; null if there is none.
    pub logo_destination_url: Option<String>,
    /// Alternative text of the logo; null if there is none.
    pub logo_alt: Option<String>,
    /// Default referral commission, as a fraction.
    pub default_referral_program_fraction: Fraction,
    /// Surcharge on the price of an order for a guarantee, as a fraction.
    #[serde(default)]
    pub guarantee_charge_fraction: Fraction,
    /// Surcharge on the price of an order for a speed-up, as a fraction.
    #[serde(default)]
    pub speedup_charge_fraction: Fraction,
    /// Whether customers can buy a child panel.
    #[serde(default)]
    pub enabled_child_panels: bool,
    /// Price of a child panel, in the panel's currency; null if there is none.
    #[serde(default)]
    pub child_panels_price: Option<Money>,
    /// Public settings that only the customer site uses.
    #[serde(default)]
    pub site: SiteSettings,
    /// Symbol of the panel's currency, which user interfaces show before amounts.
    pub currency_symbol: String,
    /// Whether the panel has no owner yet, so that `POST /setup` can create one.
    pub needs_setup: bool,
    /// Connection settings of the WebSocket for real-time updates.
    pub realtime: RealtimeSettings,
}

/// Connection settings of the WebSocket for real-time updates, which uses the Pusher protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RealtimeSettings {
    /// App key of the Pusher protocol.
    pub key: String,
    /// Path of the WebSocket, before `/app/{key}`.
    pub path: String,
}

/// Body of `POST /broadcasting/auth`, as a form or JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BroadcastingInput {
    /// Socket id of the Pusher connection: two numbers with a dot between them.
    pub socket_id: String,
    /// Channel to subscribe to, such as `private-admin`.
    pub channel_name: String,
}

/// Authorization of a Pusher subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BroadcastingAuth {
    /// App key and hexadecimal signature, with a colon between them.
    pub auth: String,
}

/// Numbers of orders and requests that need the attention of staff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counters {
    /// Number of orders in moderation.
    pub orders_in_moderation_count: i64,
    /// Number of orders in processing.
    pub orders_in_processing_count: i64,
    /// Number of orders in processing whose service has no active provider.
    pub orders_with_no_active_providers_count: i64,
    /// Number of pending free-trial requests.
    pub free_trials_in_pending_count: i64,
}

/// A country that services and customers can refer to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Country {
    /// ISO 3166-1 alpha-2 code.
    pub iso_code_2: String,
    /// English name of the country.
    pub name: String,
}

/// A language of the user interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Locale {
    /// Locale code, such as `pt_BR`.
    pub code: String,
    /// Name of the language in the language itself.
    pub name: String,
}

/// Response of `GET application`: dictionaries for user interfaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Application {
    /// Statuses that a user can have, with labels.
    pub user_statuses: Vec<crate::common::Choice>,
    /// Languages of the user interface.
    pub locales: Vec<Locale>,
    /// Languages that the server can translate texts to; empty if no translation backend is configured.
    pub auto_translation_locales: Vec<Locale>,
}

crate::json_bodies!(
    LoginInput,
    SignInResponse,
    Profile,
    OwnProfileInput,
    OwnPasswordInput,
    ConfirmInput,
    Confirmation,
    OwnSession,
    EndedSessions,
    SignInCodeInput,
    SignInCode,
    SignInCodeOwner,
    SetupInput,
    PublicSettings,
    BroadcastingInput,
    BroadcastingAuth,
    Counters,
    Application,
);

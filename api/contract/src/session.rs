//! Signing in, who one is, public settings and dictionaries.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{LocaleCode, Named, Patch};
use crate::ids::{RoleId, SessionId, UserId};
use crate::moment::{Stamp, Time};
use crate::passkeys::PasskeyAnswer;
use crate::permission::{Permission, PermissionEntry};
use crate::settings::SiteSettings;

/// Body of `POST /login`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginInput {
    /// E-mail address.
    pub email: String,
    /// Password.
    pub password: String,
    /// The captcha's answer, when `captcha_is_enabled`.
    #[serde(default, rename = "g-recaptcha-response", skip_serializing_if = "Option::is_none")]
    pub captcha: Option<String>,
    /// Six digits or a recovery code, when the account has a second factor (else 422 with code `otp_required`, which lists the
    /// account's methods in `second_factor`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otp: Option<String>,
    /// A passkey's answer to the challenge in `second_factor`, in place of the digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyAnswer>,
}

/// Answer of everything that signs in; the token itself is in the `Authorization` header, or in a cookie where the request
/// has `X-Panel-Session: cookie`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignedIn {
    /// Who signed in.
    pub user: Profile,
    /// When the token ends where it is not used again.
    pub expires_at: Time,
}

/// The signed-in staff member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Profile {
    /// The user's id.
    pub id: UserId,
    /// Name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// Roles.
    pub roles: Vec<Named<RoleId>>,
    /// Whether one of their roles requires a second factor that they do not have: everything but enrolling is a 403
    /// `second_factor_required` then.
    #[serde(default)]
    pub must_enrol_second_factor: bool,
    /// Everything they may do, directly or by role.
    #[serde(rename = "allPermissions")]
    pub all_permissions: Vec<PermissionEntry>,
    /// Language that they chose for the console; none for that of the browser.
    #[serde(default)]
    pub locale: Option<LocaleCode>,
    /// IANA name of the time zone that they chose, such as `Europe/Berlin`; none for that of the browser.
    #[serde(default)]
    pub time_zone: Option<String>,
    /// When the account last changed; an editor sends it back.
    #[serde(default)]
    pub updated_at: Option<Stamp>,
}

impl Profile {
    /// Whether they hold `permission`.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.all_permissions.iter().any(|held| held.name == permission)
    }
}

/// Body of `PATCH /api/v1/profile`; what is left out stays, null clears.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnProfileInput {
    /// 1 to 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Language of the console; null for that of the browser.
    #[serde(default, skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<LocaleCode>)]
    pub locale: Patch<LocaleCode>,
    /// IANA name of a time zone, such as `Europe/Berlin`; null for that of the browser.
    #[serde(default, skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub time_zone: Patch<String>,
    /// The profile as the editor read it; a newer one is a 409.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `POST /api/v1/profile/password`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnPasswordInput {
    /// The password until now; wrong ones are counted like those of a sign-in (429 `too_many_attempts`).
    pub current_password: String,
    /// The new one: at least 8 characters, none of the most common ones.
    pub password: String,
}

/// Body of `POST /api/v1/profile/confirm`: one of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmInput {
    /// The caller's password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// Six digits of the authenticator app or a recovery code, for accounts with a second factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otp: Option<String>,
    /// The answer of a passkey to `POST profile/passkeys/challenge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyAnswer>,
}

/// The caller is who they say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Confirmation {
    /// Until when it counts.
    pub confirmed_until: Time,
}

/// A session of one's own: a sign-in on one device, with every token that came of it by refreshing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OwnSession {
    /// Its id, the same as long as it lasts.
    pub id: SessionId,
    /// Browser and system, or the name of a program, as the client says; none where it says nothing.
    pub device: Option<String>,
    /// The address that it was used from when its token was last replaced.
    pub ip_address: String,
    /// When the person signed in.
    pub signed_in_at: Time,
    /// When it was used last, to the minute.
    pub last_used_at: Time,
    /// When it ends where it is not used again.
    pub ends_at: Time,
    /// Whether this request was made with it.
    pub is_current: bool,
}

/// How many sessions a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EndedSessions {
    /// At least one; a call that would end none is a 409.
    pub ended: i64,
}

/// Body of `POST /handoff`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HandoffInput {
    /// The code of the console address.
    pub code: String,
}

/// Whose sign-in a handoff code carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HandoffOwner {
    /// The user's id.
    pub id: UserId,
    /// Name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// When the code ends.
    pub expires_at: Time,
}

/// A single-use sign-in code for the console.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HandoffCode {
    /// Good once, for 60 seconds.
    pub code: String,
    /// When it ends.
    pub expires_at: Time,
}

/// Body of `POST /setup`: the owner of a new panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupInput {
    /// The one-time token that the server printed at its first start.
    pub token: String,
    /// The panel's name.
    pub panel_name: String,
    /// The owner's name.
    pub name: String,
    /// The owner's email address.
    pub email: String,
    /// At least 8 characters.
    pub password: String,
    /// Whether all staff need a second factor from the start, the owner too: the setting `second_factor_for_all_staff`.
    #[serde(default)]
    pub require_second_factor: bool,
}

crate::words! {
    /// Who draws the captcha.
    CaptchaProvider {
        Recaptcha = "recaptcha",
        Hcaptcha = "hcaptcha",
        Turnstile = "turnstile",
    }
}

/// A panel that does not say whose it is speaks of the one that panels had before.
const fn usual_captcha() -> CaptchaProvider {
    CaptchaProvider::Recaptcha
}

/// Public instance data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PublicSettings {
    /// Whether this panel belongs to the makers.
    pub inhouse: bool,
    /// Address of the favicon.
    pub favicon: Option<String>,
    /// The panel's name.
    pub panel_name: String,
    /// Whether it is a child panel.
    pub is_child: bool,
    /// Logo on light ground.
    pub light_logo: Option<String>,
    /// Logo on dark ground.
    pub dark_logo: Option<String>,
    /// Logo on small screens.
    pub mobile_logo: Option<String>,
    /// The panel's id.
    pub panel_id: i64,
    /// Whether sign-in wants a captcha.
    pub captcha_is_enabled: bool,
    /// The captcha's public key.
    pub captcha_site_key: Option<String>,
    /// Whose captcha that key is for, by the address that answers are checked at.
    #[serde(default = "usual_captcha")]
    pub captcha_provider: CaptchaProvider,
    /// Where the logo leads.
    pub logo_destination_url: Option<String>,
    /// The logo in words.
    pub logo_alt: Option<String>,
    /// Referral share by default.
    pub default_referral_program_percent: Fraction,
    /// What a guarantee adds to an order's price.
    #[serde(default)]
    pub guarantee_charge_percent: Fraction,
    /// What being sped up adds to an order's price.
    #[serde(default)]
    pub speedup_charge_percent: Fraction,
    /// Whether customers can buy a panel of their own.
    #[serde(default)]
    pub enabled_child_panels: bool,
    /// What such a panel costs.
    #[serde(default)]
    pub child_panels_price: Option<Money>,
    /// What the customers' site draws itself by: colours, places of banners, networks, navigation, pages.
    #[serde(default)]
    pub site: SiteSettings,
    /// Currency sign in front of money.
    pub currency_symbol: String,
    /// Whether the panel still waits for its owner.
    pub needs_setup: bool,
    /// How to reach the live channel.
    pub realtime: Realtime,
}

/// How to reach the live channel with any Pusher client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Realtime {
    /// The app key.
    pub key: String,
    /// The socket's path, before `/app/{key}`.
    pub path: String,
}

/// Body of `POST /broadcasting/auth`, as form or JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BroadcastingInput {
    /// `digits.digits`.
    pub socket_id: String,
    /// Such as `private-admin`.
    pub channel_name: String,
}

/// The signature a Pusher client subscribes with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BroadcastingAuth {
    /// `key:hex`.
    pub auth: String,
}

/// The four live counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counters {
    /// Orders in moderation.
    pub orders_in_moderation_count: i64,
    /// Orders in processing.
    pub orders_in_processing_count: i64,
    /// Orders in processing whose service has no active provider.
    pub orders_with_no_active_providers_count: i64,
    /// Free-trial requests that wait.
    pub free_trials_in_pending_count: i64,
}

/// A country.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Country {
    /// Two letters.
    pub iso_code_2: String,
    /// English name.
    pub name: String,
}

/// A language of the interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Locale {
    /// Such as `pt_BR`.
    pub code: String,
    /// In its own language.
    pub name: String,
}

/// Dictionaries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Application {
    /// What a user's status can be.
    pub user_statuses: Vec<crate::common::Choice>,
    /// Languages of the interface.
    pub locales: Vec<Locale>,
    /// Languages that texts can be translated to; empty without a translator.
    pub auto_translation_locales: Vec<Locale>,
}

crate::wire!(
    LoginInput,
    SignedIn,
    Profile,
    OwnProfileInput,
    OwnPasswordInput,
    ConfirmInput,
    Confirmation,
    OwnSession,
    EndedSessions,
    HandoffInput,
    HandoffCode,
    HandoffOwner,
    SetupInput,
    PublicSettings,
    BroadcastingInput,
    BroadcastingAuth,
    Counters,
    Application,
);

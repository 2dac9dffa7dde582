//! Verifies captchas of reCAPTCHA, hCaptcha and Turnstile. Fails closed: while the captcha service cannot be reached, the server
//! rejects every sign-in that needs a captcha, with an error that names the captcha service as the cause.

use panel_contract::session::CaptchaProvider;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;
use panel_kernel::request_meta::RequestMeta;
use serde::Deserialize;
use url::Url;

use crate::app::App;
use panel_platform::config::CaptchaConfig;
use panel_platform::outbound::Purpose;

/// The field of the sign-in request that holds the response of the captcha.
const CAPTCHA_FIELD: &str = "g-recaptcha-response";

#[derive(Deserialize)]
struct VerifyResponse {
    success: bool,
    #[serde(default)]
    hostname: Option<String>,
    #[serde(default)]
    score: Option<serde_json::Number>,
    #[serde(default)]
    action: Option<String>,
}

/// Determines the provider from the host of `verify_url`. An unknown host is treated like reCAPTCHA.
#[must_use]
pub fn detect_provider(captcha: &CaptchaConfig) -> CaptchaProvider {
    let url = captcha.verify_url.as_deref().and_then(|url| Url::parse(url).ok());
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let is_host = |domain: &str| {
        host.strip_suffix(domain).is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('.'))
    };
    match () {
        () if is_host("hcaptcha.com") => CaptchaProvider::Hcaptcha,
        () if is_host("challenges.cloudflare.com") => CaptchaProvider::Turnstile,
        () => CaptchaProvider::Recaptcha,
    }
}

/// Whether the console can show a captcha and the server can verify its response.
#[must_use]
pub const fn is_configured(captcha: &CaptchaConfig) -> bool {
    captcha.verify_url.is_some() && captcha.secret.is_some() && captcha.site_key.is_some()
}

/// Verifies the captcha response that the client sent.
pub async fn check(app: &App, meta: &RequestMeta, captcha_response: Option<&str>) -> Result<()> {
    let captcha = &app.config.captcha;
    let unavailable_error = || {
        Error::rejected(
            RejectionKind::Unavailable,
            "captcha_unavailable",
            "The captcha service does not respond, so you cannot sign in now. Try again in a minute.",
        )
    };
    let is_plausible =
        |captcha_response: &&str| !captcha_response.is_empty() && captcha_response.len() <= 4_096;
    let Some(captcha_response) = captcha_response.filter(is_plausible) else {
        return Err(Error::invalid(CAPTCHA_FIELD, "captcha_required", "Solve the captcha."));
    };
    let (Some(url), Some(secret)) = (&captcha.verify_url, &captcha.secret) else {
        return Err(unavailable_error());
    };
    let ip = meta.ip.to_string();
    let form = [("secret", secret.as_str()), ("response", captcha_response), ("remoteip", &ip)];
    let response = app.outbound.post_form(Purpose::Captcha, url, &form).await.map_err(|error| {
        tracing::warn!(%error, "failed to send a request to the captcha service");
        unavailable_error()
    })?;
    let verification: VerifyResponse = response.json().map_err(|_| unavailable_error())?;
    let host_matches = captcha.hostname.is_none() || captcha.hostname == verification.hostname;
    let score_suffices =
        verification.score.is_none_or(|score| score.as_f64().is_some_and(|score| score >= 0.5));
    let action_matches = verification.action.as_deref().is_none_or(|action| matches!(action, "login" | ""));
    if verification.success && host_matches && score_suffices && action_matches {
        return Ok(());
    }
    Err(Error::invalid(CAPTCHA_FIELD, "captcha_failed", "The captcha was not solved. Solve it again."))
}

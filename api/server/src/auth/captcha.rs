//! Captchas: one code path for reCAPTCHA, hCaptcha and Turnstile. It fails closed: while the provider cannot be reached, the
//! panel refuses every sign-in, with an error that names the captcha service as the cause.

use panel_contract::session::CaptchaProvider;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;
use panel_kernel::request_meta::RequestMeta;
use serde::Deserialize;
use url::Url;

use crate::app::App;
use panel_platform::config::CaptchaConfig;
use panel_platform::outbound::Purpose;

/// The field of the sign-in form.
const FIELD: &str = "g-recaptcha-response";

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

/// The provider, by the host of `verify_url`. An unknown host counts as one with reCAPTCHA's protocol.
#[must_use]
pub fn provider(captcha: &CaptchaConfig) -> CaptchaProvider {
    let url = captcha.verify_url.as_deref().and_then(|url| Url::parse(url).ok());
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let is_host =
        |domain: &str| host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    match () {
        () if is_host("hcaptcha.com") => CaptchaProvider::Hcaptcha,
        () if is_host("challenges.cloudflare.com") => CaptchaProvider::Turnstile,
        () => CaptchaProvider::Recaptcha,
    }
}

/// Whether the panel can show a captcha and check its answer.
#[must_use]
pub const fn is_configured(captcha: &CaptchaConfig) -> bool {
    captcha.verify_url.is_some() && captcha.secret.is_some() && captcha.site_key.is_some()
}

/// Verifies the captcha's answer in a form.
pub async fn check(app: &App, meta: &RequestMeta, answer: Option<&str>) -> Result<()> {
    let captcha = &app.config.captcha;
    let unavailable = || {
        Error::rejected(
            RejectionKind::Unavailable,
            "captcha_unavailable",
            "The captcha service does not answer, so you cannot sign in now. Try again in a minute.",
        )
    };
    let Some(answer) = answer.filter(|answer| !answer.is_empty() && answer.len() <= 4_096) else {
        return Err(Error::invalid(FIELD, "captcha_required", "Solve the captcha."));
    };
    let (Some(url), Some(secret)) = (&captcha.verify_url, &captcha.secret) else { return Err(unavailable()) };
    let ip = meta.ip.to_string();
    let form = [("secret", secret.as_str()), ("response", answer), ("remoteip", &ip)];
    let response = app.outbound.post_form(Purpose::Captcha, url, &form).await.map_err(|error| {
        tracing::warn!(%error, "failed to call the captcha service");
        unavailable()
    })?;
    let verified: VerifyResponse = response.json().map_err(|_| unavailable())?;
    let host_matches = captcha.hostname.is_none() || captcha.hostname == verified.hostname;
    let score_suffices = verified.score.is_none_or(|score| score.as_f64().is_some_and(|score| score >= 0.5));
    let action_matches = verified.action.as_deref().is_none_or(|action| matches!(action, "login" | ""));
    if verified.success && host_matches && score_suffices && action_matches {
        return Ok(());
    }
    Err(Error::invalid(FIELD, "captcha_failed", "The captcha was not solved. Solve it again."))
}

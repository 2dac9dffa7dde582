//! Captchas: one code path for reCAPTCHA, hCaptcha and Turnstile. Fails closed: while the provider cannot be reached, the
//! panel refuses every sign-in, and the answer says that it is not the person's fault.

use panel_contract::session::CaptchaProvider;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;
use panel_kernel::request_meta::RequestMeta;
use serde::Deserialize;
use url::Url;

use crate::app::App;
use panel_platform::config::Captcha;
use panel_platform::outbound::Purpose;

/// The field on the sign-in form.
const FIELD: &str = "g-recaptcha-response";

#[derive(Deserialize)]
struct Verdict {
    success: bool,
    #[serde(default)]
    hostname: Option<String>,
    #[serde(default)]
    score: Option<serde_json::Number>,
    #[serde(default)]
    action: Option<String>,
}

/// Whose captcha it is: the host that checks the answers says so. An unknown host speaks as reCAPTCHA does.
#[must_use]
pub fn provider(captcha: &Captcha) -> CaptchaProvider {
    let url = captcha.verify_url.as_deref().and_then(|url| Url::parse(url).ok());
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let of =
        |domain: &str| host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    match () {
        () if of("hcaptcha.com") => CaptchaProvider::Hcaptcha,
        () if of("challenges.cloudflare.com") => CaptchaProvider::Turnstile,
        () => CaptchaProvider::Recaptcha,
    }
}

/// Whether an answer can be asked for and checked.
#[must_use]
pub const fn is_configured(captcha: &Captcha) -> bool {
    captcha.verify_url.is_some() && captcha.secret.is_some() && captcha.site_key.is_some()
}

/// Verifies the captcha's answer of a form.
pub async fn check(app: &App, meta: &RequestMeta, answer: Option<&str>) -> Result<()> {
    let captcha = &app.config.captcha;
    let unavailable = || {
        Error::rejected(
            RejectionKind::Unavailable,
            "captcha_unavailable",
            "The captcha cannot be checked now; try again in a moment.",
        )
    };
    let Some(answer) = answer.filter(|answer| !answer.is_empty() && answer.len() <= 4_096) else {
        return Err(Error::invalid(FIELD, "captcha_required", "Solve the captcha."));
    };
    let (Some(url), Some(secret)) = (&captcha.verify_url, &captcha.secret) else { return Err(unavailable()) };
    let ip = meta.ip.to_string();
    let form = [("secret", secret.as_str()), ("response", answer), ("remoteip", &ip)];
    let checked = app.outbound.post_form(Purpose::Captcha, url, &form).await.map_err(|error| {
        tracing::warn!(%error, "failed to call the captcha service");
        unavailable()
    })?;
    let verdict: Verdict = checked.json().map_err(|_| unavailable())?;
    let host_fits = captcha.hostname.is_none() || captcha.hostname == verdict.hostname;
    let score_fits = verdict.score.is_none_or(|score| score.as_f64().is_some_and(|score| score >= 0.5));
    let action_fits = verdict.action.as_deref().is_none_or(|action| matches!(action, "login" | ""));
    if verdict.success && host_fits && score_fits && action_fits {
        return Ok(());
    }
    Err(Error::invalid(FIELD, "captcha_failed", "The captcha was not solved; try again."))
}

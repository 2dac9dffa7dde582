//! The WebAuthn relying party, which is identified by the host and the origin of `public_url`. A passkey is valid for this host only,
//! so users must register new passkeys if the panel moves to another host. The host must never come from a request.

use panel_contract::ids::UserId;
use panel_kernel::error::{Error, Result};
use sha2::{Digest as _, Sha256};
use url::Url;
use webauthn_rs::prelude::{Uuid, Webauthn, WebauthnBuilder};

use crate::context::Ctx;
use panel_platform::config::Config;
use panel_platform::settings;

/// Builds the verifier for the responses of authenticators.
pub(super) async fn build_webauthn(ctx: &Ctx) -> Result<Webauthn> {
    let (host, origin) = host_and_origin(&ctx.app.config)?;
    let name = settings::read_text(&mut ctx.db(), settings::PANEL_NAME).await?;
    let name = name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| host.clone());
    let builder = WebauthnBuilder::new(&host, &origin).map_err(internal_error)?;
    builder.rp_name(&name).build().map_err(internal_error)
}

/// Returns host and origin of `public_url`. Browsers allow passkeys only on HTTPS pages and on localhost, and never on an IP address.
pub(super) fn host_and_origin(config: &Config) -> Result<(String, Url)> {
    let url = config.public_url.as_deref().and_then(|url| Url::parse(url).ok());
    let host_and_origin = url.and_then(|url| {
        let host = url.domain()?.to_owned();
        let is_allowed = url.scheme() == "https" || host == "localhost";
        is_allowed.then_some((host, url))
    });
    host_and_origin.ok_or_else(|| {
        let message = "Passkeys need the public address of the panel. Set public_url to an HTTPS address with a host name (docs/configuration.md).";
        Error::conflict("passkeys_unavailable", message)
    })
}

/// Computes the user handle under which authenticators store the passkeys of an account. The handle contains no personal data.
pub(super) fn user_handle(user_id: UserId) -> Uuid {
    let hash = Sha256::digest(format!("panel passkeys of {user_id}").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    Uuid::from_bytes(bytes)
}

fn internal_error(error: impl std::fmt::Display) -> Error {
    Error::Internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_https_hosts_and_localhost_only() {
        let host = |url: Option<&str>| {
            let config = Config { public_url: url.map(str::to_owned), ..Config::default() };
            host_and_origin(&config).ok().map(|(host, _)| host)
        };
        assert_eq!(host(Some("https://panel.example.com")).as_deref(), Some("panel.example.com"));
        assert_eq!(host(Some("https://panel.example.com:8443/")).as_deref(), Some("panel.example.com"));
        assert_eq!(host(Some("http://localhost:8080")).as_deref(), Some("localhost"));
        for url in [
            None,
            Some("http://panel.example.com"),
            Some("https://203.0.113.7"),
            Some("http://127.0.0.1:8080"),
        ] {
            assert_eq!(host(url), None, "{url:?}");
        }
    }

    #[test]
    fn each_account_has_a_different_handle() {
        assert_eq!(user_handle(UserId::new(7)), user_handle(UserId::new(7)));
        assert_ne!(user_handle(UserId::new(7)), user_handle(UserId::new(8)));
    }
}

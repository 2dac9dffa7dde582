//! Configuration of outgoing email: SMTP over TLS, a folder, or none.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use url::Url;

use super::host_is_this_machine;

/// Transport of outgoing email: SMTP, a folder, or none.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Mail {
    /// Address of the SMTP server, such as `smtps://user:password@mail.example.com`.
    pub smtp_url: Option<String>,
    /// A folder into which the server writes one file per email, instead of SMTP.
    pub folder: Option<PathBuf>,
    /// The sender, such as `Panel <noreply@example.com>`.
    pub from: Option<String>,
}

impl Mail {
    /// Refuses invalid values, and SMTP that would send the password and every email unencrypted to another machine.
    pub(super) fn check(&self) -> Result<(), String> {
        let Some(smtp_url) = &self.smtp_url else { return Ok(()) };
        if self.from.is_none() {
            return Err("configuration: mail.from is needed with mail.smtp_url, such as \"Panel <noreply@example.com>\"".into());
        }
        if !is_encrypted(smtp_url) {
            return Err("configuration: mail.smtp_url: write smtps://HOST, or smtp://HOST?tls=required for STARTTLS; smtp:// alone is accepted for this machine only".into());
        }
        Ok(())
    }
}

/// Whether TLS is required, or the server is on this machine. An invalid address passes here, since lettre refuses it with a reason.
fn is_encrypted(smtp_url: &str) -> bool {
    let Ok(url) = Url::parse(smtp_url) else { return true };
    // lettre uses the first value.
    let tls = url.query_pairs().find(|(key, _)| key == "tls").map(|(_, value)| value);
    url.scheme() == "smtps" || tls.as_deref() == Some("required") || host_is_this_machine(url.host_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_sent_to_other_machines_only_encrypted() {
        let checked = |url: &str| {
            Mail { smtp_url: Some(url.into()), from: Some("a@example.com".into()), folder: None }.check()
        };
        for url in [
            "smtps://user:x@mail.example.com",
            "smtp://user:x@mail.example.com:587?tls=required",
            "smtp://localhost",
            "smtp://127.0.0.1:25",
            "smtp://[::1]:25",
        ] {
            assert!(checked(url).is_ok(), "{url}");
        }
        for url in [
            "smtp://user:x@mail.example.com",
            "smtp://10.0.0.5:25",
            "smtp://mail.example.com?tls=opportunistic",
            "smtp://mail.example.com?tls=opportunistic&tls=required",
            "smtp://localhost.example.com",
        ] {
            let refused = checked(url).unwrap_err();
            assert!(refused.contains("mail.smtp_url: write smtps://"), "{url}: {refused}");
        }
    }
}

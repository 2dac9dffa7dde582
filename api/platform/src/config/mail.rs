//! Configuration of outgoing email.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use url::Url;

use super::is_this_machine;

/// Transport of outgoing email: SMTP, a folder, or none.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MailConfig {
    /// Address of the SMTP server, such as `smtps://user:password@mail.example.com`.
    pub smtp_url: Option<String>,
    /// A folder into which the server writes one file per email, instead of SMTP.
    pub folder: Option<PathBuf>,
    /// The sender, such as `Panel <noreply@example.com>`.
    pub from: Option<String>,
}

impl MailConfig {
    /// Rejects invalid values, and SMTP that would send the password and every email unencrypted to another machine.
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

/// Whether the address requires TLS, or the server is on this machine. True for an invalid address, because lettre rejects it later
/// and names the reason.
fn is_encrypted(smtp_url: &str) -> bool {
    let Ok(url) = Url::parse(smtp_url) else { return true };
    // lettre uses the first value.
    let tls = url.query_pairs().find(|(key, _)| key == "tls").map(|(_, value)| value);
    url.scheme() == "smtps" || tls.as_deref() == Some("required") || is_this_machine(url.host_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_unencrypted_smtp_to_another_machine() {
        let check = |url: &str| {
            MailConfig { smtp_url: Some(url.into()), from: Some("a@example.com".into()), folder: None }
                .check()
        };
        for url in [
            "smtps://user:x@mail.example.com",
            "smtp://user:x@mail.example.com:587?tls=required",
            "smtp://localhost",
            "smtp://127.0.0.1:25",
            "smtp://[::1]:25",
        ] {
            assert!(check(url).is_ok(), "{url}");
        }
        for url in [
            "smtp://user:x@mail.example.com",
            "smtp://10.0.0.5:25",
            "smtp://mail.example.com?tls=opportunistic",
            "smtp://mail.example.com?tls=opportunistic&tls=required",
            "smtp://localhost.example.com",
        ] {
            let error = check(url).unwrap_err();
            assert!(error.contains("mail.smtp_url: write smtps://"), "{url}: {error}");
        }
    }
}

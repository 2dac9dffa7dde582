//! How email leaves: SMTP over TLS, a folder, or not at all.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use url::Url;

use super::host_is_this_machine;

/// Outgoing mail: SMTP, a folder, or none.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Mail {
    /// Such as `smtps://user:password@mail.example.com`.
    pub smtp_url: Option<String>,
    /// A folder that gets one file per mail, instead of SMTP.
    pub folder: Option<PathBuf>,
    /// The sender.
    pub from: Option<String>,
}

impl Mail {
    /// Refuses what cannot work, and SMTP that would send the password and every email in plain text beyond this machine.
    pub(super) fn check(&self) -> Result<(), String> {
        let Some(smtp_url) = &self.smtp_url else { return Ok(()) };
        if self.from.is_none() {
            return Err("configuration: mail.from is needed with mail.smtp_url, such as \"Panel <noreply@example.com>\"".into());
        }
        if !is_encrypted(smtp_url) {
            return Err("configuration: mail.smtp_url: write smtps://HOST, or smtp://HOST?tls=required for STARTTLS; smtp:// alone is taken for this machine only".into());
        }
        Ok(())
    }
}

/// Whether TLS is certain, or the server is on this machine. What lettre cannot read, it refuses itself with its reason.
fn is_encrypted(smtp_url: &str) -> bool {
    let Ok(url) = Url::parse(smtp_url) else { return true };
    // The first value is the one that lettre takes.
    let tls = url.query_pairs().find(|(key, _)| key == "tls").map(|(_, value)| value);
    url.scheme() == "smtps" || tls.as_deref() == Some("required") || host_is_this_machine(url.host_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_leaves_this_machine_encrypted_only() {
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

//! Outgoing mail: letters are jobs; this room words them and hands them to a transport. Plain text only: what a
//! customer typed is text.

use lettre::message::{Mailbox, header::ContentType};
use lettre::transport::smtp::AsyncSmtpTransport;
use lettre::{AsyncTransport as _, Message, Tokio1Executor};
use serde::{Deserialize, Serialize};

use crate::config;

/// A mail to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Letter {
    /// The customer's name.
    pub name: String,
    /// Their address.
    pub email: String,
    /// One line.
    pub subject: String,
    /// Plain text.
    pub text: String,
}

/// How mail leaves.
pub enum Mailer {
    /// By SMTP.
    Smtp(Box<AsyncSmtpTransport<Tokio1Executor>>, Mailbox),
    /// Into a folder, one file each (the demo).
    Folder(std::path::PathBuf, Mailbox),
    /// Not configured: letters are dropped, and the log says so.
    Nowhere,
}

impl Mailer {
    /// As configured.
    pub fn new(config: &config::Mail) -> Result<Self, String> {
        let from = config.from.as_deref().unwrap_or("Panel <panel@localhost>");
        let from: Mailbox =
            from.parse().map_err(|error| format!("configuration: mail.from is no sender: {error}"))?;
        if let Some(folder) = &config.folder {
            std::fs::create_dir_all(folder)
                .map_err(|error| format!("configuration: mail.folder cannot be made: {error}"))?;
            return Ok(Self::Folder(folder.clone(), from));
        }
        let Some(url) = &config.smtp_url else { return Ok(Self::Nowhere) };
        let smtp = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)
            .map_err(|error| format!("configuration: mail.smtp_url: {error}"))?;
        let smtp = smtp.timeout(Some(std::time::Duration::from_secs(20))).build();
        Ok(Self::Smtp(Box::new(smtp), from))
    }

    /// Sends one letter; an error is tried again by the jobs room.
    pub async fn send(&self, letter: Letter) -> Result<(), String> {
        match self {
            Self::Nowhere => {
                tracing::info!(subject = letter.subject, "mail is not configured; a letter is dropped");
                Ok(())
            }
            Self::Folder(folder, from) => {
                let message = message(letter, from)?;
                let file = folder.join(format!("{}.eml", uuid::Uuid::now_v7()));
                tokio::fs::write(file, message.formatted()).await.map_err(|error| error.to_string())
            }
            Self::Smtp(smtp, from) => {
                smtp.send(message(letter, from)?).await.map(drop).map_err(|error| error.to_string())
            }
        }
    }
}

fn message(letter: Letter, from: &Mailbox) -> Result<Message, String> {
    let address = letter.email.parse().map_err(|error| format!("{}: {error}", letter.email))?;
    Message::builder()
        .from(from.clone())
        .to(Mailbox::new(Some(letter.name), address))
        .subject(letter.subject)
        .header(ContentType::TEXT_PLAIN)
        .body(letter.text)
        .map_err(|error| error.to_string())
}

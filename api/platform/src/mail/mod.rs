//! Outgoing email. Each email is a job; the server composes the texts (`emails`), and [`Mailer`] sends them by a transport. Every
//! email has a plain-text part; its HTML part contains the panel's logo, and escapes the input of customers.

pub mod logo;
pub mod panel_logo;

use std::error::Error as _;

use lettre::message::header::ContentType;
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use lettre::transport::smtp::AsyncSmtpTransport;
use lettre::{AsyncTransport as _, Message, Tokio1Executor};
use serde::{Deserialize, Serialize};

use crate::config;
use crate::html::escape;
use crate::jobs::failure::JobFailure;
use logo::Logo;

/// An email as its job stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Email {
    /// The recipient's name for the greeting and the `To` header; input of a customer.
    pub name: String,
    /// The recipient's address; an invalid one fails the job permanently.
    pub email: String,
    /// The subject without line breaks.
    pub subject: String,
    /// The plain text, from which the HTML part is built.
    pub text: String,
}

/// The transport of emails.
pub enum Mailer {
    Smtp(Box<AsyncSmtpTransport<Tokio1Executor>>, Mailbox),
    /// Writes one file for each email into the folder, in the demo.
    Folder(std::path::PathBuf, Mailbox),
    /// [`Self::send`] drops each email and logs its subject.
    NotConfigured,
}

impl Mailer {
    /// Creates the configured transport.
    pub fn new(config: &config::MailConfig) -> Result<Self, String> {
        let from = config.from.as_deref().unwrap_or("Panel <panel@localhost>");
        let from: Mailbox =
            from.parse().map_err(|error| format!("configuration: mail.from is not a sender: {error}"))?;
        if let Some(folder) = &config.folder {
            std::fs::create_dir_all(folder)
                .map_err(|error| format!("configuration: failed to create mail.folder: {error}"))?;
            return Ok(Self::Folder(folder.clone(), from));
        }
        let Some(url) = &config.smtp_url else { return Ok(Self::NotConfigured) };
        let smtp = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)
            .map_err(|error| format!("configuration: mail.smtp_url: {error}"))?;
        let smtp = smtp.timeout(Some(std::time::Duration::from_secs(20))).build();
        Ok(Self::Smtp(Box::new(smtp), from))
    }

    /// Whether a transport is configured.
    #[must_use]
    pub const fn is_configured(&self) -> bool {
        !matches!(self, Self::NotConfigured)
    }

    /// Sends one email. All attempts have the same `idempotency_key`, so that a mail program can drop a second copy.
    pub async fn send(
        &self,
        email: Email,
        idempotency_key: &str,
        logo: Option<&Logo>,
    ) -> Result<(), JobFailure> {
        match self {
            Self::NotConfigured => {
                tracing::info!(subject = email.subject, "dropped an email: no transport is configured");
                Ok(())
            }
            Self::Folder(folder, from) => {
                let message =
                    build_message(email, from, idempotency_key, logo).map_err(JobFailure::Permanent)?;
                let file = folder.join(format!("{idempotency_key}.eml"));
                let result = tokio::fs::write(file, message.formatted()).await;
                result.map_err(|error| JobFailure::Retry(error.to_string()))
            }
            Self::Smtp(smtp, from) => {
                let message =
                    build_message(email, from, idempotency_key, logo).map_err(JobFailure::Permanent)?;
                // Also retries permanent errors of the mail server, because it may be misconfigured for an hour.
                smtp.send(message)
                    .await
                    .map(drop)
                    .map_err(|error| JobFailure::Retry(describe_with_cause(&error)))
            }
        }
    }
}

/// Describes an error with its cause: "Connection error: Connection refused".
fn describe_with_cause(error: &lettre::transport::smtp::Error) -> String {
    match error.source() {
        Some(cause) if !error.to_string().contains(&cause.to_string()) => format!("{error}: {cause}"),
        _ => error.to_string(),
    }
}

/// Replaces control characters by spaces. In a header they would begin another header, and lettre panics on them.
fn replace_control_characters(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect()
}

/// The content id by which the HTML part refers to the attached image.
const LOGO_CONTENT_ID: &str = "logo";

fn build_message(
    email: Email,
    from: &Mailbox,
    idempotency_key: &str,
    logo: Option<&Logo>,
) -> Result<Message, String> {
    let address = email.email.parse().map_err(|error| format!("the email address is not valid: {error}"))?;
    let builder = Message::builder()
        .message_id(Some(format!("<job.{idempotency_key}@{}>", from.email.domain())))
        .from(from.clone())
        .to(Mailbox::new(Some(replace_control_characters(&email.name)), address))
        .subject(replace_control_characters(&email.subject));
    let message = match logo {
        None => builder.header(ContentType::TEXT_PLAIN).body(email.text),
        Some(logo) => builder.multipart(build_parts_with_logo(email.text, logo)?),
    };
    message.map_err(|error| error.to_string())
}

/// Builds a plain-text part, and an HTML part with the logo above the text. The image is attached, so that a mail program does not
/// request it from the panel.
fn build_parts_with_logo(text: String, logo: &Logo) -> Result<MultiPart, String> {
    let content_type = ContentType::parse(logo.media_type).map_err(|error| error.to_string())?;
    let (alt, lines) =
        (escape(&replace_control_characters(&logo.alt)), escape(&text).replace('\n', "<br>\n"));
    let html = format!(
        "<!doctype html>\n<html><body style=\"font-family: sans-serif\">\n<p><img src=\"cid:{LOGO_CONTENT_ID}\" alt=\"{alt}\" style=\"max-width: 320px\"></p>\n<p>{lines}</p>\n</body></html>\n"
    );
    let image = Attachment::new_inline(LOGO_CONTENT_ID.to_owned()).body(logo.bytes.clone(), content_type);
    let related = MultiPart::related().singlepart(SinglePart::html(html)).singlepart(image);
    Ok(MultiPart::alternative().singlepart(SinglePart::plain(text)).multipart(related))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn email(name: &str, address: &str, text: &str) -> Email {
        Email {
            name: name.into(),
            email: address.into(),
            subject: "Order 7 was canceled".into(),
            text: text.into(),
        }
    }

    #[test]
    fn escapes_customer_input_in_emails() {
        let from = "Panel <panel@example.com>".parse().unwrap();
        let malicious =
            email("Eve\r\nBcc: all@example.com", "eve@example.com", "<b>bold</b>\r\n.\r\nQUIT\r\n");
        let text =
            String::from_utf8(build_message(malicious, &from, "7.ab", None).unwrap().formatted()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(!head.lines().any(|line| line.starts_with("Bcc")), "{head}");
        assert!(head.contains("Content-Type: text/plain; charset=utf-8"), "{head}");
        assert!(head.contains("Message-ID: <job.7.ab@example.com>"), "{head}");
        assert!(body.contains("<b>bold</b>"), "{body}");
        let control: String = (0..160_u8).map(char::from).filter(|char| char.is_control()).collect();
        for name in [control.as_str(), "", " ", "\"\\", "名前 \u{1f600}\u{202e}", &"x".repeat(5_000)] {
            let email = Email { subject: name.into(), ..email(name, "eve@example.com", name) };
            assert!(
                build_message(email, &from, "1", None).is_ok_and(|message| !message.formatted().is_empty())
            );
        }
    }

    #[test]
    fn the_html_part_contains_the_logo_above_the_text() {
        let from = "Panel <panel@example.com>".parse().unwrap();
        let logo = Logo { bytes: vec![0x89, 1, 2], media_type: "image/png", alt: "A \"panel\"\r\n".into() };
        let message =
            build_message(email("Eve", "eve@example.com", "<b>one</b>\ntwo"), &from, "1", Some(&logo))
                .unwrap();
        let text = String::from_utf8(message.formatted()).unwrap();
        for part in [
            "multipart/alternative",
            "multipart/related",
            "<b>one</b>\r\ntwo",
            "&lt;b&gt;one&lt;/b&gt;<br>",
            "cid:logo",
            "Content-ID: <logo>",
            "Content-Type: image/png",
            "A &quot;panel&quot;",
            "iQEC",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn rejects_an_invalid_address_permanently() {
        let from = "Panel <panel@example.com>".parse().unwrap();
        for address in ["", "eve", "eve@example.com\r\nRCPT TO:<all@example.com>", "a b@example.com"] {
            assert!(build_message(email("Eve", address, ""), &from, "1", None).is_err(), "{address:?}");
        }
    }
}

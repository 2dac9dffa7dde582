//! The panel's Telegram bot, which sends messages to one chat. The URL of the call has the bot's token, so it must never be logged.

use panel_kernel::error::Result;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use panel_platform::db::Source;
use panel_platform::jobs::failure::JobFailure;
use panel_platform::outbound::{Call, OutboundResponse, Purpose};
use panel_platform::settings;

const TOKEN: &str = "integrations.telegram_bot_token";
const CHAT: &str = "integrations.telegram_chat_id";
/// Longest message, in characters.
const MAX_CHARS: usize = 4_000;

/// Whether a bot and its chat are configured.
pub async fn is_configured(db: &mut impl Source) -> Result<bool> {
    Ok(settings::text(db, CHAT).await?.is_some() && settings::text(db, TOKEN).await?.is_some())
}

/// Sends one message, cut to `MAX_CHARS`.
pub async fn send(app: &App, text: &str) -> std::result::Result<(), JobFailure> {
    let configured = async {
        let token = settings::secret(app, &mut &app.db, TOKEN).await?;
        Ok::<_, panel_kernel::error::Error>((token, settings::text(&mut &app.db, CHAT).await?))
    };
    let configured = configured.await.map_err(|error| JobFailure::Retry(format!("{error:?}")))?;
    let (Some(token), Some(chat)) = configured else {
        return Err(JobFailure::Permanent("the Telegram bot is no longer configured".into()));
    };
    let text: String = text.chars().take(MAX_CHARS).collect();
    let body = json!({ "chat_id": chat, "text": text, "link_preview_options": { "is_disabled": true } });
    let url = format!("{}/bot{token}/sendMessage", app.config.telegram_url.trim_end_matches('/'));
    let answer = app.outbound.send(Call::json(Purpose::Telegram, &url, &body)).await;
    let answer = answer.map_err(|error| JobFailure::Retry(format!("Telegram is unreachable: {error}")))?;
    if answer.is_success() {
        return Ok(());
    }
    let description = description_of(&answer);
    match answer.status {
        401 | 404 => Err(JobFailure::Permanent(
            "Telegram refused the bot's token; enter another one in the settings".into(),
        )),
        400 | 403 => Err(JobFailure::Permanent(format!("Telegram refused the message: {description}"))),
        status => Err(JobFailure::Retry(format!("Telegram answered {status}: {description}"))),
    }
}

fn description_of(answer: &OutboundResponse) -> String {
    #[derive(Deserialize)]
    struct ErrorResponse {
        description: String,
    }
    let response: Option<ErrorResponse> = answer.json().ok();
    response.map_or_else(
        || "no description".to_owned(),
        |response| response.description.chars().take(200).collect(),
    )
}

//! The panel's Telegram bot, which sends messages to one chat. The URL of a request contains the bot's token, so it must never be
//! logged.

use panel_kernel::error::Result;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use panel_platform::db::SqlExecutor;
use panel_platform::jobs::failure::JobFailure;
use panel_platform::outbound::{OutboundRequest, OutboundResponse, Purpose};
use panel_platform::settings;

const TOKEN_KEY: &str = "integrations.telegram_bot_token";
const CHAT_KEY: &str = "integrations.telegram_chat_id";
/// Maximum length of a message in characters.
const MAX_MESSAGE_CHARS: usize = 4_000;

/// Whether a bot and its chat are configured.
pub async fn is_configured(db: &mut impl SqlExecutor) -> Result<bool> {
    Ok(settings::read_text(db, CHAT_KEY).await?.is_some()
        && settings::read_text(db, TOKEN_KEY).await?.is_some())
}

/// Sends one message, truncated to `MAX_MESSAGE_CHARS`.
pub async fn send_message(app: &App, text: &str) -> std::result::Result<(), JobFailure> {
    let bot_settings = async {
        let token = settings::read_secret(app, &mut &app.db, TOKEN_KEY).await?;
        Ok::<_, panel_kernel::error::Error>((token, settings::read_text(&mut &app.db, CHAT_KEY).await?))
    };
    let bot_settings = bot_settings.await.map_err(|error| JobFailure::Retry(format!("{error:?}")))?;
    let (Some(token), Some(chat_id)) = bot_settings else {
        return Err(JobFailure::Permanent("the Telegram bot is no longer configured".into()));
    };
    let text: String = text.chars().take(MAX_MESSAGE_CHARS).collect();
    let body = json!({ "chat_id": chat_id, "text": text, "link_preview_options": { "is_disabled": true } });
    let url = format!("{}/bot{token}/sendMessage", app.config.telegram_url.trim_end_matches('/'));
    let response = app.outbound.send(OutboundRequest::json(Purpose::Telegram, &url, &body)).await;
    let response =
        response.map_err(|error| JobFailure::Retry(format!("Telegram is unreachable: {error}")))?;
    if response.is_success() {
        return Ok(());
    }
    let description = error_description(&response);
    match response.status {
        401 | 404 => Err(JobFailure::Permanent(
            "Telegram rejected the bot's token; enter another one in the settings".into(),
        )),
        400 | 403 => Err(JobFailure::Permanent(format!("Telegram rejected the message: {description}"))),
        status => Err(JobFailure::Retry(format!("Telegram responded with status {status}: {description}"))),
    }
}

fn error_description(response: &OutboundResponse) -> String {
    #[derive(Deserialize)]
    struct ErrorResponse {
        description: String,
    }
    let response: Option<ErrorResponse> = response.json().ok();
    response.map_or_else(
        || "no description".to_owned(),
        |response| response.description.chars().take(200).collect(),
    )
}

//! The panel's Telegram bot: it writes into one chat. Its token stands in the address of the call and nowhere else.

use panel_kernel::error::Result;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use panel_platform::db::Source;
use panel_platform::jobs::failure::Failure;
use panel_platform::outbound::{Answer, Call, Purpose};
use panel_platform::settings;

/// The bot's token.
const TOKEN: &str = "integrations.telegram_bot_token";
/// The chat that it writes into.
const CHAT: &str = "integrations.telegram_chat_id";
/// Longest message, in characters.
const LONGEST: usize = 4_000;

/// Whether there is a bot and a chat for it.
pub async fn is_set(db: &mut impl Source) -> Result<bool> {
    Ok(settings::text(db, CHAT).await?.is_some() && settings::text(db, TOKEN).await?.is_some())
}

/// Writes one message.
pub async fn send(app: &App, text: &str) -> std::result::Result<(), Failure> {
    let known = async {
        let token = settings::secret(app, &mut &app.db, TOKEN).await?;
        Ok::<_, panel_kernel::error::Error>((token, settings::text(&mut &app.db, CHAT).await?))
    };
    let known = known.await.map_err(|error| Failure::Later(format!("{error:?}")))?;
    let (Some(token), Some(chat)) = known else {
        return Err(Failure::Never("the Telegram bot was taken away".into()));
    };
    let text: String = text.chars().take(LONGEST).collect();
    let body = json!({ "chat_id": chat, "text": text, "link_preview_options": { "is_disabled": true } });
    let url = format!("{}/bot{token}/sendMessage", app.config.telegram_url.trim_end_matches('/'));
    let answer = app.outbound.send(Call::json(Purpose::Telegram, &url, &body)).await;
    let answer = answer.map_err(|error| Failure::Later(format!("Telegram cannot be reached: {error}")))?;
    if answer.is_success() {
        return Ok(());
    }
    let said = said(&answer);
    match answer.status {
        401 | 404 => {
            Err(Failure::Never("Telegram refuses the bot's token; set another in the settings".into()))
        }
        400 | 403 => Err(Failure::Never(format!("Telegram refuses the message: {said}"))),
        status => Err(Failure::Later(format!("Telegram answered {status}: {said}"))),
    }
}

fn said(answer: &Answer) -> String {
    #[derive(Deserialize)]
    struct Said {
        description: String,
    }
    let said: Option<Said> = answer.json().ok();
    said.map_or_else(|| "no words".to_owned(), |said| said.description.chars().take(200).collect())
}

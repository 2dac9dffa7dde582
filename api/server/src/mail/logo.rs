//! The logo above the text of each email: read when the email leaves, so that a new logo counts at once.

use crate::app::App;
use crate::configuration::settings;
use crate::http::error::Result;

/// The image attached to emails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logo {
    /// The image.
    pub bytes: Vec<u8>,
    /// Its media type, such as `image/png`.
    pub media_type: &'static str,
    /// What it shows, in words.
    pub alt: String,
}

/// The logo of the settings; none without one. An email leaves without a logo that cannot be read.
pub async fn of_panel(app: &App) -> Option<Logo> {
    match read(app).await {
        Ok(logo) => logo,
        Err(error) => {
            let message = error.into_told("mail").message;
            tracing::warn!(%message, "failed to read the logo of emails; the email leaves without it");
            None
        }
    }
}

async fn read(app: &App) -> Result<Option<Logo>> {
    let db = &mut &app.db;
    let Some(address) = settings::text(db, settings::EMAIL_LOGO).await? else { return Ok(None) };
    let Some(bytes) = app.uploads.public_image(&address).await? else { return Ok(None) };
    let alt = match settings::text(db, settings::LOGO_ALT).await? {
        Some(alt) => alt,
        None => settings::text(db, settings::PANEL_NAME).await?.unwrap_or_default(),
    };
    Ok(Some(Logo { bytes: bytes.to_vec(), media_type: panel_images::media_type(&address), alt }))
}

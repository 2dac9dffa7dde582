//! Reads the logo each time an email is sent, so that a new logo takes effect at once.

use panel_kernel::error::Result;

use crate::mail::logo::Logo;
use crate::platform::Platform;
use crate::settings;

/// The logo of the settings; none where it is not set or cannot be read: the email is then sent without it.
pub async fn load(platform: &Platform) -> Option<Logo> {
    match read(platform).await {
        Ok(logo) => logo,
        Err(error) => {
            let message = error.report("mail").message;
            tracing::warn!(%message, "failed to read the email logo; sent the email without it");
            None
        }
    }
}

async fn read(platform: &Platform) -> Result<Option<Logo>> {
    let db = &mut &platform.db;
    let Some(address) = settings::text(db, settings::EMAIL_LOGO).await? else { return Ok(None) };
    let Some(bytes) = platform.uploads.public_image(&address).await? else { return Ok(None) };
    let alt = match settings::text(db, settings::LOGO_ALT).await? {
        Some(alt) => alt,
        None => settings::text(db, settings::PANEL_NAME).await?.unwrap_or_default(),
    };
    Ok(Some(Logo { bytes: bytes.to_vec(), media_type: panel_images::media_type(&address), alt }))
}

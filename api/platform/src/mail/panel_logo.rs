//! Loads the logo of the panel for each email, so that a new logo takes effect immediately.

use panel_kernel::error::Result;

use crate::mail::logo::Logo;
use crate::platform::Platform;
use crate::settings;

/// Loads the logo that the settings define. `None` if there is no logo, or if reading fails: the server then sends the email
/// without a logo.
pub async fn load(platform: &Platform) -> Option<Logo> {
    match try_load(platform).await {
        Ok(logo) => logo,
        Err(error) => {
            let message = error.report("mail").message;
            tracing::warn!(%message, "failed to read the email logo; sent the email without it");
            None
        }
    }
}

async fn try_load(platform: &Platform) -> Result<Option<Logo>> {
    let db = &mut &platform.db;
    let Some(address) = settings::read_text(db, settings::EMAIL_LOGO).await? else { return Ok(None) };
    let Some(bytes) = platform.uploads.read_public_image(&address).await? else { return Ok(None) };
    let alt = match settings::read_text(db, settings::LOGO_ALT).await? {
        Some(alt) => alt,
        None => settings::read_text(db, settings::PANEL_NAME).await?.unwrap_or_default(),
    };
    Ok(Some(Logo { bytes: bytes.to_vec(), media_type: panel_images::media_type(&address), alt }))
}

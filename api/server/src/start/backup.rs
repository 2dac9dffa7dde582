//! `panel-server backup`: a copy of a panel that serves.

use std::path::Path;

use serde_json::json;

use crate::clock::{Clock as _, SystemClock};
use crate::config::Config;
use crate::configuration::{settings, status};
use crate::db::{self, Db};
use crate::start::commands::tell;

/// Copies the configured SQLite database to `file`; for PostgreSQL says what does that.
pub(crate) async fn run(config: &Config, file: &Path) -> Result<(), String> {
    let database = config.database();
    if database.url.is_some() {
        return Err(format!(
            "PostgreSQL is copied by its own tool:\n  pg_dump --format=custom --file '{}' \"$PANEL_DATABASE_URL\"",
            file.display()
        ));
    }
    if !database.path.exists() {
        return Err(format!("{}: there is no database here", database.path.display()));
    }
    let db = Db::connect(&database).await.map_err(|error| error.to_string())?;
    let copied = db::backup::write(&db, file).await.map_err(|error| error.to_string());
    if copied.is_ok() {
        let now = SystemClock.now();
        let noted = settings::put(&mut &db, status::LAST_BACKUP, &json!(now), now).await;
        noted.map_err(|error| error.into_told("").message)?;
    }
    db.close().await;
    copied?;
    tell(&format!("{} is whole. Keep secret.key with it, but not in the same place.", file.display()));
    Ok(())
}

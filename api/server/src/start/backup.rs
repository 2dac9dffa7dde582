//! `panel-server backup`: a copy of a panel that serves.

use std::path::Path;

use panel_kernel::clock::{Clock as _, SystemClock};
use panel_kernel::random::Random;
use serde_json::json;

use crate::backup::create::{self, Plan};
use crate::backup::manifest::{MadeBy, UploadsIn};
use crate::start::terminal::tell;
use crate::stores::backups;
use panel_platform::config::Config;
use panel_platform::db::Db;
use panel_platform::secrets::keys;
use panel_platform::settings;

/// Writes the configured database and the uploaded files to the new folder `target`.
pub(crate) async fn run(config: &Config, target: &Path, encrypt: bool) -> Result<(), String> {
    let database = config.database();
    if database.url.is_none() && !database.path.exists() {
        return Err(format!("{}: there is no database here", database.path.display()));
    }
    let secrets = keys::known(config)?.ok_or_else(|| {
        format!("{}: the panel's key is not here; a backup is sealed with it", config.data_dir.display())
    })?;
    let db = Db::connect(&database).await.map_err(|error| error.to_string())?;
    let (random, now) = (Random::system(), SystemClock.now());
    let plan = Plan {
        config,
        db: &db,
        secrets: &secrets,
        random: &random,
        target,
        made_by: MadeBy::Command,
        encrypt: encrypt || config.backup.encrypt,
        now,
    };
    let made = create::create(&plan).await;
    if made.is_ok() {
        let noted = settings::put(&mut &db, backups::LAST_BACKUP, &json!(now), now).await;
        noted.map_err(|error| error.report("").message)?;
    }
    db.close().await;
    let manifest = made?;
    tell(&format!(
        "{} is complete: {}, schema {}, {} files, {} bytes. Keep a copy of secret.key in another place: without it the backup cannot be restored.",
        target.display(),
        manifest.database.name(),
        manifest.schema_version,
        manifest.files.len(),
        manifest.bytes()
    ));
    if manifest.uploads == UploadsIn::Bucket {
        tell("The uploaded files are in a bucket and not in this backup: copy the bucket by its own tools.");
    }
    Ok(())
}

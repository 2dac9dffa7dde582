//! `panel-server backup`: creates a backup, also of a running panel.

use std::path::Path;

use panel_kernel::clock::{Clock as _, SystemClock};
use panel_kernel::random::Random;
use serde_json::json;

use crate::backup::create::{self, BackupPlan};
use crate::backup::manifest::{BackupOrigin, UploadsStorage};
use crate::start::terminal::print_message;
use crate::stores::backups;
use panel_platform::config::Config;
use panel_platform::db::Db;
use panel_platform::secrets::keys;
use panel_platform::settings;

/// Backs up the configured database and the uploaded files to the new folder `target`.
pub(crate) async fn run(config: &Config, target: &Path, encrypt: bool) -> Result<(), String> {
    let database = config.database();
    if database.url.is_none() && !database.path.exists() {
        return Err(format!("{}: no database found", database.path.display()));
    }
    let secrets = keys::load_existing(config)?.ok_or_else(|| {
        format!(
            "{}: the panel's key is missing. Without it, the backup cannot be sealed",
            config.data_dir.display()
        )
    })?;
    let db = Db::connect(&database).await.map_err(|error| error.to_string())?;
    let (random, now) = (Random::system(), SystemClock.now());
    let plan = BackupPlan {
        config,
        db: &db,
        secrets: &secrets,
        random: &random,
        target,
        origin: BackupOrigin::Command,
        encrypt: encrypt || config.backup.encrypt,
        now,
    };
    let backup_result = create::create(&plan).await;
    if backup_result.is_ok() {
        let write_result = settings::put(&mut &db, backups::LAST_BACKUP_SETTING, &json!(now), now).await;
        write_result.map_err(|error| error.report("").message)?;
    }
    db.close().await;
    let manifest = backup_result?;
    print_message(&format!(
        "Created backup {}: {}, schema {}, {} files, {} bytes. Store a copy of secret.key in another place: you cannot restore the backup without this key.",
        target.display(),
        manifest.database.name(),
        manifest.schema_version,
        manifest.files.len(),
        manifest.total_bytes()
    ));
    if manifest.uploads == UploadsStorage::Bucket {
        print_message(
            "The backup does not include the uploaded files, because they are in a bucket. Copy the bucket with the tools of your storage provider.",
        );
    }
    Ok(())
}

//! `panel-server backup`: backs up a running panel.

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
        return Err(format!("{}: there is no database here", database.path.display()));
    }
    let secrets = keys::load_existing(config)?.ok_or_else(|| {
        format!("{}: the panel's key is missing; a backup is sealed with it", config.data_dir.display())
    })?;
    let db = Db::connect(&database).await.map_err(|error| error.to_string())?;
    let (random, now) = (Random::system(), SystemClock.now());
    let plan = BackupPlan {
        config,
        db: &db,
        secrets: &secrets,
        random: &random,
        target,
        made_by: BackupOrigin::Command,
        encrypt: encrypt || config.backup.encrypt,
        now,
    };
    let result = create::create(&plan).await;
    if result.is_ok() {
        let write_result = settings::put(&mut &db, backups::LAST_BACKUP, &json!(now), now).await;
        write_result.map_err(|error| error.report("").message)?;
    }
    db.close().await;
    let manifest = result?;
    print_message(&format!(
        "Created backup {}: {}, schema {}, {} files, {} bytes. Store a copy of secret.key in another place: the backup cannot be restored without it.",
        target.display(),
        manifest.database.name(),
        manifest.schema_version,
        manifest.files.len(),
        manifest.bytes()
    ));
    if manifest.uploads == UploadsStorage::Bucket {
        print_message(
            "The uploaded files are in a bucket and not in this backup: copy the bucket with its own tools.",
        );
    }
    Ok(())
}

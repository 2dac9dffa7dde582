//! `panel-server restore`: restores a backup into an empty database, or replaces an existing one.

use std::path::PathBuf;

use clap::Args;
use panel_kernel::clock::{Clock as _, SystemClock};

use crate::backup::manifest::Manifest;
use crate::backup::restore::{self, RestoreError, RestorePlan};
use crate::doctor;
use crate::start::folder_lock;
use crate::start::terminal::{print_message, print_output};
use panel_platform::config::Config;
use panel_platform::secrets::keys;

#[derive(Debug, Clone, Args)]
pub(crate) struct RestoreOptions {
    /// Folder of the backup.
    folder: PathBuf,
    /// Replaces the existing database. The existing database is renamed, not deleted.
    #[arg(long)]
    replace: bool,
    /// Verifies the backup without restoring it.
    #[arg(long, conflicts_with = "replace")]
    check: bool,
    /// Restores the backup even if the doctor finds violations in it.
    #[arg(long)]
    accept_findings: bool,
}

/// Verifies the backup and restores it.
pub(crate) async fn run(config: &Config, options: &RestoreOptions) -> Result<(), String> {
    let secrets = keys::load_existing(config)?.ok_or_else(|| {
        format!(
            "{}: the panel's key is missing: put the secret.key that belongs to the backup into this folder, or set secret_key (PANEL_SECRET_KEY)",
            config.data_dir.display()
        )
    })?;
    // A backup that is older than the last key rotation is sealed with a former key.
    let backup_key_id = Manifest::read(&options.folder).map(|manifest| manifest.key_id)?;
    let backup_secrets = secrets.one_per_key().find(|key| key.key_id().to_string() == backup_key_id);
    let secrets = backup_secrets.unwrap_or(secrets);
    if options.check {
        let manifest = restore::verify(&options.folder, &secrets).await?;
        print_message(&format!(
            "{} is valid: {} of {}, schema {}, {} files, {} bytes.",
            options.folder.display(),
            manifest.database.name(),
            manifest.created_at,
            manifest.schema_version,
            manifest.files.len(),
            manifest.total_bytes()
        ));
        return Ok(());
    }
    let _lock = folder_lock::acquire(config)?;
    let plan = RestorePlan {
        config,
        secrets: &secrets,
        folder: &options.folder,
        replace: options.replace,
        accept_findings: options.accept_findings,
        now: SystemClock.now(),
    };
    let restored = match restore::restore(&plan).await {
        Ok(restored) => restored,
        Err(RestoreError::PreconditionFailed(message)) => return Err(message),
        Err(RestoreError::ViolationsFound(report)) => {
            print_output(&doctor::format_report(&report))?;
            return Err(
                "the backup was not restored, because the doctor found violations in its data (see the report above). Use --accept-findings to restore it anyway"
                    .into(),
            );
        }
    };
    print_message(&format!("Restored the backup of {}.", restored.manifest.created_at));
    if let Some(former_database) = &restored.former_database {
        print_message(&format!("The former database is now {former_database}"));
    }
    let Some(report) = restored.report else {
        print_message(
            "The restored database has an older schema. Run `panel-server migrate`, then `panel-server doctor`.",
        );
        return Ok(());
    };
    print_output(&doctor::format_report(&report))?;
    if report.healthy {
        Ok(())
    } else {
        Err("the doctor found violations in the restored database; see the report above".into())
    }
}

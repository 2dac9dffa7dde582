//! `panel-server restore`: restores a backup into an empty database, or replaces an existing one.

use std::path::PathBuf;

use clap::Args;
use panel_kernel::clock::{Clock as _, SystemClock};

use crate::backup::manifest::Manifest;
use crate::backup::restore::{self, RestoreError, RestorePlan};
use crate::doctor;
use crate::start::folder_lock;
use crate::start::terminal::{print, print_message};
use panel_platform::config::Config;
use panel_platform::secrets::keys;

/// Options of `panel-server restore`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Folder of the backup.
    folder: PathBuf,
    /// Replaces the existing database, which is renamed.
    #[arg(long)]
    replace: bool,
    /// Verifies the backup and restores nothing.
    #[arg(long, conflicts_with = "replace")]
    check: bool,
    /// Restores the backup even if the doctor finds violations in it.
    #[arg(long)]
    accept_findings: bool,
}

/// Verifies the backup and restores it.
pub(crate) async fn run(config: &Config, options: &Options) -> Result<(), String> {
    let secrets = keys::load_existing(config)?.ok_or_else(|| {
        format!(
            "{}: the panel's key is missing: put the secret.key that belongs to the backup into it, or set secret_key (PANEL_SECRET_KEY)",
            config.data_dir.display()
        )
    })?;
    // A backup older than the last key rotation is opened with the key that made it.
    let backup_key_id = Manifest::read(&options.folder).map(|manifest| manifest.key_id)?;
    let former_key = secrets.each_as_current().find(|key| key.key_id().to_string() == backup_key_id);
    let secrets = former_key.unwrap_or(secrets);
    if options.check {
        let manifest = restore::verify(&options.folder, &secrets).await?;
        print_message(&format!(
            "{} is valid: {} of {}, schema {}, {} files, {} bytes.",
            options.folder.display(),
            manifest.database.name(),
            manifest.created_at,
            manifest.schema_version,
            manifest.files.len(),
            manifest.bytes()
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
    let result = match restore::restore(&plan).await {
        Ok(result) => result,
        Err(RestoreError::Refused(sentence)) => return Err(sentence),
        Err(RestoreError::Findings(report)) => {
            print(&doctor::report_text(&report))?;
            return Err(
                "the backup was not restored: the doctor found the violations above in it; --accept-findings restores it anyway"
                    .into(),
            );
        }
    };
    print_message(&format!("Restored the backup of {}.", result.manifest.created_at));
    if let Some(former_database) = &result.former_database {
        print_message(&format!("The former database is now {former_database}"));
    }
    let Some(report) = result.report else {
        print_message(
            "Its schema is older than this program's: the next start migrates it. Run `panel-server migrate`, then `panel-server doctor`.",
        );
        return Ok(());
    };
    print(&doctor::report_text(&report))?;
    if report.healthy {
        Ok(())
    } else {
        Err("the doctor found the violations above in the restored database".into())
    }
}

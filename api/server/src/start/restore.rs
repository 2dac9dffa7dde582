//! `panel-server restore`: puts a backup in place of an empty or replaced database.

use std::path::PathBuf;

use clap::Args;
use panel_kernel::clock::{Clock as _, SystemClock};

use crate::backup::manifest::Manifest;
use crate::backup::restore::{self, NotRestored, Plan};
use crate::doctor;
use crate::start::folder_lock;
use crate::start::terminal::{print, tell};
use panel_platform::config::Config;
use panel_platform::secrets::keys;

/// What is restored, and how.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// The backup's folder.
    folder: PathBuf,
    /// Replaces the database that is there, which gets another name.
    #[arg(long)]
    replace: bool,
    /// Verifies the backup and restores nothing.
    #[arg(long, conflicts_with = "replace")]
    check: bool,
    /// Restores the backup although the doctor finds something in it.
    #[arg(long)]
    accept_findings: bool,
}

/// Verifies the backup and puts it in place.
pub(crate) async fn run(config: &Config, options: &Options) -> Result<(), String> {
    let secrets = keys::known(config)?.ok_or_else(|| {
        format!(
            "{}: the panel's key is not here: put the secret.key that belongs to the backup into it, or set secret_key (PANEL_SECRET_KEY)",
            config.data_dir.display()
        )
    })?;
    // A backup from before the key was rotated is opened with the key of then.
    let made_with = Manifest::read(&options.folder).map(|manifest| manifest.key_id)?;
    let of_then = secrets.each().find(|one| one.key_id().to_string() == made_with);
    let secrets = of_then.unwrap_or(secrets);
    if options.check {
        let manifest = restore::verify(&options.folder, &secrets).await?;
        tell(&format!(
            "{} is complete: {} of {}, schema {}, {} files, {} bytes.",
            options.folder.display(),
            manifest.database.name(),
            manifest.created_at,
            manifest.schema_version,
            manifest.files.len(),
            manifest.bytes()
        ));
        return Ok(());
    }
    let _lock = folder_lock::take(config)?;
    let plan = Plan {
        config,
        secrets: &secrets,
        folder: &options.folder,
        replace: options.replace,
        accept_findings: options.accept_findings,
        now: SystemClock.now(),
    };
    let restored = match restore::restore(&plan).await {
        Ok(restored) => restored,
        Err(NotRestored::Refused(sentence)) => return Err(sentence),
        Err(NotRestored::Findings(report)) => {
            print(&doctor::text(&report))?;
            return Err(
                "the backup was not restored: the doctor finds the above in it; --accept-findings restores it all the same"
                    .into(),
            );
        }
    };
    tell(&format!("The backup of {} is restored.", restored.manifest.created_at));
    if let Some(former) = &restored.former {
        tell(&format!("The former database is now {former}"));
    }
    let Some(report) = restored.report else {
        tell(
            "Its schema is older than this program's: the next start brings it up to date. Run `panel-server migrate`, then `panel-server doctor`.",
        );
        return Ok(());
    };
    print(&doctor::text(&report))?;
    if report.healthy { Ok(()) } else { Err("the doctor finds the above in the restored database".into()) }
}

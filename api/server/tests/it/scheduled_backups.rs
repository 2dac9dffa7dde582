//! Scheduled backups: one process makes them, old ones are deleted, and staff are notified when they fail.

use std::fs;
use std::path::PathBuf;

use futures_util::future::join;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_platform::jobs::heartbeat;
use panel_platform::lease::named::NamedLease;
use panel_server::app::App;
use panel_server::backup::create::{self, BackupPlan};
use panel_server::backup::manifest::{BackupOrigin, Manifest};
use panel_server::backup::{restore, schedule};
use serde_json::json;

use crate::backup::file_names;
use crate::notifications::ADMINS;
use crate::panel::{NOW, Panel};

both! {
    of_two_processes_one_makes_a_due_backup;
    the_lease_of_a_dead_process_expires;
    another_process_takes_over_from_a_dead_one;
    old_scheduled_backups_are_deleted;
    staff_are_notified_of_an_overdue_backup_once_a_day;
}

const HOUR_SECS: i64 = 3_600;

async fn panel_with_backups(dialect: Dialect) -> Panel {
    let panel = Panel::with_config(dialect, |config| {
        config.backup.folder = Some(config.data_dir.join("backups"));
        config.backup.keep_days = 2;
        config.backup.keep_last = 2;
    })
    .await;
    // The tests advance the clock by days, so the session must last longer.
    panel.execute(Sql::new("UPDATE sessions SET expires_at = ?").bind(NOW + 90 * 86_400_000_000)).await;
    panel
}

fn folder(panel: &Panel) -> PathBuf {
    panel.app.config.backup.folder.clone().unwrap()
}

async fn run_schedule(app: &App) -> bool {
    schedule::run_due(app).await.unwrap()
}

async fn of_two_processes_one_makes_a_due_backup(dialect: Dialect) {
    let panel = panel_with_backups(dialect).await;
    let other_process = panel.second_process().await;
    let (first_made_it, second_made_it) = join(run_schedule(&panel.app), run_schedule(&other_process)).await;
    assert!(first_made_it != second_made_it, "exactly one process makes the backup");
    let names = file_names(&folder(&panel));
    assert_eq!(names, ["panel-20261120t160000"]);
    let manifest = restore::verify(&folder(&panel).join(&names[0]), &panel.app.secrets).await.unwrap();
    assert_eq!(
        (manifest.made_by, manifest.created_at, manifest.encrypted),
        (BackupOrigin::Schedule, Time(NOW), false)
    );
    panel.clock.advance_secs(24 * HOUR_SECS - 1);
    assert!(!run_schedule(&panel.app).await && !run_schedule(&other_process).await);
    panel.clock.advance_secs(1);
    assert!(run_schedule(&other_process).await && !run_schedule(&panel.app).await);
    assert_eq!(file_names(&folder(&panel)).len(), 2);
    let status = panel.get("/api/v1/admin/system/status").await.json()["data"].clone();
    assert_eq!(status["last_backup_at"], json!(Time(NOW + 24 * HOUR_SECS * 1_000_000)), "{status}");
    assert_eq!((&status["backup_is_overdue"], &status["backup_error"]), (&json!(false), &json!(null)));
}

async fn the_lease_of_a_dead_process_expires(dialect: Dialect) {
    let panel = panel_with_backups(dialect).await;
    let lease = Sql::new("INSERT INTO shared_schedules (name, next_at) VALUES ('backup', ?)");
    panel.execute(lease.bind(NOW + 600_000_000)).await;
    let expired_folder = folder(&panel).join(".panel-20261110t100000.x1.partial");
    let recent_folder = folder(&panel).join(".panel-20261120t150000.x2.partial");
    for folder in [&expired_folder, &recent_folder] {
        fs::create_dir_all(folder).unwrap();
    }
    assert!(!run_schedule(&panel.app).await, "the process with the lease may be alive");
    panel.clock.advance_secs(600);
    assert!(run_schedule(&panel.app).await);
    assert!(!expired_folder.exists() && recent_folder.exists());
}

async fn another_process_takes_over_from_a_dead_one(dialect: Dialect) {
    let panel = panel_with_backups(dialect).await;
    let other_process = panel.second_process().await;
    let advance_with_heartbeat = async |secs| {
        panel.clock.advance_secs(secs);
        heartbeat::send_heartbeat(&panel.app).await.unwrap();
    };
    heartbeat::send_heartbeat(&other_process).await.unwrap();
    let mut lease = NamedLease::acquire(&other_process, "backup").await.unwrap().unwrap();
    advance_with_heartbeat(34).await;
    assert!(!run_schedule(&panel.app).await, "the other process may be alive");
    advance_with_heartbeat(2).await;
    assert!(run_schedule(&panel.app).await, "the other process sent no heartbeat for longer than allowed");
    assert!(!lease.renew(&other_process).await.unwrap(), "the other process has lost its lease");

    // The lease of a process that sends heartbeats but does not renew it expires too.
    advance_with_heartbeat(24 * HOUR_SECS).await;
    heartbeat::send_heartbeat(&other_process).await.unwrap();
    let mut lease = NamedLease::acquire(&other_process, "backup").await.unwrap().unwrap();
    for _ in 0..20 {
        advance_with_heartbeat(30).await;
        heartbeat::send_heartbeat(&other_process).await.unwrap();
        assert_eq!(
            run_schedule(&panel.app).await,
            panel.app.clock.now().0 >= NOW + (36 + 24 * HOUR_SECS + 600) * 1_000_000
        );
    }
    assert!(!lease.renew(&other_process).await.unwrap());
    assert_eq!(file_names(&folder(&panel)).len(), 2);
}

async fn old_scheduled_backups_are_deleted(dialect: Dialect) {
    let panel = panel_with_backups(dialect).await;
    let backup_folder = folder(&panel);
    fs::create_dir_all(backup_folder.join("panel-notes")).unwrap();
    fs::write(backup_folder.join("panel-list.txt"), "mine").unwrap();
    let app = &panel.app;
    let manual_plan = BackupPlan {
        config: &app.config,
        db: &app.db,
        secrets: &app.secrets,
        random: &app.random,
        target: &backup_folder.join("panel-by-hand"),
        made_by: BackupOrigin::Command,
        encrypt: true,
        now: Time(NOW),
    };
    create::create(&manual_plan).await.unwrap();
    for _ in 0..2 {
        assert!(run_schedule(app).await);
        panel.clock.advance_secs(24 * HOUR_SECS);
    }
    // A file blocks the deletion of the first backup. Neither the next backup nor the other deletions fail.
    let blocked = "panel-20261120t160000";
    fs::write(backup_folder.join(format!(".{blocked}.deleting")), "").unwrap();
    panel.clock.advance_secs(5 * 24 * HOUR_SECS);
    for _ in 0..2 {
        assert!(run_schedule(app).await);
        panel.clock.advance_secs(24 * HOUR_SECS);
    }
    let scheduled = |names: Vec<String>| {
        names.into_iter().filter(|name| name.starts_with("panel-2026")).collect::<Vec<_>>()
    };
    assert_eq!(
        scheduled(file_names(&backup_folder)),
        [blocked, "panel-20261127t160000", "panel-20261128t160000"]
    );
    fs::remove_file(backup_folder.join(format!(".{blocked}.deleting"))).unwrap();
    assert!(run_schedule(app).await);
    assert_eq!(scheduled(file_names(&backup_folder)).len(), 3, "two recent backups and the newest");
    assert!(!backup_folder.join(blocked).exists());
    for kept_file in ["panel-notes", "panel-list.txt", "panel-by-hand/manifest.json"] {
        assert!(backup_folder.join(kept_file).exists(), "{kept_file}");
    }
    assert_eq!(Manifest::read(&backup_folder.join("panel-by-hand")).unwrap().made_by, BackupOrigin::Command);
}

async fn staff_are_notified_of_an_overdue_backup_once_a_day(dialect: Dialect) {
    let panel = panel_with_backups(dialect).await;
    let admin = panel.create_staff_member("admin", &[Permission::ManagePanelSettings]).await;
    let clerk = panel.create_staff_member("clerk", &[Permission::ViewOrders]).await;
    panel.set_recipients(ADMINS, &[admin, clerk]).await;
    let metric = async |name: &str| {
        let text = panel.get("/metrics").await.text;
        let line = text.lines().find(|line| line.starts_with(&format!("{name} "))).map(str::to_owned);
        line.map(|line| line.split(' ').nth(1).unwrap().parse::<i64>().unwrap())
    };
    fs::write(folder(&panel), "no folder").unwrap();
    assert!(!run_schedule(&panel.app).await);
    assert_eq!(
        (metric("panel_backup_age_seconds").await, metric("panel_backup_overdue").await),
        (None, Some(0))
    );
    let status = async || panel.get("/api/v1/admin/system/status").await.json()["data"].clone();
    assert!(status().await["backup_error"].as_str().unwrap().contains("backups"), "{}", status().await);
    panel.clock.advance_secs(48 * HOUR_SECS);
    run_schedule(&panel.app).await;
    assert_eq!(panel.queued_emails().await.len(), 0, "the last backup is not older than twice the interval");
    panel.clock.advance_secs(1);
    for _ in 0..3 {
        run_schedule(&panel.app).await;
    }
    let emails = panel.queued_emails().await;
    assert_eq!(emails.len(), 1, "{emails:?}");
    let (address, email) = &emails[0];
    assert_eq!(address, "admin@panel.test");
    let text = email["text"].as_str().unwrap();
    assert!(text.contains("older than twice") && text.ends_with("/system-status"), "{text}");
    assert_eq!(metric("panel_backup_overdue").await, Some(1));
    assert_eq!(status().await["backup_is_overdue"], true);
    assert_eq!(panel.get("/readyz").await.status, 200);
    panel.clock.advance_secs(24 * HOUR_SECS);
    run_schedule(&panel.app).await;
    run_schedule(&panel.app).await;
    assert_eq!(panel.queued_emails().await.len(), 2, "one email a day");

    fs::remove_file(folder(&panel)).unwrap();
    assert!(!run_schedule(&panel.app).await, "the server waits before it tries again");
    panel.clock.advance_secs(900);
    assert!(run_schedule(&panel.app).await);
    panel.clock.advance_secs(60);
    assert_eq!(
        (metric("panel_backup_age_seconds").await, metric("panel_backup_overdue").await),
        (Some(60), Some(0))
    );
    assert_eq!(status().await["backup_error"], json!(null));
}

//! Scheduled backups: one process creates a due backup, old backups are deleted, and staff are notified if backups fail.

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
use crate::notifications::ADMINS_PATH;
use crate::panel::{NOW, Panel};

test_both_databases! {
    only_one_of_two_processes_creates_a_due_backup;
    the_lease_of_a_dead_process_expires;
    a_process_takes_over_from_a_dead_process;
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

fn backup_folder_of(panel: &Panel) -> PathBuf {
    panel.app.config.backup.folder.clone().unwrap()
}

async fn run_schedule(app: &App) -> bool {
    schedule::create_backup_if_due(app).await.unwrap()
}

async fn only_one_of_two_processes_creates_a_due_backup(dialect: Dialect) {
    let panel = panel_with_backups(dialect).await;
    let other_process = panel.start_second_process().await;
    let (first_created, second_created) = join(run_schedule(&panel.app), run_schedule(&other_process)).await;
    assert!(first_created != second_created, "exactly one process must create the backup");
    let names = file_names(&backup_folder_of(&panel));
    assert_eq!(names, ["panel-20261120t160000"]);
    let manifest =
        restore::verify(&backup_folder_of(&panel).join(&names[0]), &panel.app.secrets).await.unwrap();
    assert_eq!(
        (manifest.origin, manifest.created_at, manifest.encrypted),
        (BackupOrigin::Schedule, Time(NOW), false)
    );
    panel.clock.advance_secs(24 * HOUR_SECS - 1);
    assert!(!run_schedule(&panel.app).await && !run_schedule(&other_process).await);
    panel.clock.advance_secs(1);
    assert!(run_schedule(&other_process).await && !run_schedule(&panel.app).await);
    assert_eq!(file_names(&backup_folder_of(&panel)).len(), 2);
    let fetch_status = panel.get("/api/v1/admin/system/status").await.json()["data"].clone();
    assert_eq!(
        fetch_status["last_backup_at"],
        json!(Time(NOW + 24 * HOUR_SECS * 1_000_000)),
        "{fetch_status}"
    );
    assert_eq!(
        (&fetch_status["backup_is_overdue"], &fetch_status["backup_error"]),
        (&json!(false), &json!(null))
    );
}

async fn the_lease_of_a_dead_process_expires(dialect: Dialect) {
    let panel = panel_with_backups(dialect).await;
    let insert_lease_sql = Sql::new("INSERT INTO shared_schedules (name, next_at) VALUES ('backup', ?)");
    panel.execute(insert_lease_sql.bind(NOW + 600_000_000)).await;
    let expired_folder = backup_folder_of(&panel).join(".panel-20261110t100000.x1.partial");
    let recent_folder = backup_folder_of(&panel).join(".panel-20261120t150000.x2.partial");
    for backup_folder_of in [&expired_folder, &recent_folder] {
        fs::create_dir_all(backup_folder_of).unwrap();
    }
    assert!(
        !run_schedule(&panel.app).await,
        "no other process may create the backup while the lease is valid"
    );
    panel.clock.advance_secs(600);
    assert!(run_schedule(&panel.app).await);
    assert!(!expired_folder.exists() && recent_folder.exists());
}

async fn a_process_takes_over_from_a_dead_process(dialect: Dialect) {
    let panel = panel_with_backups(dialect).await;
    let other_process = panel.start_second_process().await;
    let advance_with_heartbeat = async |seconds| {
        panel.clock.advance_secs(seconds);
        heartbeat::send_heartbeat(&panel.app).await.unwrap();
    };
    heartbeat::send_heartbeat(&other_process).await.unwrap();
    let mut lease = NamedLease::acquire(&other_process, "backup").await.unwrap().unwrap();
    advance_with_heartbeat(34).await;
    assert!(!run_schedule(&panel.app).await, "the other process may be alive");
    advance_with_heartbeat(2).await;
    assert!(
        run_schedule(&panel.app).await,
        "this process must take over after the other process sent no heartbeat for too long"
    );
    assert!(!lease.renew(&other_process).await.unwrap(), "the other process must lose its lease");

    // The lease also expires if its process sends heartbeats but does not renew the lease.
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
    assert_eq!(file_names(&backup_folder_of(&panel)).len(), 2);
}

async fn old_scheduled_backups_are_deleted(dialect: Dialect) {
    let panel = panel_with_backups(dialect).await;
    let backup_folder = backup_folder_of(&panel);
    fs::create_dir_all(backup_folder.join("panel-notes")).unwrap();
    fs::write(backup_folder.join("panel-list.txt"), "mine").unwrap();
    let app = &panel.app;
    let manual_plan = BackupPlan {
        config: &app.config,
        db: &app.db,
        secrets: &app.secrets,
        random: &app.random,
        target: &backup_folder.join("panel-by-hand"),
        origin: BackupOrigin::Command,
        encrypt: true,
        now: Time(NOW),
    };
    create::create(&manual_plan).await.unwrap();
    for _ in 0..2 {
        assert!(run_schedule(app).await);
        panel.clock.advance_secs(24 * HOUR_SECS);
    }
    // A file blocks the deletion of the first backup. The next backup and the other deletions must still succeed.
    let blocked_backup = "panel-20261120t160000";
    fs::write(backup_folder.join(format!(".{blocked_backup}.deleting")), "").unwrap();
    panel.clock.advance_secs(5 * 24 * HOUR_SECS);
    for _ in 0..2 {
        assert!(run_schedule(app).await);
        panel.clock.advance_secs(24 * HOUR_SECS);
    }
    let scheduled_names = |names: Vec<String>| {
        names.into_iter().filter(|name| name.starts_with("panel-2026")).collect::<Vec<_>>()
    };
    assert_eq!(
        scheduled_names(file_names(&backup_folder)),
        [blocked_backup, "panel-20261127t160000", "panel-20261128t160000"]
    );
    fs::remove_file(backup_folder.join(format!(".{blocked_backup}.deleting"))).unwrap();
    assert!(run_schedule(app).await);
    assert_eq!(
        scheduled_names(file_names(&backup_folder)).len(),
        3,
        "two recent backups and the newest one must remain"
    );
    assert!(!backup_folder.join(blocked_backup).exists());
    for remaining_file in ["panel-notes", "panel-list.txt", "panel-by-hand/manifest.json"] {
        assert!(backup_folder.join(remaining_file).exists(), "{remaining_file}");
    }
    assert_eq!(Manifest::read(&backup_folder.join("panel-by-hand")).unwrap().origin, BackupOrigin::Command);
}

async fn staff_are_notified_of_an_overdue_backup_once_a_day(dialect: Dialect) {
    let panel = panel_with_backups(dialect).await;
    let admin_id = panel.create_staff_member("admin", &[Permission::ManagePanelSettings]).await;
    let clerk_id = panel.create_staff_member("clerk", &[Permission::ViewOrders]).await;
    panel.set_recipients(ADMINS_PATH, &[admin_id, clerk_id]).await;
    let fetch_metric = async |name: &str| {
        let text = panel.get("/metrics").await.text;
        let metric_line =
            text.lines().find(|metric_line| metric_line.starts_with(&format!("{name} "))).map(str::to_owned);
        metric_line.map(|metric_line| metric_line.split(' ').nth(1).unwrap().parse::<i64>().unwrap())
    };
    fs::write(backup_folder_of(&panel), "no folder").unwrap();
    assert!(!run_schedule(&panel.app).await);
    assert_eq!(
        (fetch_metric("panel_backup_age_seconds").await, fetch_metric("panel_backup_overdue").await),
        (None, Some(0))
    );
    let fetch_status = async || panel.get("/api/v1/admin/system/status").await.json()["data"].clone();
    assert!(
        fetch_status().await["backup_error"].as_str().unwrap().contains("backups"),
        "{}",
        fetch_status().await
    );
    panel.clock.advance_secs(48 * HOUR_SECS);
    run_schedule(&panel.app).await;
    assert_eq!(
        panel.queued_emails().await.len(),
        0,
        "no email must be sent while the last backup is not older than twice the interval"
    );
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
    assert_eq!(fetch_metric("panel_backup_overdue").await, Some(1));
    assert_eq!(fetch_status().await["backup_is_overdue"], true);
    assert_eq!(panel.get("/readyz").await.status, 200);
    panel.clock.advance_secs(24 * HOUR_SECS);
    run_schedule(&panel.app).await;
    run_schedule(&panel.app).await;
    assert_eq!(panel.queued_emails().await.len(), 2, "one email must be sent per day");

    fs::remove_file(backup_folder_of(&panel)).unwrap();
    assert!(!run_schedule(&panel.app).await, "the server must wait before it retries");
    panel.clock.advance_secs(900);
    assert!(run_schedule(&panel.app).await);
    panel.clock.advance_secs(60);
    assert_eq!(
        (fetch_metric("panel_backup_age_seconds").await, fetch_metric("panel_backup_overdue").await),
        (Some(60), Some(0))
    );
    assert_eq!(fetch_status().await["backup_error"], json!(null));
}

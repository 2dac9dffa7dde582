//! Backups that the server makes by itself: by one process, kept for a while, and missed when they fail.

use std::fs;
use std::path::PathBuf;

use futures_util::future::join;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_platform::jobs::heartbeat;
use panel_platform::lease::named::NamedLease;
use panel_server::app::App;
use panel_server::backup::create::{self, Plan};
use panel_server::backup::manifest::{BackupOrigin, Manifest};
use panel_server::backup::{restore, schedule};
use serde_json::json;

use crate::backup::names;
use crate::notifications::ADMINS;
use crate::panel::{NOW, Panel};

both! {
    one_process_makes_a_due_backup;
    a_dead_process_holds_up_nothing;
    a_backup_of_a_dead_process_is_taken_over;
    old_backups_of_the_schedule_go;
    an_old_backup_is_news_once_a_day;
}

const HOUR_SECS: i64 = 3_600;

async fn panel(dialect: Dialect) -> Panel {
    let panel = Panel::with(dialect, |config| {
        config.backup.folder = Some(config.data_dir.join("backups"));
        config.backup.keep_days = 2;
        config.backup.keep_last = 2;
    })
    .await;
    // Days pass here.
    panel.exec(Sql::new("UPDATE sessions SET expires_at = ?").bind(NOW + 90 * 86_400_000_000)).await;
    panel
}

fn folder(panel: &Panel) -> PathBuf {
    panel.app.config.backup.folder.clone().unwrap()
}

async fn look(app: &App) -> bool {
    schedule::run_due(app).await.unwrap()
}

async fn one_process_makes_a_due_backup(dialect: Dialect) {
    let panel = panel(dialect).await;
    let other = panel.twin().await;
    let (mine, theirs) = join(look(&panel.app), look(&other)).await;
    assert!(mine != theirs, "one of them");
    let made = names(&folder(&panel));
    assert_eq!(made, ["panel-20261120t160000"]);
    let manifest = restore::verify(&folder(&panel).join(&made[0]), &panel.app.secrets).await.unwrap();
    assert_eq!(
        (manifest.made_by, manifest.created_at, manifest.encrypted),
        (BackupOrigin::Schedule, Time(NOW), false)
    );
    panel.clock.advance_secs(24 * HOUR_SECS - 1);
    assert!(!look(&panel.app).await && !look(&other).await);
    panel.clock.advance_secs(1);
    assert!(look(&other).await && !look(&panel.app).await);
    assert_eq!(names(&folder(&panel)).len(), 2);
    let status = panel.get("/api/v1/admin/system/status").await.json()["data"].clone();
    assert_eq!(status["last_backup_at"], json!(Time(NOW + 24 * HOUR_SECS * 1_000_000)), "{status}");
    assert_eq!((&status["backup_is_overdue"], &status["backup_error"]), (&json!(false), &json!(null)));
}

async fn a_dead_process_holds_up_nothing(dialect: Dialect) {
    let panel = panel(dialect).await;
    let lease = Sql::new("INSERT INTO call_paces (name, next_at) VALUES ('backup', ?)");
    panel.exec(lease.bind(NOW + 600_000_000)).await;
    let left = folder(&panel).join(".panel-20261110t100000.x1.partial");
    let young = folder(&panel).join(".panel-20261120t150000.x2.partial");
    for folder in [&left, &young] {
        fs::create_dir_all(folder).unwrap();
    }
    assert!(!look(&panel.app).await, "it may live");
    panel.clock.advance_secs(600);
    assert!(look(&panel.app).await);
    assert!(!left.exists() && young.exists());
}

async fn a_backup_of_a_dead_process_is_taken_over(dialect: Dialect) {
    let panel = panel(dialect).await;
    let other = panel.twin().await;
    let live = async |secs| {
        panel.clock.advance_secs(secs);
        heartbeat::send_heartbeat(&panel.app).await.unwrap();
    };
    heartbeat::send_heartbeat(&other).await.unwrap();
    let mut held = NamedLease::acquire(&other, "backup").await.unwrap().unwrap();
    live(34).await;
    assert!(!look(&panel.app).await, "the other process may live");
    live(2).await;
    assert!(look(&panel.app).await, "it was not seen for longer than a process may be silent");
    assert!(!held.renew(&other).await.unwrap(), "where it wakes up, it has lost its lease");

    // A process that lives and renews nothing hangs: its lease runs out.
    live(24 * HOUR_SECS).await;
    heartbeat::send_heartbeat(&other).await.unwrap();
    let mut held = NamedLease::acquire(&other, "backup").await.unwrap().unwrap();
    for _ in 0..20 {
        live(30).await;
        heartbeat::send_heartbeat(&other).await.unwrap();
        assert_eq!(
            look(&panel.app).await,
            panel.app.clock.now().0 >= NOW + (36 + 24 * HOUR_SECS + 600) * 1_000_000
        );
    }
    assert!(!held.renew(&other).await.unwrap());
    assert_eq!(names(&folder(&panel)).len(), 2);
}

async fn old_backups_of_the_schedule_go(dialect: Dialect) {
    let panel = panel(dialect).await;
    let place = folder(&panel);
    fs::create_dir_all(place.join("panel-notes")).unwrap();
    fs::write(place.join("panel-list.txt"), "mine").unwrap();
    let app = &panel.app;
    let by_hand = Plan {
        config: &app.config,
        db: &app.db,
        secrets: &app.secrets,
        random: &app.random,
        target: &place.join("panel-by-hand"),
        made_by: BackupOrigin::Command,
        encrypt: true,
        now: Time(NOW),
    };
    create::create(&by_hand).await.unwrap();
    for _ in 0..2 {
        assert!(look(app).await);
        panel.clock.advance_secs(24 * HOUR_SECS);
    }
    // What is in the way of removing the first one: that fails neither the backup nor the other removals.
    let stuck = "panel-20261120t160000";
    fs::write(place.join(format!(".{stuck}.deleting")), "").unwrap();
    panel.clock.advance_secs(5 * 24 * HOUR_SECS);
    for _ in 0..2 {
        assert!(look(app).await);
        panel.clock.advance_secs(24 * HOUR_SECS);
    }
    let scheduled = |names: Vec<String>| {
        names.into_iter().filter(|name| name.starts_with("panel-2026")).collect::<Vec<_>>()
    };
    assert_eq!(scheduled(names(&place)), [stuck, "panel-20261127t160000", "panel-20261128t160000"]);
    fs::remove_file(place.join(format!(".{stuck}.deleting"))).unwrap();
    assert!(look(app).await);
    assert_eq!(scheduled(names(&place)).len(), 3, "two young ones, and the newest");
    assert!(!place.join(stuck).exists());
    for stays in ["panel-notes", "panel-list.txt", "panel-by-hand/manifest.json"] {
        assert!(place.join(stays).exists(), "{stays}");
    }
    assert_eq!(Manifest::read(&place.join("panel-by-hand")).unwrap().made_by, BackupOrigin::Command);
}

async fn an_old_backup_is_news_once_a_day(dialect: Dialect) {
    let panel = panel(dialect).await;
    let admin = panel.member("admin", &[Permission::ManagePanelSettings]).await;
    let clerk = panel.member("clerk", &[Permission::ViewOrders]).await;
    panel.tell(ADMINS, &[admin, clerk]).await;
    let gauge = async |name: &str| {
        let text = panel.get("/metrics").await.text;
        let line = text.lines().find(|line| line.starts_with(&format!("{name} "))).map(str::to_owned);
        line.map(|line| line.split(' ').nth(1).unwrap().parse::<i64>().unwrap())
    };
    fs::write(folder(&panel), "no folder").unwrap();
    assert!(!look(&panel.app).await);
    assert_eq!(
        (gauge("panel_backup_age_seconds").await, gauge("panel_backup_overdue").await),
        (None, Some(0))
    );
    let status = async || panel.get("/api/v1/admin/system/status").await.json()["data"].clone();
    assert!(status().await["backup_error"].as_str().unwrap().contains("backups"), "{}", status().await);
    panel.clock.advance_secs(48 * HOUR_SECS);
    look(&panel.app).await;
    assert_eq!(panel.letters().await.len(), 0, "not older than twice the interval");
    panel.clock.advance_secs(1);
    for _ in 0..3 {
        look(&panel.app).await;
    }
    let letters = panel.letters().await;
    assert_eq!(letters.len(), 1, "{letters:?}");
    let (email, letter) = &letters[0];
    assert_eq!(email, "admin@panel.test");
    let text = letter["text"].as_str().unwrap();
    assert!(text.contains("older than twice") && text.ends_with("/system-status"), "{text}");
    assert_eq!(gauge("panel_backup_overdue").await, Some(1));
    assert_eq!(status().await["backup_is_overdue"], true);
    assert_eq!(panel.get("/readyz").await.status, 200);
    panel.clock.advance_secs(24 * HOUR_SECS);
    look(&panel.app).await;
    look(&panel.app).await;
    assert_eq!(panel.letters().await.len(), 2, "once a day");

    fs::remove_file(folder(&panel)).unwrap();
    assert!(!look(&panel.app).await, "a failure is tried again after a while");
    panel.clock.advance_secs(900);
    assert!(look(&panel.app).await);
    panel.clock.advance_secs(60);
    assert_eq!(
        (gauge("panel_backup_age_seconds").await, gauge("panel_backup_overdue").await),
        (Some(60), Some(0))
    );
    assert_eq!(status().await["backup_error"], json!(null));
}

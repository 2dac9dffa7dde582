//! Notifications to the staff: which kinds are on, and who is told. They go out where the audit trail learns of what
//! happened, in the same transaction (`tell`).

pub mod telegram;
pub mod tell;

use panel_contract::common::Data;
use panel_contract::endpoints::notifications::{
    GetAdminNotifications, GetNotifications, GetSupportNotifications, UpdateAdminNotifications,
    UpdateNotifications, UpdateSupportNotifications,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{RecordId, UserId};
use panel_contract::notifications::{
    NotificationAudience, NotificationKind, Notifications, PanelNotification, Recipient, Recipients,
    RecipientsInput,
};
use panel_domain::notifications;
use panel_kernel::error::Result;
use serde_json::{Map, json};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{DbResult, Source, Sql, Val};
use panel_platform::settings;
use panel_platform::work::Work;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<GetNotifications, _, _, _>(get)
        .on::<UpdateNotifications, _, _, _>(update)
        .on::<GetAdminNotifications, _, _, _>(admins)
        .on::<UpdateAdminNotifications, _, _, _>(set_admins)
        .on::<GetSupportNotifications, _, _, _>(supporters)
        .on::<UpdateSupportNotifications, _, _, _>(set_supporters)
}

async fn get(ctx: Ctx, _req: Req<GetNotifications>) -> Result<Data<Notifications>> {
    Ok(Data { data: shown(&off(&mut ctx.db()).await?) })
}

async fn update(ctx: Ctx, req: Req<UpdateNotifications>) -> Result<Data<Notifications>> {
    let mut work = ctx.begin().await?;
    settings::hold(&mut work).await?;
    let before = off(&mut work).await?;
    let (mut old, mut new) = (Map::new(), Map::new());
    for wanted in &req.body.panel_notifications {
        let kind = wanted.notification;
        let was = !before.contains(&kind);
        if was != wanted.is_enabled {
            switch(&mut work, kind, wanted.is_enabled).await?;
            old.insert(kind.to_string(), json!(was));
            new.insert(kind.to_string(), json!(wanted.is_enabled));
        }
    }
    if !new.is_empty() {
        let change = Change { id: RecordId::NONE, old: old.into(), new: new.into() };
        audit::record(&mut work, "notifications.changed", "notification", change).await?;
    }
    let data = shown(&off(&mut work).await?);
    work.finish(Data { data }).await
}

async fn admins(ctx: Ctx, _req: Req<GetAdminNotifications>) -> Result<Data<Recipients>> {
    Ok(Data { data: told(&mut ctx.db(), NotificationAudience::Admin).await? })
}

async fn supporters(ctx: Ctx, _req: Req<GetSupportNotifications>) -> Result<Data<Recipients>> {
    Ok(Data { data: told(&mut ctx.db(), NotificationAudience::Support).await? })
}

async fn set_admins(ctx: Ctx, req: Req<UpdateAdminNotifications>) -> Result<Data<Recipients>> {
    set(ctx, NotificationAudience::Admin, &req.body).await
}

async fn set_supporters(ctx: Ctx, req: Req<UpdateSupportNotifications>) -> Result<Data<Recipients>> {
    set(ctx, NotificationAudience::Support, &req.body).await
}

async fn set(ctx: Ctx, list: NotificationAudience, input: &RecipientsInput) -> Result<Data<Recipients>> {
    let wanted = whole(input)?;
    let mut work = ctx.begin().await?;
    settings::hold(&mut work).await?;
    let staff = staff(&mut work, &wanted).await?;
    let mut errors = FieldErrors::default();
    for (at, id) in wanted.iter().enumerate().filter(|(_, id)| !staff.contains(id)) {
        errors.add(format!("users.{at}"), format!("{id} is no active member of the staff."));
    }
    errors.or(())?;
    let mut before = listed(&mut work, list).await?;
    before.sort_unstable();
    let mut after = wanted;
    after.sort_unstable();
    if before != after {
        write(&mut work, list, &after).await?;
        let change = Change {
            id: RecordId::NONE,
            old: json!({ list.as_str(): before }),
            new: json!({ list.as_str(): after }),
        };
        audit::record(&mut work, "notifications.recipients_changed", "notification", change).await?;
    }
    let data = told(&mut work, list).await?;
    work.finish(Data { data }).await
}

// Rules

/// Most people on a list.
const MOST: usize = 100;

fn whole(input: &RecipientsInput) -> Result<Vec<UserId>, FieldErrors> {
    if input.users.len() > MOST {
        return Err(FieldErrors::one("users", format!("Choose at most {MOST} people.")));
    }
    let mut ids: Vec<UserId> = Vec::new();
    for id in &input.users {
        if !ids.contains(id) {
            ids.push(*id);
        }
    }
    Ok(ids)
}

fn shown(off: &[NotificationKind]) -> Notifications {
    let one = |kind: &NotificationKind| PanelNotification {
        notification: *kind,
        description: notifications::description(*kind).to_owned(),
        audience: notifications::audience(*kind),
        permission: notifications::permission(*kind),
        is_enabled: !off.contains(kind),
    };
    Notifications { panel_notifications: NotificationKind::ALL.iter().map(one).collect() }
}

// Store

/// The kinds that are off.
async fn off(db: &mut impl Source) -> DbResult<Vec<NotificationKind>> {
    let rows: Vec<(String,)> =
        db.all(Sql::new("SELECT kind FROM notification_switches WHERE is_enabled = FALSE")).await?;
    Ok(rows.into_iter().filter_map(|(kind,)| kind.parse().ok()).collect())
}

async fn switch(work: &mut Work, kind: NotificationKind, on: bool) -> DbResult<u64> {
    let sql = Sql::new(
        "INSERT INTO notification_switches (kind, is_enabled) VALUES (?, ?)
         ON CONFLICT (kind) DO UPDATE SET is_enabled = excluded.is_enabled",
    );
    work.exec(sql.bind(kind.as_str()).bind(on)).await
}

async fn listed(db: &mut impl Source, list: NotificationAudience) -> DbResult<Vec<UserId>> {
    let sql = Sql::new("SELECT user_id FROM notification_recipients WHERE audience = ?").bind(list.as_str());
    Ok(db.all::<(UserId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// Which of them are active members of the staff.
async fn staff(db: &mut impl Source, ids: &[UserId]) -> DbResult<Vec<UserId>> {
    let sql = Sql::new(
        "SELECT u.id FROM users u WHERE u.status = 'active'
           AND (EXISTS (SELECT 1 FROM user_roles x WHERE x.user_id = u.id) OR EXISTS (SELECT 1 FROM user_permissions x WHERE x.user_id = u.id))
           AND u.id IN ",
    );
    Ok(db.all::<(UserId,)>(sql.ids(ids)).await?.into_iter().map(|(id,)| id).collect())
}

async fn write(work: &mut Work, list: NotificationAudience, ids: &[UserId]) -> DbResult<()> {
    let gone = Sql::new("DELETE FROM notification_recipients WHERE audience = ?");
    work.exec(gone.bind(list.as_str())).await?;
    if ids.is_empty() {
        return Ok(());
    }
    let rows: Vec<Vec<Val>> = ids.iter().map(|id| vec![(*id).into()]).collect();
    let sql = Sql::new("INSERT INTO notification_recipients (audience, user_id) SELECT ?, r.id FROM ");
    work.exec(sql.bind(list.as_str()).rows("r", &["id"], rows)).await?;
    Ok(())
}

/// Who is on a list, and what they do not hear of.
async fn told(db: &mut impl Source, list: NotificationAudience) -> Result<Recipients> {
    let sql = Sql::new(
        "SELECT u.id, u.name, u.email, (SELECT string_agg(h.permission, ',') FROM (SELECT p.permission FROM user_permissions p WHERE p.user_id = u.id
           UNION SELECT p.permission FROM user_roles x JOIN role_permissions p ON p.role_id = x.role_id WHERE x.user_id = u.id) h) AS held
         FROM notification_recipients n JOIN users u ON u.id = n.user_id WHERE n.audience = ? ORDER BY u.name, u.id",
    );
    let rows: Vec<(UserId, String, String, Option<String>)> = db.all(sql.bind(list.as_str())).await?;
    let kinds = || NotificationKind::ALL.iter().filter(|kind| notifications::audience(**kind) == list);
    let users = rows.into_iter().map(|(id, name, email, held)| {
        let held: Vec<&str> = held.as_deref().unwrap_or_default().split(',').collect();
        let lacks = |kind: &&NotificationKind| !held.contains(&notifications::permission(**kind).as_str());
        Recipient { id, name, email, withheld: kinds().filter(lacks).copied().collect() }
    });
    Ok(Recipients { users: users.collect() })
}

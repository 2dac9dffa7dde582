//! Notifications to staff: the enabled kinds and the recipients. [`notify`] sends them in the transaction of the audited event.

pub mod notify;
pub mod telegram;

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
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbResult, Sql, SqlExecutor, Val};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<GetNotifications, _, _, _>(get_notifications)
        .route::<UpdateNotifications, _, _, _>(update_notifications)
        .route::<GetAdminNotifications, _, _, _>(get_admin_recipients)
        .route::<UpdateAdminNotifications, _, _, _>(set_admin_recipients)
        .route::<GetSupportNotifications, _, _, _>(get_support_recipients)
        .route::<UpdateSupportNotifications, _, _, _>(set_support_recipients)
}

async fn get_notifications(ctx: Ctx, _req: Req<GetNotifications>) -> Result<Data<Notifications>> {
    Ok(Data { data: to_notifications(&load_disabled_kinds(&mut ctx.db()).await?) })
}

async fn update_notifications(ctx: Ctx, req: Req<UpdateNotifications>) -> Result<Data<Notifications>> {
    let mut work = ctx.begin().await?;
    settings::lock_editor(&mut work).await?;
    let disabled_kinds = load_disabled_kinds(&mut work).await?;
    let (mut old_values, mut new_values) = (Map::new(), Map::new());
    for requested in &req.body.panel_notifications {
        let kind = requested.notification;
        let was_enabled = !disabled_kinds.contains(&kind);
        if was_enabled != requested.is_enabled {
            set_enabled(&mut work, kind, requested.is_enabled).await?;
            old_values.insert(kind.to_string(), json!(was_enabled));
            new_values.insert(kind.to_string(), json!(requested.is_enabled));
        }
    }
    if !new_values.is_empty() {
        let change = AuditChange { id: RecordId::NONE, old: old_values.into(), new: new_values.into() };
        audit::record(&mut work, "notifications.changed", "notification", change).await?;
    }
    let data = to_notifications(&load_disabled_kinds(&mut work).await?);
    work.finish(Data { data }).await
}

async fn get_admin_recipients(ctx: Ctx, _req: Req<GetAdminNotifications>) -> Result<Data<Recipients>> {
    Ok(Data { data: load_recipients(&mut ctx.db(), NotificationAudience::Admin).await? })
}

async fn get_support_recipients(ctx: Ctx, _req: Req<GetSupportNotifications>) -> Result<Data<Recipients>> {
    Ok(Data { data: load_recipients(&mut ctx.db(), NotificationAudience::Support).await? })
}

async fn set_admin_recipients(ctx: Ctx, req: Req<UpdateAdminNotifications>) -> Result<Data<Recipients>> {
    set_recipients(ctx, NotificationAudience::Admin, &req.body).await
}

async fn set_support_recipients(ctx: Ctx, req: Req<UpdateSupportNotifications>) -> Result<Data<Recipients>> {
    set_recipients(ctx, NotificationAudience::Support, &req.body).await
}

async fn set_recipients(
    ctx: Ctx,
    audience: NotificationAudience,
    input: &RecipientsInput,
) -> Result<Data<Recipients>> {
    let requested_ids = validate_recipients(input)?;
    let mut work = ctx.begin().await?;
    settings::lock_editor(&mut work).await?;
    let active_staff_ids = load_active_staff_ids(&mut work, &requested_ids).await?;
    let mut errors = FieldErrors::default();
    for (index, id) in requested_ids.iter().enumerate().filter(|(_, id)| !active_staff_ids.contains(id)) {
        errors.add(
            format!("users.{index}"),
            format!("{id} is not an active staff member. Remove this recipient or choose another one."),
        );
    }
    errors.into_result(())?;
    let mut old_recipients = load_recipient_ids(&mut work, audience).await?;
    old_recipients.sort_unstable();
    let mut new_recipients = requested_ids;
    new_recipients.sort_unstable();
    if old_recipients != new_recipients {
        replace_recipients(&mut work, audience, &new_recipients).await?;
        let change = AuditChange {
            id: RecordId::NONE,
            old: json!({ audience.as_str(): old_recipients }),
            new: json!({ audience.as_str(): new_recipients }),
        };
        audit::record(&mut work, "notifications.recipients_changed", "notification", change).await?;
    }
    let data = load_recipients(&mut work, audience).await?;
    work.finish(Data { data }).await
}

// Rules

/// Maximum number of recipients of an audience.
const MAX_RECIPIENTS: usize = 100;

fn validate_recipients(input: &RecipientsInput) -> Result<Vec<UserId>, FieldErrors> {
    if input.users.len() > MAX_RECIPIENTS {
        return Err(FieldErrors::single("users", format!("Choose at most {MAX_RECIPIENTS} recipients.")));
    }
    let mut ids: Vec<UserId> = Vec::new();
    for id in &input.users {
        if !ids.contains(id) {
            ids.push(*id);
        }
    }
    Ok(ids)
}

fn to_notifications(disabled_kinds: &[NotificationKind]) -> Notifications {
    let to_notification = |kind: &NotificationKind| PanelNotification {
        notification: *kind,
        description: notifications::description(*kind).to_owned(),
        audience: notifications::audience(*kind),
        permission: notifications::permission(*kind),
        is_enabled: !disabled_kinds.contains(kind),
    };
    Notifications { panel_notifications: NotificationKind::ALL.iter().map(to_notification).collect() }
}

// Store

async fn load_disabled_kinds(db: &mut impl SqlExecutor) -> DbResult<Vec<NotificationKind>> {
    let rows: Vec<(String,)> =
        db.fetch_all(Sql::new("SELECT kind FROM notification_switches WHERE is_enabled = FALSE")).await?;
    Ok(rows.into_iter().filter_map(|(kind,)| kind.parse().ok()).collect())
}

async fn set_enabled(work: &mut UnitOfWork, kind: NotificationKind, is_enabled: bool) -> DbResult<u64> {
    let sql = Sql::new(
        "INSERT INTO notification_switches (kind, is_enabled) VALUES (?, ?)
         ON CONFLICT (kind) DO UPDATE SET is_enabled = excluded.is_enabled",
    );
    work.execute(sql.bind(kind.as_str()).bind(is_enabled)).await
}

async fn load_recipient_ids(
    db: &mut impl SqlExecutor,
    audience: NotificationAudience,
) -> DbResult<Vec<UserId>> {
    let sql =
        Sql::new("SELECT user_id FROM notification_recipients WHERE audience = ?").bind(audience.as_str());
    Ok(db.fetch_all::<(UserId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// Loads the ids of the active staff members among `ids`.
async fn load_active_staff_ids(db: &mut impl SqlExecutor, ids: &[UserId]) -> DbResult<Vec<UserId>> {
    let sql = Sql::new(
        "SELECT u.id FROM users u WHERE u.status = 'active'
           AND (EXISTS (SELECT 1 FROM user_roles x WHERE x.user_id = u.id) OR EXISTS (SELECT 1 FROM user_permissions x WHERE x.user_id = u.id))
           AND u.id IN ",
    );
    Ok(db.fetch_all::<(UserId,)>(sql.ids(ids)).await?.into_iter().map(|(id,)| id).collect())
}

async fn replace_recipients(
    work: &mut UnitOfWork,
    audience: NotificationAudience,
    ids: &[UserId],
) -> DbResult<()> {
    let delete_sql = Sql::new("DELETE FROM notification_recipients WHERE audience = ?");
    work.execute(delete_sql.bind(audience.as_str())).await?;
    if ids.is_empty() {
        return Ok(());
    }
    let rows: Vec<Vec<Val>> = ids.iter().map(|id| vec![(*id).into()]).collect();
    let sql = Sql::new("INSERT INTO notification_recipients (audience, user_id) SELECT ?, r.id FROM ");
    work.execute(sql.bind(audience.as_str()).rows("r", &["id"], rows)).await?;
    Ok(())
}

/// Loads the recipients of an audience, each with the kinds of notifications that they do not receive because they lack the
/// permission.
async fn load_recipients(db: &mut impl SqlExecutor, audience: NotificationAudience) -> Result<Recipients> {
    let sql = Sql::new(
        "SELECT u.id, u.name, u.email, (SELECT string_agg(h.permission, ',') FROM (SELECT p.permission FROM user_permissions p WHERE p.user_id = u.id
           UNION SELECT p.permission FROM user_roles x JOIN role_permissions p ON p.role_id = x.role_id WHERE x.user_id = u.id) h) AS permissions
         FROM notification_recipients n JOIN users u ON u.id = n.user_id WHERE n.audience = ? ORDER BY u.name, u.id",
    );
    let rows: Vec<(UserId, String, String, Option<String>)> =
        db.fetch_all(sql.bind(audience.as_str())).await?;
    let audience_kinds =
        || NotificationKind::ALL.iter().filter(|kind| notifications::audience(**kind) == audience);
    let users = rows.into_iter().map(|(id, name, email, permissions)| {
        let permissions: Vec<&str> = permissions.as_deref().unwrap_or_default().split(',').collect();
        let lacks_permission =
            |kind: &&NotificationKind| !permissions.contains(&notifications::permission(**kind).as_str());
        Recipient { id, name, email, withheld: audience_kinds().filter(lacks_permission).copied().collect() }
    });
    Ok(Recipients { users: users.collect() })
}

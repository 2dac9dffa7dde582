//! Custom menu items, which staff add to the menu.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::menu::{
    CreateCustomMenuItem, DeleteCustomMenuItem, ListCustomMenuItems, UpdateCustomMenuItem,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::CustomMenuItemId;
use panel_contract::menu::{CustomMenuItem, CustomMenuItemInput};
use panel_contract::moment::Timestamp;
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde_json::json;

use crate::configuration::menu::rules::{self, CUSTOM_TEXTS, MenuEntry, MenuEntryInput};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::change_log::ChangedRecord;
use crate::records::{changes, texts};
use crate::texts_of;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ListCustomMenuItems, _, _, _>(list)
        .route::<CreateCustomMenuItem, _, _, _>(create)
        .route::<UpdateCustomMenuItem, _, _, _>(update)
        .route::<DeleteCustomMenuItem, _, _, _>(delete)
}

async fn list(ctx: Ctx, _req: Req<ListCustomMenuItems>) -> Result<Data<Vec<CustomMenuItem>>> {
    Ok(Data { data: load_custom_items(&mut ctx.db()).await? })
}

async fn create(ctx: Ctx, req: Req<CreateCustomMenuItem>) -> Result<Data<CustomMenuItem>> {
    let draft = CustomMenuItemDraft::default().apply_input(&req.body)?;
    let mut work = ctx.begin().await?;
    if load_custom_items(&mut work).await?.len() >= rules::MAX_ITEMS {
        let message = format!("The menu already has {} custom items. Delete one first.", rules::MAX_ITEMS);
        return Err(Error::conflict("menu_full", message));
    }
    let id = draft.insert(&mut work).await?;
    record_change(&mut work, ChangeAction::Created, id, &CustomMenuItemDraft::default(), &draft).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateCustomMenuItem>) -> Result<Data<CustomMenuItem>> {
    let mut work = ctx.begin().await?;
    let current_record = lock_item(&mut work, req.path).await?;
    Error::check_not_stale("menu item", req.body.updated_at, current_record.updated_at)?;
    let old_draft = CustomMenuItemDraft::from_record(current_record);
    let new_draft = old_draft.clone().apply_input(&req.body)?;
    if new_draft != old_draft {
        new_draft.update_row(&mut work, req.path).await?;
        record_change(&mut work, ChangeAction::Updated, req.path, &old_draft, &new_draft).await?;
    }
    commit_and_respond(work, req.path).await
}

async fn delete(ctx: Ctx, req: Req<DeleteCustomMenuItem>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let old_draft = CustomMenuItemDraft::from_record(lock_item(&mut work, req.path).await?);
    delete_item(&mut work, req.path).await?;
    let name = &old_draft.entry.name;
    let changed = ChangedRecord {
        action: ChangeAction::Deleted,
        model: ChangeModel::MenuItem,
        id: req.path.as_record_id(),
        name,
    };
    changes::record(&mut work, changed, &json!(old_draft), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

async fn record_change(
    work: &mut UnitOfWork,
    action: ChangeAction,
    id: CustomMenuItemId,
    old_draft: &CustomMenuItemDraft,
    new_draft: &CustomMenuItemDraft,
) -> Result<()> {
    let changed = ChangedRecord {
        action,
        model: ChangeModel::MenuItem,
        id: id.as_record_id(),
        name: &new_draft.entry.name,
    };
    changes::record(work, changed, &json!(old_draft), &json!(new_draft)).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: CustomMenuItemId) -> Result<Data<CustomMenuItem>> {
    let data = load_item(&mut work, id).await?.into_response();
    work.finish(Data { data }).await
}

// Rules

/// The editable fields of a custom item, as stored and audited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct CustomMenuItemDraft {
    /// Always true: distinguishes custom items from menu items in the change log.
    is_custom: bool,
    #[serde(flatten)]
    entry: MenuEntry,
    show_in_internal: bool,
    show_in_public: bool,
}

impl Default for CustomMenuItemDraft {
    fn default() -> Self {
        Self { is_custom: true, entry: MenuEntry::default(), show_in_internal: true, show_in_public: false }
    }
}

impl CustomMenuItemDraft {
    fn from_record(record: CustomMenuItemRecord) -> Self {
        let item = record.into_response();
        Self {
            is_custom: true,
            show_in_internal: item.show_in_internal,
            show_in_public: item.show_in_public,
            entry: MenuEntry {
                name: item.name,
                icon: item.icon,
                url: item.url,
                is_blank: item.is_blank,
                is_enabled: item.is_enabled,
                is_allowed_for_authorized: item.is_allowed_for_authorized,
                is_allowed_for_guest: item.is_allowed_for_guest,
                translations: item.translations,
            },
        }
    }

    fn apply_input(mut self, input: &CustomMenuItemInput) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        let entry_input = MenuEntryInput {
            name: input.name.as_deref(),
            icon: &input.icon,
            url: input.url.as_deref(),
            is_blank: input.is_blank,
            is_enabled: input.is_enabled,
            is_allowed_for_authorized: input.is_allowed_for_authorized,
            is_allowed_for_guest: input.is_allowed_for_guest,
            translations: input.translations.as_ref(),
        };
        self.entry = self.entry.apply_input(&mut errors, &CUSTOM_TEXTS, &entry_input);
        self.show_in_internal = input.show_in_internal.unwrap_or(self.show_in_internal);
        self.show_in_public = input.show_in_public.unwrap_or(self.show_in_public);
        errors.into_result(self)
    }
}

// Store

#[derive(sqlx::FromRow)]
struct CustomMenuItemRecord {
    id: CustomMenuItemId,
    name: String,
    icon: Option<String>,
    url: String,
    is_blank: bool,
    is_enabled: bool,
    is_allowed_for_authorized: bool,
    is_allowed_for_guest: bool,
    show_in_internal: bool,
    show_in_public: bool,
    updated_at: Timestamp,
    texts: Option<String>,
}

const SELECT_ITEMS: &str = concat!(
    "SELECT m.id, m.name, m.icon, m.url, m.is_blank, m.is_enabled, m.is_allowed_for_authorized, m.is_allowed_for_guest, m.show_in_internal,
  m.show_in_public, m.updated_at, ",
    texts_of!("custom_menu_item", "m.id"),
    " FROM custom_menu_items m"
);

impl CustomMenuItemRecord {
    fn into_response(self) -> CustomMenuItem {
        CustomMenuItem {
            id: self.id,
            translations: texts::parse(self.texts.as_deref(), &self.name),
            name: self.name,
            icon: self.icon,
            url: self.url,
            is_blank: self.is_blank,
            open_in_new_tab: self.is_blank,
            is_enabled: self.is_enabled,
            is_allowed_for_authorized: self.is_allowed_for_authorized,
            is_allowed_for_guest: self.is_allowed_for_guest,
            show_in_internal: self.show_in_internal,
            show_in_public: self.show_in_public,
            updated_at: self.updated_at,
        }
    }
}

/// Loads all custom items, oldest first.
pub async fn load_custom_items(db: &mut impl SqlExecutor) -> Result<Vec<CustomMenuItem>> {
    let rows: Vec<CustomMenuItemRecord> = db.fetch_all(Sql::new(SELECT_ITEMS).push(" ORDER BY m.id")).await?;
    Ok(rows.into_iter().map(CustomMenuItemRecord::into_response).collect())
}

async fn load_item(db: &mut impl SqlExecutor, id: CustomMenuItemId) -> Result<CustomMenuItemRecord> {
    let record: Option<CustomMenuItemRecord> =
        db.fetch_optional(Sql::new(SELECT_ITEMS).push(" WHERE m.id = ?").bind(id)).await?;
    record.ok_or_else(|| Error::not_found("custom menu item", id))
}

async fn lock_item(work: &mut UnitOfWork, id: CustomMenuItemId) -> Result<CustomMenuItemRecord> {
    let sql = Sql::new("SELECT id FROM custom_menu_items WHERE id = ?").bind(id).for_update();
    work.fetch_optional::<(CustomMenuItemId,)>(sql).await?;
    load_item(work, id).await
}

async fn delete_item(work: &mut UnitOfWork, id: CustomMenuItemId) -> Result<()> {
    for sql in [
        "DELETE FROM translations WHERE owner_type = 'custom_menu_item' AND owner_id = ?",
        "DELETE FROM custom_menu_items WHERE id = ?",
    ] {
        work.execute(Sql::new(sql).bind(id)).await?;
    }
    Ok(())
}

impl CustomMenuItemDraft {
    /// Returns the INSERT and the UPDATE of all fields.
    fn insert_and_update_sql(&self, now: Timestamp) -> [Sql; 2] {
        let Self { is_custom: _, entry, show_in_internal, show_in_public } = self;
        let MenuEntry {
            name,
            icon,
            url,
            is_blank,
            is_enabled,
            is_allowed_for_authorized,
            is_allowed_for_guest,
            translations: _,
        } = entry;
        sql!(
            [
                "INSERT INTO custom_menu_items (name, icon, url, is_blank, is_enabled, is_allowed_for_authorized, \
                   is_allowed_for_guest, show_in_internal,
                   show_in_public, created_at, updated_at) VALUES (@name, @icon, @url, @is_blank, @is_enabled, \
                   @is_allowed_for_authorized, @is_allowed_for_guest, @show_in_internal, @show_in_public, @now, @now) RETURNING id",
                "UPDATE custom_menu_items SET name = @name, icon = @icon, url = @url, is_blank = @is_blank, \
                   is_enabled = @is_enabled, is_allowed_for_authorized = @is_allowed_for_authorized,
                   is_allowed_for_guest = @is_allowed_for_guest, show_in_internal = @show_in_internal, \
                   show_in_public = @show_in_public, updated_at = @now WHERE id = @id",
            ],
            {
                name: name.as_str(),
                icon: icon.as_deref(),
                url: url.as_str(),
                is_blank,
                is_enabled,
                is_allowed_for_authorized,
                is_allowed_for_guest,
                show_in_internal,
                show_in_public,
                now,
            },
            bound_later: [id],
        )
    }

    async fn insert(&self, work: &mut UnitOfWork) -> Result<CustomMenuItemId> {
        let [insert_sql, _] = self.insert_and_update_sql(work.timestamp());
        let (id,): (CustomMenuItemId,) = work.fetch_one(insert_sql).await?;
        texts::write(work, &CUSTOM_TEXTS, id, &self.entry.translations).await?;
        Ok(id)
    }

    async fn update_row(&self, work: &mut UnitOfWork, id: CustomMenuItemId) -> Result<()> {
        let [_, update_sql] = self.insert_and_update_sql(work.timestamp());
        work.execute(update_sql.bind_named("id", id)).await?;
        Ok(texts::write(work, &CUSTOM_TEXTS, id, &self.entry.translations).await?)
    }
}

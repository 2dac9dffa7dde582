//! Items that staff add to the menu.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::menu::{
    CreateCustomMenuItem, DeleteCustomMenuItem, ListCustomMenuItems, UpdateCustomMenuItem,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::CustomMenuItemId;
use panel_contract::menu::{CustomMenuItem, CustomMenuItemInput};
use panel_contract::moment::Stamp;
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde_json::json;

use crate::configuration::menu::rules::{self, CUSTOM_TEXTS, Entry, Said};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::change_log::ChangedRecord;
use crate::records::{changes, texts};
use crate::texts_of;
use panel_platform::db::{Source, Sql};
use panel_platform::sql;
use panel_platform::work::Work;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<ListCustomMenuItems, _, _, _>(list)
        .on::<CreateCustomMenuItem, _, _, _>(create)
        .on::<UpdateCustomMenuItem, _, _, _>(update)
        .on::<DeleteCustomMenuItem, _, _, _>(delete)
}

async fn list(ctx: Ctx, _req: Req<ListCustomMenuItems>) -> Result<Data<Vec<CustomMenuItem>>> {
    Ok(Data { data: all(&mut ctx.db()).await? })
}

async fn create(ctx: Ctx, req: Req<CreateCustomMenuItem>) -> Result<Data<CustomMenuItem>> {
    let draft = Draft::default().with(&req.body)?;
    let mut work = ctx.begin().await?;
    if all(&mut work).await?.len() >= rules::MOST {
        let message = format!("Add at most {} items; delete one first.", rules::MOST);
        return Err(Error::conflict("menu_full", message));
    }
    let id = draft.insert(&mut work).await?;
    tell(&mut work, ChangeAction::Created, id, &Draft::default(), &draft).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateCustomMenuItem>) -> Result<Data<CustomMenuItem>> {
    let mut work = ctx.begin().await?;
    let now = lock(&mut work, req.path).await?;
    Error::unless_newest("menu item", req.body.updated_at, now.updated_at)?;
    let before = Draft::of(now);
    let after = before.clone().with(&req.body)?;
    if after != before {
        after.write(&mut work, req.path).await?;
        tell(&mut work, ChangeAction::Updated, req.path, &before, &after).await?;
    }
    answer(work, req.path).await
}

async fn delete(ctx: Ctx, req: Req<DeleteCustomMenuItem>) -> Result<NoBody> {
    let mut work = ctx.begin().await?;
    let before = Draft::of(lock(&mut work, req.path).await?);
    remove(&mut work, req.path).await?;
    let name = &before.entry.name;
    let noted = ChangedRecord {
        action: ChangeAction::Deleted,
        model: ChangeModel::MenuItem,
        id: req.path.record(),
        name,
    };
    changes::note(&mut work, noted, &json!(before), &json!({})).await?;
    work.finish(NoBody {}).await
}

async fn tell(
    work: &mut Work,
    action: ChangeAction,
    id: CustomMenuItemId,
    before: &Draft,
    after: &Draft,
) -> Result<()> {
    let noted =
        ChangedRecord { action, model: ChangeModel::MenuItem, id: id.record(), name: &after.entry.name };
    changes::note(work, noted, &json!(before), &json!(after)).await
}

async fn answer(mut work: Work, id: CustomMenuItemId) -> Result<Data<CustomMenuItem>> {
    let data = one(&mut work, id).await?.shown();
    work.finish(Data { data }).await
}

// Rules

/// An added item as it is written and as the audit trail shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Draft {
    /// Tells it from the menu's own in the change log.
    is_custom: bool,
    #[serde(flatten)]
    entry: Entry,
    show_in_internal: bool,
    show_in_public: bool,
}

impl Default for Draft {
    fn default() -> Self {
        Self { is_custom: true, entry: Entry::default(), show_in_internal: true, show_in_public: false }
    }
}

impl Draft {
    fn of(item: Record) -> Self {
        let item = item.shown();
        Self {
            is_custom: true,
            show_in_internal: item.show_in_internal,
            show_in_public: item.show_in_public,
            entry: Entry {
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

    fn with(mut self, input: &CustomMenuItemInput) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        let said = Said {
            name: input.name.as_deref(),
            icon: &input.icon,
            url: input.url.as_deref(),
            flags: [
                input.is_blank,
                input.is_enabled,
                input.is_allowed_for_authorized,
                input.is_allowed_for_guest,
            ],
            translations: input.translations.as_ref(),
        };
        self.entry = self.entry.with(&mut errors, &CUSTOM_TEXTS, &said);
        self.show_in_internal = input.show_in_internal.unwrap_or(self.show_in_internal);
        self.show_in_public = input.show_in_public.unwrap_or(self.show_in_public);
        errors.or(self)
    }
}

// Store

#[derive(sqlx::FromRow)]
struct Record {
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
    updated_at: Stamp,
    texts: Option<String>,
}

const ROWS: &str = concat!(
    "SELECT m.id, m.name, m.icon, m.url, m.is_blank, m.is_enabled, m.is_allowed_for_authorized, m.is_allowed_for_guest, m.show_in_internal,
  m.show_in_public, m.updated_at, ",
    texts_of!("custom_menu_item", "m.id"),
    " FROM custom_menu_items m"
);

impl Record {
    fn shown(self) -> CustomMenuItem {
        CustomMenuItem {
            id: self.id,
            translations: texts::read(self.texts.as_deref(), &self.name),
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

/// All added items, in the order in which they were added.
pub async fn all(db: &mut impl Source) -> Result<Vec<CustomMenuItem>> {
    let rows: Vec<Record> = db.all(Sql::new(ROWS).push(" ORDER BY m.id")).await?;
    Ok(rows.into_iter().map(Record::shown).collect())
}

async fn one(db: &mut impl Source, id: CustomMenuItemId) -> Result<Record> {
    let found: Option<Record> = db.opt(Sql::new(ROWS).push(" WHERE m.id = ?").bind(id)).await?;
    found.ok_or_else(|| Error::not_found("added menu item", id))
}

async fn lock(work: &mut Work, id: CustomMenuItemId) -> Result<Record> {
    let sql = Sql::new("SELECT id FROM custom_menu_items WHERE id = ?").bind(id).for_update();
    work.opt::<(CustomMenuItemId,)>(sql).await?;
    one(work, id).await
}

async fn remove(work: &mut Work, id: CustomMenuItemId) -> Result<()> {
    for sql in [
        "DELETE FROM translations WHERE owner_type = 'custom_menu_item' AND owner_id = ?",
        "DELETE FROM custom_menu_items WHERE id = ?",
    ] {
        work.exec(Sql::new(sql).bind(id)).await?;
    }
    Ok(())
}

impl Draft {
    /// The INSERT and the UPDATE of all its fields.
    fn statements(&self, now: Stamp) -> [Sql; 2] {
        let Self { is_custom: _, entry, show_in_internal, show_in_public } = self;
        let Entry {
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
            later: [id],
        )
    }

    async fn insert(&self, work: &mut Work) -> Result<CustomMenuItemId> {
        let [insert, _] = self.statements(work.stamp());
        let (id,): (CustomMenuItemId,) = work.one(insert).await?;
        texts::write(work, &CUSTOM_TEXTS, id, &self.entry.translations).await?;
        Ok(id)
    }

    async fn write(&self, work: &mut Work, id: CustomMenuItemId) -> Result<()> {
        let [_, update] = self.statements(work.stamp());
        work.exec(update.named("id", id)).await?;
        Ok(texts::write(work, &CUSTOM_TEXTS, id, &self.entry.translations).await?)
    }
}

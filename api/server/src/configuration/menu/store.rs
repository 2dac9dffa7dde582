//! Items of the menu in the database.

use std::collections::BTreeMap;

use panel_contract::fields::FieldErrors;
use panel_contract::ids::MenuItemId;
use panel_contract::menu::{MenuItem, MenuParent, PlacedMenuItem};
use panel_contract::moment::{Stamp, Time};
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use serde::Serialize;

use crate::configuration::menu::rules::{self, Entry, TEXTS};
use crate::records::archivables::MENU_ITEM;
use crate::records::positions::Places;
use crate::records::texts;
use crate::stores::archivables;
use crate::texts_of;
use panel_platform::db::{DbResult, Source, Sql, Val};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::work::Work;

/// What a list and a record read.
pub const COLUMNS: &str = concat!(
    "m.id, m.parent_id, p.name AS parent_name, p.url AS parent_url, m.name, m.icon, m.url, m.sorting, m.is_enabled, m.is_archived,
  m.is_allowed_for_authorized, m.is_allowed_for_guest, m.is_blank, m.created_at, m.updated_at, ",
    texts_of!("menu_item", "m.id")
);

/// The whole menu in order.
pub const PLACES: Places = Places {
    field: "menu_items",
    read: "SELECT id, sorting FROM menu_items WHERE is_archived = FALSE",
    write: "UPDATE menu_items SET sorting = r.place FROM ",
    on: " WHERE menu_items.id = r.id",
};

/// An item as it is read.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Record {
    id: MenuItemId,
    /// What it stands below.
    pub parent_id: Option<MenuItemId>,
    parent_name: Option<String>,
    parent_url: Option<String>,
    /// English name.
    pub name: String,
    icon: Option<String>,
    url: String,
    sorting: i64,
    is_enabled: bool,
    /// Whether it is put away.
    pub is_archived: bool,
    is_allowed_for_authorized: bool,
    is_allowed_for_guest: bool,
    is_blank: bool,
    created_at: Time,
    /// When it last changed.
    pub updated_at: Stamp,
    texts: Option<String>,
}

impl Record {
    /// As a caller sees it.
    #[must_use]
    pub fn shown(self, scope: &Scope) -> MenuItem {
        let may = scope.may(Permission::ManagePanelSettings);
        let parent = self.parent_id.map(|id| MenuParent {
            id,
            name: self.parent_name.clone().unwrap_or_default(),
            url: self.parent_url.clone().unwrap_or_default(),
        });
        MenuItem {
            id: self.id,
            menu_item_id: self.id,
            main_id: self.id.get(),
            panel_id: 1,
            translations: texts::read(self.texts.as_deref(), &self.name),
            name: self.name,
            icon: self.icon,
            url: self.url,
            parent,
            sorting: self.sorting,
            status: rules::status(self.is_enabled, self.is_archived),
            is_enabled: self.is_enabled,
            is_archived: self.is_archived,
            is_allowed_for_authorized: self.is_allowed_for_authorized,
            is_allowed_for_guest: self.is_allowed_for_guest,
            is_blank: self.is_blank,
            created_at: self.created_at,
            updated_at: self.updated_at,
            actions: MENU_ITEM.actions(may, self.is_archived, false),
        }
    }

    /// As it is written.
    #[must_use]
    pub fn draft(&self) -> Draft {
        Draft {
            parent_id: self.parent_id,
            entry: Entry {
                name: self.name.clone(),
                icon: self.icon.clone(),
                url: self.url.clone(),
                is_blank: self.is_blank,
                is_enabled: self.is_enabled,
                is_allowed_for_authorized: self.is_allowed_for_authorized,
                is_allowed_for_guest: self.is_allowed_for_guest,
                translations: texts::read(self.texts.as_deref(), &self.name),
            },
        }
    }
}

/// An item as it is written and as the audit trail shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Draft {
    /// What it stands below.
    pub parent_id: Option<MenuItemId>,
    /// Everything else.
    #[serde(flatten)]
    pub entry: Entry,
}

/// One item.
pub async fn find(db: &mut impl Source, id: MenuItemId) -> Result<Record> {
    let sql = Sql::new("SELECT ")
        .push(COLUMNS)
        .push(" FROM menu_items m LEFT JOIN menu_items p ON p.id = m.parent_id WHERE m.id = ?");
    let found: Option<Record> = db.opt(sql.bind(id)).await?;
    found.ok_or_else(|| Error::not_found("menu item", id))
}

/// An item's place in the tree.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Branch {
    /// Its id.
    pub id: MenuItemId,
    /// What it stands below.
    pub parent_id: Option<MenuItemId>,
    /// English name.
    pub name: String,
    /// Whether it is put away.
    pub is_archived: bool,
}

/// Holds the whole menu until the work ends.
pub async fn lock_all(work: &mut Work) -> DbResult<Vec<Branch>> {
    work.all(Sql::new("SELECT id, parent_id, name, is_archived FROM menu_items ORDER BY id").for_update())
        .await
}

/// Whether an item (or a new one) may stand below another.
pub fn check_parent(
    all: &[Branch],
    id: Option<MenuItemId>,
    parent: Option<MenuItemId>,
) -> Result<(), FieldErrors> {
    let Some(parent) = parent else { return Ok(()) };
    let known: BTreeMap<MenuItemId, Option<MenuItemId>> =
        all.iter().filter(|item| !item.is_archived).map(|item| (item.id, item.parent_id)).collect();
    if !known.contains_key(&parent) {
        return Err(FieldErrors::one("parent_id", format!("There is no menu item {parent} in use.")));
    }
    let (mut depth, mut at) = (0, Some(parent));
    while let Some(above) = at {
        if Some(above) == id {
            let message = "An item cannot stand below itself or below what stands below it.";
            return Err(FieldErrors::one("parent_id", message));
        }
        depth += 1;
        at = known.get(&above).copied().flatten().filter(|_| depth <= all.len());
    }
    rules::judge_depth(depth, id.map_or(1, |id| height(&known, id, rules::DEEPEST)))
}

/// How deep it goes from an item on; itself counts one.
fn height(known: &BTreeMap<MenuItemId, Option<MenuItemId>>, id: MenuItemId, most: usize) -> usize {
    let below = known.iter().filter(|(_, parent)| **parent == Some(id)).map(|(child, _)| *child);
    match most {
        0 => 1,
        _ => 1 + below.map(|child| height(known, child, most - 1)).max().unwrap_or(0),
    }
}

/// The whole tree in order.
pub async fn tree(db: &mut impl Source) -> DbResult<Vec<PlacedMenuItem>> {
    let sql = "SELECT id, parent_id FROM menu_items WHERE is_archived = FALSE ORDER BY sorting, id";
    let rows: Vec<(MenuItemId, Option<MenuItemId>)> = db.all(Sql::new(sql)).await?;
    Ok(rows.into_iter().map(|(id, parent_id)| PlacedMenuItem { id, parent_id }).collect())
}

/// Hangs each item below its parent.
pub async fn hang(work: &mut Work, wanted: &[PlacedMenuItem]) -> DbResult<()> {
    if wanted.is_empty() {
        return Ok(());
    }
    // Zero for none: a list of values knows no other way on both databases.
    let rows: Vec<Vec<Val>> = wanted
        .iter()
        .map(|item| vec![item.id.into(), item.parent_id.map_or(0, MenuItemId::get).into()])
        .collect();
    let sql = Sql::new("UPDATE menu_items SET parent_id = NULLIF(r.parent, 0) FROM ")
        .rows("r", &["id", "parent"], rows)
        .push(" WHERE menu_items.id = r.id");
    work.exec(sql).await?;
    Ok(())
}

/// Puts one away or takes it back; who comes back stands last.
pub async fn set_archived(
    work: &mut Work,
    id: MenuItemId,
    away: bool,
    parent: Option<MenuItemId>,
) -> DbResult<u64> {
    let stamp = work.stamp();
    let sql = sql!(
        "UPDATE menu_items SET is_archived = @away, parent_id = @parent_id, updated_at = @stamp,
           sorting = CASE WHEN @away THEN sorting ELSE (SELECT COALESCE(max(x.sorting), 0) + 1 FROM menu_items x) END
         WHERE id = @id",
        { away, parent_id: parent, stamp, id },
    );
    work.exec(sql.append(archivables::leaving(away))).await
}

impl Draft {
    /// The INSERT, behind all others, and the UPDATE of all its fields.
    fn statements(&self, now: Stamp) -> [Sql; 2] {
        let Self { parent_id, entry } = self;
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
                "INSERT INTO menu_items (parent_id, name, icon, url, is_blank, is_enabled, is_allowed_for_authorized, \
                   is_allowed_for_guest, sorting, created_at, updated_at)
                 VALUES (@parent_id, @name, @icon, @url, @is_blank, @is_enabled, @is_allowed_for_authorized, \
                   @is_allowed_for_guest, (SELECT COALESCE(max(x.sorting), 0) + 1 FROM menu_items x), @now, @now) RETURNING id",
                "UPDATE menu_items SET parent_id = @parent_id, name = @name, icon = @icon, url = @url, is_blank = @is_blank, \
                   is_enabled = @is_enabled, is_allowed_for_authorized = @is_allowed_for_authorized,
                   is_allowed_for_guest = @is_allowed_for_guest, updated_at = @now WHERE id = @id",
            ],
            {
                parent_id,
                name: name.as_str(),
                icon: icon.as_deref(),
                url: url.as_str(),
                is_blank,
                is_enabled,
                is_allowed_for_authorized,
                is_allowed_for_guest,
                now,
            },
            later: [id],
        )
    }

    /// Adds it, behind all others.
    pub async fn insert(&self, work: &mut Work) -> Result<MenuItemId> {
        let [insert, _] = self.statements(work.stamp());
        let (id,): (MenuItemId,) = work.one(insert).await?;
        texts::write(work, &TEXTS, id, &self.entry.translations).await?;
        Ok(id)
    }

    /// Writes it.
    pub async fn write(&self, work: &mut Work, id: MenuItemId) -> Result<()> {
        let [_, update] = self.statements(work.stamp());
        work.exec(update.named("id", id)).await?;
        Ok(texts::write(work, &TEXTS, id, &self.entry.translations).await?)
    }
}

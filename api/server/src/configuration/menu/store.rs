//! SQL of menu items.

use std::collections::BTreeMap;

use panel_contract::fields::FieldErrors;
use panel_contract::ids::MenuItemId;
use panel_contract::menu::{MenuItem, MenuItemPosition, MenuParent};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use serde::Serialize;

use crate::configuration::menu::rules::{self, MenuEntry, TEXTS};
use crate::records::archivable_kinds::MENU_ITEM;
use crate::records::positions::SortableList;
use crate::records::texts;
use crate::stores::archive_state;
use crate::texts_of;
use panel_platform::db::{DbResult, Sql, SqlExecutor, Val};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// The columns of [`MenuItemRecord`].
pub const COLUMNS: &str = concat!(
    "m.id, m.parent_id, p.name AS parent_name, p.url AS parent_url, m.name, m.icon, m.url, m.sorting, m.is_enabled, m.is_archived,
  m.is_allowed_for_authorized, m.is_allowed_for_guest, m.is_blank, m.created_at, m.updated_at, ",
    texts_of!("menu_item", "m.id")
);

/// How the positions of menu items are read and written.
pub const MENU_SORTING: SortableList = SortableList {
    field: "menu_items",
    select_sql: "SELECT id, sorting FROM menu_items WHERE is_archived = FALSE",
    update_sql: "UPDATE menu_items SET sorting = r.place FROM ",
    update_where_sql: " WHERE menu_items.id = r.id",
};

/// A menu item as stored.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct MenuItemRecord {
    id: MenuItemId,
    /// The parent item; `None` at the top level.
    pub parent_id: Option<MenuItemId>,
    parent_name: Option<String>,
    parent_url: Option<String>,
    pub name: String,
    icon: Option<String>,
    url: String,
    sorting: i64,
    is_enabled: bool,
    pub is_archived: bool,
    is_allowed_for_authorized: bool,
    is_allowed_for_guest: bool,
    is_blank: bool,
    created_at: Time,
    pub updated_at: Timestamp,
    texts: Option<String>,
}

impl MenuItemRecord {
    /// Returns the item with the actions that the caller may take.
    #[must_use]
    pub fn into_response(self, scope: &Scope) -> MenuItem {
        let can_manage = scope.has_permission(Permission::ManagePanelSettings);
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
            translations: texts::parse(self.texts.as_deref(), &self.name),
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
            actions: MENU_ITEM.allowed_actions(can_manage, self.is_archived, false),
        }
    }

    /// Returns the fields that an editor can change.
    #[must_use]
    pub fn to_draft(&self) -> MenuItemDraft {
        MenuItemDraft {
            parent_id: self.parent_id,
            entry: MenuEntry {
                name: self.name.clone(),
                icon: self.icon.clone(),
                url: self.url.clone(),
                is_blank: self.is_blank,
                is_enabled: self.is_enabled,
                is_allowed_for_authorized: self.is_allowed_for_authorized,
                is_allowed_for_guest: self.is_allowed_for_guest,
                translations: texts::parse(self.texts.as_deref(), &self.name),
            },
        }
    }
}

/// The editable fields of a menu item, as stored and audited.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct MenuItemDraft {
    /// The parent item; `None` at the top level.
    pub parent_id: Option<MenuItemId>,
    /// The fields shared with custom items.
    #[serde(flatten)]
    pub entry: MenuEntry,
}

/// Loads a menu item; 404 if there is none.
pub async fn load_item(db: &mut impl SqlExecutor, id: MenuItemId) -> Result<MenuItemRecord> {
    let sql = Sql::new("SELECT ")
        .push(COLUMNS)
        .push(" FROM menu_items m LEFT JOIN menu_items p ON p.id = m.parent_id WHERE m.id = ?");
    let record: Option<MenuItemRecord> = db.fetch_optional(sql.bind(id)).await?;
    record.ok_or_else(|| Error::not_found("menu item", id))
}

/// A menu item's position in the tree.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct MenuTreeItem {
    pub id: MenuItemId,
    /// The parent item; `None` at the top level.
    pub parent_id: Option<MenuItemId>,
    pub name: String,
    pub is_archived: bool,
}

/// Locks the whole menu until the transaction ends.
pub async fn lock_all(work: &mut UnitOfWork) -> DbResult<Vec<MenuTreeItem>> {
    work.fetch_all(
        Sql::new("SELECT id, parent_id, name, is_archived FROM menu_items ORDER BY id").for_update(),
    )
    .await
}

/// Checks whether an item (`None` for a new one) may move below `parent`.
pub fn check_parent(
    menu_items: &[MenuTreeItem],
    id: Option<MenuItemId>,
    parent: Option<MenuItemId>,
) -> Result<(), FieldErrors> {
    let Some(parent) = parent else { return Ok(()) };
    let parents: BTreeMap<MenuItemId, Option<MenuItemId>> =
        menu_items.iter().filter(|item| !item.is_archived).map(|item| (item.id, item.parent_id)).collect();
    if !parents.contains_key(&parent) {
        return Err(FieldErrors::single(
            "parent_id",
            format!("Menu item {parent} does not exist or is archived. Choose another one."),
        ));
    }
    let (mut depth, mut next_ancestor) = (0, Some(parent));
    while let Some(ancestor) = next_ancestor {
        if Some(ancestor) == id {
            let message =
                "An item cannot be below itself or below one of its own descendants. Choose another parent.";
            return Err(FieldErrors::single("parent_id", message));
        }
        depth += 1;
        next_ancestor = parents.get(&ancestor).copied().flatten().filter(|_| depth <= menu_items.len());
    }
    rules::check_depth(depth, id.map_or(1, |id| subtree_height(&parents, id, rules::MAX_DEPTH)))
}

/// Counts the levels of an item's subtree, with the item itself.
fn subtree_height(
    parents: &BTreeMap<MenuItemId, Option<MenuItemId>>,
    id: MenuItemId,
    max_depth: usize,
) -> usize {
    let children = parents.iter().filter(|(_, parent)| **parent == Some(id)).map(|(child, _)| *child);
    match max_depth {
        0 => 1,
        _ => 1 + children.map(|child| subtree_height(parents, child, max_depth - 1)).max().unwrap_or(0),
    }
}

/// Loads the menu tree in order, without archived items.
pub async fn load_tree(db: &mut impl SqlExecutor) -> DbResult<Vec<MenuItemPosition>> {
    let sql = "SELECT id, parent_id FROM menu_items WHERE is_archived = FALSE ORDER BY sorting, id";
    let rows: Vec<(MenuItemId, Option<MenuItemId>)> = db.fetch_all(Sql::new(sql)).await?;
    Ok(rows.into_iter().map(|(id, parent_id)| MenuItemPosition { id, parent_id }).collect())
}

/// Writes the parents of these items.
pub async fn set_parents(work: &mut UnitOfWork, positions: &[MenuItemPosition]) -> DbResult<()> {
    if positions.is_empty() {
        return Ok(());
    }
    // 0 means no parent, because a NULL in a list of values has no type on one of the databases.
    let rows: Vec<Vec<Val>> = positions
        .iter()
        .map(|item| vec![item.id.into(), item.parent_id.map_or(0, MenuItemId::get).into()])
        .collect();
    let sql = Sql::new("UPDATE menu_items SET parent_id = NULLIF(r.parent, 0) FROM ")
        .rows("r", &["id", "parent"], rows)
        .push(" WHERE menu_items.id = r.id");
    work.execute(sql).await?;
    Ok(())
}

/// Archives or restores an item. A restored item gets the last position.
pub async fn set_archived(
    work: &mut UnitOfWork,
    id: MenuItemId,
    archive: bool,
    parent: Option<MenuItemId>,
) -> DbResult<u64> {
    let timestamp = work.timestamp();
    let sql = sql!(
        "UPDATE menu_items SET is_archived = @is_archived, parent_id = @parent_id, updated_at = @timestamp,
           sorting = CASE WHEN @is_archived THEN sorting ELSE (SELECT COALESCE(max(x.sorting), 0) + 1 FROM menu_items x) END
         WHERE id = @id",
        { is_archived: archive, parent_id: parent, timestamp, id },
    );
    work.execute(sql.append(archive_state::condition_for(archive))).await
}

impl MenuItemDraft {
    /// Returns the INSERT at the last position, and the UPDATE of all fields.
    fn insert_and_update_sql(&self, now: Timestamp) -> [Sql; 2] {
        let Self { parent_id, entry } = self;
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
            bound_later: [id],
        )
    }

    /// Inserts the item at the last position.
    pub async fn insert(&self, work: &mut UnitOfWork) -> Result<MenuItemId> {
        let [insert_sql, _] = self.insert_and_update_sql(work.timestamp());
        let (id,): (MenuItemId,) = work.fetch_one(insert_sql).await?;
        texts::write(work, &TEXTS, id, &self.entry.translations).await?;
        Ok(id)
    }

    pub async fn update_row(&self, work: &mut UnitOfWork, id: MenuItemId) -> Result<()> {
        let [_, update_sql] = self.insert_and_update_sql(work.timestamp());
        work.execute(update_sql.bind_named("id", id)).await?;
        Ok(texts::write(work, &TEXTS, id, &self.entry.translations).await?)
    }
}

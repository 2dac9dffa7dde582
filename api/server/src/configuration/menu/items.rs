//! Endpoints of menu items: list, create, update, sort and archive.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::menu::{
    ArchiveMenuItem, CreateMenuItem, ListMenuItems, SortMenuItems, UnarchiveMenuItem, UpdateMenuItem,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{MenuItemId, RecordId};
use panel_contract::menu::{MenuItem, MenuItemInput};
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;
use serde_json::json;

use crate::configuration::menu::rules::{self, MenuEntryInput, TEXTS};
use crate::configuration::menu::store::{self, MenuItemDraft, MenuItemRecord};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::archivables::MENU_ITEM;
use crate::records::change_log::ChangedRecord;
use crate::records::search_texts;
use crate::records::{changes, positions};
use panel_platform::table::{Join, RowSource, SearchTarget, Table, expr};
use panel_platform::work::UnitOfWork;

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListMenuItems, _, _>(&MENU_ITEMS, |record: MenuItemRecord, ctx| record.into_api(ctx))
        .on::<CreateMenuItem, _, _, _>(create)
        .on::<SortMenuItems, _, _, _>(sort)
        .on::<UpdateMenuItem, _, _, _>(update)
        .archiving_by::<ArchiveMenuItem, UnarchiveMenuItem, _, _, _>(set_archived)
}

const STATUS: &str =
    "CASE WHEN m.is_archived THEN 'archived' WHEN m.is_enabled THEN 'active' ELSE 'disabled' END";

/// Menu items, newest first.
pub static MENU_ITEMS: Table = Table::new(
    &panel_contract::lists::menu::MENU_ITEMS,
    RowSource {
        base: "menu_items",
        alias: "m",
        key: "m.id",
        joins: &[Join { alias: "p", sql: "LEFT JOIN menu_items p ON p.id = m.parent_id" }],
        select: store::COLUMNS,
        ..RowSource::NONE
    },
    &[expr("parent.id", "m.parent_id"), expr("parent.name", "p.name").join("p"), expr("status", STATUS)],
)
.common_search(&[SearchTarget::new("m.id", &search_texts::MENU_ITEMS, "name").here(&["m.name", "m.url"])]);

async fn create(ctx: Ctx, req: Req<CreateMenuItem>) -> Result<Data<MenuItem>> {
    let (draft, errors) = with_input(MenuItemDraft::default(), &req.body);
    let mut wrong = WrongFields::from(errors);
    let mut work = ctx.begin().await?;
    let all = store::lock_all(&mut work).await?;
    if all.iter().filter(|item| !item.is_archived).count() >= rules::MAX_ITEMS {
        let message = format!("The menu already has {} items. Archive one first.", rules::MAX_ITEMS);
        return Err(Error::conflict("menu_full", message));
    }
    wrong.record(store::check_parent(&all, None, draft.parent_id))?;
    wrong.or(())?;
    let id = draft.insert(&mut work).await?;
    record_change(&mut work, ChangeAction::Created, id, &MenuItemDraft::default(), &draft).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateMenuItem>) -> Result<Data<MenuItem>> {
    let mut work = ctx.begin().await?;
    let all = store::lock_all(&mut work).await?;
    let current = store::find(&mut work, req.path).await?;
    Error::check_not_stale("menu item", req.body.updated_at, current.updated_at)?;
    let before = current.draft();
    let (after, errors) = with_input(before.clone(), &req.body);
    let mut wrong = WrongFields::from(errors);
    if after.parent_id != before.parent_id {
        wrong.record(store::check_parent(&all, Some(req.path), after.parent_id))?;
    }
    wrong.or(())?;
    if after != before {
        after.write(&mut work, req.path).await?;
        record_change(&mut work, ChangeAction::Updated, req.path, &before, &after).await?;
    }
    answer(work, req.path).await
}

fn with_input(mut draft: MenuItemDraft, input: &MenuItemInput) -> (MenuItemDraft, FieldErrors) {
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
    draft.entry = draft.entry.with_input(&mut errors, &TEXTS, &entry_input);
    if let Some(parent) = input.parent_id.as_update() {
        draft.parent_id = parent.copied();
    }
    (draft, errors)
}

async fn sort(ctx: Ctx, req: Req<SortMenuItems>) -> Result<EmptyBody> {
    let requested = &req.body.menu_items;
    rules::check_tree(requested)?;
    let mut work = ctx.begin().await?;
    let ids: Vec<MenuItemId> = requested.iter().map(|item| item.id).collect();
    let before = store::tree(&mut work).await?;
    positions::sort(&mut work, store::PLACES, None, &ids).await?;
    store::set_parents(&mut work, requested).await?;
    let (old, new) = (json!({ "menu_items": before }), json!({ "menu_items": requested }));
    if old != new {
        let changed = ChangedRecord {
            action: ChangeAction::Sorted,
            model: ChangeModel::MenuItem,
            id: RecordId::NONE,
            name: "Menu",
        };
        changes::record(&mut work, changed, &old, &new).await?;
    }
    work.finish(EmptyBody {}).await
}

async fn set_archived(ctx: Ctx, id: MenuItemId, archive: bool) -> Result<Data<MenuItem>> {
    let mut work = ctx.begin().await?;
    let all = store::lock_all(&mut work).await?;
    let current = store::find(&mut work, id).await?;
    let children: Vec<String> = all
        .iter()
        .filter(|item| item.parent_id == Some(id) && !item.is_archived)
        .map(|item| item.name.clone())
        .collect();
    rules::check_archiving(current.is_archived, &children, archive)?;
    // A restored item whose parent is archived, or which would be too deep by now, moves to the top level.
    let parent =
        current.parent_id.filter(|parent| store::check_parent(&all, Some(id), Some(*parent)).is_ok());
    let before = MENU_ITEM.before(&mut work, id).await?;
    store::set_archived(&mut work, id, archive, parent).await?;
    MENU_ITEM.record_change(&mut work, (id, &current.name), archive, &before).await?;
    answer(work, id).await
}

async fn record_change(
    work: &mut UnitOfWork,
    action: ChangeAction,
    id: MenuItemId,
    before: &MenuItemDraft,
    after: &MenuItemDraft,
) -> Result<()> {
    let changed =
        ChangedRecord { action, model: ChangeModel::MenuItem, id: id.record(), name: &after.entry.name };
    changes::record(work, changed, &json!(before), &json!(after)).await
}

async fn answer(mut work: UnitOfWork, id: MenuItemId) -> Result<Data<MenuItem>> {
    let ctx = work.scope().clone();
    let data = store::find(&mut work, id).await?.into_api(&ctx);
    work.finish(Data { data }).await
}

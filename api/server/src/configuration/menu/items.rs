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
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde_json::json;

use crate::configuration::menu::rules::{self, MenuEntryInput, TEXTS};
use crate::configuration::menu::store::{self, MenuItemDraft, MenuItemRecord};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::archivable_kinds::MENU_ITEM;
use crate::records::change_log::ChangedRecord;
use crate::records::search_texts;
use crate::records::{changes, positions};
use panel_platform::table::{Join, RowSource, SearchTarget, Table, expr};
use panel_platform::work::UnitOfWork;

pub fn routes(api: Api) -> Api {
    api.list_route::<ListMenuItems, _, _>(&MENU_ITEMS, |record: MenuItemRecord, ctx| {
        record.into_response(ctx)
    })
    .route::<CreateMenuItem, _, _, _>(create)
    .route::<SortMenuItems, _, _, _>(sort)
    .route::<UpdateMenuItem, _, _, _>(update)
    .archive_endpoints_with_handler::<ArchiveMenuItem, UnarchiveMenuItem, _, _, _>(set_archived)
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
.global_search(&[
    SearchTarget::new("m.id", &search_texts::MENU_ITEMS, "name").own_columns(&["m.name", "m.url"])
]);

async fn create(ctx: Ctx, req: Req<CreateMenuItem>) -> Result<Data<MenuItem>> {
    let (draft, errors) = apply_input(MenuItemDraft::default(), &req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    let mut work = ctx.begin().await?;
    let menu_items = store::lock_all(&mut work).await?;
    if menu_items.iter().filter(|item| !item.is_archived).count() >= rules::MAX_ITEMS {
        let message = format!("The menu already has {} items. Archive one first.", rules::MAX_ITEMS);
        return Err(Error::conflict("menu_full", message));
    }
    field_errors.collect(store::check_parent(&menu_items, None, draft.parent_id))?;
    field_errors.into_result(())?;
    let id = draft.insert(&mut work).await?;
    record_change(&mut work, ChangeAction::Created, id, &MenuItemDraft::default(), &draft).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateMenuItem>) -> Result<Data<MenuItem>> {
    let mut work = ctx.begin().await?;
    let menu_items = store::lock_all(&mut work).await?;
    let current_record = store::load_item(&mut work, req.path).await?;
    Error::check_not_stale("menu item", req.body.updated_at, current_record.updated_at)?;
    let old_draft = current_record.to_draft();
    let (new_draft, errors) = apply_input(old_draft.clone(), &req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    if new_draft.parent_id != old_draft.parent_id {
        field_errors.collect(store::check_parent(&menu_items, Some(req.path), new_draft.parent_id))?;
    }
    field_errors.into_result(())?;
    if new_draft != old_draft {
        new_draft.update_row(&mut work, req.path).await?;
        record_change(&mut work, ChangeAction::Updated, req.path, &old_draft, &new_draft).await?;
    }
    commit_and_respond(work, req.path).await
}

fn apply_input(mut draft: MenuItemDraft, input: &MenuItemInput) -> (MenuItemDraft, FieldErrors) {
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
    draft.entry = draft.entry.apply_input(&mut errors, &TEXTS, &entry_input);
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
    let old_tree = store::load_tree(&mut work).await?;
    positions::sort(&mut work, store::MENU_SORTING, None, &ids).await?;
    store::set_parents(&mut work, requested).await?;
    let (old_values, new_values) = (json!({ "menu_items": old_tree }), json!({ "menu_items": requested }));
    if old_values != new_values {
        let changed = ChangedRecord {
            action: ChangeAction::Sorted,
            model: ChangeModel::MenuItem,
            id: RecordId::NONE,
            name: "Menu",
        };
        changes::record(&mut work, changed, &old_values, &new_values).await?;
    }
    work.finish(EmptyBody {}).await
}

async fn set_archived(ctx: Ctx, id: MenuItemId, is_archived: bool) -> Result<Data<MenuItem>> {
    let mut work = ctx.begin().await?;
    let menu_items = store::lock_all(&mut work).await?;
    let current_record = store::load_item(&mut work, id).await?;
    let child_names: Vec<String> = menu_items
        .iter()
        .filter(|item| item.parent_id == Some(id) && !item.is_archived)
        .map(|item| item.name.clone())
        .collect();
    rules::check_archiving(current_record.is_archived, &child_names, is_archived)?;
    // A restored item whose parent is archived, or which would now be too deep, moves to the top level.
    let parent_id = current_record
        .parent_id
        .filter(|parent| store::check_parent(&menu_items, Some(id), Some(*parent)).is_ok());
    let old_snapshot = MENU_ITEM.take_snapshot(&mut work, id).await?;
    store::set_archived(&mut work, id, is_archived, parent_id).await?;
    MENU_ITEM.record_change(&mut work, (id, &current_record.name), is_archived, &old_snapshot).await?;
    commit_and_respond(work, id).await
}

async fn record_change(
    work: &mut UnitOfWork,
    action: ChangeAction,
    id: MenuItemId,
    old_draft: &MenuItemDraft,
    new_draft: &MenuItemDraft,
) -> Result<()> {
    let changed = ChangedRecord {
        action,
        model: ChangeModel::MenuItem,
        id: id.as_record_id(),
        name: &new_draft.entry.name,
    };
    changes::record(work, changed, &json!(old_draft), &json!(new_draft)).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: MenuItemId) -> Result<Data<MenuItem>> {
    let ctx = work.scope().clone();
    let data = store::load_item(&mut work, id).await?.into_response(&ctx);
    work.finish(Data { data }).await
}

//! Items of the menu: a list, a tree, and what can be done to them.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::menu::{
    ArchiveMenuItem, CreateMenuItem, ListMenuItems, SortMenuItems, UnarchiveMenuItem, UpdateMenuItem,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{MenuItemId, RecordId};
use panel_contract::menu::{MenuItem, MenuItemInput};
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;
use serde_json::json;

use crate::configuration::menu::rules::{self, Said, TEXTS};
use crate::configuration::menu::store::{self, Draft, Record};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::archivables::MENU_ITEM;
use crate::records::change_log::ChangedRecord;
use crate::records::search_texts;
use crate::records::{changes, positions};
use panel_platform::table::{Arm, Join, RowSource, Table, expr};
use panel_platform::work::Work;

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListMenuItems, _, _>(&MENU_ITEMS, |record: Record, ctx| record.shown(ctx))
        .on::<CreateMenuItem, _, _, _>(create)
        .on::<SortMenuItems, _, _, _>(sort)
        .on::<UpdateMenuItem, _, _, _>(update)
        .archiving_by::<ArchiveMenuItem, UnarchiveMenuItem, _, _, _>(set_archived)
}

const STATUS: &str =
    "CASE WHEN m.is_archived THEN 'archived' WHEN m.is_enabled THEN 'active' ELSE 'disabled' END";

/// Items of the menu, the newest first.
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
.common_search(&[Arm::new("m.id", &search_texts::MENU_ITEMS, "name").here(&["m.name", "m.url"])]);

async fn create(ctx: Ctx, req: Req<CreateMenuItem>) -> Result<Data<MenuItem>> {
    let (draft, errors) = with(Draft::default(), &req.body);
    let mut wrong = WrongFields::from(errors);
    let mut work = ctx.begin().await?;
    let all = store::lock_all(&mut work).await?;
    if all.iter().filter(|item| !item.is_archived).count() >= rules::MOST {
        let message = format!("A menu has at most {} items; archive one first.", rules::MOST);
        return Err(Error::conflict("menu_full", message));
    }
    wrong.note(store::check_parent(&all, None, draft.parent_id))?;
    wrong.or(())?;
    let id = draft.insert(&mut work).await?;
    tell(&mut work, ChangeAction::Created, id, &Draft::default(), &draft).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateMenuItem>) -> Result<Data<MenuItem>> {
    let mut work = ctx.begin().await?;
    let all = store::lock_all(&mut work).await?;
    let now = store::find(&mut work, req.path).await?;
    Error::unless_newest("menu item", req.body.updated_at, now.updated_at)?;
    let before = now.draft();
    let (after, errors) = with(before.clone(), &req.body);
    let mut wrong = WrongFields::from(errors);
    if after.parent_id != before.parent_id {
        wrong.note(store::check_parent(&all, Some(req.path), after.parent_id))?;
    }
    wrong.or(())?;
    if after != before {
        after.write(&mut work, req.path).await?;
        tell(&mut work, ChangeAction::Updated, req.path, &before, &after).await?;
    }
    answer(work, req.path).await
}

fn with(mut draft: Draft, input: &MenuItemInput) -> (Draft, FieldErrors) {
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
    draft.entry = draft.entry.with(&mut errors, &TEXTS, &said);
    if let Some(parent) = input.parent_id.wish() {
        draft.parent_id = parent.copied();
    }
    (draft, errors)
}

async fn sort(ctx: Ctx, req: Req<SortMenuItems>) -> Result<NoBody> {
    let wanted = &req.body.menu_items;
    rules::judge_tree(wanted)?;
    let mut work = ctx.begin().await?;
    let ids: Vec<MenuItemId> = wanted.iter().map(|item| item.id).collect();
    let before = store::tree(&mut work).await?;
    positions::sort(&mut work, store::PLACES, None, &ids).await?;
    store::hang(&mut work, wanted).await?;
    let (old, new) = (json!({ "menu_items": before }), json!({ "menu_items": wanted }));
    if old != new {
        let noted = ChangedRecord {
            action: ChangeAction::Sorted,
            model: ChangeModel::MenuItem,
            id: RecordId::NONE,
            name: "Menu",
        };
        changes::note(&mut work, noted, &old, &new).await?;
    }
    work.finish(NoBody {}).await
}

async fn set_archived(ctx: Ctx, id: MenuItemId, away: bool) -> Result<Data<MenuItem>> {
    let mut work = ctx.begin().await?;
    let all = store::lock_all(&mut work).await?;
    let now = store::find(&mut work, id).await?;
    let below: Vec<String> = all
        .iter()
        .filter(|item| item.parent_id == Some(id) && !item.is_archived)
        .map(|item| item.name.clone())
        .collect();
    rules::judge_away(now.is_archived, &below, away)?;
    // Below what was put away, or too deep meanwhile, nothing comes back: it stands at the top then.
    let parent = now.parent_id.filter(|parent| store::check_parent(&all, Some(id), Some(*parent)).is_ok());
    let before = MENU_ITEM.before(&mut work, id).await?;
    store::set_archived(&mut work, id, away, parent).await?;
    MENU_ITEM.tell(&mut work, (id, &now.name), away, &before).await?;
    answer(work, id).await
}

async fn tell(
    work: &mut Work,
    action: ChangeAction,
    id: MenuItemId,
    before: &Draft,
    after: &Draft,
) -> Result<()> {
    let noted =
        ChangedRecord { action, model: ChangeModel::MenuItem, id: id.record(), name: &after.entry.name };
    changes::note(work, noted, &json!(before), &json!(after)).await
}

async fn answer(mut work: Work, id: MenuItemId) -> Result<Data<MenuItem>> {
    let ctx = work.scope().clone();
    let data = store::find(&mut work, id).await?.shown(&ctx);
    work.finish(Data { data }).await
}

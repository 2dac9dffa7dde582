//! Pages of the customers' site: their names, titles and descriptions for search engines.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Data, Translations};
use panel_contract::endpoints::pages::{
    ArchivePanelPage, CreatePanelPage, ListPanelPages, UnarchivePanelPage, UpdatePanelPage,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::PageId;
use panel_contract::moment::{Time, Timestamp};
use panel_contract::pages::{PageStatus, PanelPage, PanelPageInput};
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::archivable_kinds::PAGE;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::records::references::page_reference;
use crate::records::search_texts;
use crate::records::texts::{self, TextField, TextFields};
use crate::texts_of;
use panel_platform::db::{DbError, DbResult, Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::table::{RowSource, SearchTarget, Table, expr};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListPanelPages, _, _>(&PANEL_PAGES, |record: PageRecord, ctx| record.into_response(ctx))
        .route::<CreatePanelPage, _, _, _>(create)
        .route::<UpdatePanelPage, _, _, _>(update)
        .archive_endpoints::<ArchivePanelPage, UnarchivePanelPage, _, _, _>(&PAGE, commit_and_respond)
}

/// All pages, newest first.
pub static PANEL_PAGES: Table = Table::new(
    &panel_contract::lists::pages::PANEL_PAGES,
    RowSource { base: "panel_pages", alias: "p", key: "p.id", select: COLUMNS, ..RowSource::NONE },
    &[expr("status", "CASE WHEN p.is_archived THEN 'archived' ELSE 'active' END")],
)
.global_search(&[
    SearchTarget::new("p.id", &search_texts::PAGES, "name").own_columns(&["p.name", "p.route_name"])
]);

const COLUMNS: &str = concat!(
    "p.id, p.name, p.route_name, p.is_archived, p.created_at, p.updated_at, ",
    texts_of!("panel_page", "p.id"),
    ", ",
    page_reference!(any, "p.id"),
    " AS is_used"
);

async fn create(ctx: Ctx, req: Req<CreatePanelPage>) -> Result<Data<PanelPage>> {
    let draft = PageDraft::default().apply_input(&req.body, None)?;
    let mut work = ctx.begin().await?;
    let id = draft.insert(&mut work).await.map_err(unique_violation)?;
    record_change(&mut work, ChangeAction::Created, id, &PageDraft::default(), &draft).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdatePanelPage>) -> Result<Data<PanelPage>> {
    let mut work = ctx.begin().await?;
    let current_record = lock_page(&mut work, req.path).await?;
    Error::check_not_stale("page", req.body.updated_at, current_record.updated_at)?;
    let old_draft = current_record.to_draft();
    let new_draft = old_draft.clone().apply_input(&req.body, Some(req.path))?;
    if new_draft != old_draft {
        new_draft.update_row(&mut work, req.path).await.map_err(unique_violation)?;
        record_change(&mut work, ChangeAction::Updated, req.path, &old_draft, &new_draft).await?;
    }
    commit_and_respond(work, req.path).await
}

async fn record_change(
    work: &mut UnitOfWork,
    action: ChangeAction,
    id: PageId,
    old_draft: &PageDraft,
    new_draft: &PageDraft,
) -> Result<()> {
    let changed =
        ChangedRecord { action, model: ChangeModel::Page, id: id.as_record_id(), name: &new_draft.name };
    changes::record(work, changed, &json!(old_draft), &json!(new_draft)).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: PageId) -> Result<Data<PanelPage>> {
    let ctx = work.scope().clone();
    let data = load_page(&mut work, id).await?.into_response(&ctx);
    work.finish(Data { data }).await
}

fn unique_violation(error: DbError) -> Error {
    match error.is_unique() {
        true => Error::invalid(
            "route_name",
            "route_name_taken",
            "Another page has this route name. Enter another one.",
        ),
        false => error.into(),
    }
}

// Rules

/// The translated fields of a page.
const TEXTS: TextFields = TextFields {
    owner_type: "panel_page",
    fields: &[
        TextField { field: "name", max_chars: 100 },
        TextField { field: "meta_title", max_chars: 255 },
        TextField { field: "meta_description", max_chars: 1_000 },
    ],
};

/// The editable fields of a page, as stored and audited.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
struct PageDraft {
    name: String,
    route_name: String,
    translations: Translations,
}

impl PageDraft {
    /// Applies an input; `id` is the page id in the path, `None` for a new page.
    fn apply_input(mut self, input: &PanelPageInput, id: Option<PageId>) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        match (input.page_id, id) {
            (Some(_), None) => {
                errors.add("page_id", "The panel assigns the id of a new page. Remove page_id.")
            }
            (Some(page_id), Some(id)) if page_id != id => {
                errors.add(
                    "page_id",
                    format!("The path names page {id}. Send the same page_id, or remove it."),
                );
            }
            _ => {}
        }
        let (name, translations) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(&mut errors, &TEXTS, &self.translations, name, translations);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        if let Some(route) = &input.route_name {
            route.trim().clone_into(&mut self.route_name);
        }
        let is_allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-_".contains(&byte);
        let route = &self.route_name;
        if route.is_empty() || route.len() > 100 || !route.bytes().all(is_allowed) {
            errors.add(
                "route_name",
                "Enter 1 to 100 lowercase letters, digits, ., - and _, such as services.show.",
            );
        }
        errors.into_result(self)
    }
}

// Store

#[derive(sqlx::FromRow)]
struct PageRecord {
    id: PageId,
    name: String,
    route_name: String,
    is_archived: bool,
    created_at: Time,
    updated_at: Timestamp,
    texts: Option<String>,
    is_used: bool,
}

impl PageRecord {
    fn into_response(self, scope: &Scope) -> PanelPage {
        let can_manage = scope.has_permission(Permission::ManagePanelSettings);
        PanelPage {
            id: self.id,
            page_id: self.id,
            main_id: self.id.get(),
            panel_id: 1,
            translations: texts::parse(self.texts.as_deref(), &self.name),
            name: self.name,
            route_name: self.route_name,
            status: if self.is_archived { PageStatus::Archived } else { PageStatus::Active },
            is_archived: self.is_archived,
            created_at: self.created_at,
            updated_at: self.updated_at,
            actions: PAGE.allowed_actions(can_manage, self.is_archived, self.is_used),
        }
    }

    fn to_draft(&self) -> PageDraft {
        PageDraft {
            name: self.name.clone(),
            route_name: self.route_name.clone(),
            translations: texts::parse(self.texts.as_deref(), &self.name),
        }
    }
}

async fn load_page(db: &mut impl SqlExecutor, id: PageId) -> Result<PageRecord> {
    let sql = Sql::new("SELECT ").push(COLUMNS).push(" FROM panel_pages p WHERE p.id = ?").bind(id);
    let record: Option<PageRecord> = db.fetch_optional(sql).await?;
    record.ok_or_else(|| Error::not_found("page", id))
}

async fn lock_page(work: &mut UnitOfWork, id: PageId) -> Result<PageRecord> {
    let sql = Sql::new("SELECT id FROM panel_pages WHERE id = ?").bind(id).for_update();
    work.fetch_optional::<(PageId,)>(sql).await?;
    load_page(work, id).await
}

impl PageDraft {
    async fn insert(&self, work: &mut UnitOfWork) -> DbResult<PageId> {
        let now = work.timestamp();
        let sql = Sql::new(
            "INSERT INTO panel_pages (name, route_name, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING id",
        );
        let sql = sql.bind(&*self.name).bind(&*self.route_name).bind(now).bind(now);
        let (id,): (PageId,) = work.fetch_one(sql).await?;
        texts::write(work, &TEXTS, id, &self.translations).await?;
        Ok(id)
    }

    async fn update_row(&self, work: &mut UnitOfWork, id: PageId) -> DbResult<()> {
        let now = work.timestamp();
        let sql = Sql::new("UPDATE panel_pages SET name = ?, route_name = ?, updated_at = ? WHERE id = ?");
        work.execute(sql.bind(&*self.name).bind(&*self.route_name).bind(now).bind(id)).await?;
        texts::write(work, &TEXTS, id, &self.translations).await
    }
}

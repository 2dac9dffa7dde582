//! Pages of the customers' site: their names and the texts for search engines.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Data, Translations};
use panel_contract::endpoints::pages::{
    ArchivePanelPage, CreatePanelPage, ListPanelPages, UnarchivePanelPage, UpdatePanelPage,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::PageId;
use panel_contract::moment::{Stamp, Time};
use panel_contract::pages::{PageStatus, PanelPage, PanelPageInput};
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::archivables::PAGE;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::records::search_texts;
use crate::records::texts::{self, Text, Texts};
use crate::records::uses::use_of_page;
use crate::texts_of;
use panel_platform::db::{DbError, DbResult, Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::table::{RowSource, SearchTarget, Table, expr};
use panel_platform::work::UnitOfWork;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListPanelPages, _, _>(&PANEL_PAGES, |record: PageRecord, ctx| record.into_api(ctx))
        .on::<CreatePanelPage, _, _, _>(create)
        .on::<UpdatePanelPage, _, _, _>(update)
        .archiving::<ArchivePanelPage, UnarchivePanelPage, _, _, _>(&PAGE, answer)
}

/// All pages, newest first.
pub static PANEL_PAGES: Table = Table::new(
    &panel_contract::lists::pages::PANEL_PAGES,
    RowSource { base: "panel_pages", alias: "p", key: "p.id", select: COLUMNS, ..RowSource::NONE },
    &[expr("status", "CASE WHEN p.is_archived THEN 'archived' ELSE 'active' END")],
)
.common_search(&[SearchTarget::new("p.id", &search_texts::PAGES, "name").here(&["p.name", "p.route_name"])]);

const COLUMNS: &str = concat!(
    "p.id, p.name, p.route_name, p.is_archived, p.created_at, p.updated_at, ",
    texts_of!("panel_page", "p.id"),
    ", ",
    use_of_page!(any, "p.id"),
    " AS is_used"
);

async fn create(ctx: Ctx, req: Req<CreatePanelPage>) -> Result<Data<PanelPage>> {
    let draft = PageDraft::default().with_input(&req.body, None)?;
    let mut work = ctx.begin().await?;
    let id = draft.insert(&mut work).await.map_err(unique_violation)?;
    record_change(&mut work, ChangeAction::Created, id, &PageDraft::default(), &draft).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdatePanelPage>) -> Result<Data<PanelPage>> {
    let mut work = ctx.begin().await?;
    let current = lock(&mut work, req.path).await?;
    Error::check_not_stale("page", req.body.updated_at, current.updated_at)?;
    let before = current.draft();
    let after = before.clone().with_input(&req.body, Some(req.path))?;
    if after != before {
        after.write(&mut work, req.path).await.map_err(unique_violation)?;
        record_change(&mut work, ChangeAction::Updated, req.path, &before, &after).await?;
    }
    answer(work, req.path).await
}

async fn record_change(
    work: &mut UnitOfWork,
    action: ChangeAction,
    id: PageId,
    before: &PageDraft,
    after: &PageDraft,
) -> Result<()> {
    let changed = ChangedRecord { action, model: ChangeModel::Page, id: id.record(), name: &after.name };
    changes::record(work, changed, &json!(before), &json!(after)).await
}

async fn answer(mut work: UnitOfWork, id: PageId) -> Result<Data<PanelPage>> {
    let ctx = work.scope().clone();
    let data = find(&mut work, id).await?.into_api(&ctx);
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
const TEXTS: Texts = Texts {
    owner: "panel_page",
    fields: &[
        Text { field: "name", most: 100 },
        Text { field: "meta_title", most: 255 },
        Text { field: "meta_description", most: 1_000 },
    ],
};

/// A page as it is written and audited.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
struct PageDraft {
    name: String,
    route_name: String,
    translations: Translations,
}

impl PageDraft {
    /// Applies an input; `id` is the page id in the path, `None` for a new page.
    fn with_input(mut self, input: &PanelPageInput, id: Option<PageId>) -> Result<Self, FieldErrors> {
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
        errors.or(self)
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
    updated_at: Stamp,
    texts: Option<String>,
    is_used: bool,
}

impl PageRecord {
    fn into_api(self, scope: &Scope) -> PanelPage {
        let may = scope.may(Permission::ManagePanelSettings);
        PanelPage {
            id: self.id,
            page_id: self.id,
            main_id: self.id.get(),
            panel_id: 1,
            translations: texts::read(self.texts.as_deref(), &self.name),
            name: self.name,
            route_name: self.route_name,
            status: if self.is_archived { PageStatus::Archived } else { PageStatus::Active },
            is_archived: self.is_archived,
            created_at: self.created_at,
            updated_at: self.updated_at,
            actions: PAGE.actions(may, self.is_archived, self.is_used),
        }
    }

    fn draft(&self) -> PageDraft {
        PageDraft {
            name: self.name.clone(),
            route_name: self.route_name.clone(),
            translations: texts::read(self.texts.as_deref(), &self.name),
        }
    }
}

async fn find(db: &mut impl Source, id: PageId) -> Result<PageRecord> {
    let sql = Sql::new("SELECT ").push(COLUMNS).push(" FROM panel_pages p WHERE p.id = ?").bind(id);
    let record: Option<PageRecord> = db.opt(sql).await?;
    record.ok_or_else(|| Error::not_found("page", id))
}

async fn lock(work: &mut UnitOfWork, id: PageId) -> Result<PageRecord> {
    let sql = Sql::new("SELECT id FROM panel_pages WHERE id = ?").bind(id).for_update();
    work.opt::<(PageId,)>(sql).await?;
    find(work, id).await
}

impl PageDraft {
    async fn insert(&self, work: &mut UnitOfWork) -> DbResult<PageId> {
        let now = work.stamp();
        let sql = Sql::new(
            "INSERT INTO panel_pages (name, route_name, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING id",
        );
        let sql = sql.bind(&*self.name).bind(&*self.route_name).bind(now).bind(now);
        let (id,): (PageId,) = work.one(sql).await?;
        texts::write(work, &TEXTS, id, &self.translations).await?;
        Ok(id)
    }

    async fn write(&self, work: &mut UnitOfWork, id: PageId) -> DbResult<()> {
        let now = work.stamp();
        let sql = Sql::new("UPDATE panel_pages SET name = ?, route_name = ?, updated_at = ? WHERE id = ?");
        work.exec(sql.bind(&*self.name).bind(&*self.route_name).bind(now).bind(id)).await?;
        texts::write(work, &TEXTS, id, &self.translations).await
    }
}

//! Endpoints of banners: at most one per place, disabled by the type `none`, with ordered slides. Images have exactly the size of
//! their place.

mod slides;

use panel_contract::banners::{Banner, BannerInput, BannerPlace, BannerPlaceSizes, BannerType, Banners};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::banners::{CreateBanner, DeleteBanner, ListBanners, UpdateBanner};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::BannerId;
use panel_contract::moment::Stamp;
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;
use serde::Serialize;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::marketing::banners::slides::Slide;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use panel_domain::fields;
use panel_platform::db::{DbError, Source, Sql};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<ListBanners, _, _, _>(list)
        .on::<CreateBanner, _, _, _>(create)
        .on::<UpdateBanner, _, _, _>(update)
        .on::<DeleteBanner, _, _, _>(delete)
}

async fn list(ctx: Ctx, _req: Req<ListBanners>) -> Result<Banners> {
    let sizes = |place: &BannerPlace| {
        let (background_image, image) = place.sizes();
        let is_hidden_when_empty = place.is_hidden_when_empty();
        BannerPlaceSizes { place: *place, background_image, image, is_hidden_when_empty }
    };
    let data = load(&mut ctx.db(), None).await?.into_iter().map(BannerRecord::into_api).collect();
    Ok(Banners { data, places: BannerPlace::ALL.iter().map(sizes).collect() })
}

async fn create(ctx: Ctx, req: Req<CreateBanner>) -> Result<Data<Banner>> {
    let (mut draft, mut errors) = BannerDraft::default().with_input(&req.body);
    let Some(place) = draft.place else {
        // The place decides the sizes of the images, so nothing can be checked without it.
        errors.add("place", "Choose a place for the banner.");
        return Err(errors.into());
    };
    let mut wrong = WrongFields::from(errors);
    slides::process_images(&ctx, &mut wrong, (place, &req.body), &[], &mut draft.informations).await?;
    wrong.or(())?;
    let mut work = ctx.begin().await?;
    let id = draft.insert(&mut work, place).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &BannerDraft::default()).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateBanner>) -> Result<Data<Banner>> {
    // Images are processed before the transaction, which holds the only writer of SQLite; the banner is compared again below.
    let current = find(&mut ctx.db(), req.path).await?;
    Error::check_not_stale("banner", req.body.updated_at, current.updated_at)?;
    let (mut after, mut errors) = current.draft.clone().with_input(&req.body);
    let place = after.place.unwrap_or(BannerPlace::Sidebar);
    let changes_place = Some(place) != current.draft.place && !after.informations.is_empty();
    if changes_place {
        errors.add("place", "The slides have the image sizes of their place. Create another banner for the other place instead.");
    }
    let mut wrong = WrongFields::from(errors);
    if !changes_place {
        let (input, before) = ((place, &req.body), &current.draft.informations);
        slides::process_images(&ctx, &mut wrong, input, before, &mut after.informations).await?;
    }
    wrong.or(())?;
    let mut work = ctx.begin().await?;
    lock(&mut work, req.path).await?;
    let locked = find(&mut work, req.path).await?;
    Error::check_not_stale("banner", Some(current.updated_at), locked.updated_at)?;
    if after != locked.draft {
        after.write(&mut work, req.path, place).await?;
        after.record_change(&mut work, ChangeAction::Updated, req.path, &locked.draft).await?;
    }
    answer(work, req.path).await
}

async fn delete(ctx: Ctx, req: Req<DeleteBanner>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    lock(&mut work, req.path).await?;
    let before = find(&mut work, req.path).await?.draft;
    remove(&mut work, req.path).await?;
    let name = before.name();
    let changed = ChangedRecord {
        action: ChangeAction::Deleted,
        model: ChangeModel::Banner,
        id: req.path.record(),
        name,
    };
    changes::record(&mut work, changed, &json!(before), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

async fn answer(mut work: UnitOfWork, id: BannerId) -> Result<Data<Banner>> {
    let data = find(&mut work, id).await?.into_api();
    work.finish(Data { data }).await
}

// Rules

/// Default display time of a slide, in seconds.
const DEFAULT_DELAY_SECS: i64 = 3;
/// Longest content, in characters.
const MAX_CONTENT_CHARS: usize = 20_000;

/// A banner as it is written and audited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct BannerDraft {
    /// `None` until a new banner gets its place.
    place: Option<BannerPlace>,
    #[serde(rename = "type")]
    kind: BannerType,
    content: Option<String>,
    scroll_delay: i64,
    informations: Vec<Slide>,
}

impl Default for BannerDraft {
    fn default() -> Self {
        let informations = Vec::new();
        Self {
            place: None,
            kind: BannerType::Slider,
            content: None,
            scroll_delay: DEFAULT_DELAY_SECS,
            informations,
        }
    }
}

impl BannerDraft {
    /// Applies an input and returns the errors of all fields. `process_images` handles the images later.
    fn with_input(mut self, input: &BannerInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        self.place = input.place.or(self.place);
        self.kind = input.kind.unwrap_or(self.kind);
        fields::text(&mut errors, "content", &input.content, &mut self.content, MAX_CONTENT_CHARS);
        if let Some(delay) = input.scroll_delay.as_update() {
            let delay = delay.copied().unwrap_or(DEFAULT_DELAY_SECS);
            fields::whole(&mut errors, "scroll_delay", Some(delay), &mut self.scroll_delay, 1..=15);
        }
        if let Some(slides) = &input.informations {
            self.informations = slides::apply_input(&mut errors, &self.informations, slides);
        }
        if self.kind == BannerType::Content && self.content.is_none() {
            errors.add("content", "Enter the content, or choose the type with slides.");
        }
        if self.kind == BannerType::Slider && self.informations.is_empty() {
            errors.add("informations", "Add a slide, or disable the banner.");
        }
        (self, errors)
    }

    fn name(&self) -> &'static str {
        self.place.map_or("", BannerPlace::as_str)
    }
}

// Store

/// A stored banner.
struct BannerRecord {
    id: BannerId,
    draft: BannerDraft,
    updated_at: Stamp,
}

impl BannerRecord {
    fn into_api(self) -> Banner {
        Banner {
            id: self.id,
            place: self.draft.place.unwrap_or(BannerPlace::Sidebar),
            kind: self.draft.kind,
            is_enabled: self.draft.kind != BannerType::None,
            content: self.draft.content,
            scroll_delay: self.draft.scroll_delay,
            informations: (1..)
                .zip(self.draft.informations)
                .filter_map(|(at, slide)| slide.into_api(at))
                .collect(),
            updated_at: self.updated_at,
        }
    }
}

/// The enabled banners by place.
pub async fn list_enabled(db: &mut impl Source) -> Result<Vec<Banner>> {
    let all = load(db, None).await?;
    Ok(all
        .into_iter()
        .filter(|banner| banner.draft.kind != BannerType::None)
        .map(BannerRecord::into_api)
        .collect())
}

/// Loads all banners by place, or one, in three statements.
async fn load(db: &mut impl Source, only: Option<BannerId>) -> Result<Vec<BannerRecord>> {
    type Row = (BannerId, BannerPlace, BannerType, Option<String>, i64, Stamp);
    let mut sql = Sql::new("SELECT id, place, type, content, scroll_delay, updated_at FROM banners");
    if let Some(id) = only {
        sql = sql.push(" WHERE id = ?").bind(id);
    }
    let rows: Vec<Row> = db.all(sql.push(" ORDER BY place")).await?;
    let ids: Vec<BannerId> = rows.iter().map(|row| row.0).collect();
    let mut slides = slides::load(db, &ids).await?;
    let to_record = |(id, place, kind, content, scroll_delay, updated_at): Row| {
        let informations = slides.remove(&id).unwrap_or_default();
        let draft = BannerDraft { place: Some(place), kind, content, scroll_delay, informations };
        BannerRecord { id, draft, updated_at }
    };
    Ok(rows.into_iter().map(to_record).collect())
}

async fn find(db: &mut impl Source, id: BannerId) -> Result<BannerRecord> {
    load(db, Some(id)).await?.pop().ok_or_else(|| Error::not_found("banner", id))
}

async fn lock(work: &mut UnitOfWork, id: BannerId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM banners WHERE id = ?").bind(id).for_update();
    let locked: Option<(BannerId,)> = work.opt(sql).await?;
    locked.map(|_| ()).ok_or_else(|| Error::not_found("banner", id))
}

async fn remove(work: &mut UnitOfWork, id: BannerId) -> Result<()> {
    slides::write(work, id, &[]).await?;
    work.exec(Sql::new("DELETE FROM banners WHERE id = ?").bind(id)).await?;
    Ok(())
}

impl BannerDraft {
    /// The INSERT and the UPDATE of a banner, without its slides.
    fn statements(&self, place: BannerPlace, now: Stamp) -> [Sql; 2] {
        sql!(
            [
                "INSERT INTO banners (place, type, content, scroll_delay, created_at, updated_at) \
                   VALUES (@place, @type, @content, @scroll_delay, @now, @now) RETURNING id",
                "UPDATE banners SET place = @place, type = @type, content = @content, scroll_delay = @scroll_delay, \
                   updated_at = @now WHERE id = @id",
            ],
            {
                place: place.as_str(),
                type: self.kind.as_str(),
                content: self.content.clone(),
                scroll_delay: self.scroll_delay,
                now,
            },
            later: [id],
        )
    }

    async fn insert(&self, work: &mut UnitOfWork, place: BannerPlace) -> Result<BannerId> {
        let [insert, _] = self.statements(place, work.stamp());
        let (id,): (BannerId,) = work.one(insert).await.map_err(unique_violation)?;
        slides::write(work, id, &self.informations).await?;
        Ok(id)
    }

    async fn write(&self, work: &mut UnitOfWork, id: BannerId, place: BannerPlace) -> Result<()> {
        let [_, update] = self.statements(place, work.stamp());
        work.exec(update.named("id", id)).await.map_err(unique_violation)?;
        slides::write(work, id, &self.informations).await
    }

    async fn record_change(
        &self,
        work: &mut UnitOfWork,
        action: ChangeAction,
        id: BannerId,
        before: &Self,
    ) -> Result<()> {
        let changed =
            ChangedRecord { action, model: ChangeModel::Banner, id: id.record(), name: self.name() };
        changes::record(work, changed, &json!(before), &json!(self)).await
    }
}

fn unique_violation(error: DbError) -> Error {
    match error.is_unique() {
        true => Error::invalid(
            "place",
            "place_taken",
            "This place already has a banner. Edit that banner instead.",
        ),
        false => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn validated(body: &str) -> Result<BannerDraft, Vec<String>> {
        let input: BannerInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        let (draft, errors) = BannerDraft::default().with_input(&input);
        errors.or(draft).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn refuses_an_enabled_banner_without_content() {
        assert_eq!(validated("{}").unwrap_err(), ["informations"]);
        assert_eq!(validated(r#"{"type":"content"}"#).unwrap_err(), ["content"]);
        let disabled = validated(r#"{"type":"none","scroll_delay":null}"#).unwrap();
        assert_eq!((disabled.kind, disabled.scroll_delay), (BannerType::None, 3));
        assert_eq!(validated(r#"{"type":"none","scroll_delay":16}"#).unwrap_err(), ["scroll_delay"]);
        assert_eq!(validated(r#"{"type":"none","scroll_delay":0}"#).unwrap_err(), ["scroll_delay"]);
    }

    #[test]
    fn every_place_has_sizes() {
        assert_eq!(BannerPlace::ALL.len(), 19);
        let (background, image) = BannerPlace::ServicesLittleLeft.sizes();
        assert_eq!((background.width, image.width), (590, 216));
    }

    #[test]
    fn only_the_place_of_tasks_is_hidden_without_a_banner() {
        let hidden: Vec<_> = BannerPlace::ALL.iter().filter(|place| place.is_hidden_when_empty()).collect();
        assert_eq!(hidden, [&BannerPlace::TasksHeader]);
    }
}

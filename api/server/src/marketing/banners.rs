//! Banners: one for a place at most, switched off by the type `none`, with slides in their order. Pictures are of
//! exactly the size of their place.

mod slides;

use panel_contract::banners::{Banner, BannerInput, BannerPlace, BannerPlaceSizes, BannerType, Banners};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoint::NoBody;
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
use panel_platform::work::Work;

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
    let data = read(&mut ctx.db(), None).await?.into_iter().map(Kept::shown).collect();
    Ok(Banners { data, places: BannerPlace::ALL.iter().map(sizes).collect() })
}

async fn create(ctx: Ctx, req: Req<CreateBanner>) -> Result<Data<Banner>> {
    let (mut draft, mut errors) = Draft::default().with(&req.body);
    let Some(place) = draft.place else {
        // The sizes of its pictures are those of its place.
        errors.add("place", "Choose the place that it stands at.");
        return Err(errors.into());
    };
    let mut wrong = WrongFields::from(errors);
    slides::take_pictures(&ctx, &mut wrong, (place, &req.body), &[], &mut draft.informations).await?;
    wrong.or(())?;
    let mut work = ctx.begin().await?;
    let id = draft.insert(&mut work, place).await?;
    draft.tell(&mut work, ChangeAction::Created, id, &Draft::default()).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateBanner>) -> Result<Data<Banner>> {
    // Pictures are worked on before the writer is taken; what they replace is looked at again below.
    let read = one(&mut ctx.db(), req.path).await?;
    Error::unless_newest("banner", req.body.updated_at, read.updated_at)?;
    let (mut after, mut errors) = read.draft.clone().with(&req.body);
    let place = after.place.unwrap_or(BannerPlace::Sidebar);
    let moves = Some(place) != read.draft.place && !after.informations.is_empty();
    if moves {
        errors.add("place", "Slides have the sizes of their place; make another banner there instead.");
    }
    let mut wrong = WrongFields::from(errors);
    if !moves {
        let (wanted, before) = ((place, &req.body), &read.draft.informations);
        slides::take_pictures(&ctx, &mut wrong, wanted, before, &mut after.informations).await?;
    }
    wrong.or(())?;
    let mut work = ctx.begin().await?;
    lock(&mut work, req.path).await?;
    let now = one(&mut work, req.path).await?;
    Error::unless_newest("banner", Some(read.updated_at), now.updated_at)?;
    if after != now.draft {
        after.write(&mut work, req.path, place).await?;
        after.tell(&mut work, ChangeAction::Updated, req.path, &now.draft).await?;
    }
    answer(work, req.path).await
}

async fn delete(ctx: Ctx, req: Req<DeleteBanner>) -> Result<NoBody> {
    let mut work = ctx.begin().await?;
    lock(&mut work, req.path).await?;
    let before = one(&mut work, req.path).await?.draft;
    remove(&mut work, req.path).await?;
    let name = before.name();
    let noted = ChangedRecord {
        action: ChangeAction::Deleted,
        model: ChangeModel::Banner,
        id: req.path.record(),
        name,
    };
    changes::note(&mut work, noted, &json!(before), &json!({})).await?;
    work.finish(NoBody {}).await
}

async fn answer(mut work: Work, id: BannerId) -> Result<Data<Banner>> {
    let data = one(&mut work, id).await?.shown();
    work.finish(Data { data }).await
}

// Rules

/// Seconds that a slide is shown when nothing is said.
const USUAL_DELAY_SECS: i64 = 3;
/// Longest content.
const CONTENT: usize = 20_000;

/// A banner as it is written and as the audit trail shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Draft {
    /// None yet for a new one.
    place: Option<BannerPlace>,
    #[serde(rename = "type")]
    kind: BannerType,
    content: Option<String>,
    scroll_delay: i64,
    informations: Vec<Slide>,
}

impl Default for Draft {
    fn default() -> Self {
        let informations = Vec::new();
        Self {
            place: None,
            kind: BannerType::Slider,
            content: None,
            scroll_delay: USUAL_DELAY_SECS,
            informations,
        }
    }
}

impl Draft {
    /// After an input, with what is wrong; its pictures are taken later.
    fn with(mut self, input: &BannerInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        self.place = input.place.or(self.place);
        self.kind = input.kind.unwrap_or(self.kind);
        fields::text(&mut errors, "content", &input.content, &mut self.content, CONTENT);
        if let Some(delay) = input.scroll_delay.wish() {
            let delay = delay.copied().unwrap_or(USUAL_DELAY_SECS);
            fields::whole(&mut errors, "scroll_delay", Some(delay), &mut self.scroll_delay, 1..=15);
        }
        if let Some(given) = &input.informations {
            self.informations = slides::settle(&mut errors, &self.informations, given);
        }
        if self.kind == BannerType::Content && self.content.is_none() {
            errors.add("content", "Write what it shows, or choose slides.");
        }
        if self.kind == BannerType::Slider && self.informations.is_empty() {
            errors.add("informations", "Add a slide, or switch the banner off.");
        }
        (self, errors)
    }

    fn name(&self) -> &'static str {
        self.place.map_or("", BannerPlace::as_str)
    }
}

// Store

/// A banner that is kept.
struct Kept {
    id: BannerId,
    draft: Draft,
    updated_at: Stamp,
}

impl Kept {
    fn shown(self) -> Banner {
        Banner {
            id: self.id,
            place: self.draft.place.unwrap_or(BannerPlace::Sidebar),
            kind: self.draft.kind,
            is_enabled: self.draft.kind != BannerType::None,
            content: self.draft.content,
            scroll_delay: self.draft.scroll_delay,
            informations: (1..)
                .zip(self.draft.informations)
                .filter_map(|(at, slide)| slide.shown(at))
                .collect(),
            updated_at: self.updated_at,
        }
    }
}

/// Banners that are switched on, by place.
pub async fn on_site(db: &mut impl Source) -> Result<Vec<Banner>> {
    let all = read(db, None).await?;
    Ok(all.into_iter().filter(|banner| banner.draft.kind != BannerType::None).map(Kept::shown).collect())
}

/// All banners by place, or one: three statements.
async fn read(db: &mut impl Source, only: Option<BannerId>) -> Result<Vec<Kept>> {
    type Row = (BannerId, BannerPlace, BannerType, Option<String>, i64, Stamp);
    let mut sql = Sql::new("SELECT id, place, type, content, scroll_delay, updated_at FROM banners");
    if let Some(id) = only {
        sql = sql.push(" WHERE id = ?").bind(id);
    }
    let rows: Vec<Row> = db.all(sql.push(" ORDER BY place")).await?;
    let ids: Vec<BannerId> = rows.iter().map(|row| row.0).collect();
    let mut slides = slides::read(db, &ids).await?;
    let kept = |(id, place, kind, content, scroll_delay, updated_at): Row| {
        let informations = slides.remove(&id).unwrap_or_default();
        let draft = Draft { place: Some(place), kind, content, scroll_delay, informations };
        Kept { id, draft, updated_at }
    };
    Ok(rows.into_iter().map(kept).collect())
}

async fn one(db: &mut impl Source, id: BannerId) -> Result<Kept> {
    read(db, Some(id)).await?.pop().ok_or_else(|| Error::not_found("banner", id))
}

async fn lock(work: &mut Work, id: BannerId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM banners WHERE id = ?").bind(id).for_update();
    let known: Option<(BannerId,)> = work.opt(sql).await?;
    known.map(|_| ()).ok_or_else(|| Error::not_found("banner", id))
}

async fn remove(work: &mut Work, id: BannerId) -> Result<()> {
    slides::write(work, id, &[]).await?;
    work.exec(Sql::new("DELETE FROM banners WHERE id = ?").bind(id)).await?;
    Ok(())
}

impl Draft {
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

    async fn insert(&self, work: &mut Work, place: BannerPlace) -> Result<BannerId> {
        let [insert, _] = self.statements(place, work.stamp());
        let (id,): (BannerId,) = work.one(insert).await.map_err(taken)?;
        slides::write(work, id, &self.informations).await?;
        Ok(id)
    }

    async fn write(&self, work: &mut Work, id: BannerId, place: BannerPlace) -> Result<()> {
        let [_, update] = self.statements(place, work.stamp());
        work.exec(update.named("id", id)).await.map_err(taken)?;
        slides::write(work, id, &self.informations).await
    }

    async fn tell(&self, work: &mut Work, action: ChangeAction, id: BannerId, before: &Self) -> Result<()> {
        let noted = ChangedRecord { action, model: ChangeModel::Banner, id: id.record(), name: self.name() };
        changes::note(work, noted, &json!(before), &json!(self)).await
    }
}

fn taken(error: DbError) -> Error {
    match error.is_unique() {
        true => Error::invalid("place", "place_taken", "A banner stands there already; change that one."),
        false => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(body: &str) -> Result<Draft, Vec<String>> {
        let input: BannerInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        let (draft, errors) = Draft::default().with(&input);
        errors.or(draft).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn a_banner_shows_something_or_is_off() {
        assert_eq!(judged("{}").unwrap_err(), ["informations"]);
        assert_eq!(judged(r#"{"type":"content"}"#).unwrap_err(), ["content"]);
        let off = judged(r#"{"type":"none","scroll_delay":null}"#).unwrap();
        assert_eq!((off.kind, off.scroll_delay), (BannerType::None, 3));
        assert_eq!(judged(r#"{"type":"none","scroll_delay":16}"#).unwrap_err(), ["scroll_delay"]);
        assert_eq!(judged(r#"{"type":"none","scroll_delay":0}"#).unwrap_err(), ["scroll_delay"]);
    }

    #[test]
    fn every_place_has_sizes() {
        assert_eq!(BannerPlace::ALL.len(), 19);
        let (background, image) = BannerPlace::ServicesLittleLeft.sizes();
        assert_eq!((background.width, image.width), (590, 216));
    }

    #[test]
    fn only_tasks_are_left_out_while_they_have_no_banner() {
        let hidden: Vec<_> = BannerPlace::ALL.iter().filter(|place| place.is_hidden_when_empty()).collect();
        assert_eq!(hidden, [&BannerPlace::TasksHeader]);
    }
}

//! The slides of a banner: their texts and colours in every language, and pictures of their place's sizes.

use std::collections::BTreeMap;

use panel_contract::banners::{BannerInformation, BannerInformationInput, BannerInput, BannerPlace};
use panel_contract::common::{Patch, Translations};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{BannerId, SlideId};
use panel_kernel::error::Result;
use panel_kernel::wrong_fields::WrongFields;
use serde::Serialize;

use crate::context::Ctx;
use crate::records::changes::none_as_zero;
use crate::records::texts::{self, Text, Texts};
use panel_domain::fields;
use panel_platform::db::{Source, Sql};
use panel_platform::sql;
use panel_platform::work::Work;

/// Most slides of a banner.
const MOST: usize = 20;

/// What a slide has in every language.
const TEXTS: Texts = Texts {
    owner: "banner_information",
    fields: &[
        Text { field: "title", most: 200 },
        Text { field: "title_color", most: 7 },
        Text { field: "sub_title", most: 500 },
        Text { field: "sub_title_color", most: 7 },
        Text { field: "button_text", most: 100 },
        Text { field: "button_text_color", most: 7 },
        Text { field: "button_bg_color", most: 7 },
        Text { field: "button_link", most: 2_000 },
    ],
};

/// A slide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Slide {
    /// None for a new one.
    #[serde(serialize_with = "none_as_zero")]
    id: Option<SlideId>,
    image: Option<String>,
    background_image: Option<String>,
    background_color: Option<String>,
    translations: Translations,
}

impl Slide {
    /// As the wire has it; none before it is written.
    pub(super) fn shown(self, sorting: i64) -> Option<BannerInformation> {
        Some(BannerInformation {
            id: self.id?,
            image: self.image,
            background_image: self.background_image,
            background_color: self.background_color,
            sorting,
            translations: self.translations,
        })
    }
}

// Rules

/// The places of the slides of an input in their order.
fn order(given: &[BannerInformationInput]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..given.len()).collect();
    order.sort_by_key(|at| given.get(*at).and_then(|slide| slide.sorting));
    order
}

/// The slides after an input, without its pictures. Errors are named `informations.N.field`.
pub(super) fn settle(
    errors: &mut FieldErrors,
    before: &[Slide],
    given: &[BannerInformationInput],
) -> Vec<Slide> {
    if given.len() > MOST {
        errors.add("informations", format!("Use at most {MOST} slides."));
    }
    let mut after = Vec::with_capacity(given.len());
    for at in order(given) {
        let Some(input) = given.get(at) else { continue };
        let field = |name: &str| format!("informations.{at}.{name}");
        let known = before.iter().find(|slide| input.id.is_some() && input.id == slide.id).cloned();
        if let (Some(id), true) = (input.id, known.is_none()) {
            errors.add(field("id"), format!("The banner has no slide {id}."));
        }
        if input.id.is_some() && given[..at].iter().any(|other| other.id == input.id) {
            errors.add(field("id"), "This slide is named twice.");
        }
        let new = Slide {
            id: None,
            image: None,
            background_image: None,
            background_color: None,
            translations: Translations::default(),
        };
        let mut slide = known.unwrap_or(new);
        fields::color(
            errors,
            &field("background_color"),
            &input.background_color,
            &mut slide.background_color,
        );
        if let Some(given) = &input.translations {
            let mut wrong = FieldErrors::default();
            slide.translations = texts::cleaned(&mut wrong, &TEXTS, given);
            colours(&mut wrong, &slide.translations);
            for (name, messages) in wrong.0 {
                messages.into_iter().for_each(|message| errors.add(field(&name), message));
            }
        }
        after.push(slide);
    }
    after
}

/// What is no plain text: colours and addresses. English is what other languages fall back to.
fn colours(errors: &mut FieldErrors, all: &Translations) {
    if !all.0.is_empty() && !all.0.contains_key("en") {
        errors.add("translations.en.title", "Give the English texts; other languages fall back to them.");
    }
    for (locale, fields) in &all.0 {
        for (name, text) in fields {
            let named = format!("translations.{locale}.{name}");
            let wish = Patch::Set(text.clone());
            if name.ends_with("_color") {
                fields::color(errors, &named, &wish, &mut None);
            } else if name == "button_link" {
                fields::address(errors, &named, &wish, &mut None);
            }
        }
    }
}

/// Puts the pictures of an input into its slides, each of exactly its place's size; notes those that are wrong.
pub(super) async fn take_pictures(
    ctx: &Ctx,
    wrong: &mut WrongFields,
    (place, input): (BannerPlace, &BannerInput),
    before: &[Slide],
    after: &mut [Slide],
) -> Result<()> {
    let Some(given) = &input.informations else { return Ok(()) };
    let (background, image) = place.sizes();
    let uploads = &ctx.app.uploads;
    for (slide, at) in after.iter_mut().zip(order(given)) {
        let Some(input) = given.get(at) else { continue };
        let old = before.iter().find(|old| old.id == slide.id && slide.id.is_some());
        let field = format!("informations.{at}.image");
        let now = old.and_then(|old| old.image.as_deref());
        let taken = uploads
            .picture_of(ctx.meta.dry_run, &field, &input.image, now, (image.width, image.height))
            .await;
        slide.image = wrong.note(taken)?.flatten();
        let field = format!("informations.{at}.background_image");
        let now = old.and_then(|old| old.background_image.as_deref());
        let size = (background.width, background.height);
        let taken = uploads.picture_of(ctx.meta.dry_run, &field, &input.background_image, now, size).await;
        slide.background_image = wrong.note(taken)?.flatten();
    }
    Ok(())
}

// Store

/// The slides of banners, in their order: two statements.
pub(super) async fn read(
    db: &mut impl Source,
    banners: &[BannerId],
) -> Result<BTreeMap<BannerId, Vec<Slide>>> {
    type Row = (BannerId, SlideId, Option<String>, Option<String>, Option<String>);
    let sql = Sql::new(
        "SELECT banner_id, id, image, background_image, background_color FROM banner_informations WHERE banner_id IN ",
    );
    let rows: Vec<Row> = db.all(sql.ids(banners).push(" ORDER BY banner_id, sorting, id")).await?;
    let ids: Vec<SlideId> = rows.iter().map(|row| row.1).collect();
    let mut found = texts::load(db, &TEXTS, &ids).await?;
    let mut slides: BTreeMap<BannerId, Vec<Slide>> = BTreeMap::new();
    for (banner, id, image, background_image, background_color) in rows {
        let translations = found.remove(&id).unwrap_or_default();
        slides.entry(banner).or_default().push(Slide {
            id: Some(id),
            image,
            background_image,
            background_color,
            translations,
        });
    }
    Ok(slides)
}

/// Replaces the slides of a banner: those that stay keep their ids.
pub(super) async fn write(work: &mut Work, banner: BannerId, slides: &[Slide]) -> Result<()> {
    let kept: Vec<SlideId> = slides.iter().filter_map(|slide| slide.id).collect();
    let gone = Sql::new(
        "DELETE FROM translations WHERE owner_type = 'banner_information' AND owner_id IN (SELECT id FROM banner_informations WHERE banner_id = ?)",
    );
    work.exec(gone.bind(banner)).await?;
    let gone = Sql::new("DELETE FROM banner_informations WHERE banner_id = ? AND id NOT IN ").bind(banner);
    work.exec(gone.ids(&kept)).await?;
    for (sorting, slide) in (1_i64..).zip(slides) {
        let id = write_one(work, banner, sorting, slide).await?;
        texts::write(work, &TEXTS, id, &slide.translations).await?;
    }
    Ok(())
}

async fn write_one(work: &mut Work, banner: BannerId, sorting: i64, slide: &Slide) -> Result<SlideId> {
    let [insert, update] = sql!(
        [
            "INSERT INTO banner_informations (banner_id, image, background_image, background_color, sorting, created_at) \
               VALUES (@banner_id, @image, @background_image, @background_color, @sorting, @created_at) RETURNING id",
            "UPDATE banner_informations SET image = @image, background_image = @background_image, \
               background_color = @background_color, sorting = @sorting WHERE id = @id",
        ],
        {
            image: slide.image.clone(),
            background_image: slide.background_image.clone(),
            background_color: slide.background_color.clone(),
            sorting,
        },
        later: [banner_id, created_at, id],
    );
    if let Some(id) = slide.id {
        work.exec(update.named("id", id)).await?;
        return Ok(id);
    }
    let insert = insert.named("banner_id", banner).named("created_at", work.now);
    Ok(work.one::<(SlideId,)>(insert).await?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(given: &str) -> Result<Vec<Slide>, Vec<String>> {
        let given: Vec<BannerInformationInput> = serde_json::from_str(given).unwrap();
        let known = Slide {
            id: Some(SlideId::new(7)),
            image: None,
            background_image: None,
            background_color: Some("#000000".into()),
            translations: Translations::default(),
        };
        let mut errors = FieldErrors::default();
        let after = settle(&mut errors, &[known], &given);
        errors.or(after).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn slides_stand_as_they_are_sorted() {
        let slides = settled(r#"[{"sorting":2},{"id":7,"sorting":1}]"#).unwrap();
        assert_eq!(slides.iter().map(|slide| slide.id).collect::<Vec<_>>(), [Some(SlideId::new(7)), None]);
        assert_eq!(slides[0].background_color.as_deref(), Some("#000000"), "what is left out stays");
    }

    #[test]
    fn each_wrong_text_of_each_slide_is_named() {
        let wrong = r##"[{"id":9},{"background_color":"red","translations":{"en":{"title_color":"#12","button_link":"x"}}},
            {"translations":{"de":{"title":"Neu"}}},{"id":7},{"id":7}]"##;
        let named = [
            "informations.0.id",
            "informations.1.background_color",
            "informations.1.translations.en.button_link",
            "informations.1.translations.en.title_color",
            "informations.2.translations.en.title",
            "informations.4.id",
        ];
        assert_eq!(settled(wrong).unwrap_err(), named);
    }
}

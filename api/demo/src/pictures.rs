//! Draws the demo's pictures: icons of records, and verification documents of customers.

use std::io::Cursor;

use image::{ImageFormat, Rgb, RgbImage};
use panel_kernel::error::{Error, Result};
use panel_kernel::random::Random;

use panel_platform::db::{Source as _, Sql};
use panel_platform::platform::Platform;

/// Width and height of an icon, in pixels.
const SIDE: u32 = 96;
/// Kinds of documents, in turn.
const GROUPS: [&str; 4] = ["card", "id", "selfie", "additional_photo"];
/// Number of customers with documents.
const CUSTOMERS_WITH_DOCUMENTS: i64 = 25;

const ICONS: [(&str, &str); 4] = [
    (
        "SELECT id FROM payment_methods WHERE icon IS NULL ORDER BY id",
        "UPDATE payment_methods SET icon = ? WHERE id = ?",
    ),
    ("SELECT id FROM grades WHERE icon IS NULL ORDER BY id", "UPDATE grades SET icon = ? WHERE id = ?"),
    (
        "SELECT id FROM free_trial_quests WHERE icon IS NULL ORDER BY id",
        "UPDATE free_trial_quests SET icon = ? WHERE id = ?",
    ),
    (
        "SELECT id FROM networks WHERE icon IS NULL ORDER BY id LIMIT 24",
        "UPDATE networks SET icon = ? WHERE id = ?",
    ),
];

/// Draws all pictures of a new demo.
pub async fn fill(platform: &Platform, seed: u64) -> Result<()> {
    let random = Random::seeded(seed);
    for (kind, (which, write)) in (0_u8..).zip(ICONS) {
        for (id,) in (&mut &platform.db).all::<(i64,)>(Sql::new(which)).await? {
            let address = platform.uploads.store_png(&random, true, png(&icon(kind, id))?).await?;
            (&mut &platform.db).exec(Sql::new(write).bind(address).bind(id)).await?;
        }
    }
    for (id,) in
        (&mut &platform.db).all::<(i64,)>(Sql::new("SELECT id FROM free_trial_quests ORDER BY id")).await?
    {
        let address = platform.uploads.store_png(&random, true, png(&scene(id))?).await?;
        (&mut &platform.db)
            .exec(Sql::new("UPDATE free_trial_quests SET image = ? WHERE id = ?").bind(address).bind(id))
            .await?;
    }
    documents(platform, &random).await
}

/// Adds documents to the customers who ordered last.
async fn documents(platform: &Platform, random: &Random) -> Result<()> {
    let who = Sql::new(
        "SELECT user_id, max(created_at) FROM orders GROUP BY user_id ORDER BY max(id) DESC LIMIT ?",
    )
    .bind(CUSTOMERS_WITH_DOCUMENTS);
    let pictures =
        (0..).zip(GROUPS).map(|(nth, group)| png(&document(group, nth))).collect::<Result<Vec<_>>>()?;
    let customers: Vec<(i64, i64)> = (&mut &platform.db).all(who).await?;
    for (nth, (user, at)) in (0_usize..).zip(customers) {
        for (group, picture) in GROUPS.iter().zip(&pictures).take(1 + nth % GROUPS.len()) {
            let file = platform.uploads.store_png(random, false, picture.clone()).await?;
            let sql = Sql::new(
                "INSERT INTO verification_documents (user_id, kind, file, created_at) VALUES (?, ?, ?, ?)",
            );
            (&mut &platform.db).exec(sql.bind(user).bind(*group).bind(file).bind(at)).await?;
        }
    }
    Ok(())
}

fn png(picture: &RgbImage) -> Result<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png).map_err(|error| Error::Fault(error.to_string()))?;
    Ok(bytes.into_inner())
}

/// A colour of its own for everything.
fn colour(of: i64) -> Rgb<u8> {
    const COLOURS: [[u8; 3]; 8] = [
        [124, 58, 237],
        [14, 116, 144],
        [22, 101, 52],
        [180, 83, 9],
        [190, 24, 93],
        [30, 64, 175],
        [77, 124, 15],
        [71, 85, 105],
    ];
    Rgb(COLOURS[usize::try_from(of.rem_euclid(8)).unwrap_or_default()])
}

const WHITE: Rgb<u8> = Rgb([255, 255, 255]);
const PAPER: Rgb<u8> = Rgb([241, 245, 249]);

/// An icon of one colour with a shape by its kind: a disc, a ring, bars or a diamond.
fn icon(kind: u8, id: i64) -> RgbImage {
    let middle = i64::from(SIDE / 2);
    RgbImage::from_fn(SIDE, SIDE, |x, y| {
        let (x, y) = (i64::from(x) - middle, i64::from(y) - middle);
        let far = x * x + y * y;
        let is_sign = match kind {
            0 => (-26..26).contains(&x) && ((-18..-8).contains(&y) || (0..18).contains(&y) && x < 4 * id),
            1 => (400..900).contains(&far) || far < 40 * (1 + id % 4),
            2 => x.abs() + y.abs() < 28 && x.abs() + y.abs() > 12 - id % 3,
            _ => far < 700 && (x + y * (1 + id % 3)) % 18 < 11,
        };
        if is_sign { WHITE } else { colour(id + 2 * i64::from(kind)) }
    })
}

/// A wide picture of hills.
fn scene(id: i64) -> RgbImage {
    RgbImage::from_fn(480, 240, |x, y| {
        let (x, y) = (i64::from(x), i64::from(y));
        let near = 190 - (x - 150) * (x - 150) / 400;
        let far = 170 - (x - 360) * (x - 360) / 500;
        let sun = (x - 400) * (x - 400) + (y - 50) * (y - 50) < 900;
        match () {
            () if y > near => colour(id),
            () if y > far => colour(id + 3),
            () if sun => Rgb([253, 230, 138]),
            () => Rgb([219, 234, 254]),
        }
    })
}

/// An invented card with a face and lines, or a face alone.
fn document(group: &str, of: i64) -> RgbImage {
    let is_face = group == "selfie";
    RgbImage::from_fn(360, 228, |x, y| {
        let (x, y) = (i64::from(x), i64::from(y));
        let (face, size) = if is_face { ((180, 100), 52) } else { ((84, 96), 34) };
        let (dx, dy) = (x - face.0, y - face.1);
        let head = dx * dx + dy * dy < size * size;
        let body = y > face.1 + size && dx.abs() < size + (y - face.1 - size) / 2 && y < 206;
        let line = !is_face && x > 160 && x < 330 - (y * 7 + of) % 60 && y > 50 && y < 180 && y % 26 < 8;
        let edge = !(8..352).contains(&x) || !(8..220).contains(&y);
        match () {
            () if edge => WHITE,
            () if head || body => colour(of),
            () if line => Rgb([148, 163, 184]),
            () if y < 30 && !is_face => colour(of + 1),
            () => PAPER,
        }
    })
}

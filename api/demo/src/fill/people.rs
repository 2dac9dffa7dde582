//! Customers: mostly ordinary ones, and a few with unusual names. The last twentieth is new and has no orders.

use super::plan::{DAY_MICROS, PRIME, Plan};
use super::words::{FIRST, LAST, ODD};
use panel_platform::db::sql::Val;
use panel_platform::db::{DbResult, Source, Sql, Tx};

/// Customers per statement.
const CHUNK: i64 = 5_000;

/// Number of customers with orders.
pub(crate) fn ordering(users: i64) -> i64 {
    (users - users / 20).max(1)
}

/// Inserts the customers.
pub(crate) async fn fill(tx: &mut Tx, plan: &Plan) -> DbResult<()> {
    let columns = ["id", "name", "email", "status", "since", "telegram", "code", "company", "grade"];
    let mut from = 0;
    while from < plan.size.users {
        let to = (from + CHUNK).min(plan.size.users);
        let rows = (from..to).map(|at| customer(plan, at)).collect();
        let sql = Sql::new(
            "INSERT INTO users (id, name, email, status, created_at, updated_at, telegram_username, affiliate_code, company_name, grade_id, grade_is_manual, frozen_at, deactivated_at)
             SELECT r.id, r.name, r.email, r.status, r.since, r.since, r.telegram, r.code, r.company, r.grade, r.grade IS NOT NULL,
               CASE WHEN r.status = 'frozen' THEN CAST(? AS BIGINT) END, CASE WHEN r.status = 'deactivated' THEN CAST(? AS BIGINT) END FROM ",
        );
        let lately = plan.now - 3 * DAY_MICROS;
        tx.exec(sql.bind(lately).bind(lately).rows("r", &columns, rows)).await?;
        from = to;
    }
    // Affiliates of customers, and the staff members responsible for them.
    let linked = "UPDATE users SET affiliate_id = CASE WHEN id % 7 = 0 THEN ? + (id * 31) % 20 END, seller_id = CASE WHEN id % 4 = 0 THEN 1 + id % 2 END
      WHERE id >= ? AND id >= ? + 40";
    let first = plan.first_user;
    let (staff,): (i64,) =
        tx.one(Sql::new("SELECT count(*) FROM users WHERE id IN (1, 2) AND id < ?").bind(first)).await?;
    if plan.size.users > 40 && staff == 2 {
        tx.exec(Sql::new(linked).bind(first).bind(first).bind(first)).await?;
    }
    Ok(())
}

/// A name as part of an email address.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

fn customer(plan: &Plan, at: i64) -> Vec<Val> {
    let roll = |die: i64, sides: usize| {
        let rolled = ((at + 1)
            * [1_103_515_245, 1_284_865_837, 1_597_334_677][usize::try_from(die % 3).unwrap_or(0)]
            + plan.die(10 + die))
            % PRIME;
        usize::try_from(rolled).unwrap_or(0) % sides
    };
    let odd = at > 0 && at % 40 == 7;
    let name = match odd {
        true => ODD[usize::try_from(at / 40).unwrap_or(0) % ODD.len()].to_owned(),
        false => format!("{} {}", FIRST[roll(0, FIRST.len())], LAST[roll(1, LAST.len())]),
    };
    let status = match at % 100 {
        17 => "frozen",
        58 => "deactivated",
        _ => "active",
    };
    let is_new = at >= ordering(plan.size.users);
    let age = i64::try_from(roll(2, 300)).unwrap_or(0) * DAY_MICROS;
    let since = if is_new { plan.now - age / 12 } else { plan.now - 366 * DAY_MICROS - age };
    vec![
        (plan.first_user + at).into(),
        name.into(),
        format!("{}.{}@example.com", plain(FIRST[roll(0, FIRST.len())]), at + 1).into(),
        status.into(),
        since.into(),
        (at % 3 == 0).then(|| format!("smm_{}", at + 1)).into(),
        format!("REF{:05}", at + 1).into(),
        (at % 11 == 0).then(|| format!("{} Media GmbH", LAST[roll(1, LAST.len())])).into(),
        Some([1_i64, 1, 1, 2, 2, 3, 4][roll(2, 7)]).into(),
    ]
}

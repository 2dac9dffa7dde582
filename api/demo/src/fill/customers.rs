//! Customers: most have ordinary names, a few have unusual ones. The last 5 % of the customers are new and have no orders.

use super::names::{FIRST_NAMES, LAST_NAMES, UNUSUAL_NAMES};
use super::plan::{DAY_MICROS, DemoPlan, RANDOM_MODULUS};
use panel_platform::db::sql::Val;
use panel_platform::db::{DbResult, Sql, SqlExecutor, Tx};

const CUSTOMERS_PER_STATEMENT: i64 = 5_000;

/// Number of customers with orders.
pub(crate) fn ordering_customer_count(users: i64) -> i64 {
    (users - users / 20).max(1)
}

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let columns = ["id", "name", "email", "status", "created_at", "telegram", "code", "company", "grade"];
    let mut start_index = 0;
    while start_index < plan.size.users {
        let end_index = (start_index + CUSTOMERS_PER_STATEMENT).min(plan.size.users);
        let rows = (start_index..end_index).map(|index| customer_row(plan, index)).collect();
        let sql = Sql::new(
            "INSERT INTO users (id, name, email, status, created_at, updated_at, telegram_username, affiliate_code, company_name, grade_id, grade_is_manual, frozen_at, deactivated_at)
             SELECT r.id, r.name, r.email, r.status, r.created_at, r.created_at, r.telegram, r.code, r.company, r.grade, r.grade IS NOT NULL,
               CASE WHEN r.status = 'frozen' THEN CAST(? AS BIGINT) END, CASE WHEN r.status = 'deactivated' THEN CAST(? AS BIGINT) END FROM ",
        );
        let status_changed_at = plan.now - 3 * DAY_MICROS;
        tx.execute(sql.bind(status_changed_at).bind(status_changed_at).rows("r", &columns, rows)).await?;
        start_index = end_index;
    }
    // Some customers have an affiliate, and some an account manager.
    let link_affiliates_and_managers_sql = "UPDATE users SET affiliate_id = CASE WHEN id % 7 = 0 THEN ? + (id * 31) % 20 END, seller_id = CASE WHEN id % 4 = 0 THEN 1 + id % 2 END
      WHERE id >= ? AND id >= ? + 40";
    let first_id = plan.first_customer_id;
    let (staff_count,): (i64,) = tx
        .fetch_one(Sql::new("SELECT count(*) FROM users WHERE id IN (1, 2) AND id < ?").bind(first_id))
        .await?;
    if plan.size.users > 40 && staff_count == 2 {
        tx.execute(Sql::new(link_affiliates_and_managers_sql).bind(first_id).bind(first_id).bind(first_id))
            .await?;
    }
    Ok(())
}

/// Converts a name to the local part of an email address: keeps ASCII letters and digits, in lowercase.
fn to_email_local_part(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

/// A row for the columns of the `INSERT` above.
fn customer_row(plan: &DemoPlan, index: i64) -> Vec<Val> {
    // A pseudo-random number below `bound`, the same for the same customer and sequence.
    let random_below = |sequence: i64, bound: usize| {
        let random = ((index + 1)
            * [1_103_515_245, 1_284_865_837, 1_597_334_677][usize::try_from(sequence % 3).unwrap_or(0)]
            + plan.random_seed(10 + sequence))
            % RANDOM_MODULUS;
        usize::try_from(random).unwrap_or(0) % bound
    };
    let has_unusual_name = index > 0 && index % 40 == 7;
    let name = match has_unusual_name {
        true => UNUSUAL_NAMES[usize::try_from(index / 40).unwrap_or(0) % UNUSUAL_NAMES.len()].to_owned(),
        false => {
            format!(
                "{} {}",
                FIRST_NAMES[random_below(0, FIRST_NAMES.len())],
                LAST_NAMES[random_below(1, LAST_NAMES.len())]
            )
        }
    };
    let status = match index % 100 {
        17 => "frozen",
        58 => "deactivated",
        _ => "active",
    };
    let is_new = index >= ordering_customer_count(plan.size.users);
    let age_micros = i64::try_from(random_below(2, 300)).unwrap_or(0) * DAY_MICROS;
    let created_at =
        if is_new { plan.now - age_micros / 12 } else { plan.now - 366 * DAY_MICROS - age_micros };
    vec![
        (plan.first_customer_id + index).into(),
        name.into(),
        format!(
            "{}.{}@example.com",
            to_email_local_part(FIRST_NAMES[random_below(0, FIRST_NAMES.len())]),
            index + 1
        )
        .into(),
        status.into(),
        created_at.into(),
        (index % 3 == 0).then(|| format!("smm_{}", index + 1)).into(),
        format!("REF{:05}", index + 1).into(),
        (index % 11 == 0)
            .then(|| format!("{} Media GmbH", LAST_NAMES[random_below(1, LAST_NAMES.len())]))
            .into(),
        Some([1_i64, 1, 1, 2, 2, 3, 4][random_below(2, 7)]).into(),
    ]
}

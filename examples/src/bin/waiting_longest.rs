//! Prints the services whose orders wait longest in moderation. `PANEL_URL`, `PANEL_EMAIL` and `PANEL_PASSWORD` select the panel
//! and the account.

use std::collections::BTreeMap;

use futures_util::TryStreamExt as _;
use panel_client::Client;
use panel_contract::endpoint::EmptyQuery;
use panel_contract::endpoints::orders::ListOrders;
use panel_contract::orders::OrderRow;
use panel_contract::session::LoginInput;
use panel_contract::table::TableQuery;

#[expect(clippy::print_stdout, reason = "a program prints its result to standard output")]
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let read_variable = |name: &str| std::env::var(name).map_err(|_| format!("Set {name}."));
    let client = Client::builder(read_variable("PANEL_URL")?).build()?;
    let sign_in = LoginInput {
        email: read_variable("PANEL_EMAIL")?,
        password: read_variable("PANEL_PASSWORD")?,
        captcha: None,
        otp: None,
        passkey: None,
    };
    client.login((), &EmptyQuery {}, &sign_in).await?;

    let is_descending = false;
    let waiting = TableQuery::new().filter("status", "in_moderation").sort("created_at", is_descending);
    let orders: Vec<OrderRow> = client.stream_rows::<ListOrders, OrderRow>(waiting).try_collect().await?;
    let mut services = BTreeMap::new();
    for order in orders {
        let (_, count) = services.entry(order.service.name).or_insert((order.created_at, 0));
        *count += 1;
    }
    let mut services: Vec<_> = services.into_iter().collect();
    services.sort_by_key(|(_, (since, _))| *since);
    for (name, (since, count)) in services.into_iter().take(5) {
        println!("{since}  {count:>4}  {name}");
    }
    Ok(())
}

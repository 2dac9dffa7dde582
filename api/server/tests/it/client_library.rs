//! The client library against the real server: what the terminal programs stand on.

use std::time::Duration;

use panel_client::realtime::{Counter, Event, Live};
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::session::LoginInput;
use panel_contract::table::TableQuery;
use panel_demo::accounts;
use panel_platform::db::{Dialect, Sql};

use crate::served::Served;

both! {
    signs_in_reads_and_follows;
}

async fn next(live: &mut Live) -> Option<Event> {
    tokio::time::timeout(Duration::from_secs(10), live.next()).await.unwrap()
}

async fn signs_in_reads_and_follows(dialect: Dialect) {
    let served = Served::on(dialect).await;
    served.panel.fill(20, 1_000).await;
    panel_server::start::demo::accounts::create_missing(&served.panel.app).await.unwrap();
    let client = served.client("owner");
    let input = LoginInput {
        email: "moderator@panel.test".into(),
        password: accounts::PASSWORD.into(),
        captcha: None,
        otp: None,
        passkey: None,
    };
    let signed_in = client.login((), &EmptyQuery {}, &input).await.unwrap();
    assert_eq!(signed_in.user.name, "Mo Derator");
    let profile = client.profile((), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
    assert_eq!(profile.data, signed_in.user);
    let page = client.list_orders((), &TableQuery::new().page(0, 7), &EmptyBody {}).await.unwrap();
    assert_eq!((page.data.len(), page.records_total), (7, 1_000));

    let mut live = client.live();
    let Some(Event::Connected(counters)) = next(&mut live).await else { panic!("not connected") };
    let set = Sql::new("UPDATE orders SET status = 'in_moderation' WHERE status = 'in_processing'");
    let moved = i64::try_from(served.panel.exec(set).await).unwrap();
    assert_eq!(moved, counters.orders_in_processing_count);
    served.panel.app.live.notify_change();
    let expected = counters.orders_in_moderation_count + moved;
    loop {
        match next(&mut live).await {
            Some(Event::Counter { counter: Counter::OrdersInModeration, count }) if count == expected => {
                break;
            }
            Some(Event::Counter { .. }) => {}
            other => panic!("{other:?}"),
        }
    }
    client.logout((), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
    // It is sent away, may try once more, and then knows that it is of no use.
    loop {
        match next(&mut live).await {
            Some(Event::Counter { .. } | Event::Disconnected { retry_in: Some(_), .. }) => {}
            Some(Event::Disconnected { retry_in: None, .. }) | None => break,
            other @ Some(Event::Connected(_)) => panic!("{other:?}"),
        }
    }
}

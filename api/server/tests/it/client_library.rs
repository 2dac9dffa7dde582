//! The client library against the real server, as panelctl and panel-tui use it.

use std::time::Duration;

use panel_client::realtime::{Counter, LiveChannel, LiveEvent};
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::session::LoginInput;
use panel_contract::table::TableQuery;
use panel_demo::accounts;
use panel_platform::db::{Dialect, Sql};

use crate::test_server::TestServer;

both! {
    signs_in_reads_lists_and_receives_live_counters;
}

async fn next_event(live: &mut LiveChannel) -> Option<LiveEvent> {
    tokio::time::timeout(Duration::from_secs(10), live.next()).await.unwrap()
}

async fn signs_in_reads_lists_and_receives_live_counters(dialect: Dialect) {
    let served = TestServer::on(dialect).await;
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

    let mut live = client.open_live_channel();
    let Some(LiveEvent::Connected(counters)) = next_event(&mut live).await else { panic!("not connected") };
    let update = Sql::new("UPDATE orders SET status = 'in_moderation' WHERE status = 'in_processing'");
    let moved_orders = i64::try_from(served.panel.execute(update).await).unwrap();
    assert_eq!(moved_orders, counters.orders_in_processing_count);
    served.panel.app.live.notify_change();
    let expected = counters.orders_in_moderation_count + moved_orders;
    loop {
        match next_event(&mut live).await {
            Some(LiveEvent::CounterChanged { counter: Counter::OrdersInModeration, count })
                if count == expected =>
            {
                break;
            }
            Some(LiveEvent::CounterChanged { .. }) => {}
            other => panic!("{other:?}"),
        }
    }
    client.logout((), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
    // After the sign-out the server closes the connection. The client may reconnect once, and then gives up.
    loop {
        match next_event(&mut live).await {
            Some(LiveEvent::CounterChanged { .. } | LiveEvent::Disconnected { retry_in: Some(_), .. }) => {}
            Some(LiveEvent::Disconnected { retry_in: None, .. }) | None => break,
            other @ Some(LiveEvent::Connected(_)) => panic!("{other:?}"),
        }
    }
}

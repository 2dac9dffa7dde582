//! The live channel: counters and the state of the connection. While the channel is down, the panel is called directly to
//! find out whether only the channel is down or the whole panel.

use std::time::Duration;

use panel_client::Client;
use panel_client::realtime::Event as LiveEvent;
use panel_client::world::{Environment as _, SystemEnvironment};
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::session::Counters;

use crate::event::Event;
use crate::runner::message_channel::MessageSender;
use crate::runner::session::{ProfileTarget, outage_connection, time_after};
use crate::session::Connection;

/// The interval of calls to the panel where the live channel is refused.
const POLL_INTERVAL: Duration = Duration::from_secs(10);

/// A panel that does not respond within this time counts as offline.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Follows the live channel until the session ends.
pub(crate) async fn follow(client: Client, target: ProfileTarget, sender: MessageSender) {
    loop {
        let mut live = client.live();
        let (mut counters, mut is_connected) = (Counters::default(), false);
        while let Some(live_event) = live.next().await {
            match live_event {
                LiveEvent::Connected(now) => {
                    (counters, is_connected) = (now, true);
                    sender.event(Event::Counters(counters));
                    sender.connection(Connection::Live);
                }
                LiveEvent::Counter { counter, count } => {
                    counter.set(&mut counters, count);
                    sender.event(Event::Counters(counters));
                }
                LiveEvent::Disconnected { retry_in, is_silent, .. } => {
                    let wait = retry_in.unwrap_or(POLL_INTERVAL);
                    if std::mem::take(&mut is_connected) {
                        let until = time_after(wait);
                        sender.connection(if is_silent {
                            Connection::Offline(until)
                        } else {
                            Connection::Retry(until)
                        });
                    }
                    check_panel(&client, &target, &sender, wait).await;
                }
            }
        }
        SystemEnvironment.sleep(POLL_INTERVAL).await;
    }
}

/// Calls the panel to find out whether only the live channel is down or the whole panel.
async fn check_panel(client: &Client, target: &ProfileTarget, sender: &MessageSender, wait: Duration) {
    let until = time_after(wait);
    let response =
        tokio::time::timeout(ANSWER_TIMEOUT, client.counters((), &EmptyQuery {}, &EmptyBody {})).await;
    let Ok(answer) = response else { return sender.connection(Connection::Offline(until)) };
    match answer {
        Ok(counters) => {
            sender.event(Event::Counters(counters.data));
            sender.connection(Connection::Retry(until));
        }
        Err(error) if error.is_unauthenticated() => {
            sender.connection(Connection::Retry(until));
            target.request_sign_in(sender, Some("Your session has expired. Sign in again.".into()));
        }
        Err(error) if error.is_transient() => sender.connection(outage_connection(&error, until)),
        Err(_) => sender.connection(Connection::Retry(until)),
    }
}

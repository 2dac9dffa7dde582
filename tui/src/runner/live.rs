//! The live channel: counters and the state of the connection. While the channel is down, the panel is asked
//! directly, so that the screen knows whether only the channel is gone or the whole panel.

use std::time::Duration;

use panel_client::Client;
use panel_client::realtime::Event as Heard;
use panel_client::world::{RealWorld, World as _};
use panel_contract::endpoint::{NoBody, NoQuery};
use panel_contract::session::Counters;

use crate::event::Event;
use crate::runner::mail::Out;
use crate::runner::session::{Place, after, away};
use crate::session::Connection;

/// How often the panel is asked where the channel is refused for good.
const POLL: Duration = Duration::from_secs(10);

/// A panel that takes longer to answer hangs.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// Follows the channel for as long as the session lasts.
pub(crate) async fn follow(client: Client, place: Place, out: Out) {
    loop {
        let mut live = client.live();
        let (mut counters, mut stands) = (Counters::default(), false);
        while let Some(heard) = live.next().await {
            match heard {
                Heard::Connected(now) => {
                    (counters, stands) = (now, true);
                    out.event(Event::Counters(counters));
                    out.connection(Connection::Live);
                }
                Heard::Counter { counter, count } => {
                    counter.set(&mut counters, count);
                    out.event(Event::Counters(counters));
                }
                Heard::Disconnected { retry_in, is_silent, .. } => {
                    let wait = retry_in.unwrap_or(POLL);
                    if std::mem::take(&mut stands) {
                        let until = after(wait);
                        out.connection(if is_silent {
                            Connection::Offline(until)
                        } else {
                            Connection::Retry(until)
                        });
                    }
                    probe(&client, &place, &out, wait).await;
                }
            }
        }
        RealWorld.sleep(POLL).await;
    }
}

/// Whether the panel answers at all.
async fn probe(client: &Client, place: &Place, out: &Out, wait: Duration) {
    let until = after(wait);
    let asked = tokio::time::timeout(ANSWER_WITHIN, client.counters((), &NoQuery {}, &NoBody {})).await;
    let Ok(answer) = asked else { return out.connection(Connection::Offline(until)) };
    match answer {
        Ok(counters) => {
            out.event(Event::Counters(counters.data));
            out.connection(Connection::Retry(until));
        }
        Err(error) if error.is_unauthenticated() => {
            out.connection(Connection::Retry(until));
            place.ask(out, Some("Your sign-in has ended; sign in again.".into()));
        }
        Err(error) if error.is_transient() => out.connection(away(&error, until)),
        Err(_) => out.connection(Connection::Retry(until)),
    }
}

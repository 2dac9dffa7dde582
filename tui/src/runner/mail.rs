//! The way from background work to the dashboard. What belongs to a session that is over is dropped on the way;
//! what became of an action never is.

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::event::Event;
use crate::job::Answer;
use crate::runner::session::Session;
use crate::session::Connection;

/// What background work tells.
#[derive(Debug)]
pub(crate) enum Letter {
    /// Something for the dashboard.
    Event(Event),
    /// Somebody signed in.
    Session(Box<Session>),
}

/// Where letters are sent; each bears the number of the session it was written in, or none.
#[derive(Debug, Clone)]
pub(crate) struct Out {
    epoch: Option<u64>,
    sender: UnboundedSender<(Option<u64>, Letter)>,
}

/// Where they arrive.
#[derive(Debug)]
pub(crate) struct Inbox(UnboundedReceiver<(Option<u64>, Letter)>);

pub(crate) fn post() -> (Out, Inbox) {
    let (sender, receiver) = unbounded_channel();
    (Out { epoch: Some(0), sender }, Inbox(receiver))
}

impl Out {
    /// From now on only what is sent by clones of this one arrives.
    pub(crate) fn begin_again(&mut self) {
        self.epoch = self.epoch.map(|epoch| epoch + 1);
    }

    /// Whose letters arrive whatever became of the session.
    pub(crate) fn lasting(&self) -> Self {
        Self { epoch: None, sender: self.sender.clone() }
    }

    pub(crate) fn answer(&self, answer: Answer) {
        self.event(Event::Answer(Box::new(answer)));
    }

    pub(crate) fn connection(&self, connection: Connection) {
        self.event(Event::Connection(connection));
    }

    pub(crate) fn event(&self, event: Event) {
        self.send(Letter::Event(event));
    }

    pub(crate) fn send(&self, letter: Letter) {
        // Nobody listens any more only when the program ends.
        drop(self.sender.send((self.epoch, letter)));
    }
}

impl Inbox {
    /// The next letter of the session that `out` writes in.
    pub(crate) async fn next(&mut self, out: &Out) -> Option<Letter> {
        loop {
            match self.0.recv().await? {
                (epoch, letter) if epoch.is_none() || epoch == out.epoch => return Some(letter),
                _ => {}
            }
        }
    }
}

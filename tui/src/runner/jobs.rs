//! Jobs of the dashboard, each done in the background; its answer comes back as an event.

use std::future::Future;
use std::time::Duration;

use panel_client::bulk::run::Stop;
use panel_client::{Client, Result};
use tokio::task::JoinSet;

use crate::event::Event;
use crate::job::{Answer, Job, Trouble, TroubleKind};
use crate::model::run::Run;
use crate::runner::identity::Questions;
use crate::runner::mail::Out;
use crate::runner::session::{self, Place, Session};
use crate::runner::trouble::trouble;
use crate::runner::{desk, live, orders, queues};
use crate::session::Who;
use crate::terminal::Screen;

/// A request in flight is waited for this long when the program ends.
const PATIENCE: Duration = Duration::from_secs(120);

/// Does the jobs.
#[derive(Debug)]
pub(crate) struct Hands {
    pub(crate) out: Out,
    place: Place,
    session: Option<(Client, Who)>,
    questions: Option<Questions>,
    /// Ends with the session.
    background: JoinSet<()>,
    /// Ends only by itself.
    runs: JoinSet<()>,
    stop: Stop,
}

impl Hands {
    pub(crate) fn new(out: Out, place: Place) -> Self {
        Self {
            out,
            place,
            session: None,
            questions: None,
            background: JoinSet::new(),
            runs: JoinSet::new(),
            stop: Stop::default(),
        }
    }

    /// Begins with the place's kept session, or asks for a sign-in.
    pub(crate) fn begin(&mut self) {
        self.end_session();
        self.background.spawn(session::begin(self.place.clone(), self.out.clone()));
    }

    /// What belongs to the session before is neither waited for nor heard any more.
    fn end_session(&mut self) {
        self.session = None;
        if let Some(questions) = self.questions.take() {
            questions.end();
        }
        self.out.begin_again();
        self.background.abort_all();
        self.background.detach_all();
    }

    /// A session stands: follows its live channel. The event that tells the dashboard.
    pub(crate) fn signed_in(&mut self, session: Session) -> Event {
        self.end_session();
        let Session { client, who, questions } = session;
        self.questions = Some(questions);
        self.background.spawn(live::follow(client.clone(), self.place.clone(), self.out.clone()));
        let (reasons, out) = (client.clone(), self.out.clone());
        self.background.spawn(async move {
            // Without them a cancel has no reasons to choose from, and that is all.
            if let Ok(reasons) = orders::reasons(&reasons).await {
                out.answer(Answer::Reasons(reasons));
            }
        });
        self.session = Some((client, who.clone()));
        Event::Answer(Box::new(Answer::SignedIn(who)))
    }

    /// Takes a job; false when the program shall end.
    pub(crate) fn take(&mut self, job: Job, screen: &mut Screen) -> bool {
        match job {
            Job::Quit => return false,
            Job::SignIn(input) => {
                self.background.spawn(session::sign_in(self.place.clone(), input, self.out.clone()));
            }
            Job::Identify(password) => {
                if let Some(questions) = &self.questions {
                    questions.answer(password);
                }
            }
            Job::Profile(name) => match Place::named(&name) {
                Ok(place) => {
                    self.place = place;
                    self.begin();
                }
                Err(message) => self.out.answer(Answer::Failed(message)),
            },
            Job::Copy(text) => self.copy(&text, screen),
            Job::Open(path) => self.open(&path),
            Job::Load { ticket, source, query } => self.ask(
                async move |client| queues::load(&client, source, &query).await,
                move |result| Answer::Listing { ticket, result },
            ),
            Job::All { ticket, source, query } => self.ask(
                async move |client| queues::all(&client, source, &query).await,
                move |result| Answer::All { ticket, result },
            ),
            Job::Detail { source, id } => self.ask(
                async move |client| queues::detail(&client, source, id).await,
                move |result| Answer::Detail { id, result },
            ),
            Job::Preview { ticket, run } => self.ask(
                async move |client| queues::preview(&client, &run).await,
                move |result| Answer::Preview { ticket, result },
            ),
            Job::Act { ticket, run } => self.act(ticket, run),
        }
        true
    }

    /// Asks the panel in the background.
    fn ask<T, F>(
        &mut self,
        what: impl FnOnce(Client) -> F,
        answer: impl FnOnce(Result<T, Trouble>) -> Answer + Send + 'static,
    ) where
        F: Future<Output = Result<T>> + Send + 'static,
        T: Send + 'static,
    {
        let (out, place) = (self.out.clone(), self.place.clone());
        let Some((client, _)) = &self.session else { return };
        let asked = what(client.clone());
        self.background.spawn(async move {
            let result = asked.await.map_err(|error| trouble(&error));
            tell(&out, &place, result, answer);
        });
    }

    /// Runs an action; it outlives its session.
    fn act(&mut self, ticket: u64, run: Run) {
        let Some((client, who)) = self.session.clone() else { return };
        let (out, place, stop) = (self.out.lasting(), self.place.clone(), self.stop.clone());
        self.runs.spawn(async move {
            let progress = {
                let out = out.clone();
                move |done| out.answer(Answer::Progress { ticket, done })
            };
            let result = queues::act((&client, &who), &run, &stop, progress).await;
            let result = result.map_err(|error| trouble(&error));
            tell(&out, &place, result, move |result| Answer::Acted { ticket, result });
        });
    }

    fn copy(&self, text: &str, screen: &mut Screen) {
        let sent = desk::clipboard(text).is_some_and(|sequence| screen.whisper(&sequence).is_ok());
        self.out.answer(if sent {
            Answer::Said(desk::copied(text))
        } else {
            Answer::Failed("That is too much for the terminal's clipboard.".into())
        });
    }

    fn open(&self, path: &str) {
        let Some((client, _)) = &self.session else { return };
        let address = format!("{}{path}", client.base().as_str().trim_end_matches('/'));
        self.out.answer(if desk::browse(&address) {
            Answer::Said(format!("Opened {address}"))
        } else {
            Answer::Address(address)
        });
    }

    /// Whether an action runs.
    pub(crate) fn is_running(&mut self) -> bool {
        while self.runs.try_join_next().is_some() {}
        !self.runs.is_empty()
    }

    /// Ends: an action on its way stops after the request in flight; its journal knows how far it came.
    pub(crate) async fn put_down(mut self) {
        self.background.abort_all();
        if let Some(questions) = &self.questions {
            questions.end();
        }
        self.stop.stop();
        let done = async { while self.runs.join_next().await.is_some() {} };
        drop(tokio::time::timeout(PATIENCE, done).await);
    }
}

/// Tells the answer; and asks for a sign-in when that is what is missing.
fn tell<T>(
    out: &Out,
    place: &Place,
    result: Result<T, Trouble>,
    answer: impl FnOnce(Result<T, Trouble>) -> Answer,
) {
    let signed_out = matches!(&result, Err(trouble) if trouble.kind == TroubleKind::SignedOut);
    out.answer(answer(result));
    if signed_out {
        place.ask(out, Some("Your sign-in has ended; sign in again.".into()));
    }
}

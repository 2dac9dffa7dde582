//! Runs the jobs of the dashboard in background tasks. Each task sends its result as an event.

use std::future::Future;
use std::time::Duration;

use panel_client::bulk::run::StopFlag;
use panel_client::{Client, Result};
use tokio::task::JoinSet;

use crate::event::Event;
use crate::job::{Failure, FailureKind, Job, RunnerEvent};
use crate::model::run::Run;
use crate::runner::failures::failure_from;
use crate::runner::identity::IdentityPrompts;
use crate::runner::message_channel::MessageSender;
use crate::runner::session::{self, ProfileTarget, Session};
use crate::runner::{desktop, live, orders, queues};
use crate::session::SessionInfo;
use crate::terminal::Screen;

/// How long a shutdown waits for the current request.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(120);

#[derive(Debug)]
pub(crate) struct JobRunner {
    pub(crate) sender: MessageSender,
    target: ProfileTarget,
    session: Option<(Client, SessionInfo)>,
    identity_prompts: Option<IdentityPrompts>,
    /// Tasks that end with the session.
    background: JoinSet<()>,
    /// Runs, which outlive their session.
    runs: JoinSet<()>,
    stop: StopFlag,
}

impl JobRunner {
    pub(crate) fn new(sender: MessageSender, target: ProfileTarget) -> Self {
        Self {
            sender,
            target,
            session: None,
            identity_prompts: None,
            background: JoinSet::new(),
            runs: JoinSet::new(),
            stop: StopFlag::default(),
        }
    }

    /// Resumes the stored session, or requests a sign-in.
    pub(crate) fn resume_session(&mut self) {
        self.end_session();
        self.background.spawn(session::resume(self.target.clone(), self.sender.clone()));
    }

    /// Ends the session: aborts its tasks and drops their messages.
    fn end_session(&mut self) {
        self.session = None;
        if let Some(identity_prompts) = self.identity_prompts.take() {
            identity_prompts.end();
        }
        self.sender.start_next_session();
        self.background.abort_all();
        self.background.detach_all();
    }

    /// Starts a session: follows its live channel, and returns the event for the dashboard.
    pub(crate) fn signed_in(&mut self, session: Session) -> Event {
        self.end_session();
        let Session { client, info, identity_prompts } = session;
        self.identity_prompts = Some(identity_prompts);
        self.background.spawn(live::follow(client.clone(), self.target.clone(), self.sender.clone()));
        let (reasons_client, sender) = (client.clone(), self.sender.clone());
        self.background.spawn(async move {
            // If the request fails, the cancel dialog offers no reasons.
            if let Ok(reasons) = orders::load_cancel_reasons(&reasons_client).await {
                sender.runner_event(RunnerEvent::Reasons(reasons));
            }
        });
        self.session = Some((client, info.clone()));
        Event::Runner(Box::new(RunnerEvent::SignedIn(info)))
    }

    /// Starts a job; returns false for [`Job::Quit`].
    pub(crate) fn start(&mut self, job: Job, screen: &mut Screen) -> bool {
        match job {
            Job::Quit => return false,
            Job::SignIn(input) => {
                self.background.spawn(session::sign_in(self.target.clone(), input, self.sender.clone()));
            }
            Job::ConfirmIdentity(password) => {
                if let Some(identity_prompts) = &self.identity_prompts {
                    identity_prompts.send_password(password);
                }
            }
            Job::SwitchProfile(name) => match ProfileTarget::from_name(&name) {
                Ok(target) => {
                    self.target = target;
                    self.resume_session();
                }
                Err(message) => self.sender.runner_event(RunnerEvent::Failed(message)),
            },
            Job::Copy(text) => self.copy(&text, screen),
            Job::OpenInBrowser(path) => self.open(&path),
            Job::LoadPage { job_id, source, query } => self.call(
                async move |client| queues::load_page(&client, source, &query).await,
                move |result| RunnerEvent::Listing { job_id, result },
            ),
            Job::LoadAllMatching { job_id, source, query } => self.call(
                async move |client| queues::load_all_matching(&client, source, &query).await,
                move |result| RunnerEvent::MatchingRecords { job_id, result },
            ),
            Job::LoadDetail { source, id } => self.call(
                async move |client| queues::load_detail(&client, source, id).await,
                move |result| RunnerEvent::Detail { id, result },
            ),
            Job::Preview { job_id, run } => self.call(
                async move |client| queues::preview(&client, &run).await,
                move |result| RunnerEvent::Preview { job_id, result },
            ),
            Job::Run { job_id, run } => self.run_action(job_id, run),
        }
        true
    }

    /// Calls the panel in a background task.
    fn call<T, F>(
        &mut self,
        start_request: impl FnOnce(Client) -> F,
        to_event: impl FnOnce(Result<T, Failure>) -> RunnerEvent + Send + 'static,
    ) where
        F: Future<Output = Result<T>> + Send + 'static,
        T: Send + 'static,
    {
        let (sender, target) = (self.sender.clone(), self.target.clone());
        let Some((client, _)) = &self.session else { return };
        let request = start_request(client.clone());
        self.background.spawn(async move {
            let result = request.await.map_err(|error| failure_from(&error));
            send_result(&sender, &target, result, to_event);
        });
    }

    /// Runs an action; the run outlives its session.
    fn run_action(&mut self, job_id: u64, run: Run) {
        let Some((client, info)) = self.session.clone() else { return };
        let (sender, target, stop) = (self.sender.across_sessions(), self.target.clone(), self.stop.clone());
        self.runs.spawn(async move {
            let progress = {
                let sender = sender.clone();
                move |processed| sender.runner_event(RunnerEvent::Progress { job_id, processed })
            };
            let result = queues::execute((&client, &info), &run, &stop, progress).await;
            let result = result.map_err(|error| failure_from(&error));
            send_result(&sender, &target, result, move |result| RunnerEvent::RunFinished { job_id, result });
        });
    }

    fn copy(&self, text: &str, screen: &mut Screen) {
        let is_sent = desktop::clipboard_sequence(text)
            .is_some_and(|sequence| screen.write_sequence(&sequence).is_ok());
        self.sender.runner_event(if is_sent {
            RunnerEvent::Succeeded(desktop::copied_message(text))
        } else {
            RunnerEvent::Failed("Too long for the terminal's clipboard. Mark fewer records.".into())
        });
    }

    fn open(&self, path: &str) {
        let Some((client, _)) = &self.session else { return };
        let address = format!("{}{path}", client.base_url().as_str().trim_end_matches('/'));
        self.sender.runner_event(if desktop::open_browser(&address) {
            RunnerEvent::Succeeded(format!("Opened {address}"))
        } else {
            RunnerEvent::ConsoleAddress(address)
        });
    }

    /// Whether a run is in progress.
    pub(crate) fn is_running(&mut self) -> bool {
        while self.runs.try_join_next().is_some() {}
        !self.runs.is_empty()
    }

    /// Shuts down: a running action stops after its current request, and its journal records the progress.
    pub(crate) async fn shut_down(mut self) {
        self.background.abort_all();
        if let Some(identity_prompts) = &self.identity_prompts {
            identity_prompts.end();
        }
        self.stop.request_stop();
        let all_finished = async { while self.runs.join_next().await.is_some() {} };
        drop(tokio::time::timeout(SHUTDOWN_TIMEOUT, all_finished).await);
    }
}

/// Sends the result, and requests a sign-in if the session has ended.
fn send_result<T>(
    sender: &MessageSender,
    target: &ProfileTarget,
    result: Result<T, Failure>,
    to_event: impl FnOnce(Result<T, Failure>) -> RunnerEvent,
) {
    let is_signed_out = matches!(&result, Err(failure) if failure.kind == FailureKind::SignedOut);
    sender.runner_event(to_event(result));
    if is_signed_out {
        target.request_sign_in(sender, Some("Your session has expired. Sign in again.".into()));
    }
}

//! Runs the jobs of the dashboard in background tasks. Each task sends its result as an event.

use std::future::Future;
use std::time::Duration;

use panel_client::bulk::run::StopFlag;
use panel_client::{Client, Result};
use tokio::task::JoinSet;

use crate::event::Event;
use crate::job::{Failure, FailureKind, Job, RunnerEvent};
use crate::model::run::Run;
use crate::runner::failures::to_failure;
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
    session_tasks: JoinSet<()>,
    /// Runs, which outlive their session.
    runs: JoinSet<()>,
    stop_flag: StopFlag,
}

impl JobRunner {
    pub(crate) fn new(sender: MessageSender, target: ProfileTarget) -> Self {
        Self {
            sender,
            target,
            session: None,
            identity_prompts: None,
            session_tasks: JoinSet::new(),
            runs: JoinSet::new(),
            stop_flag: StopFlag::default(),
        }
    }

    /// Resumes the stored session, or requests a sign-in.
    pub(crate) fn resume_session(&mut self) {
        self.end_session();
        self.session_tasks.spawn(session::resume_session(self.target.clone(), self.sender.clone()));
    }

    /// Ends the session: aborts its tasks and drops their messages.
    fn end_session(&mut self) {
        self.session = None;
        if let Some(identity_prompts) = self.identity_prompts.take() {
            identity_prompts.cancel_all();
        }
        self.sender.start_next_session();
        self.session_tasks.abort_all();
        self.session_tasks.detach_all();
    }

    /// Starts a session: follows its live channel, and returns the event for the dashboard.
    pub(crate) fn start_session(&mut self, session: Session) -> Event {
        self.end_session();
        let Session { client, info, identity_prompts } = session;
        self.identity_prompts = Some(identity_prompts);
        self.session_tasks.spawn(live::follow_live_channel(
            client.clone(),
            self.target.clone(),
            self.sender.clone(),
        ));
        let (reasons_client, sender) = (client.clone(), self.sender.clone());
        self.session_tasks.spawn(async move {
            // If the request fails, the cancel dialog offers no reasons.
            if let Ok(reasons) = orders::load_cancel_reasons(&reasons_client).await {
                sender.send_runner_event(RunnerEvent::CancelReasons(reasons));
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
                self.session_tasks.spawn(session::sign_in(self.target.clone(), input, self.sender.clone()));
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
                Err(message) => self.sender.send_runner_event(RunnerEvent::Failed(message)),
            },
            Job::Copy(text) => self.copy_text(&text, screen),
            Job::OpenInBrowser(path) => self.open_in_browser(&path),
            Job::LoadPage { job_id, source, query } => self.send_request(
                async move |client| queues::load_page(&client, source, &query).await,
                move |result| RunnerEvent::Page { job_id, result },
            ),
            Job::LoadAllMatching { job_id, source, query } => self.send_request(
                async move |client| queues::load_all_matching(&client, source, &query).await,
                move |result| RunnerEvent::MatchingRecords { job_id, result },
            ),
            Job::LoadDetail { source, id } => self.send_request(
                async move |client| queues::load_detail(&client, source, id).await,
                move |result| RunnerEvent::Detail { id, result },
            ),
            Job::Preview { job_id, run } => self.send_request(
                async move |client| queues::preview_action(&client, &run).await,
                move |result| RunnerEvent::Preview { job_id, result },
            ),
            Job::Run { job_id, run } => self.run_action(job_id, run),
        }
        true
    }

    /// Sends a request to the server in a background task.
    fn send_request<T, F>(
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
        self.session_tasks.spawn(async move {
            let result = request.await.map_err(|error| to_failure(&error));
            send_result(&sender, &target, result, to_event);
        });
    }

    /// Runs an action; the run outlives its session.
    fn run_action(&mut self, job_id: u64, run: Run) {
        let Some((client, info)) = self.session.clone() else { return };
        let (sender, target, stop) =
            (self.sender.across_sessions(), self.target.clone(), self.stop_flag.clone());
        self.runs.spawn(async move {
            let progress = {
                let sender = sender.clone();
                move |processed_count| {
                    sender.send_runner_event(RunnerEvent::Progress { job_id, processed_count })
                }
            };
            let result = queues::run_action((&client, &info), &run, &stop, progress).await;
            let result = result.map_err(|error| to_failure(&error));
            send_result(&sender, &target, result, move |result| RunnerEvent::RunFinished { job_id, result });
        });
    }

    fn copy_text(&self, text: &str, screen: &mut Screen) {
        let is_sent = desktop::clipboard_sequence(text)
            .is_some_and(|sequence| screen.write_sequence(&sequence).is_ok());
        self.sender.send_runner_event(if is_sent {
            RunnerEvent::Succeeded(desktop::format_copied_message(text))
        } else {
            RunnerEvent::Failed("Too long for the terminal's clipboard. Mark fewer records.".into())
        });
    }

    fn open_in_browser(&self, path: &str) {
        let Some((client, _)) = &self.session else { return };
        let address = format!("{}{path}", client.base_url().as_str().trim_end_matches('/'));
        self.sender.send_runner_event(if desktop::open_browser(&address) {
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
        self.session_tasks.abort_all();
        if let Some(identity_prompts) = &self.identity_prompts {
            identity_prompts.cancel_all();
        }
        self.stop_flag.request_stop();
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
    sender.send_runner_event(to_event(result));
    if is_signed_out {
        target.request_sign_in(sender, Some("Your session has expired. Sign in again.".into()));
    }
}

//! The thread that decodes images, one after the other.
//!
//! One thread for all: the allocator gives each thread regions of its own and returns what was freed only a while later,
//! so that large images on changing threads of a pool took the memory of two or three. What an image may take is decided
//! by [`panel_images::check`] before it waits here.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};

use panel_images::{Clean, Limits};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

type Answer = Result<Clean, String>;

/// An image that is decoded next.
struct Job {
    bytes: Vec<u8>,
    limits: Limits,
    answer: oneshot::Sender<Answer>,
    /// Goes along: a caller who hangs up does not free the memory that the image still takes.
    turn: OwnedSemaphorePermit,
}

/// The thread; it ends when this is dropped.
pub(super) struct ImageWorker {
    jobs: mpsc::Sender<Job>,
    turn: Arc<Semaphore>,
}

impl ImageWorker {
    pub(super) fn start(turn: Arc<Semaphore>) -> std::io::Result<Self> {
        let (jobs, queue) = mpsc::channel();
        std::thread::Builder::new().name("images".into()).spawn(move || work(&queue))?;
        Ok(Self { jobs, turn })
    }

    /// Decodes an image and writes it anew once those before it are done. Only then is the file copied. The outer error
    /// is a fault of ours.
    pub(super) async fn clean(&self, bytes: &[u8], limits: Limits) -> Result<Answer, String> {
        let turn = Arc::clone(&self.turn).acquire_owned().await.map_err(|error| error.to_string())?;
        let (answer, cleaned) = oneshot::channel();
        let job = Job { bytes: bytes.to_vec(), limits, answer, turn };
        self.jobs.send(job).map_err(|_| "the thread of images ended")?;
        cleaned.await.map_err(|_| "the thread of images ended".to_owned())
    }
}

fn work(queue: &mpsc::Receiver<Job>) {
    while let Ok(Job { bytes, limits, answer, turn }) = queue.recv() {
        // A decoder that panics has met a file that no program reads.
        let cleaned = catch_unwind(AssertUnwindSafe(|| panel_images::clean(bytes, limits)));
        let cleaned = cleaned.unwrap_or_else(|_| Err(panel_images::unreadable()));
        // The caller may have hung up.
        drop(answer.send(cleaned));
        drop(turn);
    }
}

//! The thread that decodes images, one after the other.
//!
//! All images share one thread: the allocator gives each thread its own memory and returns freed memory only after a while, so large
//! images on changing threads of a pool used the memory of two or three images. [`panel_images::check`] bounds the memory of an
//! image before it waits here.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};

use panel_images::{CleanImage, Limits};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

type Answer = Result<CleanImage, String>;

/// An image that waits for the thread.
struct Job {
    bytes: Vec<u8>,
    limits: Limits,
    answer: oneshot::Sender<Answer>,
    /// Held until the image is decoded: a caller who disconnects does not release the memory that the image still uses.
    permit: OwnedSemaphorePermit,
}

/// Handle of the thread, which ends when the handle is dropped.
pub(super) struct ImageWorker {
    jobs: mpsc::Sender<Job>,
    permits: Arc<Semaphore>,
}

impl ImageWorker {
    pub(super) fn start(permits: Arc<Semaphore>) -> std::io::Result<Self> {
        let (jobs, queue) = mpsc::channel();
        std::thread::Builder::new().name("images".into()).spawn(move || work(&queue))?;
        Ok(Self { jobs, permits })
    }

    /// Waits for the images before this one, then copies the file, decodes it and encodes it again. The outer error is an internal
    /// fault, the inner one names what is wrong with the image.
    pub(super) async fn clean(&self, bytes: &[u8], limits: Limits) -> Result<Answer, String> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|error| error.to_string())?;
        let (answer, cleaned) = oneshot::channel();
        let job = Job { bytes: bytes.to_vec(), limits, answer, permit };
        self.jobs.send(job).map_err(|_| "the image thread ended")?;
        cleaned.await.map_err(|_| "the image thread ended".to_owned())
    }
}

fn work(queue: &mpsc::Receiver<Job>) {
    while let Ok(Job { bytes, limits, answer, permit }) = queue.recv() {
        // A file on which a decoder panics counts as unreadable.
        let cleaned = catch_unwind(AssertUnwindSafe(|| panel_images::clean(bytes, limits)));
        let cleaned = cleaned.unwrap_or_else(|_| Err(panel_images::unreadable()));
        // The caller may have disconnected.
        drop(answer.send(cleaned));
        drop(permit);
    }
}

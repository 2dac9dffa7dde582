//! The thread that decodes images, one after another.
//!
//! All images share one thread. The allocator gives each thread its own memory and returns freed memory only after a while, so
//! large images on different threads of a pool used the memory of two or three images. [`panel_images::check`] limits the memory of
//! an image before the image waits for the thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};

use panel_images::{CleanImage, Limits};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// The error describes what is wrong with the image.
type SanitizeResult = Result<CleanImage, String>;

/// An image that waits for the thread.
struct ImageJob {
    bytes: Vec<u8>,
    limits: Limits,
    result_sender: oneshot::Sender<SanitizeResult>,
    /// Held until the image is decoded, because an image uses its memory even after the caller has disconnected.
    permit: OwnedSemaphorePermit,
}

/// The handle of the thread, which ends when the handle is dropped.
pub(super) struct ImageWorker {
    jobs: mpsc::Sender<ImageJob>,
    permits: Arc<Semaphore>,
}

impl ImageWorker {
    pub(super) fn start(permits: Arc<Semaphore>) -> std::io::Result<Self> {
        let (jobs, queue) = mpsc::channel();
        std::thread::Builder::new().name("images".into()).spawn(move || sanitize_images(&queue))?;
        Ok(Self { jobs, permits })
    }

    /// Waits for the images before this one, then copies the file, decodes it and encodes it again. The outer error is an internal
    /// error; the inner one describes what is wrong with the image.
    pub(super) async fn sanitize(&self, bytes: &[u8], limits: Limits) -> Result<SanitizeResult, String> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|error| error.to_string())?;
        let (result_sender, result_receiver) = oneshot::channel();
        let job = ImageJob { bytes: bytes.to_vec(), limits, result_sender, permit };
        self.jobs.send(job).map_err(|_| "the image thread ended")?;
        result_receiver.await.map_err(|_| "the image thread ended".to_owned())
    }
}

fn sanitize_images(queue: &mpsc::Receiver<ImageJob>) {
    while let Ok(ImageJob { bytes, limits, result_sender, permit }) = queue.recv() {
        // A panic of the decoder means that the file is unreadable.
        let result = catch_unwind(AssertUnwindSafe(|| panel_images::clean(bytes, limits)));
        let result = result.unwrap_or_else(|_| Err(panel_images::unreadable()));
        // Sending fails if the caller has disconnected.
        drop(result_sender.send(result));
        drop(permit);
    }
}

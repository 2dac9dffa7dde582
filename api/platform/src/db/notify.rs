//! Notifications between the processes on one PostgreSQL (LISTEN and NOTIFY). SQLite has one process, and nothing to notify.
//!
//! A notification may be lost while a connection is made again: a listener also looks by itself now and then.

use std::time::Duration;

use sqlx::postgres::{PgListener, PgPool};

use crate::db::{Db, Source as _, Sql};

/// How long after a lost connection the next is tried.
const PAUSE: Duration = Duration::from_secs(1);

/// Sends `payload` to every process that listens on `channel`, this one included.
pub async fn notify(mut db: &Db, channel: &'static str, payload: &str) {
    let sql = Sql::new("SELECT CAST(pg_notify(?, ?) AS TEXT)").bind(channel).bind(payload);
    if let Db::Postgres { .. } = db
        && let Err(error) = db.all::<(String,)>(sql).await
    {
        tracing::warn!(%error, "failed to notify other processes");
    }
}

/// Listens on one channel.
#[derive(Debug)]
pub struct ChannelListener {
    channel: &'static str,
    listener: Option<PgListener>,
}

impl ChannelListener {
    /// Connects when it first listens.
    #[must_use]
    pub fn new(channel: &'static str) -> Self {
        Self { channel, listener: None }
    }

    /// Waits for the next payload; for ever on SQLite, where this process is the only one.
    pub async fn next_payload(&mut self, db: &Db) -> String {
        let Db::Postgres { write: pool, .. } = db else { return std::future::pending().await };
        loop {
            match self.receive(pool).await {
                Ok(payload) => return payload,
                Err(error) => {
                    tracing::warn!(%error, "failed to listen to other processes")
                }
            }
            self.listener = None;
            // No poller: a task that receives waits for its socket, and connects again however long the outage is.
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn receive(&mut self, pool: &PgPool) -> sqlx::Result<String> {
        if self.listener.is_none() {
            let mut listener = PgListener::connect_with(pool).await?;
            listener.listen(self.channel).await?;
            self.listener = Some(listener);
        }
        match &mut self.listener {
            Some(listener) => Ok(listener.recv().await?.payload().to_owned()),
            None => Ok(String::new()),
        }
    }
}

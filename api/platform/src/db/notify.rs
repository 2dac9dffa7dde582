//! Notifications between the processes on one PostgreSQL (LISTEN and NOTIFY). On SQLite there is one process, and this module
//! sends nothing.
//!
//! A notification may be lost while a listener reconnects: the caller must also poll the data at intervals.

use std::time::Duration;

use sqlx::postgres::{PgListener, PgPool};

use crate::db::{Db, Sql, SqlExecutor as _};

/// Delay before a listener reconnects.
const RECONNECT_DELAY: Duration = Duration::from_secs(1);

/// Sends `payload` to every process that listens on `channel`, this one included.
pub async fn notify(mut db: &Db, channel: &'static str, payload: &str) {
    let sql = Sql::new("SELECT CAST(pg_notify(?, ?) AS TEXT)").bind(channel).bind(payload);
    if let Db::Postgres { .. } = db
        && let Err(error) = db.fetch_all::<(String,)>(sql).await
    {
        tracing::warn!(%error, "failed to notify other processes");
    }
}

/// A listener on one channel, which reconnects after an error.
#[derive(Debug)]
pub struct ChannelListener {
    channel: &'static str,
    listener: Option<PgListener>,
}

impl ChannelListener {
    /// Connects at the first call of [`Self::next_payload`].
    #[must_use]
    pub fn new(channel: &'static str) -> Self {
        Self { channel, listener: None }
    }

    /// Waits for the next payload. On SQLite, where this process is the only one, it never returns.
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
            // Not a poller: this task waits for its socket, and reconnects however long the outage is.
            tokio::time::sleep(RECONNECT_DELAY).await;
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

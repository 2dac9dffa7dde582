//! Words between the processes on one PostgreSQL (LISTEN and NOTIFY). SQLite has one process and nobody to tell.
//!
//! A word may be lost while a connection is made again: whoever listens looks for himself now and then.

use std::time::Duration;

use sqlx::postgres::{PgListener, PgPool};

use crate::db::{Db, Source as _, Sql};

/// How long after a lost connection the next is tried.
const PAUSE: Duration = Duration::from_secs(1);

/// Says something to every process that listens, this one included.
pub async fn say(mut db: &Db, channel: &'static str, text: &str) {
    let sql = Sql::new("SELECT CAST(pg_notify(?, ?) AS TEXT)").bind(channel).bind(text);
    if let Db::Postgres { .. } = db
        && let Err(error) = db.all::<(String,)>(sql).await
    {
        tracing::warn!(%error, "other processes cannot be told");
    }
}

/// Listens on one channel.
#[derive(Debug)]
pub struct Ear {
    channel: &'static str,
    listener: Option<PgListener>,
}

impl Ear {
    /// Connects when it first listens.
    #[must_use]
    pub fn new(channel: &'static str) -> Self {
        Self { channel, listener: None }
    }

    /// Waits for the next word; for ever where there is nobody else.
    pub async fn hear(&mut self, db: &Db) -> String {
        let Db::Postgres { pool, .. } = db else { return std::future::pending().await };
        loop {
            match self.next(pool).await {
                Ok(word) => return word,
                Err(error) => tracing::warn!(%error, "other processes cannot be heard"),
            }
            self.listener = None;
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn next(&mut self, pool: &PgPool) -> sqlx::Result<String> {
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

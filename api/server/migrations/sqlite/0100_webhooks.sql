-- Webhooks: who is told of what, the events they are told of, and each event's way to each of them.

CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL,
  types TEXT NOT NULL DEFAULT '[]',
  is_active INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  -- Why the panel switched it off: a receiver that failed for days, or one that answered 410.
  switched_off TEXT CHECK (switched_off IN ('failed', 'gone')),
  secret_sealed BLOB,
  old_secret_sealed BLOB,
  old_secret_until INTEGER,
  failing_since INTEGER,
  paused_until INTEGER,
  last_delivered_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE webhook_events (
  id INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_events_created ON webhook_events (created_at);

-- No reference to the webhook: an order is never kept waiting, or refused, because a webhook is just being deleted.
CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY,
  webhook_id INTEGER NOT NULL,
  event_id INTEGER NOT NULL REFERENCES webhook_events (id),
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  response_status INTEGER,
  error TEXT,
  log TEXT NOT NULL DEFAULT '[]',
  next_attempt_at INTEGER,
  attempted_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);

-- Each kind of job is a queue of its own: mail does not wait behind ten thousand deliveries.
CREATE INDEX jobs_queue ON jobs (kind, run_at, id) WHERE done_at IS NULL AND dead_at IS NULL;
DROP INDEX jobs_due;
CREATE INDEX jobs_dead ON jobs (kind) WHERE dead_at IS NOT NULL;

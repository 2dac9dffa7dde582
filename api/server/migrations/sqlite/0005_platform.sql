-- Platform: audit trail, change log, idempotency, jobs (the outbox too), saved views.

CREATE TABLE audits (
  id INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  user_id INTEGER REFERENCES users (id),
  ip_address TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  request_id TEXT NOT NULL,
  event TEXT NOT NULL,
  auditable_type TEXT NOT NULL,
  auditable_id INTEGER NOT NULL,
  old_values TEXT NOT NULL,
  new_values TEXT NOT NULL
) STRICT;
CREATE INDEX audits_record ON audits (auditable_type, auditable_id, id);

CREATE TABLE change_logs (
  id INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  user_id INTEGER REFERENCES users (id),
  action_type TEXT NOT NULL,
  type TEXT NOT NULL,
  target_id INTEGER NOT NULL,
  information TEXT,
  old_value TEXT,
  new_value TEXT
) STRICT;

CREATE TABLE idempotency (
  actor_id INTEGER NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  key TEXT NOT NULL,
  body_hash BLOB NOT NULL,
  status INTEGER,
  response TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (actor_id, method, path, key)
) STRICT;
CREATE INDEX idempotency_created ON idempotency (created_at);

CREATE TABLE jobs (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  run_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER,
  leased_by TEXT,
  last_error TEXT,
  done_at INTEGER,
  dead_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE done_at IS NULL AND dead_at IS NULL;
CREATE INDEX jobs_done ON jobs (done_at) WHERE done_at IS NOT NULL;

CREATE TABLE saved_views (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  list TEXT NOT NULL,
  name TEXT NOT NULL,
  query TEXT NOT NULL,
  columns TEXT NOT NULL DEFAULT '[]',
  is_shared INTEGER NOT NULL DEFAULT 0 CHECK (is_shared IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (user_id, list, name)
) STRICT;

-- Platform: audit trail, change log, idempotency, jobs, webhooks, processes and quarantine.

CREATE TABLE audits (
  -- An entry of the audit trail: who changed what, from where. Append-only; the audit module writes it in the
  -- transaction of the change. Secrets are never written.

  id INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  -- The member of staff; NULL for the system.
  user_id INTEGER REFERENCES users (id),
  ip_address TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  -- Id of the request, as in its response and in the log.
  request_id TEXT NOT NULL,
  -- What happened, such as 'order.canceled'.
  event TEXT NOT NULL,
  -- Kind of the record, such as 'order'.
  auditable_type TEXT NOT NULL,
  -- Id of the record.
  auditable_id INTEGER NOT NULL,
  -- JSON object of the changed fields before.
  old_values TEXT NOT NULL,
  -- JSON object of the changed fields after.
  new_values TEXT NOT NULL,
  -- Data for the undo of the change: JSON object of the permission and of the record's state before and after; for an undo
  -- itself the entry that it undoes, as '{"undoes":7}'; NULL for a change that cannot be undone.
  restores TEXT
) STRICT;
CREATE INDEX audits_record ON audits (auditable_type, auditable_id, id);
CREATE INDEX audits_event ON audits (event, id);
CREATE INDEX audits_user ON audits (user_id, id);
CREATE INDEX audits_target ON audits (auditable_id, id);
CREATE INDEX audits_created ON audits (created_at, id);
CREATE INDEX audits_ip ON audits (ip_address, id);
CREATE INDEX audits_undo ON audits (request_id, id) WHERE restores IS NOT NULL;

-- Append-only: triggers reject changes.
CREATE TRIGGER keep_audits_update BEFORE UPDATE ON audits BEGIN SELECT RAISE(ABORT, 'audits is append-only'); END;
CREATE TRIGGER keep_audits_delete BEFORE DELETE ON audits BEGIN SELECT RAISE(ABORT, 'audits is append-only'); END;

-- Materialized counts.
CREATE TRIGGER count_audits_insert AFTER INSERT ON audits BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'audits', '', -1, 1 UNION ALL SELECT 'audits', '', new.id / 8192, 1
    UNION ALL SELECT 'audits', new.auditable_type, -1, 1
    UNION ALL SELECT 'audits', new.auditable_type, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

CREATE TABLE audit_seals (
  -- A link of the hash chain over the audit trail: it seals up to a thousand entries after the link before it.
  -- Append-only; the sealer writes it in the background. It reveals later changes; it cannot prevent them.

  -- Counts from 1 without gaps.
  id INTEGER PRIMARY KEY,
  -- The first sealed entry of audits.
  first_id INTEGER NOT NULL,
  -- The last sealed entry of audits.
  last_id INTEGER NOT NULL UNIQUE,
  -- Number of sealed entries.
  n INTEGER NOT NULL,
  -- Keyed hash over the link before and the entries; the key is not in the database.
  hash BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- Append-only: triggers reject changes.
CREATE TRIGGER keep_audit_seals_update BEFORE UPDATE ON audit_seals BEGIN
  SELECT RAISE(ABORT, 'audit_seals is append-only');
END;
CREATE TRIGGER keep_audit_seals_delete BEFORE DELETE ON audit_seals BEGIN
  SELECT RAISE(ABORT, 'audit_seals is append-only');
END;

CREATE TABLE retention_cutoffs (
  -- Up to when records of an append-only table may be removed. The daily run of retention moves it ahead before it
  -- removes them; the database rejects the removal of newer ones.

  -- The table.
  tbl TEXT NOT NULL PRIMARY KEY,
  before_at INTEGER NOT NULL
) STRICT;

CREATE TABLE change_logs (
  -- A change of a record of the catalogue, field by field. Append-only; written in the transaction of the change,
  -- beside the audit entry, and without a hash chain.

  id INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  -- The member of staff; NULL for the system.
  user_id INTEGER REFERENCES users (id),
  action_type TEXT NOT NULL,
  -- Kind of the record.
  type TEXT NOT NULL,
  -- Id of the record.
  target_id INTEGER NOT NULL,
  -- Name of the record, or of the field that changed.
  information TEXT,
  old_value TEXT,
  new_value TEXT
) STRICT;
CREATE INDEX change_logs_record ON change_logs (type, target_id, id);
CREATE INDEX change_logs_action ON change_logs (action_type, id);
CREATE INDEX change_logs_target ON change_logs (target_id, id);
CREATE INDEX change_logs_user ON change_logs (user_id, id);
CREATE INDEX change_logs_created ON change_logs (created_at, id);

-- Text search: a trigram index without a copy of the text; rowid is the id.
CREATE VIRTUAL TABLE change_logs_fts USING fts5(information, old_value, new_value,
  content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_change_logs_insert AFTER INSERT ON change_logs BEGIN
  INSERT INTO change_logs_fts (rowid, information, old_value, new_value)
    VALUES (new.id, new.information, new.old_value, new.new_value);
END;

-- Append-only: triggers reject changes.
CREATE TRIGGER keep_change_logs_update BEFORE UPDATE ON change_logs BEGIN
  SELECT RAISE(ABORT, 'change_logs is append-only');
END;
CREATE TRIGGER keep_change_logs_delete BEFORE DELETE ON change_logs
WHEN old.created_at >= COALESCE((SELECT before_at FROM retention_cutoffs WHERE tbl = 'change_logs'), 0) BEGIN
  SELECT RAISE(ABORT, 'change_logs is append-only');
END;
CREATE TRIGGER search_change_logs_delete AFTER DELETE ON change_logs BEGIN
  DELETE FROM change_logs_fts WHERE rowid = old.id;
END;

-- Materialized counts.
CREATE TRIGGER count_change_logs_insert AFTER INSERT ON change_logs BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'change_logs', '', -1, 1
    UNION ALL SELECT 'change_logs', '', new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_change_logs_delete AFTER DELETE ON change_logs BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'change_logs', '', -1, -1
    UNION ALL SELECT 'change_logs', '', old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

CREATE TABLE idempotency (
  -- A request with an Idempotency-Key and its response: a repetition gets the stored response. Written in the transaction
  -- of the request; deleted after a week.

  -- The user; 0 for requests without one.
  actor_id INTEGER NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  key TEXT NOT NULL,
  -- Hash of the request body: the server rejects the same key with another body.
  body_hash BLOB NOT NULL,
  -- HTTP status of the response; NULL until the request is completed.
  status INTEGER,
  -- Body of the response.
  response TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (actor_id, method, path, key)
) STRICT;
CREATE INDEX idempotency_created ON idempotency (created_at);

CREATE TABLE jobs (
  -- A background job: the transactional outbox of emails, webhook deliveries, notifications and other work. Written
  -- in the transaction that causes it; a worker claims due jobs with a lease. Done jobs are deleted after a week.

  id INTEGER PRIMARY KEY,
  -- Name of the job, which is also its queue.
  kind TEXT NOT NULL,
  -- JSON of the job.
  payload TEXT NOT NULL,
  -- When it is due.
  run_at INTEGER NOT NULL,
  -- How often it was tried, with the current attempt.
  attempts INTEGER NOT NULL DEFAULT 0,
  -- Until when the worker has the job; other workers may claim it afterwards.
  lease_until INTEGER,
  -- The process that has the lease.
  leased_by TEXT,
  last_error TEXT,
  done_at INTEGER,
  -- When it was given up.
  dead_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_done ON jobs (done_at) WHERE done_at IS NOT NULL;
-- Each kind is a queue of its own, so that emails do not wait behind ten thousand deliveries.
CREATE INDEX jobs_queue ON jobs (kind, run_at, id) WHERE done_at IS NULL AND dead_at IS NULL;
CREATE INDEX jobs_dead ON jobs (kind) WHERE dead_at IS NOT NULL;
CREATE INDEX jobs_given_up ON jobs (dead_at) WHERE dead_at IS NOT NULL;
-- Lists the kinds of jobs, and the jobs of one kind.
CREATE INDEX jobs_kind ON jobs (kind, id);

-- Text search: a trigram index without a copy of the text; rowid is the id.
CREATE VIRTUAL TABLE jobs_fts USING fts5(last_error, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_jobs_insert AFTER INSERT ON jobs WHEN new.last_error IS NOT NULL BEGIN
  INSERT INTO jobs_fts (rowid, last_error) VALUES (new.id, new.last_error);
END;
CREATE TRIGGER search_jobs_update AFTER UPDATE OF last_error ON jobs WHEN old.last_error IS NOT new.last_error BEGIN
  DELETE FROM jobs_fts WHERE rowid = old.id;
  INSERT INTO jobs_fts (rowid, last_error) VALUES (new.id, new.last_error);
END;
CREATE TRIGGER search_jobs_delete AFTER DELETE ON jobs WHEN old.last_error IS NOT NULL BEGIN
  DELETE FROM jobs_fts WHERE rowid = old.id;
END;

CREATE TABLE webhooks (
  -- An address that receives events. Staff write it; deliveries update its health.

  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL,
  -- JSON list of event types that it receives.
  types TEXT NOT NULL DEFAULT '[]',
  is_active INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  -- Why the panel deactivated it: failures for days, or the response 410.
  auto_disabled TEXT CHECK (auto_disabled IN ('failed', 'gone')),
  -- Secret that signs deliveries, encrypted with the panel's secret key.
  secret_sealed BLOB,
  -- The secret before the last rotation, which signs as well until old_secret_until.
  old_secret_sealed BLOB,
  old_secret_until INTEGER,
  -- Since when every delivery failed.
  failing_since INTEGER,
  -- No delivery is sent before this time.
  paused_until INTEGER,
  last_delivered_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- When a delivery last failed: after a long time without deliveries, failing_since starts again.
  last_failed_at INTEGER
) STRICT;

CREATE TABLE webhook_events (
  -- An event that at least one webhook receives. Written in the transaction of the change; deleted with its
  -- deliveries.

  id INTEGER PRIMARY KEY,
  -- The `webhook-id` header: the same for every attempt.
  message_id TEXT NOT NULL,
  type TEXT NOT NULL,
  -- JSON; the same bytes for every attempt.
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_events_created ON webhook_events (created_at);

-- Text search: a trigram index without a copy of the text; rowid is the id.
CREATE VIRTUAL TABLE webhook_events_fts USING fts5(message_id,
  content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_webhook_events_insert AFTER INSERT ON webhook_events BEGIN
  INSERT INTO webhook_events_fts (rowid, message_id) VALUES (new.id, new.message_id);
END;
CREATE TRIGGER search_webhook_events_delete AFTER DELETE ON webhook_events BEGIN
  DELETE FROM webhook_events_fts WHERE rowid = old.id;
END;

CREATE TABLE webhook_deliveries (
  -- An event on its way to one webhook. There is no foreign key to the webhook, so that the transaction of an order
  -- never waits for, or fails because of, a webhook that is being deleted.

  id INTEGER PRIMARY KEY,
  webhook_id INTEGER NOT NULL,
  event_id INTEGER NOT NULL REFERENCES webhook_events (id),
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  -- HTTP status of the last response; NULL without a response.
  response_status INTEGER,
  -- Why the last attempt failed.
  error TEXT,
  -- JSON list of the last attempts, at most 20.
  log TEXT NOT NULL DEFAULT '[]',
  next_attempt_at INTEGER,
  attempted_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);

CREATE TABLE processes (
  -- A process that works on this database. Each process updates its row every ten seconds; rows that are 35 seconds
  -- old belong to ended processes. Processes divide shared rate limits by the number of rows.

  -- Random id of the process.
  instance TEXT NOT NULL PRIMARY KEY,
  heartbeat_at INTEGER NOT NULL
) STRICT;

CREATE TABLE claimed_batches (
  -- A batch of records that a poller claimed and works on outside of a transaction: inserted with the claim, deleted
  -- when the work ended. A row of an ended process shows which records it worked on when it died.

  id INTEGER PRIMARY KEY,
  -- The process, as in processes.
  instance TEXT NOT NULL,
  -- Name of the poller.
  poller TEXT NOT NULL,
  -- Ids between commas: ',1,2,'.
  record_ids TEXT NOT NULL,
  claimed_at INTEGER NOT NULL
) STRICT;

CREATE TABLE quarantine (
  -- A record whose processing may have ended a process. No poller claims it: a separate process tries it alone, and a
  -- record that ends that process too waits for staff. Ids are never reused, so that a late release cannot mean
  -- another record.

  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Name of the poller that claims the record.
  poller TEXT NOT NULL,
  -- Id in the table of that poller.
  record_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('suspected', 'trying', 'quarantined')),
  -- Number of processes that died while they worked on it.
  crashes INTEGER NOT NULL,
  first_crash_at INTEGER NOT NULL,
  -- 'suspected': when it is tried alone. 'trying': when the process that tries it must have ended.
  retry_at INTEGER,
  -- How the separate process ended, and its last output.
  reason TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (poller, record_id)
) STRICT;
CREATE INDEX quarantine_status ON quarantine (status, retry_at);

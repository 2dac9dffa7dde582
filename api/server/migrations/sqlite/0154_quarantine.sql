-- What a process works on beyond a transaction: one row for each batch that it claimed, deleted once the batch was worked
-- on. What is left of a process that is gone died with it.
CREATE TABLE claimed_batches (
  id INTEGER PRIMARY KEY,
  instance TEXT NOT NULL,
  poller TEXT NOT NULL,
  -- Ids between commas: ",1,2,".
  record_ids TEXT NOT NULL,
  claimed_at INTEGER NOT NULL
) STRICT;

-- Records whose work may have ended a process: no poller claims them until they are released. An id is never given twice,
-- so that a late release does not mean another record.
CREATE TABLE quarantine (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  poller TEXT NOT NULL,
  record_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('suspected', 'trying', 'quarantined')),
  deaths INTEGER NOT NULL,
  first_death_at INTEGER NOT NULL,
  -- Suspected: when it is tried alone. Trying: when whoever tries it must have ended.
  retry_at INTEGER,
  reason TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (poller, record_id)
) STRICT;

CREATE INDEX quarantine_status ON quarantine (status, retry_at);

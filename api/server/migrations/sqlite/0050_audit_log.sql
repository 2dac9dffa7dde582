-- The audit log: indexes for its filters, rows counted by the kind of record, and the chain of seals over it.
-- The change log: the same without a chain.

CREATE INDEX audits_event ON audits (event, id);
CREATE INDEX audits_user ON audits (user_id, id);
CREATE INDEX audits_target ON audits (auditable_id, id);
CREATE INDEX audits_created ON audits (created_at, id);
CREATE INDEX audits_ip ON audits (ip_address, id);

-- Each seals the entries behind the one before: a keyed hash over that one's hash and the entries.
CREATE TABLE audit_seals (
  id INTEGER PRIMARY KEY,
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL UNIQUE,
  n INTEGER NOT NULL,
  hash BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER keep_audit_seals_update BEFORE UPDATE ON audit_seals BEGIN SELECT RAISE(ABORT, 'audit_seals is append-only'); END;
CREATE TRIGGER keep_audit_seals_delete BEFORE DELETE ON audit_seals BEGIN SELECT RAISE(ABORT, 'audit_seals is append-only'); END;

CREATE INDEX change_logs_record ON change_logs (type, target_id, id);
CREATE INDEX change_logs_action ON change_logs (action_type, id);
CREATE INDEX change_logs_target ON change_logs (target_id, id);
CREATE INDEX change_logs_user ON change_logs (user_id, id);
CREATE INDEX change_logs_created ON change_logs (created_at, id);
CREATE TRIGGER keep_change_logs_update BEFORE UPDATE ON change_logs BEGIN SELECT RAISE(ABORT, 'change_logs is append-only'); END;
CREATE TRIGGER keep_change_logs_delete BEFORE DELETE ON change_logs BEGIN SELECT RAISE(ABORT, 'change_logs is append-only'); END;

DROP TRIGGER count_audits_insert;
CREATE TRIGGER count_audits_insert AFTER INSERT ON audits BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'audits', '', -1, 1 UNION ALL SELECT 'audits', '', new.id / 8192, 1 UNION ALL SELECT 'audits', new.auditable_type, -1, 1 UNION ALL SELECT 'audits', new.auditable_type, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_change_logs_insert AFTER INSERT ON change_logs BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'change_logs', '', -1, 1 UNION ALL SELECT 'change_logs', '', new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

-- What is there already.
INSERT INTO row_counts (tbl, grp, block, n) SELECT 'audits', auditable_type, id / 8192, count(*) FROM audits GROUP BY auditable_type, id / 8192;
INSERT INTO row_counts (tbl, grp, block, n) SELECT 'audits', auditable_type, -1, count(*) FROM audits GROUP BY auditable_type;
INSERT INTO row_counts (tbl, grp, block, n) SELECT 'change_logs', '', id / 8192, count(*) FROM change_logs GROUP BY id / 8192;
INSERT INTO row_counts (tbl, grp, block, n) SELECT 'change_logs', '', -1, count(*) FROM change_logs HAVING count(*) > 0;

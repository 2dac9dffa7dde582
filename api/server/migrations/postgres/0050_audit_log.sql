-- The audit log: indexes for its filters, rows counted by the kind of record, and the chain of seals over it.
-- The change log: the same without a chain.

-- Nobody writes to either between the count of what is there and the new triggers.
LOCK TABLE audits, change_logs IN SHARE ROW EXCLUSIVE MODE;

CREATE INDEX audits_event ON audits (event, id);
CREATE INDEX audits_user ON audits (user_id, id);
CREATE INDEX audits_target ON audits (auditable_id, id);
CREATE INDEX audits_created ON audits (created_at, id);
CREATE INDEX audits_ip ON audits (ip_address, id);

-- Each seals the entries behind the one before: a keyed hash over that one's hash and the entries.
CREATE TABLE audit_seals (
  id BIGINT NOT NULL PRIMARY KEY,
  first_id BIGINT NOT NULL,
  last_id BIGINT NOT NULL UNIQUE,
  n BIGINT NOT NULL,
  hash BYTEA NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE TRIGGER keep_audit_seals BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals FOR EACH STATEMENT EXECUTE FUNCTION keep_append_only();

CREATE INDEX change_logs_record ON change_logs (type, target_id, id);
CREATE INDEX change_logs_action ON change_logs (action_type, id);
CREATE INDEX change_logs_target ON change_logs (target_id, id);
CREATE INDEX change_logs_user ON change_logs (user_id, id);
CREATE INDEX change_logs_created ON change_logs (created_at, id);
CREATE TRIGGER keep_change_logs BEFORE UPDATE OR DELETE OR TRUNCATE ON change_logs FOR EACH STATEMENT EXECUTE FUNCTION keep_append_only();

CREATE OR REPLACE FUNCTION count_audits_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'audits', g.grp, b.block, count(*) FROM new_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE), (r.auditable_type, TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE FUNCTION count_change_logs_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'change_logs', '', b.block, count(*) FROM new_rows r
    CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block) GROUP BY b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_change_logs_insert AFTER INSERT ON change_logs REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_change_logs_insert();

-- What is there already.
INSERT INTO row_counts (tbl, grp, block, n) SELECT 'audits', auditable_type, id / 8192, count(*) FROM audits GROUP BY auditable_type, id / 8192;
INSERT INTO row_counts (tbl, grp, block, n) SELECT 'audits', auditable_type, -1, count(*) FROM audits GROUP BY auditable_type;
INSERT INTO row_counts (tbl, grp, block, n) SELECT 'change_logs', '', id / 8192, count(*) FROM change_logs GROUP BY id / 8192;
INSERT INTO row_counts (tbl, grp, block, n) SELECT 'change_logs', '', -1, count(*) FROM change_logs HAVING count(*) > 0;

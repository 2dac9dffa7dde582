-- Attempts at external panels as a list of their own, and what is usual for a service.

CREATE INDEX external_panel_orders_provider ON external_panel_orders (provider_id, id);
CREATE INDEX external_panel_orders_panel ON external_panel_orders (external_panel_id, id);
CREATE INDEX external_panel_orders_status ON external_panel_orders (status, id);
CREATE INDEX external_panel_orders_created ON external_panel_orders (created_at, id);
CREATE INDEX external_panel_orders_external ON external_panel_orders (external_order_id) WHERE external_order_id IS NOT NULL;
-- What is open now: few, however many there were.
CREATE INDEX external_panel_orders_open_provider ON external_panel_orders (provider_id, id)
  WHERE status IN ('Creating', 'Pending', 'In progress', 'Processing');
-- What ended in the last days, for reports.
CREATE INDEX external_panel_orders_ended ON external_panel_orders (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX provider_statistics_provider ON provider_statistics (provider_id, day);

-- After how long an open attempt of a service is late: made anew from the last days every ten minutes.
CREATE TABLE service_paces (
  service_id BIGINT NOT NULL PRIMARY KEY REFERENCES services (id),
  attempts BIGINT NOT NULL,
  late_after BIGINT NOT NULL
);

-- Kept counts, as in 0007_counts.sql.
CREATE FUNCTION count_external_panel_orders_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'external_panel_orders', g.grp, b.block, count(*) FROM new_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE), (r.status, TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_external_panel_orders_insert AFTER INSERT ON external_panel_orders REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_external_panel_orders_insert();
CREATE FUNCTION count_external_panel_orders_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'external_panel_orders', g.grp, b.block, -count(*) FROM old_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE), (r.status, TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_external_panel_orders_delete AFTER DELETE ON external_panel_orders REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_external_panel_orders_delete();
CREATE FUNCTION count_external_panel_orders_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'external_panel_orders', g.grp, b.block, sum(r.n) FROM (SELECT id, status, -1 AS n FROM old_rows UNION ALL SELECT id, status, 1 FROM new_rows) r
    CROSS JOIN LATERAL (VALUES (r.status, TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block HAVING sum(r.n) <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER count_external_panel_orders_update AFTER UPDATE ON external_panel_orders REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_external_panel_orders_update();
INSERT INTO row_counts (tbl, grp, block, n)
  SELECT 'external_panel_orders', '', id / 8192, count(*) FROM external_panel_orders GROUP BY id / 8192
  UNION ALL SELECT 'external_panel_orders', '', -1, count(*) FROM external_panel_orders HAVING count(*) > 0
  UNION ALL SELECT 'external_panel_orders', status, id / 8192, count(*) FROM external_panel_orders GROUP BY status, id / 8192
  UNION ALL SELECT 'external_panel_orders', status, -1, count(*) FROM external_panel_orders GROUP BY status;

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
  service_id INTEGER NOT NULL PRIMARY KEY REFERENCES services (id),
  attempts INTEGER NOT NULL,
  late_after INTEGER NOT NULL
) STRICT;

-- Kept counts, as in 0007_counts.sql.
CREATE TRIGGER count_external_panel_orders_insert AFTER INSERT ON external_panel_orders BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'external_panel_orders', '', -1, 1 UNION ALL SELECT 'external_panel_orders', '', new.id / 8192, 1 UNION ALL SELECT 'external_panel_orders', new.status, -1, 1 UNION ALL SELECT 'external_panel_orders', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_external_panel_orders_delete AFTER DELETE ON external_panel_orders BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'external_panel_orders', '', -1, -1 UNION ALL SELECT 'external_panel_orders', '', old.id / 8192, -1 UNION ALL SELECT 'external_panel_orders', old.status, -1, -1 UNION ALL SELECT 'external_panel_orders', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_external_panel_orders_move AFTER UPDATE OF status ON external_panel_orders WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'external_panel_orders', old.status, -1, -1 UNION ALL SELECT 'external_panel_orders', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'external_panel_orders', new.status, -1, 1 UNION ALL SELECT 'external_panel_orders', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
INSERT INTO row_counts (tbl, grp, block, n)
  SELECT 'external_panel_orders', '', id / 8192, count(*) FROM external_panel_orders GROUP BY id / 8192
  UNION ALL SELECT 'external_panel_orders', '', -1, count(*) FROM external_panel_orders HAVING count(*) > 0
  UNION ALL SELECT 'external_panel_orders', status, id / 8192, count(*) FROM external_panel_orders GROUP BY status, id / 8192
  UNION ALL SELECT 'external_panel_orders', status, -1, count(*) FROM external_panel_orders GROUP BY status;

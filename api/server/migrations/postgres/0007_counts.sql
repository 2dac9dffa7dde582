-- Kept counts (see ARCHITECTURE.md "Counts"): rows per table, group and block of 8,192 ids; block -1 is the group's
-- total, group '' all rows. Nothing on the way of a request counts rows that are kept here.

CREATE TABLE row_counts (
  tbl TEXT NOT NULL,
  grp TEXT NOT NULL,
  block BIGINT NOT NULL,
  n BIGINT NOT NULL,
  PRIMARY KEY (tbl, grp, block)
);

CREATE TABLE order_days (
  day BIGINT NOT NULL,
  status TEXT NOT NULL,
  n BIGINT NOT NULL,
  cost BIGINT NOT NULL,
  refunded BIGINT NOT NULL,
  provider_cost BIGINT NOT NULL,
  quantity BIGINT NOT NULL,
  PRIMARY KEY (day, status)
);

CREATE TABLE user_order_counts (
  user_id BIGINT NOT NULL PRIMARY KEY,
  n BIGINT NOT NULL
);

-- PostgreSQL appends what changed here, so that no counter row serialises writers; a fold adds it up every second
-- and readers add what is not folded yet. SQLite has one writer and counts directly: there these stay empty.
CREATE TABLE row_count_deltas (
  tbl TEXT NOT NULL,
  grp TEXT NOT NULL,
  block BIGINT NOT NULL,
  n BIGINT NOT NULL
);
CREATE TABLE order_day_deltas (
  day BIGINT NOT NULL,
  status TEXT NOT NULL,
  n BIGINT NOT NULL,
  cost BIGINT NOT NULL,
  refunded BIGINT NOT NULL,
  provider_cost BIGINT NOT NULL,
  quantity BIGINT NOT NULL
);
CREATE TABLE user_order_count_deltas (
  user_id BIGINT NOT NULL,
  n BIGINT NOT NULL
);

CREATE FUNCTION count_orders_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'orders', g.grp, b.block, count(*) FROM new_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE), (r.status, TRUE), ('no_active_providers', r.has_no_active_providers), ('child_panel', r.is_child_panel)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  INSERT INTO order_day_deltas (day, status, n, cost, refunded, provider_cost, quantity)
    SELECT r.created_at / 86400000000, r.status, count(*), sum(r.cost), sum(r.refunded), sum(r.provider_cost), sum(r.quantity)
    FROM new_rows r GROUP BY 1, 2;
  INSERT INTO user_order_count_deltas (user_id, n) SELECT user_id, count(*) FROM new_rows GROUP BY user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER count_orders_insert AFTER INSERT ON orders REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_orders_insert();
CREATE FUNCTION count_orders_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'orders', g.grp, b.block, -count(*) FROM old_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE), (r.status, TRUE), ('no_active_providers', r.has_no_active_providers), ('child_panel', r.is_child_panel)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  INSERT INTO order_day_deltas (day, status, n, cost, refunded, provider_cost, quantity)
    SELECT r.created_at / 86400000000, r.status, -count(*), -sum(r.cost), -sum(r.refunded), -sum(r.provider_cost), -sum(r.quantity)
    FROM old_rows r GROUP BY 1, 2;
  INSERT INTO user_order_count_deltas (user_id, n) SELECT user_id, -count(*) FROM old_rows GROUP BY user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER count_orders_delete AFTER DELETE ON orders REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_orders_delete();
-- Updates add up old rows taken away and new rows added: what did not move is zero and leaves no delta. No join, as
-- the plan is kept by the connection: a join planned for one order would be quadratic for ten thousand.
CREATE FUNCTION count_orders_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'orders', g.grp, b.block, sum(r.n) FROM (SELECT id, status, has_no_active_providers, -1 AS n FROM old_rows UNION ALL SELECT id, status, has_no_active_providers, 1 FROM new_rows) r
    CROSS JOIN LATERAL (VALUES (r.status, TRUE), ('no_active_providers', r.has_no_active_providers)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block HAVING sum(r.n) <> 0;
  INSERT INTO order_day_deltas (day, status, n, cost, refunded, provider_cost, quantity)
    SELECT * FROM (
      SELECT r.created_at / 86400000000, r.status, sum(r.n) AS n, sum(r.n * r.cost) AS cost, sum(r.n * r.refunded) AS refunded,
        sum(r.n * r.provider_cost) AS provider_cost, sum(r.n * r.quantity) AS quantity
      FROM (SELECT created_at, status, cost, refunded, provider_cost, quantity, -1 AS n FROM old_rows
        UNION ALL SELECT created_at, status, cost, refunded, provider_cost, quantity, 1 FROM new_rows) r GROUP BY 1, 2) d
    WHERE d.n <> 0 OR d.cost <> 0 OR d.refunded <> 0 OR d.provider_cost <> 0 OR d.quantity <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER count_orders_update AFTER UPDATE ON orders REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_orders_update();
CREATE FUNCTION count_users_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'users', g.grp, b.block, count(*) FROM new_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE), (r.status, TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_users_insert AFTER INSERT ON users REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_users_insert();
CREATE FUNCTION count_users_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'users', g.grp, b.block, -count(*) FROM old_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE), (r.status, TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_users_delete AFTER DELETE ON users REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_users_delete();
CREATE FUNCTION count_users_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'users', g.grp, b.block, sum(r.n) FROM (SELECT id, status, -1 AS n FROM old_rows UNION ALL SELECT id, status, 1 FROM new_rows) r
    CROSS JOIN LATERAL (VALUES (r.status, TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block HAVING sum(r.n) <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER count_users_update AFTER UPDATE ON users REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_users_update();
CREATE FUNCTION count_free_trials_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'free_trials', g.grp, b.block, count(*) FROM new_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE), (r.status, TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_free_trials_insert AFTER INSERT ON free_trials REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_free_trials_insert();
CREATE FUNCTION count_free_trials_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'free_trials', g.grp, b.block, -count(*) FROM old_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE), (r.status, TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_free_trials_delete AFTER DELETE ON free_trials REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_free_trials_delete();
CREATE FUNCTION count_free_trials_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'free_trials', g.grp, b.block, sum(r.n) FROM (SELECT id, status, -1 AS n FROM old_rows UNION ALL SELECT id, status, 1 FROM new_rows) r
    CROSS JOIN LATERAL (VALUES (r.status, TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block HAVING sum(r.n) <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER count_free_trials_update AFTER UPDATE ON free_trials REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_free_trials_update();
CREATE FUNCTION count_ledger_entries_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'ledger_entries', g.grp, b.block, count(*) FROM new_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts
      AND r.account IN ('main', 'task', 'referral') GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_ledger_entries_insert AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_ledger_entries_insert();
CREATE FUNCTION count_audits_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'audits', g.grp, b.block, count(*) FROM new_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_audits_insert AFTER INSERT ON audits REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_audits_insert();

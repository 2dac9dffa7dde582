-- Kept counts (see ARCHITECTURE.md "Counts"): rows per table, group and block of 8,192 ids; block -1 is the group's
-- total, group '' all rows. Nothing on the way of a request counts rows that are kept here.

CREATE TABLE row_counts (
  tbl TEXT NOT NULL,
  grp TEXT NOT NULL,
  block INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (tbl, grp, block)
) STRICT;

CREATE TABLE order_days (
  day INTEGER NOT NULL,
  status TEXT NOT NULL,
  n INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  refunded INTEGER NOT NULL,
  provider_cost INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  PRIMARY KEY (day, status)
) STRICT;

CREATE TABLE user_order_counts (
  user_id INTEGER NOT NULL PRIMARY KEY,
  n INTEGER NOT NULL
) STRICT;

-- PostgreSQL appends what changed here, so that no counter row serialises writers; a fold adds it up every second
-- and readers add what is not folded yet. SQLite has one writer and counts directly: there these stay empty.
CREATE TABLE row_count_deltas (
  tbl TEXT NOT NULL,
  grp TEXT NOT NULL,
  block INTEGER NOT NULL,
  n INTEGER NOT NULL
) STRICT;
CREATE TABLE order_day_deltas (
  day INTEGER NOT NULL,
  status TEXT NOT NULL,
  n INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  refunded INTEGER NOT NULL,
  provider_cost INTEGER NOT NULL,
  quantity INTEGER NOT NULL
) STRICT;
CREATE TABLE user_order_count_deltas (
  user_id INTEGER NOT NULL,
  n INTEGER NOT NULL
) STRICT;

CREATE TRIGGER count_orders_insert AFTER INSERT ON orders BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'orders', '', -1, 1 UNION ALL SELECT 'orders', '', new.id / 8192, 1 UNION ALL SELECT 'orders', new.status, -1, 1 UNION ALL SELECT 'orders', new.status, new.id / 8192, 1 UNION ALL SELECT 'orders', 'no_active_providers', -1, 1 WHERE new.has_no_active_providers UNION ALL SELECT 'orders', 'no_active_providers', new.id / 8192, 1 WHERE new.has_no_active_providers UNION ALL SELECT 'orders', 'child_panel', -1, 1 WHERE new.is_child_panel UNION ALL SELECT 'orders', 'child_panel', new.id / 8192, 1 WHERE new.is_child_panel) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO order_days (day, status, n, cost, refunded, provider_cost, quantity)
    VALUES (new.created_at / 86400000000, new.status, 1, new.cost, new.refunded, new.provider_cost, new.quantity)
    ON CONFLICT (day, status) DO UPDATE SET n = n + excluded.n, cost = cost + excluded.cost, refunded = refunded + excluded.refunded,
      provider_cost = provider_cost + excluded.provider_cost, quantity = quantity + excluded.quantity;
  INSERT INTO user_order_counts (user_id, n) VALUES (new.user_id, 1) ON CONFLICT (user_id) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_orders_delete AFTER DELETE ON orders BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'orders', '', -1, -1 UNION ALL SELECT 'orders', '', old.id / 8192, -1 UNION ALL SELECT 'orders', old.status, -1, -1 UNION ALL SELECT 'orders', old.status, old.id / 8192, -1 UNION ALL SELECT 'orders', 'no_active_providers', -1, -1 WHERE old.has_no_active_providers UNION ALL SELECT 'orders', 'no_active_providers', old.id / 8192, -1 WHERE old.has_no_active_providers UNION ALL SELECT 'orders', 'child_panel', -1, -1 WHERE old.is_child_panel UNION ALL SELECT 'orders', 'child_panel', old.id / 8192, -1 WHERE old.is_child_panel) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO order_days (day, status, n, cost, refunded, provider_cost, quantity)
    VALUES (old.created_at / 86400000000, old.status, -1, -old.cost, -old.refunded, -old.provider_cost, -old.quantity)
    ON CONFLICT (day, status) DO UPDATE SET n = n + excluded.n, cost = cost + excluded.cost, refunded = refunded + excluded.refunded,
      provider_cost = provider_cost + excluded.provider_cost, quantity = quantity + excluded.quantity;
  INSERT INTO user_order_counts (user_id, n) VALUES (old.user_id, -1) ON CONFLICT (user_id) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_orders_move AFTER UPDATE OF status, has_no_active_providers ON orders
WHEN old.status <> new.status OR old.has_no_active_providers <> new.has_no_active_providers BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'orders', old.status, -1, -1 UNION ALL SELECT 'orders', old.status, old.id / 8192, -1 UNION ALL SELECT 'orders', 'no_active_providers', -1, -1 WHERE old.has_no_active_providers UNION ALL SELECT 'orders', 'no_active_providers', old.id / 8192, -1 WHERE old.has_no_active_providers) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'orders', new.status, -1, 1 UNION ALL SELECT 'orders', new.status, new.id / 8192, 1 UNION ALL SELECT 'orders', 'no_active_providers', -1, 1 WHERE new.has_no_active_providers UNION ALL SELECT 'orders', 'no_active_providers', new.id / 8192, 1 WHERE new.has_no_active_providers) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_orders_day AFTER UPDATE OF status, cost, refunded, provider_cost, quantity ON orders
WHEN old.status <> new.status OR old.cost <> new.cost OR old.refunded <> new.refunded OR old.provider_cost <> new.provider_cost OR old.quantity <> new.quantity BEGIN
  INSERT INTO order_days (day, status, n, cost, refunded, provider_cost, quantity)
    VALUES (old.created_at / 86400000000, old.status, -1, -old.cost, -old.refunded, -old.provider_cost, -old.quantity)
    ON CONFLICT (day, status) DO UPDATE SET n = n + excluded.n, cost = cost + excluded.cost, refunded = refunded + excluded.refunded,
      provider_cost = provider_cost + excluded.provider_cost, quantity = quantity + excluded.quantity;
  INSERT INTO order_days (day, status, n, cost, refunded, provider_cost, quantity)
    VALUES (new.created_at / 86400000000, new.status, 1, new.cost, new.refunded, new.provider_cost, new.quantity)
    ON CONFLICT (day, status) DO UPDATE SET n = n + excluded.n, cost = cost + excluded.cost, refunded = refunded + excluded.refunded,
      provider_cost = provider_cost + excluded.provider_cost, quantity = quantity + excluded.quantity;
END;
CREATE TRIGGER count_users_insert AFTER INSERT ON users BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'users', '', -1, 1 UNION ALL SELECT 'users', '', new.id / 8192, 1 UNION ALL SELECT 'users', new.status, -1, 1 UNION ALL SELECT 'users', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_users_delete AFTER DELETE ON users BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'users', '', -1, -1 UNION ALL SELECT 'users', '', old.id / 8192, -1 UNION ALL SELECT 'users', old.status, -1, -1 UNION ALL SELECT 'users', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_users_move AFTER UPDATE OF status ON users WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'users', old.status, -1, -1 UNION ALL SELECT 'users', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'users', new.status, -1, 1 UNION ALL SELECT 'users', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_free_trials_insert AFTER INSERT ON free_trials BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'free_trials', '', -1, 1 UNION ALL SELECT 'free_trials', '', new.id / 8192, 1 UNION ALL SELECT 'free_trials', new.status, -1, 1 UNION ALL SELECT 'free_trials', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_free_trials_delete AFTER DELETE ON free_trials BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'free_trials', '', -1, -1 UNION ALL SELECT 'free_trials', '', old.id / 8192, -1 UNION ALL SELECT 'free_trials', old.status, -1, -1 UNION ALL SELECT 'free_trials', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_free_trials_move AFTER UPDATE OF status ON free_trials WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'free_trials', old.status, -1, -1 UNION ALL SELECT 'free_trials', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'free_trials', new.status, -1, 1 UNION ALL SELECT 'free_trials', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_ledger_entries_insert AFTER INSERT ON ledger_entries WHEN new.account IN ('main', 'task', 'referral') BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'ledger_entries', '', -1, 1 UNION ALL SELECT 'ledger_entries', '', new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_audits_insert AFTER INSERT ON audits BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'audits', '', -1, 1 UNION ALL SELECT 'audits', '', new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

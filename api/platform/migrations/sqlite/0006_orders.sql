-- Orders: what customers ordered, what changed the price, what paid for it, statistics, and bought packages.

CREATE TABLE orders (
  -- One order of a customer. operations::orders places it and changes its status; the dispatcher and pollers write
  -- deliveries and provider_cost. Every status change is conditional on the status that it leaves, and moves the
  -- money, the audit entry and the outbox in the same transaction. The external orders that deliver it are in
  -- external_panel_orders.

  id INTEGER PRIMARY KEY,
  -- Name of the service when it was ordered.
  name TEXT NOT NULL,
  -- The address to deliver to, as the customer typed it.
  url TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('in_processing', 'in_moderation', 'completed', 'stopped', 'canceled', 'unpaid')),
  -- Decision of the moderation; NULL for orders that need none.
  approval TEXT CHECK (approval IN ('pending', 'approved', 'rejected')),
  -- Where the order came from.
  source TEXT NOT NULL CHECK (source IN ('api', 'cabinet', 'order_widget', 'socpanel', 'perfect_panel_api', 'subscription',
    'order_widget_multiple', 'buy_page', 'single_form', 'drip_feed', 'free_trial', 'package', 'order_widget_step_by_step', 'order_widget_mini')),
  user_id INTEGER NOT NULL REFERENCES users (id),
  service_id INTEGER NOT NULL REFERENCES services (id),
  -- Amount charged to the customer, in millionths of the panel's currency; 0 for a free trial.
  cost INTEGER NOT NULL CHECK (cost >= 0),
  -- Price per pricing_per units when it was ordered, in millionths of the panel's currency.
  price INTEGER NOT NULL CHECK (price >= 0),
  pricing_per INTEGER NOT NULL CHECK (pricing_per >= 1),
  -- Decimals that the charge and its refunds are rounded to.
  rounding_precision INTEGER NOT NULL DEFAULT 6 CHECK (rounding_precision BETWEEN 0 AND 6),
  -- Refunded part of the cost, in millionths of the panel's currency. It never exceeds the cost.
  refunded INTEGER NOT NULL DEFAULT 0 CHECK (refunded >= 0 AND refunded <= cost),
  -- Number of refunds so far: the sequence number of the next ledger transaction, which makes each refund unique.
  refund_seq INTEGER NOT NULL DEFAULT 0,
  -- Amount that providers charged for it, in millionths of the panel's currency.
  provider_cost INTEGER NOT NULL DEFAULT 0,
  -- Units ordered.
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  -- Units delivered.
  current_quantity INTEGER NOT NULL DEFAULT 0 CHECK (current_quantity >= 0),
  -- Units that providers must deliver in total, if it differs from quantity.
  quantity_for_full_fill INTEGER,
  -- Value of the counter before the first delivery.
  external_order_start_count INTEGER,
  -- Growth by the real counter (order_counters.quantity).
  external_statistics_quantity INTEGER,
  -- Whether it is paid; an order with the status 'unpaid' is not.
  is_paid INTEGER NOT NULL DEFAULT 0 CHECK (is_paid IN (0, 1)),
  -- Whether a refill may be requested.
  has_refill INTEGER NOT NULL DEFAULT 0 CHECK (has_refill IN (0, 1)),
  -- Whether refills are ordered without a request.
  auto_refill_is_allowed INTEGER NOT NULL DEFAULT 0 CHECK (auto_refill_is_allowed IN (0, 1)),
  -- Whether the counter cannot be trusted.
  broken_pipes INTEGER NOT NULL DEFAULT 0 CHECK (broken_pipes IN (0, 1)),
  -- Units lost since completion, as operations/orders/losses measured it.
  drop_quantity INTEGER NOT NULL DEFAULT 0,
  -- Units that refills delivered.
  order_current_refilled_quantity INTEGER NOT NULL DEFAULT 0,
  -- Units of the next refill that is ordered without a request, as staff set it; the request clears it.
  refill_quantity INTEGER,
  refill_first_at INTEGER,
  -- Value of the counter at refill_first_at.
  refill_first_quantity INTEGER,
  refill_last_at INTEGER,
  -- Value of the counter at refill_last_at.
  refill_last_quantity INTEGER,
  -- Who reported both counts.
  refill_source TEXT CHECK (refill_source IN ('counter', 'panel')),
  -- Comment of staff.
  comment TEXT,
  -- Search keyword by which the target is found.
  seo_keyword TEXT,
  keyword TEXT,
  -- JSON list of ISO country codes that the order is limited to.
  countries TEXT NOT NULL DEFAULT '[]',
  -- As declared in the contract, such as 'wrong_link'.
  cancel_reason TEXT,
  cancel_description TEXT,
  -- Id of the order at the child panel.
  child_id INTEGER,
  -- Whether the customer was a child panel.
  is_child_panel INTEGER NOT NULL DEFAULT 0 CHECK (is_child_panel IN (0, 1)),
  -- The subscription that placed it. This and the next three ids have no foreign key.
  subscription_id INTEGER,
  -- The drip-feed that placed it.
  drip_feed_id INTEGER,
  -- The combo order that it belongs to.
  combo_order_id INTEGER,
  -- The free trial that it was placed for.
  free_trial_id INTEGER,
  -- Address by which the promoted content can be embedded.
  promotable_embed_url TEXT,
  -- Countries that cannot see the content.
  promotable_region_restriction TEXT,
  -- Viewers on average, of a live stream.
  promotable_average_viewers INTEGER,
  -- Viewers at the first count, of a live stream.
  promotable_first_statistic_viewers INTEGER,
  -- Since when the live stream is supported.
  promotable_supported_at INTEGER,
  -- Until when the live stream is supported.
  promotable_supported_until INTEGER,
  -- Whether the order is in processing and no provider of its service is available. Written by the transaction that
  -- changes either.
  has_no_active_providers INTEGER NOT NULL DEFAULT 0 CHECK (has_no_active_providers IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  completed_at INTEGER,
  canceled_at INTEGER,
  -- The order widget that it came through.
  order_widget_id INTEGER REFERENCES order_widgets (id),
  -- When the dispatcher decides what to do with the order next; NULL when there is nothing to do.
  dispatch_at INTEGER
) STRICT;
CREATE INDEX orders_status ON orders (status, id);
CREATE INDEX orders_user ON orders (user_id, id);
CREATE INDEX orders_service ON orders (service_id, id);
CREATE INDEX orders_status_created ON orders (status, created_at, cost);
CREATE INDEX orders_created ON orders (created_at);
CREATE INDEX orders_status_cost ON orders (status, cost, id);
CREATE INDEX orders_cost ON orders (cost, id);
CREATE INDEX orders_no_active_providers ON orders (id) WHERE has_no_active_providers = TRUE;
CREATE INDEX orders_child_panel ON orders (id) WHERE is_child_panel = TRUE;
CREATE INDEX orders_subscription ON orders (subscription_id, id) WHERE subscription_id IS NOT NULL;
CREATE INDEX orders_drip_feed ON orders (drip_feed_id, id) WHERE drip_feed_id IS NOT NULL;
CREATE INDEX orders_combo_order ON orders (combo_order_id, id) WHERE combo_order_id IS NOT NULL;
CREATE INDEX orders_order_widget ON orders (order_widget_id, created_at) WHERE order_widget_id IS NOT NULL;
CREATE INDEX orders_dispatch ON orders (dispatch_at) WHERE dispatch_at IS NOT NULL;
-- Completed orders that lost units and refill without a request.
CREATE INDEX orders_auto_refill ON orders (id) WHERE auto_refill_is_allowed AND drop_quantity > 0;
-- Completed orders whose losses are measured.
CREATE INDEX orders_measured ON orders (completed_at, id) WHERE auto_refill_is_allowed AND completed_at IS NOT NULL;
-- Orders that may deliver to an address now. The index takes the beginning of the address, as index entries are
-- limited in length.
CREATE INDEX orders_open_url ON orders (substr(url, 1, 200)) WHERE status IN ('in_processing', 'stopped');

-- Text search: a trigram index without a copy of the text; rowid is the id.
CREATE VIRTUAL TABLE orders_fts USING fts5(url, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_orders_insert AFTER INSERT ON orders BEGIN
  INSERT INTO orders_fts (rowid, url) VALUES (new.id, new.url);
END;
CREATE TRIGGER search_orders_update AFTER UPDATE OF url ON orders WHEN old.url IS NOT new.url BEGIN
  DELETE FROM orders_fts WHERE rowid = old.id;
  INSERT INTO orders_fts (rowid, url) VALUES (new.id, new.url);
END;
CREATE TRIGGER search_orders_delete AFTER DELETE ON orders BEGIN
  DELETE FROM orders_fts WHERE rowid = old.id;
END;

-- Materialized counts.
CREATE TRIGGER count_orders_insert AFTER INSERT ON orders BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'orders', '', -1, 1 UNION ALL SELECT 'orders', '', new.id / 8192, 1
    UNION ALL SELECT 'orders', new.status, -1, 1 UNION ALL SELECT 'orders', new.status, new.id / 8192, 1
    UNION ALL SELECT 'orders', 'no_active_providers', -1, 1 WHERE new.has_no_active_providers
    UNION ALL SELECT 'orders', 'no_active_providers', new.id / 8192, 1 WHERE new.has_no_active_providers
    UNION ALL SELECT 'orders', 'child_panel', -1, 1 WHERE new.is_child_panel
    UNION ALL SELECT 'orders', 'child_panel', new.id / 8192, 1 WHERE new.is_child_panel) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO order_days (day, status, n, cost, refunded, provider_cost, quantity)
    VALUES (new.created_at / 86400000000, new.status, 1, CASE WHEN new.is_paid THEN new.cost ELSE 0 END, new.refunded, new.provider_cost, new.quantity)
    ON CONFLICT (day, status) DO UPDATE SET n = n + excluded.n, cost = cost + excluded.cost, refunded = refunded + excluded.refunded,
      provider_cost = provider_cost + excluded.provider_cost, quantity = quantity + excluded.quantity;
  INSERT INTO user_order_counts (user_id, n) VALUES (new.user_id, 1) ON CONFLICT (user_id) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_orders_delete AFTER DELETE ON orders BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'orders', '', -1, -1
    UNION ALL SELECT 'orders', '', old.id / 8192, -1
    UNION ALL SELECT 'orders', old.status, -1, -1 UNION ALL SELECT 'orders', old.status, old.id / 8192, -1
    UNION ALL SELECT 'orders', 'no_active_providers', -1, -1 WHERE old.has_no_active_providers
    UNION ALL SELECT 'orders', 'no_active_providers', old.id / 8192, -1 WHERE old.has_no_active_providers
    UNION ALL SELECT 'orders', 'child_panel', -1, -1 WHERE old.is_child_panel
    UNION ALL SELECT 'orders', 'child_panel', old.id / 8192, -1 WHERE old.is_child_panel) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO order_days (day, status, n, cost, refunded, provider_cost, quantity)
    VALUES (old.created_at / 86400000000, old.status, -1, CASE WHEN old.is_paid THEN -old.cost ELSE 0 END, -old.refunded, -old.provider_cost, -old.quantity)
    ON CONFLICT (day, status) DO UPDATE SET n = n + excluded.n, cost = cost + excluded.cost, refunded = refunded + excluded.refunded,
      provider_cost = provider_cost + excluded.provider_cost, quantity = quantity + excluded.quantity;
  INSERT INTO user_order_counts (user_id, n) VALUES (old.user_id, -1) ON CONFLICT (user_id) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_orders_move AFTER UPDATE OF status, has_no_active_providers ON orders
WHEN old.status <> new.status OR old.has_no_active_providers <> new.has_no_active_providers BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'orders', old.status, -1, -1
    UNION ALL SELECT 'orders', old.status, old.id / 8192, -1
    UNION ALL SELECT 'orders', 'no_active_providers', -1, -1 WHERE old.has_no_active_providers
    UNION ALL SELECT 'orders', 'no_active_providers', old.id / 8192, -1 WHERE old.has_no_active_providers) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'orders', new.status, -1, 1
    UNION ALL SELECT 'orders', new.status, new.id / 8192, 1
    UNION ALL SELECT 'orders', 'no_active_providers', -1, 1 WHERE new.has_no_active_providers
    UNION ALL SELECT 'orders', 'no_active_providers', new.id / 8192, 1 WHERE new.has_no_active_providers) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_orders_day AFTER UPDATE OF status, is_paid, cost, refunded, provider_cost, quantity ON orders
WHEN old.status <> new.status OR old.is_paid <> new.is_paid OR old.cost <> new.cost OR old.refunded <> new.refunded OR old.provider_cost <> new.provider_cost OR old.quantity <> new.quantity BEGIN
  INSERT INTO order_days (day, status, n, cost, refunded, provider_cost, quantity)
    VALUES (old.created_at / 86400000000, old.status, -1, CASE WHEN old.is_paid THEN -old.cost ELSE 0 END, -old.refunded, -old.provider_cost, -old.quantity)
    ON CONFLICT (day, status) DO UPDATE SET n = n + excluded.n, cost = cost + excluded.cost, refunded = refunded + excluded.refunded,
      provider_cost = provider_cost + excluded.provider_cost, quantity = quantity + excluded.quantity;
  INSERT INTO order_days (day, status, n, cost, refunded, provider_cost, quantity)
    VALUES (new.created_at / 86400000000, new.status, 1, CASE WHEN new.is_paid THEN new.cost ELSE 0 END, new.refunded, new.provider_cost, new.quantity)
    ON CONFLICT (day, status) DO UPDATE SET n = n + excluded.n, cost = cost + excluded.cost, refunded = refunded + excluded.refunded,
      provider_cost = provider_cost + excluded.provider_cost, quantity = quantity + excluded.quantity;
END;

CREATE TABLE order_days (
  -- Materialized sums of orders by the day of their creation and their current status, for statistics without reading
  -- orders. Triggers on orders write it, as row_counts.

  day INTEGER NOT NULL,
  status TEXT NOT NULL,
  -- Number of orders.
  n INTEGER NOT NULL,
  -- Sum of orders.cost of those that were paid, in millionths of the panel's currency.
  cost INTEGER NOT NULL,
  -- Sum of orders.refunded, in millionths of the panel's currency.
  refunded INTEGER NOT NULL,
  -- Sum of orders.provider_cost, in millionths of the panel's currency.
  provider_cost INTEGER NOT NULL,
  -- Sum of orders.quantity.
  quantity INTEGER NOT NULL,
  PRIMARY KEY (day, status)
) STRICT;

CREATE TABLE order_day_deltas (
  -- PostgreSQL only: changes of order_days that are not added up yet, as row_count_deltas.

  day INTEGER NOT NULL,
  status TEXT NOT NULL,
  n INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  refunded INTEGER NOT NULL,
  provider_cost INTEGER NOT NULL,
  quantity INTEGER NOT NULL
) STRICT;

CREATE TABLE user_order_counts (
  -- Materialized number of orders of each customer. Triggers on orders write it, as row_counts.

  user_id INTEGER NOT NULL PRIMARY KEY,
  -- Number of orders.
  n INTEGER NOT NULL
) STRICT;

CREATE TABLE user_order_count_deltas (
  -- PostgreSQL only: changes of user_order_counts that are not added up yet, as row_count_deltas.

  user_id INTEGER NOT NULL,
  -- Number of added orders; negative for removed orders.
  n INTEGER NOT NULL
) STRICT;

CREATE TABLE order_price_modifications (
  -- A step of the price calculation of an order: what changed the cost before the charge. Written once, with the
  -- order.

  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  -- Id of what changed it, such as of a discount.
  modifier_id INTEGER,
  name TEXT NOT NULL,
  -- Kind of the modifier, such as 'discount', 'grade' or 'coupon'.
  type TEXT NOT NULL,
  -- In millionths of the panel's currency.
  cost_before INTEGER NOT NULL,
  -- In millionths of the panel's currency.
  cost_after INTEGER NOT NULL,
  is_speedup INTEGER NOT NULL DEFAULT 0 CHECK (is_speedup IN (0, 1)),
  has_countries INTEGER NOT NULL DEFAULT 0 CHECK (has_countries IN (0, 1))
) STRICT;
CREATE INDEX order_price_modifications_order ON order_price_modifications (order_id);

CREATE TABLE order_balance_payments (
  -- The payment for an order from one balance of the customer. Written with the charge; refunds update refunded.

  order_id INTEGER NOT NULL REFERENCES orders (id),
  balance_type TEXT NOT NULL CHECK (balance_type IN ('main', 'task', 'referral')),
  -- In millionths of the panel's currency.
  amount INTEGER NOT NULL CHECK (amount > 0),
  -- Refunded to this balance, in millionths of the panel's currency.
  refunded INTEGER NOT NULL DEFAULT 0 CHECK (refunded >= 0 AND refunded <= amount),
  PRIMARY KEY (order_id, balance_type)
) STRICT;

CREATE TABLE order_targetable_values (
  -- The customer's value for an extra input (targets) of the service. Written with the order.

  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  -- The target, which may have another name by now. NULL if it was deleted after the order ended.
  target_id INTEGER REFERENCES targets (id),
  -- Name of the target when the order was placed.
  name TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;
CREATE INDEX order_targetable_values_order ON order_targetable_values (order_id);
CREATE INDEX order_targetable_values_target ON order_targetable_values (target_id) WHERE target_id IS NOT NULL;

CREATE TABLE promotable_statistics (
  -- How many viewers the promoted content had at a time, as the real counter reported.

  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  -- Time of the count.
  at INTEGER NOT NULL,
  viewers INTEGER NOT NULL
) STRICT;
CREATE INDEX promotable_statistics_order ON promotable_statistics (order_id, at);

CREATE TABLE combo_orders (
  -- A package that a customer bought. Its orders refer to it (orders.combo_order_id). operations::combo_orders writes
  -- it.

  id INTEGER PRIMARY KEY,
  -- The address to deliver to, as the customer typed it.
  url TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('in_moderation', 'in_processing', 'completed', 'canceled')),
  -- Where it came from, as orders.source.
  source TEXT NOT NULL,
  -- The package; without a foreign key, as the copy below stays valid without it.
  package_id INTEGER,
  -- Name of the package when it was bought.
  package_name TEXT NOT NULL,
  -- Type of the package when it was bought.
  package_type TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id),
  orders_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  completed_at INTEGER,
  canceled_at INTEGER
) STRICT;
CREATE INDEX combo_orders_status ON combo_orders (status, id);
CREATE INDEX combo_orders_user ON combo_orders (user_id, id);

-- Text search: a trigram index without a copy of the text; rowid is the id.
CREATE VIRTUAL TABLE combo_orders_fts USING fts5(url, package_name, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_combo_orders_insert AFTER INSERT ON combo_orders BEGIN
  INSERT INTO combo_orders_fts (rowid, url, package_name) VALUES (new.id, new.url, new.package_name);
END;
CREATE TRIGGER search_combo_orders_update AFTER UPDATE OF url, package_name ON combo_orders BEGIN
  DELETE FROM combo_orders_fts WHERE rowid = old.id;
  INSERT INTO combo_orders_fts (rowid, url, package_name) VALUES (new.id, new.url, new.package_name);
END;
CREATE TRIGGER search_combo_orders_delete AFTER DELETE ON combo_orders BEGIN
  DELETE FROM combo_orders_fts WHERE rowid = old.id;
END;

-- Materialized counts.
CREATE TRIGGER count_combo_orders_insert AFTER INSERT ON combo_orders BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'combo_orders', '', -1, 1
    UNION ALL SELECT 'combo_orders', '', new.id / 8192, 1
    UNION ALL SELECT 'combo_orders', new.status, -1, 1
    UNION ALL SELECT 'combo_orders', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_combo_orders_delete AFTER DELETE ON combo_orders BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'combo_orders', '', -1, -1
    UNION ALL SELECT 'combo_orders', '', old.id / 8192, -1
    UNION ALL SELECT 'combo_orders', old.status, -1, -1
    UNION ALL SELECT 'combo_orders', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_combo_orders_move AFTER UPDATE OF status ON combo_orders WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'combo_orders', old.status, -1, -1
    UNION ALL SELECT 'combo_orders', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'combo_orders', new.status, -1, 1
    UNION ALL SELECT 'combo_orders', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

-- Drip-feeds, subscriptions and combo orders: what places several orders, and the money paid ahead for them.

CREATE TABLE drip_feeds (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id),
  service_id INTEGER NOT NULL REFERENCES services (id),
  status TEXT NOT NULL CHECK (status IN ('in_processing', 'completed', 'canceled')),
  runs INTEGER NOT NULL CHECK (runs >= 1),
  orders_count INTEGER NOT NULL DEFAULT 0 CHECK (orders_count BETWEEN 0 AND runs),
  price INTEGER NOT NULL,
  pricing_per INTEGER NOT NULL DEFAULT 1000,
  cost INTEGER NOT NULL CHECK (cost >= 0),
  returned INTEGER NOT NULL DEFAULT 0 CHECK (returned BETWEEN 0 AND cost),
  rounding_precision INTEGER NOT NULL DEFAULT 6,
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  minutes_between_runs INTEGER NOT NULL CHECK (minutes_between_runs >= 1),
  countries TEXT NOT NULL DEFAULT '[]',
  next_run_at INTEGER,
  last_error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  completed_at INTEGER,
  canceled_at INTEGER
) STRICT;
CREATE INDEX drip_feeds_status ON drip_feeds (status, id);
CREATE INDEX drip_feeds_user ON drip_feeds (user_id, id);
CREATE INDEX drip_feeds_service ON drip_feeds (service_id, id);
CREATE INDEX drip_feeds_due ON drip_feeds (next_run_at) WHERE next_run_at IS NOT NULL;

CREATE TABLE subscriptions (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  type TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id),
  status TEXT NOT NULL CHECK (status IN ('in_processing', 'completed', 'canceled')),
  billing_type TEXT NOT NULL CHECK (billing_type IN ('prepaid', 'per_content', 'recurring')),
  contents_limit INTEGER NOT NULL CHECK (contents_limit >= 1),
  subscription_contents_count INTEGER NOT NULL DEFAULT 0 CHECK (subscription_contents_count BETWEEN 0 AND contents_limit),
  orders_count INTEGER NOT NULL DEFAULT 0,
  cost INTEGER NOT NULL DEFAULT 0 CHECK (cost >= 0),
  returned INTEGER NOT NULL DEFAULT 0 CHECK (returned BETWEEN 0 AND cost),
  rounding_precision INTEGER NOT NULL DEFAULT 6,
  recurring_payment_methods TEXT NOT NULL DEFAULT '[]',
  expired_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  completed_at INTEGER,
  canceled_at INTEGER
) STRICT;
CREATE INDEX subscriptions_status ON subscriptions (status, id);
CREATE INDEX subscriptions_user ON subscriptions (user_id, id);
CREATE INDEX subscriptions_ending ON subscriptions (expired_at) WHERE expired_at IS NOT NULL AND status = 'in_processing';

CREATE TABLE combo_orders (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('in_moderation', 'in_processing', 'completed', 'canceled')),
  source TEXT NOT NULL,
  package_id INTEGER,
  package_name TEXT NOT NULL,
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

CREATE TABLE subscription_services (
  subscription_id INTEGER NOT NULL REFERENCES subscriptions (id),
  service_id INTEGER NOT NULL REFERENCES services (id),
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  -- Of one content's order, as it was when the subscription began.
  cost INTEGER NOT NULL DEFAULT 0 CHECK (cost >= 0),
  PRIMARY KEY (subscription_id, service_id)
) STRICT;
CREATE INDEX subscription_services_service ON subscription_services (service_id, subscription_id);

CREATE TABLE subscription_contents (
  id INTEGER PRIMARY KEY,
  subscription_id INTEGER NOT NULL REFERENCES subscriptions (id),
  url TEXT NOT NULL,
  orders_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX subscription_contents_subscription ON subscription_contents (subscription_id, id);

-- Paid ahead and held: taken order by order, the rest given back at the end.
CREATE TABLE advances (
  ref_type TEXT NOT NULL CHECK (ref_type IN ('drip_feed', 'subscription')),
  ref_id INTEGER NOT NULL,
  balance_type TEXT NOT NULL CHECK (balance_type IN ('main', 'task', 'referral')),
  amount INTEGER NOT NULL CHECK (amount > 0),
  used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0),
  returned INTEGER NOT NULL DEFAULT 0 CHECK (returned >= 0),
  CHECK (used + returned <= amount),
  PRIMARY KEY (ref_type, ref_id, balance_type)
) STRICT;

CREATE INDEX free_trials_user ON free_trials (user_id, free_trial_quest_id);
CREATE INDEX free_trials_quest ON free_trials (free_trial_quest_id, id);

-- Texts.
CREATE VIRTUAL TABLE drip_feeds_fts USING fts5(name, url, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_drip_feeds_insert AFTER INSERT ON drip_feeds BEGIN
  INSERT INTO drip_feeds_fts (rowid, name, url) VALUES (new.id, new.name, new.url);
END;
CREATE TRIGGER search_drip_feeds_update AFTER UPDATE OF name, url ON drip_feeds BEGIN
  DELETE FROM drip_feeds_fts WHERE rowid = old.id;
  INSERT INTO drip_feeds_fts (rowid, name, url) VALUES (new.id, new.name, new.url);
END;
CREATE TRIGGER search_drip_feeds_delete AFTER DELETE ON drip_feeds BEGIN
  DELETE FROM drip_feeds_fts WHERE rowid = old.id;
END;
CREATE VIRTUAL TABLE subscriptions_fts USING fts5(name, url, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_subscriptions_insert AFTER INSERT ON subscriptions BEGIN
  INSERT INTO subscriptions_fts (rowid, name, url) VALUES (new.id, new.name, new.url);
END;
CREATE TRIGGER search_subscriptions_update AFTER UPDATE OF name, url ON subscriptions BEGIN
  DELETE FROM subscriptions_fts WHERE rowid = old.id;
  INSERT INTO subscriptions_fts (rowid, name, url) VALUES (new.id, new.name, new.url);
END;
CREATE TRIGGER search_subscriptions_delete AFTER DELETE ON subscriptions BEGIN
  DELETE FROM subscriptions_fts WHERE rowid = old.id;
END;
CREATE VIRTUAL TABLE combo_orders_fts USING fts5(url, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_combo_orders_insert AFTER INSERT ON combo_orders BEGIN
  INSERT INTO combo_orders_fts (rowid, url) VALUES (new.id, new.url);
END;
CREATE TRIGGER search_combo_orders_update AFTER UPDATE OF url ON combo_orders BEGIN
  DELETE FROM combo_orders_fts WHERE rowid = old.id;
  INSERT INTO combo_orders_fts (rowid, url) VALUES (new.id, new.url);
END;
CREATE TRIGGER search_combo_orders_delete AFTER DELETE ON combo_orders BEGIN
  DELETE FROM combo_orders_fts WHERE rowid = old.id;
END;
CREATE VIRTUAL TABLE free_trials_fts USING fts5(name, url, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_free_trials_insert AFTER INSERT ON free_trials BEGIN
  INSERT INTO free_trials_fts (rowid, name, url) VALUES (new.id, new.name, new.url);
END;
CREATE TRIGGER search_free_trials_update AFTER UPDATE OF name, url ON free_trials BEGIN
  DELETE FROM free_trials_fts WHERE rowid = old.id;
  INSERT INTO free_trials_fts (rowid, name, url) VALUES (new.id, new.name, new.url);
END;
CREATE TRIGGER search_free_trials_delete AFTER DELETE ON free_trials BEGIN
  DELETE FROM free_trials_fts WHERE rowid = old.id;
END;
INSERT INTO free_trials_fts (rowid, name, url) SELECT id, name, url FROM free_trials;

-- Kept counts, as in 0007_counts.sql.
CREATE TRIGGER count_drip_feeds_insert AFTER INSERT ON drip_feeds BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'drip_feeds', '', -1, 1 UNION ALL SELECT 'drip_feeds', '', new.id / 8192, 1 UNION ALL SELECT 'drip_feeds', new.status, -1, 1 UNION ALL SELECT 'drip_feeds', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_drip_feeds_delete AFTER DELETE ON drip_feeds BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'drip_feeds', '', -1, -1 UNION ALL SELECT 'drip_feeds', '', old.id / 8192, -1 UNION ALL SELECT 'drip_feeds', old.status, -1, -1 UNION ALL SELECT 'drip_feeds', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_drip_feeds_move AFTER UPDATE OF status ON drip_feeds WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'drip_feeds', old.status, -1, -1 UNION ALL SELECT 'drip_feeds', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'drip_feeds', new.status, -1, 1 UNION ALL SELECT 'drip_feeds', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_subscriptions_insert AFTER INSERT ON subscriptions BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'subscriptions', '', -1, 1 UNION ALL SELECT 'subscriptions', '', new.id / 8192, 1 UNION ALL SELECT 'subscriptions', new.status, -1, 1 UNION ALL SELECT 'subscriptions', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_subscriptions_delete AFTER DELETE ON subscriptions BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'subscriptions', '', -1, -1 UNION ALL SELECT 'subscriptions', '', old.id / 8192, -1 UNION ALL SELECT 'subscriptions', old.status, -1, -1 UNION ALL SELECT 'subscriptions', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_subscriptions_move AFTER UPDATE OF status ON subscriptions WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'subscriptions', old.status, -1, -1 UNION ALL SELECT 'subscriptions', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'subscriptions', new.status, -1, 1 UNION ALL SELECT 'subscriptions', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_combo_orders_insert AFTER INSERT ON combo_orders BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'combo_orders', '', -1, 1 UNION ALL SELECT 'combo_orders', '', new.id / 8192, 1 UNION ALL SELECT 'combo_orders', new.status, -1, 1 UNION ALL SELECT 'combo_orders', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_combo_orders_delete AFTER DELETE ON combo_orders BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'combo_orders', '', -1, -1 UNION ALL SELECT 'combo_orders', '', old.id / 8192, -1 UNION ALL SELECT 'combo_orders', old.status, -1, -1 UNION ALL SELECT 'combo_orders', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_combo_orders_move AFTER UPDATE OF status ON combo_orders WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'combo_orders', old.status, -1, -1 UNION ALL SELECT 'combo_orders', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'combo_orders', new.status, -1, 1 UNION ALL SELECT 'combo_orders', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

-- Recurring orders: drip-feeds and subscriptions, which place orders over time; quests and free trials.

CREATE TABLE drip_feeds (
  -- A series of equal orders at intervals, paid ahead (advances). operations::drip_feeds writes it: a poller places
  -- the next order when next_run_at is due.

  id INTEGER PRIMARY KEY,
  -- Name of the service when it began.
  name TEXT NOT NULL,
  -- The address to deliver to, as the customer typed it.
  url TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id),
  service_id INTEGER NOT NULL REFERENCES services (id),
  status TEXT NOT NULL CHECK (status IN ('in_processing', 'completed', 'canceled')),
  -- Number of orders in all.
  runs INTEGER NOT NULL CHECK (runs >= 1),
  -- Orders placed so far.
  orders_count INTEGER NOT NULL DEFAULT 0 CHECK (orders_count BETWEEN 0 AND runs),
  -- Price per pricing_per units when it began, in millionths of the panel's currency.
  price INTEGER NOT NULL,
  pricing_per INTEGER NOT NULL DEFAULT 1000,
  -- Prepaid amount for all runs, in millionths of the panel's currency.
  cost INTEGER NOT NULL CHECK (cost >= 0),
  -- Returned when it was canceled, in millionths of the panel's currency.
  refunded INTEGER NOT NULL DEFAULT 0 CHECK (refunded BETWEEN 0 AND cost),
  -- Decimals that its charges are rounded to.
  rounding_precision INTEGER NOT NULL DEFAULT 6,
  -- Units of each order.
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  minutes_between_runs INTEGER NOT NULL CHECK (minutes_between_runs >= 1),
  -- JSON list of ISO country codes that its orders are limited to.
  countries TEXT NOT NULL DEFAULT '[]',
  -- JSON list of {target_id, name, value}: the customer's input for the targets of the service, validated when it
  -- began; every order gets it.
  answers TEXT NOT NULL DEFAULT '[]',
  -- When the next order is due; NULL when it ended.
  next_run_at INTEGER,
  -- Why the last attempt placed no order.
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

-- Text search: a trigram index without a copy of the text; rowid is the id.
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

-- Materialized counts.
CREATE TRIGGER count_drip_feeds_insert AFTER INSERT ON drip_feeds BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'drip_feeds', '', -1, 1
    UNION ALL SELECT 'drip_feeds', '', new.id / 8192, 1
    UNION ALL SELECT 'drip_feeds', new.status, -1, 1
    UNION ALL SELECT 'drip_feeds', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_drip_feeds_delete AFTER DELETE ON drip_feeds BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'drip_feeds', '', -1, -1
    UNION ALL SELECT 'drip_feeds', '', old.id / 8192, -1
    UNION ALL SELECT 'drip_feeds', old.status, -1, -1
    UNION ALL SELECT 'drip_feeds', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_drip_feeds_move AFTER UPDATE OF status ON drip_feeds WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'drip_feeds', old.status, -1, -1
    UNION ALL SELECT 'drip_feeds', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'drip_feeds', new.status, -1, 1
    UNION ALL SELECT 'drip_feeds', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

CREATE TABLE subscriptions (
  -- A subscription to a channel: each new content of the channel gets orders of the same services.
  -- operations::subscriptions writes it: a poller reads the feed of the channel when next_poll_at is due.

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- The channel, as the customer typed it.
  url TEXT NOT NULL,
  -- Type of the channel, such as 'youtube'.
  type TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id),
  status TEXT NOT NULL CHECK (status IN ('in_processing', 'completed', 'canceled')),
  -- Paid ahead for all contents, for each content, or ahead per period.
  billing_type TEXT NOT NULL CHECK (billing_type IN ('prepaid', 'per_content', 'recurring')),
  -- Number of contents that get orders.
  contents_limit INTEGER NOT NULL CHECK (contents_limit >= 1),
  -- Number of contents whose orders are placed.
  subscription_contents_count INTEGER NOT NULL DEFAULT 0 CHECK (subscription_contents_count BETWEEN 0 AND contents_limit),
  -- Orders placed so far.
  orders_count INTEGER NOT NULL DEFAULT 0,
  -- Prepaid amount, in millionths of the panel's currency; 0 if each content is paid separately.
  cost INTEGER NOT NULL DEFAULT 0 CHECK (cost >= 0),
  -- Returned when it was canceled, in millionths of the panel's currency.
  refunded INTEGER NOT NULL DEFAULT 0 CHECK (refunded BETWEEN 0 AND cost),
  -- Decimals that its charges are rounded to.
  rounding_precision INTEGER NOT NULL DEFAULT 6,
  -- JSON list of names of the payment methods that pay the next period.
  recurring_payment_methods TEXT NOT NULL DEFAULT '[]',
  -- When it ends at the latest.
  expired_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  completed_at INTEGER,
  canceled_at INTEGER,
  -- Minutes between the discovery of a content and its orders.
  delay_minutes INTEGER NOT NULL DEFAULT 0 CHECK (delay_minutes >= 0),
  -- Number of contents published before the subscription that get orders too.
  old_contents INTEGER NOT NULL DEFAULT 0 CHECK (old_contents >= 0),
  -- When the poller reads the feed next; NULL when it ended.
  next_poll_at INTEGER,
  -- When the feed was last read successfully.
  last_polled_at INTEGER,
  -- Why the feed could not be read since then.
  poll_error TEXT,
  -- Failures since then; the backoff depends on it.
  poll_failures INTEGER NOT NULL DEFAULT 0,
  -- When the first of these failures was.
  poll_failing_since INTEGER,
  -- When staff were notified of them, once after a day.
  poll_alerted_at INTEGER,
  -- Why a content that was found has no orders yet, or why the subscription is paused.
  wait_reason TEXT,
  -- Days of a period; NULL if it is not paid by the period.
  period_days INTEGER CHECK (period_days >= 1),
  -- Contents of a period.
  period_contents INTEGER CHECK (period_contents >= 1),
  -- Periods paid so far: the sequence number of the next advance.
  periods INTEGER NOT NULL DEFAULT 1,
  -- When the period is renewed, or the renewal tried again; NULL if it is not paid by the period, or if it ended.
  renews_at INTEGER,
  -- Since when a renewal fails; the channel is not polled meanwhile.
  paused_at INTEGER,
  CHECK ((billing_type = 'recurring') = (period_days IS NOT NULL))
) STRICT;
CREATE INDEX subscriptions_status ON subscriptions (status, id);
CREATE INDEX subscriptions_user ON subscriptions (user_id, id);
CREATE INDEX subscriptions_ending ON subscriptions (expired_at)
  WHERE expired_at IS NOT NULL AND status = 'in_processing';
CREATE INDEX subscriptions_renewal ON subscriptions (renews_at) WHERE renews_at IS NOT NULL AND status = 'in_processing';
CREATE INDEX subscriptions_next_poll ON subscriptions (next_poll_at) WHERE next_poll_at IS NOT NULL;
-- The limit of running subscriptions of a customer is checked before another one starts.
CREATE INDEX subscriptions_running ON subscriptions (user_id) WHERE status = 'in_processing';

-- Text search: a trigram index without a copy of the text; rowid is the id.
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

-- Materialized counts.
CREATE TRIGGER count_subscriptions_insert AFTER INSERT ON subscriptions BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'subscriptions', '', -1, 1
    UNION ALL SELECT 'subscriptions', '', new.id / 8192, 1
    UNION ALL SELECT 'subscriptions', new.status, -1, 1
    UNION ALL SELECT 'subscriptions', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_subscriptions_delete AFTER DELETE ON subscriptions BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'subscriptions', '', -1, -1
    UNION ALL SELECT 'subscriptions', '', old.id / 8192, -1
    UNION ALL SELECT 'subscriptions', old.status, -1, -1
    UNION ALL SELECT 'subscriptions', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_subscriptions_move AFTER UPDATE OF status ON subscriptions WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'subscriptions', old.status, -1, -1
    UNION ALL SELECT 'subscriptions', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'subscriptions', new.status, -1, 1
    UNION ALL SELECT 'subscriptions', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

CREATE TABLE subscription_services (
  -- A service that each content of a subscription gets.

  subscription_id INTEGER NOT NULL REFERENCES subscriptions (id),
  service_id INTEGER NOT NULL REFERENCES services (id),
  -- Units of each content.
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  -- Cost of the order of one content when the subscription began or was last renewed, in millionths of the panel's
  -- currency.
  cost INTEGER NOT NULL DEFAULT 0 CHECK (cost >= 0),
  -- Each content gets a random quantity from quantity to this; NULL for exactly quantity.
  max_quantity INTEGER,
  PRIMARY KEY (subscription_id, service_id)
) STRICT;
CREATE INDEX subscription_services_service ON subscription_services (service_id, subscription_id);

CREATE TABLE subscription_contents (
  -- A content that the feed of a subscription contained. Unique by its address, so that another read or another
  -- process adds nothing.

  id INTEGER PRIMARY KEY,
  subscription_id INTEGER NOT NULL REFERENCES subscriptions (id),
  url TEXT NOT NULL,
  -- Orders placed for it.
  orders_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  -- 'found' waits for its orders, 'placed' has them, 'skipped' gets none.
  status TEXT NOT NULL DEFAULT 'placed' CHECK (status IN ('found', 'placed', 'skipped')),
  -- When it was published, as the feed states.
  published_at INTEGER,
  -- When its orders are placed, or tried again.
  due_at INTEGER,
  -- Failed attempts to place its orders.
  tries INTEGER NOT NULL DEFAULT 0,
  -- Why the last attempt failed.
  last_error TEXT
) STRICT;
CREATE INDEX subscription_contents_subscription ON subscription_contents (subscription_id, id);
CREATE UNIQUE INDEX subscription_contents_once ON subscription_contents (subscription_id, url);
CREATE INDEX subscription_contents_due ON subscription_contents (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX subscription_contents_waiting ON subscription_contents (subscription_id, id) WHERE status = 'found';

CREATE TABLE free_trial_quests (
  -- A task for customers, and its reward. Staff write it. Texts: translations (owner_type
  -- 'free_trial_quest').

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- Address of the uploaded image.
  image TEXT,
  -- Address of the uploaded icon.
  icon TEXT,
  -- The service that is given.
  service_id INTEGER NOT NULL REFERENCES services (id),
  -- Units that are given.
  quantity INTEGER NOT NULL,
  -- Requests are approved until then; NULL for always.
  deadline INTEGER,
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  is_repeatable INTEGER NOT NULL DEFAULT 0 CHECK (is_repeatable IN (0, 1)),
  -- How often a customer may get it if it is repeatable; NULL for any number.
  repeats_count INTEGER,
  -- Whether customers prove the task by an address.
  allow_proof_url INTEGER NOT NULL DEFAULT 0 CHECK (allow_proof_url IN (0, 1)),
  -- Whether requests of good customers are approved without staff.
  auto_approve_is_allowed INTEGER NOT NULL DEFAULT 0 CHECK (auto_approve_is_allowed IN (0, 1)),
  -- How much a good customer has spent, in millionths of the panel's currency.
  min_amount_for_auto_approve INTEGER,
  -- Whether only customers who spent enough may request it.
  is_allowed_with_spend_above INTEGER NOT NULL DEFAULT 0 CHECK (is_allowed_with_spend_above IN (0, 1)),
  -- How much that is, in millionths of the panel's currency.
  min_user_spend_amount INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- Materialized counts.
CREATE TRIGGER count_free_trial_quests_insert AFTER INSERT ON free_trial_quests BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'free_trial_quests', '', -1, 1
    UNION ALL SELECT 'free_trial_quests', '', new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_free_trial_quests_delete AFTER DELETE ON free_trial_quests BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'free_trial_quests', '', -1, -1
    UNION ALL SELECT 'free_trial_quests', '', old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

CREATE TABLE free_trials (
  -- A request of a customer for the reward of a quest. An approval places an order that costs nothing; a decision is
  -- final.

  id INTEGER PRIMARY KEY,
  free_trial_quest_id INTEGER NOT NULL REFERENCES free_trial_quests (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  -- The order that the approval placed.
  order_id INTEGER REFERENCES orders (id),
  -- Name of the quest when it was requested.
  name TEXT NOT NULL,
  -- The address to deliver to, as the customer typed it.
  url TEXT NOT NULL,
  -- Where the customer shows that they did the task.
  proof_url TEXT,
  quantity INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'rejected')),
  -- Who approved or rejected it; NULL for the system.
  approved_by INTEGER REFERENCES users (id),
  -- When it was approved or rejected.
  approved_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX free_trials_status ON free_trials (status, id);
CREATE INDEX free_trials_user ON free_trials (user_id, free_trial_quest_id);
CREATE INDEX free_trials_quest ON free_trials (free_trial_quest_id, id);

-- Materialized counts.
CREATE TRIGGER count_free_trials_insert AFTER INSERT ON free_trials BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'free_trials', '', -1, 1
    UNION ALL SELECT 'free_trials', '', new.id / 8192, 1
    UNION ALL SELECT 'free_trials', new.status, -1, 1
    UNION ALL SELECT 'free_trials', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_free_trials_delete AFTER DELETE ON free_trials BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'free_trials', '', -1, -1
    UNION ALL SELECT 'free_trials', '', old.id / 8192, -1
    UNION ALL SELECT 'free_trials', old.status, -1, -1
    UNION ALL SELECT 'free_trials', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_free_trials_move AFTER UPDATE OF status ON free_trials WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'free_trials', old.status, -1, -1
    UNION ALL SELECT 'free_trials', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'free_trials', new.status, -1, 1
    UNION ALL SELECT 'free_trials', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

-- Text search: a trigram index without a copy of the text; rowid is the id.
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

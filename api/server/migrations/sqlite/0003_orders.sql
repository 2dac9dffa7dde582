-- Orders and their satellites; free trials.

CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('in_processing', 'in_moderation', 'completed', 'stopped', 'canceled', 'unpaid')),
  approval TEXT CHECK (approval IN ('pending', 'approved', 'rejected')),
  source TEXT NOT NULL CHECK (source IN ('api', 'cabinet', 'order_widget', 'socpanel', 'perfect_panel_api', 'subscription',
    'order_widget_multiple', 'buy_page', 'single_form', 'drip_feed', 'free_trial', 'package', 'order_widget_step_by_step', 'order_widget_mini')),
  user_id INTEGER NOT NULL REFERENCES users (id),
  service_id INTEGER NOT NULL REFERENCES services (id),
  cost INTEGER NOT NULL CHECK (cost >= 0),
  price INTEGER NOT NULL CHECK (price >= 0),
  pricing_per INTEGER NOT NULL CHECK (pricing_per >= 1),
  rounding_precision INTEGER NOT NULL DEFAULT 6 CHECK (rounding_precision BETWEEN 0 AND 6),
  refunded INTEGER NOT NULL DEFAULT 0 CHECK (refunded >= 0 AND refunded <= cost),
  refund_seq INTEGER NOT NULL DEFAULT 0,
  provider_cost INTEGER NOT NULL DEFAULT 0,
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  current_quantity INTEGER NOT NULL DEFAULT 0 CHECK (current_quantity >= 0),
  quantity_for_full_fill INTEGER,
  external_order_start_count INTEGER,
  external_statistics_quantity INTEGER,
  is_paid INTEGER NOT NULL DEFAULT 0 CHECK (is_paid IN (0, 1)),
  has_refill INTEGER NOT NULL DEFAULT 0 CHECK (has_refill IN (0, 1)),
  auto_refill_is_allowed INTEGER NOT NULL DEFAULT 0 CHECK (auto_refill_is_allowed IN (0, 1)),
  broken_pipes INTEGER NOT NULL DEFAULT 0 CHECK (broken_pipes IN (0, 1)),
  drop_quantity INTEGER NOT NULL DEFAULT 0,
  order_current_refilled_quantity INTEGER NOT NULL DEFAULT 0,
  refill_quantity INTEGER,
  refill_first_at INTEGER,
  refill_first_quantity INTEGER,
  refill_last_at INTEGER,
  refill_last_quantity INTEGER,
  comment TEXT,
  seo_keyword TEXT,
  keyword TEXT,
  countries TEXT NOT NULL DEFAULT '[]',
  cancel_reason TEXT,
  cancel_description TEXT,
  child_id INTEGER,
  is_child_panel INTEGER NOT NULL DEFAULT 0 CHECK (is_child_panel IN (0, 1)),
  subscription_id INTEGER,
  drip_feed_id INTEGER,
  combo_order_id INTEGER,
  free_trial_id INTEGER,
  promotable_embed_url TEXT,
  promotable_region_restriction TEXT,
  promotable_average_viewers INTEGER,
  promotable_first_statistic_viewers INTEGER,
  promotable_supported_at INTEGER,
  promotable_supported_until INTEGER,
  -- in_processing and its service has no active provider; kept by whoever changes either.
  has_no_active_providers INTEGER NOT NULL DEFAULT 0 CHECK (has_no_active_providers IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  completed_at INTEGER,
  canceled_at INTEGER
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

CREATE TABLE external_panel_orders (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  provider_id INTEGER NOT NULL REFERENCES providers (id),
  external_panel_id INTEGER REFERENCES external_panels (id),
  external_panel_service_id TEXT,
  external_order_id TEXT,
  status TEXT NOT NULL CHECK (status IN ('Creating', 'Pending', 'In progress', 'Processing', 'Completed', 'Partial', 'Canceled')),
  charge INTEGER NOT NULL DEFAULT 0,
  initial_charge INTEGER NOT NULL DEFAULT 0,
  initial_quantity INTEGER NOT NULL,
  remains INTEGER,
  start_count INTEGER,
  last_error TEXT,
  cancel_requested_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX external_panel_orders_order ON external_panel_orders (order_id, id);

CREATE TABLE order_price_modifications (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  modifier_id INTEGER,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  cost_before INTEGER NOT NULL,
  cost_after INTEGER NOT NULL,
  is_speedup INTEGER NOT NULL DEFAULT 0 CHECK (is_speedup IN (0, 1)),
  has_countries INTEGER NOT NULL DEFAULT 0 CHECK (has_countries IN (0, 1))
) STRICT;
CREATE INDEX order_price_modifications_order ON order_price_modifications (order_id);

CREATE TABLE order_balance_payments (
  order_id INTEGER NOT NULL REFERENCES orders (id),
  balance_type TEXT NOT NULL CHECK (balance_type IN ('main', 'task', 'referral')),
  amount INTEGER NOT NULL CHECK (amount > 0),
  refunded INTEGER NOT NULL DEFAULT 0 CHECK (refunded >= 0 AND refunded <= amount),
  PRIMARY KEY (order_id, balance_type)
) STRICT;

CREATE TABLE order_targetable_values (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  name TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;
CREATE INDEX order_targetable_values_order ON order_targetable_values (order_id);

CREATE TABLE order_refill_requests (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'sent', 'completed', 'rejected')),
  created_by INTEGER REFERENCES users (id),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX order_refill_requests_order ON order_refill_requests (order_id);

CREATE TABLE order_statistics (
  order_id INTEGER NOT NULL REFERENCES orders (id),
  day INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  PRIMARY KEY (order_id, day)
) STRICT;

CREATE TABLE promotable_statistics (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  at INTEGER NOT NULL,
  viewers INTEGER NOT NULL
) STRICT;
CREATE INDEX promotable_statistics_order ON promotable_statistics (order_id, at);

CREATE TABLE provider_statistics (
  order_id INTEGER NOT NULL REFERENCES orders (id),
  provider_id INTEGER NOT NULL REFERENCES providers (id),
  day INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  PRIMARY KEY (order_id, provider_id, day)
) STRICT;

CREATE TABLE free_trial_quests (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  image TEXT,
  icon TEXT,
  service_id INTEGER NOT NULL REFERENCES services (id),
  quantity INTEGER NOT NULL,
  deadline INTEGER,
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  is_repeatable INTEGER NOT NULL DEFAULT 0 CHECK (is_repeatable IN (0, 1)),
  repeats_count INTEGER,
  allow_proof_url INTEGER NOT NULL DEFAULT 0 CHECK (allow_proof_url IN (0, 1)),
  auto_approve_is_allowed INTEGER NOT NULL DEFAULT 0 CHECK (auto_approve_is_allowed IN (0, 1)),
  min_amount_for_auto_approve INTEGER,
  is_allowed_with_spend_above INTEGER NOT NULL DEFAULT 0 CHECK (is_allowed_with_spend_above IN (0, 1)),
  min_user_spend_amount INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE free_trials (
  id INTEGER PRIMARY KEY,
  free_trial_quest_id INTEGER NOT NULL REFERENCES free_trial_quests (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  order_id INTEGER REFERENCES orders (id),
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  proof_url TEXT,
  quantity INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'rejected')),
  approved_by INTEGER REFERENCES users (id),
  approved_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX free_trials_status ON free_trials (status, id);

-- Catalogue and supply: networks, service types, services, their texts, providers and external panels.

CREATE TABLE networks (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  icon TEXT,
  color TEXT,
  url_examples TEXT NOT NULL DEFAULT '[]',
  sorting INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE service_types (
  id INTEGER PRIMARY KEY,
  network_id INTEGER NOT NULL REFERENCES networks (id),
  name TEXT NOT NULL,
  title TEXT,
  description TEXT,
  full_description TEXT,
  icon TEXT,
  type TEXT NOT NULL DEFAULT 'Youtube',
  slug TEXT,
  sorting INTEGER NOT NULL DEFAULT 0,
  color TEXT,
  panel_service_type_id INTEGER,
  reviews_count INTEGER NOT NULL DEFAULT 0,
  reviews_rating_ppm INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX service_types_network ON service_types (network_id, sorting);

CREATE TABLE promotable_checker_groups (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  service_type_type TEXT NOT NULL,
  checkers TEXT NOT NULL DEFAULT '[]'
) STRICT;

CREATE TABLE services (
  id INTEGER PRIMARY KEY,
  service_type_id INTEGER NOT NULL REFERENCES service_types (id),
  name TEXT NOT NULL,
  admin_note TEXT,
  min_quantity INTEGER NOT NULL,
  max_quantity INTEGER NOT NULL,
  quantity_step INTEGER NOT NULL DEFAULT 1 CHECK (quantity_step >= 1),
  min_price INTEGER NOT NULL,
  default_price INTEGER NOT NULL,
  pricing_per INTEGER NOT NULL DEFAULT 1000 CHECK (pricing_per >= 1),
  auto_refill_is_allowed INTEGER NOT NULL DEFAULT 0 CHECK (auto_refill_is_allowed IN (0, 1)),
  auto_refill_after_hours INTEGER,
  auto_refill_once_fill_ppm INTEGER,
  auto_refill_min_drop_ppm INTEGER,
  auto_refill_max_drop_ppm INTEGER,
  auto_refill_max_total_refilled_ppm INTEGER,
  order_quantity_ratio_ppm INTEGER,
  api_access INTEGER NOT NULL DEFAULT 1 CHECK (api_access IN (0, 1)),
  restricted_access INTEGER NOT NULL DEFAULT 0 CHECK (restricted_access IN (0, 1)),
  has_refill INTEGER NOT NULL DEFAULT 0 CHECK (has_refill IN (0, 1)),
  can_speedup INTEGER NOT NULL DEFAULT 0 CHECK (can_speedup IN (0, 1)),
  no_refund INTEGER NOT NULL DEFAULT 0 CHECK (no_refund IN (0, 1)),
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  is_deactivated INTEGER NOT NULL DEFAULT 0 CHECK (is_deactivated IN (0, 1)),
  url_is_required INTEGER NOT NULL DEFAULT 1 CHECK (url_is_required IN (0, 1)),
  real_counter_complete_is_enabled INTEGER NOT NULL DEFAULT 0 CHECK (real_counter_complete_is_enabled IN (0, 1)),
  moderation_is_enabled INTEGER NOT NULL DEFAULT 0 CHECK (moderation_is_enabled IN (0, 1)),
  cancel_by_client_is_allowed INTEGER NOT NULL DEFAULT 0 CHECK (cancel_by_client_is_allowed IN (0, 1)),
  auto_cancel INTEGER NOT NULL DEFAULT 0 CHECK (auto_cancel IN (0, 1)),
  gather_statistic INTEGER NOT NULL DEFAULT 0 CHECK (gather_statistic IN (0, 1)),
  calculable_quantity INTEGER NOT NULL DEFAULT 0 CHECK (calculable_quantity IN (0, 1)),
  default_quantity_for_order_widget INTEGER,
  budget_multiplier_ppm INTEGER,
  sync_params INTEGER NOT NULL DEFAULT 0 CHECK (sync_params IN (0, 1)),
  sync_prices INTEGER NOT NULL DEFAULT 0 CHECK (sync_prices IN (0, 1)),
  sync_labels INTEGER NOT NULL DEFAULT 0 CHECK (sync_labels IN (0, 1)),
  sync_name INTEGER NOT NULL DEFAULT 0 CHECK (sync_name IN (0, 1)),
  sync_meta INTEGER NOT NULL DEFAULT 0 CHECK (sync_meta IN (0, 1)),
  sync_service_details INTEGER NOT NULL DEFAULT 0 CHECK (sync_service_details IN (0, 1)),
  sync_description_field INTEGER NOT NULL DEFAULT 0 CHECK (sync_description_field IN (0, 1)),
  sync_short_description INTEGER NOT NULL DEFAULT 0 CHECK (sync_short_description IN (0, 1)),
  sync_reviews INTEGER NOT NULL DEFAULT 0 CHECK (sync_reviews IN (0, 1)),
  drip_feed_is_allowed INTEGER NOT NULL DEFAULT 0 CHECK (drip_feed_is_allowed IN (0, 1)),
  resale_margin_ppm INTEGER,
  promotable_checker_group_id INTEGER REFERENCES promotable_checker_groups (id),
  full_description_location TEXT NOT NULL DEFAULT 'footer' CHECK (full_description_location IN ('header', 'footer')),
  slug TEXT,
  buy_page_url TEXT,
  countries TEXT NOT NULL DEFAULT '[]',
  live_stream_support_minutes INTEGER,
  live_stream_retention_quantity_multiplier_ppm INTEGER,
  forbids_orders_with_same_url INTEGER NOT NULL DEFAULT 0 CHECK (forbids_orders_with_same_url IN (0, 1)),
  sorting INTEGER NOT NULL DEFAULT 0,
  -- Kept by whoever writes providers: whether at least one provider of the service is active.
  has_active_providers INTEGER NOT NULL DEFAULT 0 CHECK (has_active_providers IN (0, 1)),
  last_time_providers_are_available_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX services_type ON services (service_type_id, sorting);
CREATE INDEX services_archived ON services (is_archived, id);

CREATE TABLE translations (
  owner_type TEXT NOT NULL,
  owner_id INTEGER NOT NULL,
  locale TEXT NOT NULL,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (owner_type, owner_id, locale, field)
) STRICT;

CREATE TABLE labels (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  icon TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE service_labels (
  service_id INTEGER NOT NULL REFERENCES services (id),
  label_id INTEGER NOT NULL REFERENCES labels (id),
  PRIMARY KEY (service_id, label_id)
) STRICT;

CREATE TABLE user_services (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  service_id INTEGER NOT NULL REFERENCES services (id),
  min_price INTEGER,
  default_price INTEGER,
  auto_refill_is_allowed INTEGER NOT NULL DEFAULT 0 CHECK (auto_refill_is_allowed IN (0, 1)),
  auto_refill_once_fill_ppm INTEGER,
  auto_refill_min_drop_ppm INTEGER,
  auto_refill_max_drop_ppm INTEGER,
  auto_refill_max_total_refilled_ppm INTEGER,
  max_order_quantity_for_use_throttle INTEGER,
  order_quantity_ratio_ppm INTEGER,
  has_refill INTEGER NOT NULL DEFAULT 0 CHECK (has_refill IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (user_id, service_id)
) STRICT;

CREATE TABLE external_panels (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  type TEXT NOT NULL DEFAULT 'perfect_panel',
  endpoint TEXT NOT NULL,
  api_token_sealed BLOB,
  currency TEXT NOT NULL DEFAULT 'USD',
  balance INTEGER,
  statistic_type TEXT,
  sync_services INTEGER NOT NULL DEFAULT 0 CHECK (sync_services IN (0, 1)),
  sync_packages INTEGER NOT NULL DEFAULT 0 CHECK (sync_packages IN (0, 1)),
  sync_prices INTEGER NOT NULL DEFAULT 0 CHECK (sync_prices IN (0, 1)),
  sync_labels INTEGER NOT NULL DEFAULT 0 CHECK (sync_labels IN (0, 1)),
  sync_name INTEGER NOT NULL DEFAULT 0 CHECK (sync_name IN (0, 1)),
  sync_meta INTEGER NOT NULL DEFAULT 0 CHECK (sync_meta IN (0, 1)),
  sync_service_details INTEGER NOT NULL DEFAULT 0 CHECK (sync_service_details IN (0, 1)),
  sync_description INTEGER NOT NULL DEFAULT 0 CHECK (sync_description IN (0, 1)),
  sync_short_description INTEGER NOT NULL DEFAULT 0 CHECK (sync_short_description IN (0, 1)),
  sync_reviews INTEGER NOT NULL DEFAULT 0 CHECK (sync_reviews IN (0, 1)),
  sync_params INTEGER NOT NULL DEFAULT 0 CHECK (sync_params IN (0, 1)),
  resale_margin_ppm INTEGER,
  auto_recreate_orders_is_allowed INTEGER NOT NULL DEFAULT 0 CHECK (auto_recreate_orders_is_allowed IN (0, 1)),
  sync_failed INTEGER NOT NULL DEFAULT 0 CHECK (sync_failed IN (0, 1)),
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled', 'error')),
  favicon TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE providers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  type TEXT NOT NULL DEFAULT 'external_panel',
  external_panel_id INTEGER REFERENCES external_panels (id),
  external_panel_service_id TEXT,
  source_price INTEGER NOT NULL DEFAULT 0,
  source_currency TEXT NOT NULL DEFAULT 'USD',
  source_pricing_per INTEGER NOT NULL DEFAULT 1000,
  source_event TEXT,
  target_event TEXT,
  last_stats_gather_period TEXT,
  last_available_at INTEGER,
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled', 'error')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX providers_name ON providers (name);
CREATE INDEX providers_panel ON providers (external_panel_id);

CREATE TABLE service_providers (
  service_id INTEGER NOT NULL REFERENCES services (id),
  provider_id INTEGER NOT NULL REFERENCES providers (id),
  position INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (service_id, provider_id)
) STRICT;
CREATE INDEX service_providers_provider ON service_providers (provider_id);

-- Catalogue: networks, service types, services and their extra inputs, prices of single customers, packages.

CREATE TABLE networks (
  -- A social network that services are sold for. Staff write it. Texts: translations (owner_type 'network').

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- Address of the uploaded image.
  icon TEXT,
  -- '#rrggbb'.
  color TEXT,
  -- JSON list of addresses that show customers what to enter.
  url_examples TEXT NOT NULL DEFAULT '[]',
  -- Place among the networks, from 1.
  sorting INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE service_types (
  -- A kind of service within a network, such as likes, with a page of its own. Staff write it. Texts: translations
  -- (owner_type 'service_type').

  id INTEGER PRIMARY KEY,
  network_id INTEGER NOT NULL REFERENCES networks (id),
  name TEXT NOT NULL,
  -- Heading of its page.
  title TEXT,
  description TEXT,
  full_description TEXT,
  icon TEXT,
  -- Its subject, such as 'Youtube'; decides which checks of addresses are offered.
  type TEXT NOT NULL DEFAULT 'Youtube',
  -- Part of the address of its page; unique.
  slug TEXT,
  -- Place within the network, from 1.
  sorting INTEGER NOT NULL DEFAULT 0,
  color TEXT,
  -- The category of external panels whose services imports put here, where they keep categories.
  panel_category TEXT,
  -- Number of reviews that its page states.
  reviews_count INTEGER NOT NULL DEFAULT 0,
  -- Rating that its page states, 0 to 5,000,000.
  reviews_rating_ppm INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX service_types_network ON service_types (network_id, sorting);
CREATE UNIQUE INDEX service_types_slug ON service_types (slug) WHERE slug IS NOT NULL;
-- A category is kept by one service type of a network.
CREATE UNIQUE INDEX service_types_panel_category ON service_types (network_id, panel_category)
  WHERE panel_category IS NOT NULL;

CREATE TABLE promotable_checker_groups (
  -- A named group of patterns, one of which the address of an order must match. Staff write it.

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- The service_types.type that it is offered for.
  service_type_type TEXT NOT NULL,
  -- JSON list of patterns.
  checkers TEXT NOT NULL DEFAULT '[]',
  updated_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX promotable_checker_groups_name ON promotable_checker_groups (name);

CREATE TABLE services (
  -- A service that customers can order, with its price, minimum and maximum. Staff, imports and syncs write it. Texts: translations
  -- (owner_type 'service').

  id INTEGER PRIMARY KEY,
  service_type_id INTEGER NOT NULL REFERENCES service_types (id),
  name TEXT NOT NULL,
  -- A note for staff only.
  admin_note TEXT,
  min_quantity INTEGER NOT NULL,
  max_quantity INTEGER NOT NULL,
  -- Quantities are min_quantity plus a multiple of it.
  quantity_step INTEGER NOT NULL DEFAULT 1 CHECK (quantity_step >= 1),
  -- The lowest price that discounts may lead to, per pricing_per units, in millionths of the panel's currency.
  min_price INTEGER NOT NULL,
  -- Price per pricing_per units, in millionths of the panel's currency.
  default_price INTEGER NOT NULL,
  -- Number of units that prices are for.
  pricing_per INTEGER NOT NULL DEFAULT 1000 CHECK (pricing_per >= 1),
  -- Whether refills are ordered without a request.
  auto_refill_is_allowed INTEGER NOT NULL DEFAULT 0 CHECK (auto_refill_is_allowed IN (0, 1)),
  -- Hours after completion.
  auto_refill_after_hours INTEGER,
  -- Part of the drop that one refill replaces.
  auto_refill_once_fill_ppm INTEGER,
  -- The smallest drop that is refilled.
  auto_refill_min_drop_ppm INTEGER,
  -- The largest drop that is refilled.
  auto_refill_max_drop_ppm INTEGER,
  -- The maximum of all refills of an order together.
  auto_refill_max_total_refilled_ppm INTEGER,
  -- Units ordered from external panels per unit sold; NULL for the same number.
  order_quantity_ratio_ppm INTEGER,
  -- Whether the reseller API sells it.
  api_access INTEGER NOT NULL DEFAULT 1 CHECK (api_access IN (0, 1)),
  -- Whether it is sold to chosen customers only.
  restricted_access INTEGER NOT NULL DEFAULT 0 CHECK (restricted_access IN (0, 1)),
  -- Whether a refill may be requested.
  has_refill INTEGER NOT NULL DEFAULT 0 CHECK (has_refill IN (0, 1)),
  -- Whether an order can be sped up.
  can_speedup INTEGER NOT NULL DEFAULT 0 CHECK (can_speedup IN (0, 1)),
  -- Whether undelivered parts are not refunded.
  no_refund INTEGER NOT NULL DEFAULT 0 CHECK (no_refund IN (0, 1)),
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  -- Whether a sync took it off sale.
  is_deactivated INTEGER NOT NULL DEFAULT 0 CHECK (is_deactivated IN (0, 1)),
  -- Whether an order needs an address.
  url_is_required INTEGER NOT NULL DEFAULT 1 CHECK (url_is_required IN (0, 1)),
  -- Whether an order completes when the real counter is reached (order_counters).
  real_counter_complete_is_enabled INTEGER NOT NULL DEFAULT 0 CHECK (real_counter_complete_is_enabled IN (0, 1)),
  -- Whether new orders wait for approval by staff.
  moderation_is_enabled INTEGER NOT NULL DEFAULT 0 CHECK (moderation_is_enabled IN (0, 1)),
  cancel_by_client_is_allowed INTEGER NOT NULL DEFAULT 0 CHECK (cancel_by_client_is_allowed IN (0, 1)),
  -- Whether an order is canceled when no provider can deliver it.
  auto_cancel INTEGER NOT NULL DEFAULT 0 CHECK (auto_cancel IN (0, 1)),
  -- Whether the real counter is polled for its orders.
  gather_statistic INTEGER NOT NULL DEFAULT 0 CHECK (gather_statistic IN (0, 1)),
  -- Whether the quantity is computed from what the customer enters.
  calculable_quantity INTEGER NOT NULL DEFAULT 0 CHECK (calculable_quantity IN (0, 1)),
  -- The quantity that an order widget starts with.
  default_quantity_for_order_widget INTEGER,
  -- Factor by which the budget of a customer is multiplied.
  budget_multiplier_ppm INTEGER,
  -- Each sync_* allows a sync to copy that field from its provider at an external panel.
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
  -- Added to the price of the source when a sync follows it; NULL for the margin of the external panel.
  resale_margin_ppm INTEGER,
  -- The check for the addresses of its orders.
  promotable_checker_group_id INTEGER REFERENCES promotable_checker_groups (id),
  -- Position of the full description on its page.
  full_description_location TEXT NOT NULL DEFAULT 'footer' CHECK (full_description_location IN ('header', 'footer')),
  -- Part of the address of its page; unique.
  slug TEXT,
  -- Address of a page of its own.
  buy_page_url TEXT,
  -- JSON list of ISO country codes that it is sold for; empty for all.
  countries TEXT NOT NULL DEFAULT '[]',
  -- How long viewers of a live stream are held.
  live_stream_support_minutes INTEGER,
  -- Viewers ordered per viewer held.
  live_stream_retention_quantity_multiplier_ppm INTEGER,
  -- Whether a second open order with the same address is rejected.
  forbids_orders_with_same_url INTEGER NOT NULL DEFAULT 0 CHECK (forbids_orders_with_same_url IN (0, 1)),
  -- Place within its service type, from 1.
  sorting INTEGER NOT NULL DEFAULT 0,
  -- Whether at least one of its providers is available. pricing::available::update_availability writes it in the transaction that
  -- changes providers.
  has_active_providers INTEGER NOT NULL DEFAULT 0 CHECK (has_active_providers IN (0, 1)),
  -- When a provider was last available; NULL while one is.
  last_time_providers_are_available_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- The provider that an import made this service for.
  imported_provider_id INTEGER REFERENCES providers (id),
  -- Service type of the reseller API: the parameters of an order, and how its quantity is computed.
  panel_service_type TEXT NOT NULL DEFAULT 'Default',
  -- Since when a sync keeps it off sale because it would be sold at a loss. Only a sync restores it.
  deactivated_by_sync_at INTEGER
) STRICT;
CREATE INDEX services_type ON services (service_type_id, sorting);
CREATE INDEX services_archived ON services (is_archived, id);
CREATE UNIQUE INDEX services_slug ON services (slug) WHERE slug IS NOT NULL;
CREATE INDEX services_checker_group ON services (promotable_checker_group_id)
  WHERE promotable_checker_group_id IS NOT NULL;
CREATE INDEX services_imported ON services (imported_provider_id) WHERE imported_provider_id IS NOT NULL;

-- Text search: a trigram index without a copy of the text; rowid is the id.
CREATE VIRTUAL TABLE services_fts USING fts5(name, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_services_insert AFTER INSERT ON services BEGIN
  INSERT INTO services_fts (rowid, name) VALUES (new.id, new.name);
END;
CREATE TRIGGER search_services_update AFTER UPDATE OF name ON services BEGIN
  DELETE FROM services_fts WHERE rowid = old.id;
  INSERT INTO services_fts (rowid, name) VALUES (new.id, new.name);
END;
CREATE TRIGGER search_services_delete AFTER DELETE ON services BEGIN
  DELETE FROM services_fts WHERE rowid = old.id;
END;

CREATE TABLE service_providers (
  -- A provider that may deliver a service. The dispatcher tries providers by position.

  service_id INTEGER NOT NULL REFERENCES services (id),
  provider_id INTEGER NOT NULL REFERENCES providers (id),
  -- From 0 upwards; the lowest is tried first.
  position INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (service_id, provider_id)
) STRICT;
CREATE INDEX service_providers_provider ON service_providers (provider_id);

CREATE TABLE labels (
  -- A label that services carry, such as 'new'. Staff write it. Texts: translations (owner_type 'label').

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  icon TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Marks the one label whose services take comments from the customer.
  is_custom_comments INTEGER NOT NULL DEFAULT 0 CHECK (is_custom_comments IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX labels_custom_comments ON labels (is_custom_comments) WHERE is_custom_comments = 1;

CREATE TABLE service_labels (
  -- A label of a service.

  service_id INTEGER NOT NULL REFERENCES services (id),
  label_id INTEGER NOT NULL REFERENCES labels (id),
  PRIMARY KEY (service_id, label_id)
) STRICT;
CREATE INDEX service_labels_label ON service_labels (label_id);

CREATE TABLE user_services (
  -- Terms of one service for one customer: an agreed price, refills, a ratio. NULL columns mean the terms of the
  -- service. Staff write it; a sync raises prices with the cost.

  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  service_id INTEGER NOT NULL REFERENCES services (id),
  -- The lowest price that discounts may lead to, per services.pricing_per units, in millionths of the panel's
  -- currency.
  min_price INTEGER,
  -- What this customer pays, per services.pricing_per units, in millionths of the panel's currency.
  default_price INTEGER,
  -- Allows refills without a request, in addition to the service.
  auto_refill_is_allowed INTEGER NOT NULL DEFAULT 0 CHECK (auto_refill_is_allowed IN (0, 1)),
  -- Part of the drop that one refill replaces.
  auto_refill_once_fill_ppm INTEGER,
  -- The smallest drop that is refilled.
  auto_refill_min_drop_ppm INTEGER,
  -- The largest drop that is refilled.
  auto_refill_max_drop_ppm INTEGER,
  -- The maximum of all refills of an order together.
  auto_refill_max_total_refilled_ppm INTEGER,
  -- The customer's ratio applies to orders up to this quantity; NULL for all.
  max_order_quantity_for_use_throttle INTEGER,
  -- Units ordered from external panels per unit sold.
  order_quantity_ratio_ppm INTEGER,
  -- Allows refill requests, in addition to the service.
  has_refill INTEGER NOT NULL DEFAULT 0 CHECK (has_refill IN (0, 1)),
  -- Staff confirmed the price below the provider's cost and the minimum margin; orders are charged this price nevertheless.
  below_margin_confirmed INTEGER NOT NULL DEFAULT 0 CHECK (below_margin_confirmed IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (user_id, service_id)
) STRICT;
-- A sync finds the customers who have their own price of a service.
CREATE INDEX user_services_service ON user_services (service_id);

CREATE TABLE target_types (
  -- A kind of extra input that a service can require. The seed rows are the whole list: the program refers to it, and
  -- nothing else writes it.

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (name IN ('geotargeting', 'comment', 'keyword', 'seo_keyword', 'language')),
  title TEXT NOT NULL,
  -- Whether customers choose among given values.
  selectable INTEGER NOT NULL CHECK (selectable IN (0, 1)),
  -- Whether services can use it.
  enabled_for_service INTEGER NOT NULL CHECK (enabled_for_service IN (0, 1)),
  -- The form field that shows it.
  view_type TEXT NOT NULL CHECK (view_type IN ('float_input', 'input', 'multiselect', 'number_input', 'select', 'textarea', 'url_input')),
  UNIQUE (name, view_type)
) STRICT;
INSERT INTO target_types (id, name, title, selectable, enabled_for_service, view_type) VALUES
  (1, 'geotargeting', 'Countries', TRUE, TRUE, 'multiselect'),
  (2, 'geotargeting', 'Country', TRUE, TRUE, 'select'),
  (3, 'comment', 'Comments', FALSE, TRUE, 'textarea'),
  (4, 'keyword', 'Keyword', FALSE, TRUE, 'input'),
  (5, 'keyword', 'Whole number', FALSE, TRUE, 'number_input'),
  (6, 'keyword', 'Decimal number', FALSE, TRUE, 'float_input'),
  (7, 'keyword', 'Address', FALSE, TRUE, 'url_input'),
  (8, 'seo_keyword', 'SEO keywords', FALSE, TRUE, 'textarea'),
  (9, 'language', 'Language', TRUE, TRUE, 'select'),
  (10, 'language', 'Languages', TRUE, TRUE, 'multiselect'),
  (11, 'keyword', 'List, one entry a line', FALSE, TRUE, 'textarea');

CREATE TABLE targets (
  -- An extra input, such as countries or a keyword. Staff write it. Texts: translations (owner_type 'target').

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  target_type_id INTEGER NOT NULL REFERENCES target_types (id),
  -- Whether the panel itself needs it: its type cannot change.
  is_system INTEGER NOT NULL DEFAULT 0 CHECK (is_system IN (0, 1)),
  -- Whether customers see the values that a service presets.
  is_visible_default_values INTEGER NOT NULL DEFAULT 0 CHECK (is_visible_default_values IN (0, 1)),
  -- The parameter of the reseller API that carries it, such as 'comments'; NULL for none. Imports write it.
  parameter TEXT,
  -- JSON list of the texts that customers can choose, in their order.
  selectable_values TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX targets_parameter ON targets (parameter) WHERE parameter IS NOT NULL;

CREATE TABLE service_targets (
  -- An extra input that customers of a service fill in.

  service_id INTEGER NOT NULL REFERENCES services (id),
  target_id INTEGER NOT NULL REFERENCES targets (id),
  -- Place among the inputs of the service.
  position INTEGER NOT NULL,
  -- Whether customers must fill it in, may, or get given values.
  attachment TEXT NOT NULL CHECK (attachment IN ('required', 'optional', 'fixed')),
  -- JSON list of the service's own values, in their order; empty for all of the target.
  given_values TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (service_id, target_id)
) STRICT;
CREATE INDEX service_targets_target ON service_targets (target_id);

CREATE TABLE provider_packages (
  -- A package that an external panel sells, as it was imported. Packages of this panel can be created from it.

  id INTEGER PRIMARY KEY,
  external_panel_id INTEGER NOT NULL REFERENCES external_panels (id),
  -- Its id at the external panel.
  external_panel_package_id TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('auto', 'manual')),
  network_id INTEGER REFERENCES networks (id),
  -- Price of the whole package at the external panel, in millionths of the external panel's currency; NULL for the sum of its contents.
  fixed_cost INTEGER CHECK (fixed_cost >= 0),
  -- Discount on the sum of its contents.
  discount_ppm INTEGER NOT NULL DEFAULT 0 CHECK (discount_ppm BETWEEN 0 AND 1000000),
  -- Whether it follows the external panel.
  sync INTEGER NOT NULL DEFAULT 0 CHECK (sync IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (external_panel_id, external_panel_package_id)
) STRICT;

CREATE TABLE provider_package_contents (
  -- A service within a package of an external panel.

  provider_package_id INTEGER NOT NULL REFERENCES provider_packages (id),
  external_panel_service_id TEXT NOT NULL,
  name TEXT NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  -- Price per pricing_per units, in millionths of the external panel's currency.
  price INTEGER NOT NULL CHECK (price >= 0),
  pricing_per INTEGER NOT NULL CHECK (pricing_per >= 1),
  PRIMARY KEY (provider_package_id, external_panel_service_id)
) STRICT;

CREATE TABLE packages (
  -- Services that are sold together. Staff write it. Its price is computed from the contents and not stored. Texts:
  -- translations (owner_type 'package').

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- Whether its orders start when it is bought ('auto') or staff approve them first ('manual').
  type TEXT NOT NULL CHECK (type IN ('auto', 'manual')),
  network_id INTEGER NOT NULL REFERENCES networks (id),
  service_type_id INTEGER REFERENCES service_types (id),
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  -- Whether it is sold to chosen customers only.
  restricted_access INTEGER NOT NULL DEFAULT 0 CHECK (restricted_access IN (0, 1)),
  -- Whether it follows the external panel that it came from.
  sync INTEGER NOT NULL DEFAULT 0 CHECK (sync IN (0, 1)),
  -- Price of the whole, in millionths of the panel's currency; NULL for the sum of the contents. It excludes a
  -- discount.
  fixed_cost INTEGER CHECK (fixed_cost > 0),
  -- Discount on the sum of the contents.
  discount_ppm INTEGER NOT NULL DEFAULT 0 CHECK (discount_ppm BETWEEN 0 AND 1000000),
  -- Staff confirmed that it costs less than its providers and the minimum margin on them; it is charged at that price nevertheless.
  below_margin_confirmed INTEGER NOT NULL DEFAULT 0 CHECK (below_margin_confirmed IN (0, 1)),
  -- Part of the address of its page; unique.
  slug TEXT,
  -- Address of a page of its own.
  buy_page_url TEXT,
  -- The package of an external panel from which it was created.
  provider_package_id INTEGER REFERENCES provider_packages (id),
  -- Since when a sync keeps it off sale because the external panel no longer sells it. Only a sync restores it.
  vanished_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK (fixed_cost IS NULL OR discount_ppm = 0)
) STRICT;
CREATE INDEX packages_archived ON packages (is_archived, id);
CREATE UNIQUE INDEX packages_slug ON packages (slug) WHERE slug IS NOT NULL;
CREATE INDEX packages_provided ON packages (provider_package_id) WHERE provider_package_id IS NOT NULL;

CREATE TABLE package_contents (
  -- A service within a package.

  package_id INTEGER NOT NULL REFERENCES packages (id),
  service_id INTEGER NOT NULL REFERENCES services (id),
  position INTEGER NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  -- Price within the package, per services.pricing_per units, in millionths of the panel's currency; NULL for the
  -- price of the service.
  price INTEGER CHECK (price >= 0),
  -- Whether customers see it in the package.
  is_displayable INTEGER NOT NULL DEFAULT 1 CHECK (is_displayable IN (0, 1)),
  PRIMARY KEY (package_id, service_id)
) STRICT;
CREATE INDEX package_contents_service ON package_contents (service_id);

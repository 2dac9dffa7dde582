-- Packages: services sold together. What they cost is worked out from their contents and never kept.

CREATE TABLE provider_packages (
  id INTEGER PRIMARY KEY,
  external_panel_id INTEGER NOT NULL REFERENCES external_panels (id),
  external_panel_package_id TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('auto', 'manual')),
  network_id INTEGER REFERENCES networks (id),
  fixed_cost INTEGER CHECK (fixed_cost >= 0),
  discount_ppm INTEGER NOT NULL DEFAULT 0 CHECK (discount_ppm BETWEEN 0 AND 1000000),
  sync INTEGER NOT NULL DEFAULT 0 CHECK (sync IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (external_panel_id, external_panel_package_id)
) STRICT;

CREATE TABLE provider_package_contents (
  provider_package_id INTEGER NOT NULL REFERENCES provider_packages (id),
  external_panel_service_id TEXT NOT NULL,
  name TEXT NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  price INTEGER NOT NULL CHECK (price >= 0),
  pricing_per INTEGER NOT NULL CHECK (pricing_per >= 1),
  PRIMARY KEY (provider_package_id, external_panel_service_id)
) STRICT;

CREATE TABLE packages (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('auto', 'manual')),
  network_id INTEGER NOT NULL REFERENCES networks (id),
  service_type_id INTEGER REFERENCES service_types (id),
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  restricted_access INTEGER NOT NULL DEFAULT 0 CHECK (restricted_access IN (0, 1)),
  sync INTEGER NOT NULL DEFAULT 0 CHECK (sync IN (0, 1)),
  fixed_cost INTEGER CHECK (fixed_cost > 0),
  discount_ppm INTEGER NOT NULL DEFAULT 0 CHECK (discount_ppm BETWEEN 0 AND 1000000),
  slug TEXT,
  buy_page_url TEXT,
  provider_package_id INTEGER REFERENCES provider_packages (id),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK (fixed_cost IS NULL OR discount_ppm = 0)
) STRICT;
CREATE INDEX packages_archived ON packages (is_archived, id);
CREATE UNIQUE INDEX packages_slug ON packages (slug) WHERE slug IS NOT NULL;

CREATE TABLE package_contents (
  package_id INTEGER NOT NULL REFERENCES packages (id),
  service_id INTEGER NOT NULL REFERENCES services (id),
  position INTEGER NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  -- Its own price within the package; none for the service's.
  price INTEGER CHECK (price >= 0),
  is_displayable INTEGER NOT NULL DEFAULT 1 CHECK (is_displayable IN (0, 1)),
  PRIMARY KEY (package_id, service_id)
) STRICT;
CREATE INDEX package_contents_service ON package_contents (service_id);
CREATE INDEX packages_provided ON packages (provider_package_id) WHERE provider_package_id IS NOT NULL;

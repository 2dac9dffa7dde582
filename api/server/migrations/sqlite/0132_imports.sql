-- What external panels sell, and what following them changed or wants to change.

CREATE TABLE external_panel_services (
  id INTEGER PRIMARY KEY,
  external_panel_id INTEGER NOT NULL REFERENCES external_panels (id),
  external_panel_service_id TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  category TEXT NOT NULL,
  rate INTEGER NOT NULL CHECK (rate >= 0),
  pricing_per INTEGER NOT NULL CHECK (pricing_per >= 1),
  min_quantity INTEGER NOT NULL,
  max_quantity INTEGER NOT NULL,
  refill INTEGER NOT NULL DEFAULT 0 CHECK (refill IN (0, 1)),
  cancel INTEGER NOT NULL DEFAULT 0 CHECK (cancel IN (0, 1)),
  dripfeed INTEGER NOT NULL DEFAULT 0 CHECK (dripfeed IN (0, 1)),
  -- Since when the panel no longer says it.
  gone_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (external_panel_id, external_panel_service_id)
) STRICT;
CREATE INDEX external_panel_services_newest ON external_panel_services (external_panel_id, id);

CREATE TABLE sync_runs (
  id INTEGER PRIMARY KEY,
  external_panel_id INTEGER NOT NULL REFERENCES external_panels (id),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  services_count INTEGER NOT NULL DEFAULT 0,
  unreadable_count INTEGER NOT NULL DEFAULT 0,
  new_count INTEGER NOT NULL DEFAULT 0,
  gone_count INTEGER NOT NULL DEFAULT 0,
  applied_count INTEGER NOT NULL DEFAULT 0,
  held_count INTEGER NOT NULL DEFAULT 0,
  error TEXT
) STRICT;
CREATE INDEX sync_runs_panel ON sync_runs (external_panel_id, id);

CREATE TABLE sync_changes (
  id INTEGER PRIMARY KEY,
  sync_run_id INTEGER NOT NULL REFERENCES sync_runs (id),
  external_panel_id INTEGER NOT NULL REFERENCES external_panels (id),
  external_panel_service_id TEXT NOT NULL,
  provider_id INTEGER NOT NULL REFERENCES providers (id),
  service_id INTEGER REFERENCES services (id),
  field TEXT NOT NULL,
  old_value TEXT NOT NULL,
  new_value TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('applied', 'held', 'accepted', 'refused', 'outdated')),
  -- Whether it is the last word: held, or refused and still so at the panel. The same is not asked twice.
  stands INTEGER NOT NULL DEFAULT 0 CHECK (stands IN (0, 1)),
  created_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_by INTEGER REFERENCES users (id)
) STRICT;
CREATE UNIQUE INDEX sync_changes_stand ON sync_changes (provider_id, field) WHERE stands;
CREATE INDEX sync_changes_state ON sync_changes (state, id);
CREATE INDEX sync_changes_panel ON sync_changes (external_panel_id, id);
CREATE INDEX sync_changes_run ON sync_changes (sync_run_id);

-- Since when the panel no longer sells it, as somebody has confirmed; it comes back by itself.
ALTER TABLE providers ADD COLUMN vanished_at INTEGER;
CREATE INDEX providers_panel_service ON providers (external_panel_id, external_panel_service_id);
-- For which provider an import made it.
ALTER TABLE services ADD COLUMN imported_provider_id INTEGER REFERENCES providers (id);
CREATE INDEX services_imported ON services (imported_provider_id) WHERE imported_provider_id IS NOT NULL;
-- Since when a sync keeps it off sale, as it would be sold at a loss; only a sync brings it back.
ALTER TABLE services ADD COLUMN deactivated_by_sync_at INTEGER;

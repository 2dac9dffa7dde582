-- Supply: syncs with external panels, placement of orders there, refills, delivery statistics and the real counter.

CREATE TABLE sync_runs (
  -- One sync with the catalogue of an external panel. The sync writes it.

  id INTEGER PRIMARY KEY,
  external_panel_id INTEGER NOT NULL REFERENCES external_panels (id),
  started_at INTEGER NOT NULL,
  -- NULL while it runs.
  ended_at INTEGER,
  -- Services that the panel listed.
  services_count INTEGER NOT NULL DEFAULT 0,
  -- Entries that could not be parsed.
  unreadable_count INTEGER NOT NULL DEFAULT 0,
  -- Services that are new there.
  new_count INTEGER NOT NULL DEFAULT 0,
  -- Services that vanished there.
  vanished_count INTEGER NOT NULL DEFAULT 0,
  -- Changes that were applied.
  applied_count INTEGER NOT NULL DEFAULT 0,
  -- Changes that wait for staff.
  held_count INTEGER NOT NULL DEFAULT 0,
  -- New services that the import rule imported.
  imported_count INTEGER NOT NULL DEFAULT 0,
  -- New services that the import rule chose and that could not be imported.
  not_imported_count INTEGER NOT NULL DEFAULT 0,
  -- JSON list of the first of those: id, external_panel_service_id, name, reason.
  not_imported TEXT NOT NULL DEFAULT '[]',
  -- Why the run failed.
  error TEXT
) STRICT;
CREATE INDEX sync_runs_panel ON sync_runs (external_panel_id, id);

CREATE TABLE import_rules (
  -- How new services of an external panel are imported without staff, while the panel's sync_services is on. Staff write
  -- it; syncs obey it.

  external_panel_id INTEGER NOT NULL PRIMARY KEY REFERENCES external_panels (id),
  -- Added to the panel's price; NULL for the panel's own margin.
  margin_ppm INTEGER,
  -- Network and service type that services go into.
  network_id INTEGER REFERENCES networks (id),
  service_type_id INTEGER REFERENCES service_types (id),
  -- Whether a service goes into the service type of the network that keeps the panel's category.
  keep_categories INTEGER NOT NULL DEFAULT 0 CHECK (keep_categories IN (0, 1)),
  promotable_checker_group_id INTEGER REFERENCES promotable_checker_groups (id),
  -- Each sync_* is the switch of the services; NULL as the panel has it.
  sync_params INTEGER CHECK (sync_params IN (0, 1)),
  sync_prices INTEGER CHECK (sync_prices IN (0, 1)),
  sync_labels INTEGER CHECK (sync_labels IN (0, 1)),
  sync_name INTEGER CHECK (sync_name IN (0, 1)),
  sync_meta INTEGER CHECK (sync_meta IN (0, 1)),
  sync_service_details INTEGER CHECK (sync_service_details IN (0, 1)),
  sync_description_field INTEGER CHECK (sync_description_field IN (0, 1)),
  sync_short_description INTEGER CHECK (sync_short_description IN (0, 1)),
  sync_reviews INTEGER CHECK (sync_reviews IN (0, 1)),
  -- JSON list of the panel's categories whose services are imported; empty for all.
  categories TEXT NOT NULL DEFAULT '[]',
  -- JSON list of the types whose services are imported; empty for all.
  types TEXT NOT NULL DEFAULT '[]',
  name_contains TEXT,
  name_excludes TEXT,
  -- Bounds of the panel's price, in millionths of its currency.
  price_from INTEGER,
  price_to INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX import_rules_network ON import_rules (network_id) WHERE network_id IS NOT NULL;
CREATE INDEX import_rules_service_type ON import_rules (service_type_id) WHERE service_type_id IS NOT NULL;

CREATE TABLE sync_changes (
  -- A change that a sync found at an external panel: applied, or held until staff accept or reject it.

  id INTEGER PRIMARY KEY,
  sync_run_id INTEGER NOT NULL REFERENCES sync_runs (id),
  external_panel_id INTEGER NOT NULL REFERENCES external_panels (id),
  external_panel_service_id TEXT NOT NULL,
  provider_id INTEGER NOT NULL REFERENCES providers (id),
  service_id INTEGER REFERENCES services (id),
  -- What changed, as the contract declares it, such as 'source_price' or 'availability'.
  field TEXT NOT NULL,
  -- As text.
  old_value TEXT NOT NULL,
  -- As text.
  new_value TEXT NOT NULL,
  -- 'outdated' replaced a held change that no longer applies.
  state TEXT NOT NULL CHECK (state IN ('applied', 'held', 'accepted', 'rejected', 'outdated')),
  -- Whether it is the latest decision for this provider and field: held, or rejected while the external panel still
  -- reports the same. The same change is not held twice.
  is_current INTEGER NOT NULL DEFAULT 0 CHECK (is_current IN (0, 1)),
  created_at INTEGER NOT NULL,
  decided_at INTEGER,
  -- The member of staff who accepted or rejected it.
  decided_by INTEGER REFERENCES users (id)
) STRICT;
CREATE UNIQUE INDEX sync_changes_current ON sync_changes (provider_id, field) WHERE is_current;
CREATE INDEX sync_changes_state ON sync_changes (state, id);
CREATE INDEX sync_changes_panel ON sync_changes (external_panel_id, id);
CREATE INDEX sync_changes_run ON sync_changes (sync_run_id);
CREATE INDEX sync_changes_provider ON sync_changes (provider_id, id);
CREATE INDEX sync_changes_service ON sync_changes (service_id, id) WHERE service_id IS NOT NULL;

CREATE TABLE external_panel_orders (
  -- An external order: a placement attempt of an order, or of a part of it, at one provider. The dispatcher creates
  -- it with the status 'Creating'; the worker sends, reconciles and polls it when due_at is due. An order has at most
  -- one open attempt whose cancellation was not requested (unique index external_panel_orders_live). An attempt with
  -- sent_at and without external_order_id has an unknown outcome and is never sent again automatically. Charges are
  -- in millionths of the external panel's currency.

  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  provider_id INTEGER NOT NULL REFERENCES providers (id),
  -- NULL for a manual provider, whose deliveries staff book.
  external_panel_id INTEGER REFERENCES external_panels (id),
  -- The service that was ordered there.
  external_panel_service_id TEXT,
  -- Its id at the external panel, once accepted.
  external_order_id TEXT,
  -- Status as in the reseller API; 'Creating' before the external panel accepted it.
  status TEXT NOT NULL CHECK (status IN ('Creating', 'Pending', 'In progress', 'Processing', 'Completed', 'Partial', 'Canceled')),
  -- Amount that the external panel charged, as it last reported.
  charge INTEGER NOT NULL DEFAULT 0,
  -- The first charge that it reported.
  initial_charge INTEGER NOT NULL DEFAULT 0,
  -- Units ordered there.
  initial_quantity INTEGER NOT NULL,
  -- Units undelivered, as the external panel last reported.
  remains INTEGER,
  -- Value of the counter before delivery, as the external panel reported.
  start_count INTEGER,
  -- Last error of the external panel or of the request.
  last_error TEXT,
  -- When the cancellation was requested.
  cancel_requested_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- When a worker takes the next step; NULL when no step follows or staff must decide. A claim moves it ahead, as
  -- a lease.
  due_at INTEGER,
  -- Written before the request is sent: with it and without external_order_id the outcome is unknown.
  sent_at INTEGER,
  -- Failed requests to send it or to poll its status; the backoff depends on it.
  tries INTEGER NOT NULL DEFAULT 0,
  -- When the external panel responded to the request to cancel.
  cancel_answered_at INTEGER,
  -- Since when the external panel reports that it does not know the order.
  missing_since INTEGER,
  -- Since when it needs a decision of staff.
  alert_at INTEGER,
  -- When it ended: delivered, in part, canceled or failed.
  ended_at INTEGER,
  -- The part of its charge that orders.provider_cost includes already, in millionths of the panel's currency.
  booked_cost INTEGER NOT NULL DEFAULT 0,
  -- The last request, without the token; truncated.
  last_request TEXT,
  -- The last response; truncated.
  last_response TEXT,
  -- JSON list of the names of inputs that were not sent, because the external panel does not accept such a parameter.
  not_forwarded TEXT NOT NULL DEFAULT '[]',
  -- Cost of the whole attempt by the price at which it was sent. External panels whose charge shows what they
  -- delivered are measured by it.
  full_charge INTEGER,
  -- Units of the order that the attempt is for where the external panel was ordered another number
  -- (services.order_quantity_ratio_ppm); NULL for initial_quantity.
  sold_quantity INTEGER CHECK (sold_quantity >= 1),
  -- Exact message of the external panel after which it is unknown whether the panel accepted the order.
  unknown_message TEXT
) STRICT;
CREATE INDEX external_panel_orders_order ON external_panel_orders (order_id, id);
-- Due attempts that are to be sent or reconciled.
CREATE INDEX external_panel_orders_sending ON external_panel_orders (external_panel_id, due_at)
  WHERE due_at IS NOT NULL AND status = 'Creating';
CREATE INDEX external_panel_orders_alert ON external_panel_orders (alert_at) WHERE alert_at IS NOT NULL;
-- An order is with one provider at a time: the database rejects a second open attempt.
CREATE UNIQUE INDEX external_panel_orders_live ON external_panel_orders (order_id)
  WHERE cancel_requested_at IS NULL AND status IN ('Creating', 'Pending', 'In progress', 'Processing');
-- Open attempts of an external panel: counted for lists and before it is archived.
CREATE INDEX external_panel_orders_open ON external_panel_orders (external_panel_id)
  WHERE status IN ('Creating', 'Pending', 'In progress', 'Processing');
CREATE INDEX external_panel_orders_provider ON external_panel_orders (provider_id, id);
CREATE INDEX external_panel_orders_panel ON external_panel_orders (external_panel_id, id);
CREATE INDEX external_panel_orders_status ON external_panel_orders (status, id);
CREATE INDEX external_panel_orders_created ON external_panel_orders (created_at, id);
CREATE INDEX external_panel_orders_external ON external_panel_orders (external_order_id)
  WHERE external_order_id IS NOT NULL;
-- Open attempts of a provider.
CREATE INDEX external_panel_orders_open_provider ON external_panel_orders (provider_id, id)
  WHERE status IN ('Creating', 'Pending', 'In progress', 'Processing');
-- Attempts that ended in the last days, for reports.
CREATE INDEX external_panel_orders_ended ON external_panel_orders (ended_at) WHERE ended_at IS NOT NULL;
-- An order of an external panel is one attempt while it is open. Ended attempts are left out: a panel that moved to
-- another address may repeat its ids.
CREATE UNIQUE INDEX external_panel_orders_there ON external_panel_orders (external_panel_id, external_order_id)
  WHERE external_order_id IS NOT NULL AND status IN ('Pending', 'In progress', 'Processing');
-- Attempts with an unknown outcome.
CREATE INDEX external_panel_orders_unknown ON external_panel_orders (external_panel_id, sent_at)
  WHERE status = 'Creating' AND sent_at IS NOT NULL AND external_order_id IS NULL;
-- Open attempts by the time of their next poll.
CREATE INDEX external_panel_orders_due ON external_panel_orders (external_panel_id, due_at)
  WHERE due_at IS NOT NULL AND status IN ('Pending', 'In progress', 'Processing');
-- Ended attempts that are polled a few times more, as some panels charge back later.
CREATE INDEX external_panel_orders_late ON external_panel_orders (external_panel_id, due_at)
  WHERE due_at IS NOT NULL AND status IN ('Completed', 'Partial');

-- Text search: a trigram index without a copy of the text; rowid is the id.
CREATE VIRTUAL TABLE external_panel_orders_fts USING fts5(external_order_id,
  content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_external_panel_orders_insert AFTER INSERT ON external_panel_orders
  WHEN new.external_order_id IS NOT NULL BEGIN
  INSERT INTO external_panel_orders_fts (rowid, external_order_id) VALUES (new.id, new.external_order_id);
END;
CREATE TRIGGER search_external_panel_orders_update AFTER UPDATE OF external_order_id ON external_panel_orders
  WHEN old.external_order_id IS NOT new.external_order_id BEGIN
  DELETE FROM external_panel_orders_fts WHERE rowid = old.id;
  INSERT INTO external_panel_orders_fts (rowid, external_order_id) VALUES (new.id, new.external_order_id);
END;
CREATE TRIGGER search_external_panel_orders_delete AFTER DELETE ON external_panel_orders
  WHEN old.external_order_id IS NOT NULL BEGIN
  DELETE FROM external_panel_orders_fts WHERE rowid = old.id;
END;

-- Materialized counts.
CREATE TRIGGER count_external_panel_orders_insert AFTER INSERT ON external_panel_orders BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'external_panel_orders', '', -1, 1
    UNION ALL SELECT 'external_panel_orders', '', new.id / 8192, 1
    UNION ALL SELECT 'external_panel_orders', new.status, -1, 1
    UNION ALL SELECT 'external_panel_orders', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_external_panel_orders_delete AFTER DELETE ON external_panel_orders BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'external_panel_orders', '', -1, -1
    UNION ALL SELECT 'external_panel_orders', '', old.id / 8192, -1
    UNION ALL SELECT 'external_panel_orders', old.status, -1, -1
    UNION ALL SELECT 'external_panel_orders', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_external_panel_orders_move AFTER UPDATE OF status ON external_panel_orders WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'external_panel_orders', old.status, -1, -1
    UNION ALL SELECT 'external_panel_orders', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'external_panel_orders', new.status, -1, 1
    UNION ALL SELECT 'external_panel_orders', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

CREATE TABLE order_refill_requests (
  -- A refill of an order that a customer, staff or the system requested, and how the external panel handles it.

  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'sent', 'completed', 'rejected')),
  -- Who requested it; NULL for the system.
  created_by INTEGER REFERENCES users (id),
  created_at INTEGER NOT NULL,
  -- The attempt that is refilled.
  external_panel_order_id INTEGER REFERENCES external_panel_orders (id),
  -- Its id at the external panel, once accepted.
  external_refill_id TEXT,
  -- When a worker takes the next step.
  due_at INTEGER,
  -- Written before the request is sent, as in external_panel_orders.
  sent_at INTEGER,
  -- Attempts without success; the backoff depends on it.
  tries INTEGER NOT NULL DEFAULT 0,
  last_error TEXT
) STRICT;
CREATE INDEX order_refill_requests_order ON order_refill_requests (order_id);
CREATE INDEX order_refill_requests_due ON order_refill_requests (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE order_cancel_requests (
  -- A customer's request to cancel an order. The worker sends it to the provider when due_at is due; the order's own cancel or
  -- completion closes the request in the same transaction. Open requests (requested, sent) wait for staff since
  -- escalated_at.

  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  status TEXT NOT NULL DEFAULT 'requested' CHECK (status IN ('requested', 'sent', 'confirmed', 'rejected', 'expired')),
  -- Why staff must decide.
  cause TEXT CHECK (cause IN ('provider_rejected', 'not_supported', 'no_answer', 'not_ended', 'by_hand')),
  -- The attempt whose external panel receives the request.
  external_panel_order_id INTEGER REFERENCES external_panel_orders (id),
  -- Response of the external panel, or the last error of the request; truncated.
  provider_response TEXT,
  -- Amount that the confirmation refunded, in millionths of the panel's currency.
  refunded INTEGER NOT NULL DEFAULT 0 CHECK (refunded >= 0),
  -- Requests without a response; the backoff depends on it.
  tries INTEGER NOT NULL DEFAULT 0,
  -- When the worker takes the next step; NULL when it waits for staff or is decided. A claim moves it ahead, as a lease.
  due_at INTEGER,
  created_at INTEGER NOT NULL,
  -- When it was first sent to the external panel.
  sent_at INTEGER,
  -- When the external panel agreed. The refund waits for its final count.
  acknowledged_at INTEGER,
  -- When staff decide instead of the provider.
  deadline_at INTEGER NOT NULL,
  -- Since when it waits for staff.
  escalated_at INTEGER,
  decided_at INTEGER,
  -- Who decided; NULL for the provider and the panel.
  decided_by INTEGER REFERENCES users (id),
  CHECK ((cause IS NULL) = (escalated_at IS NULL)),
  CHECK ((decided_at IS NULL) = (status IN ('requested', 'sent')))
) STRICT;
CREATE INDEX order_cancel_requests_order ON order_cancel_requests (order_id, id);
-- An order has at most one open request.
CREATE UNIQUE INDEX order_cancel_requests_open ON order_cancel_requests (order_id) WHERE status IN ('requested', 'sent');
CREATE INDEX order_cancel_requests_due ON order_cancel_requests (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX order_cancel_requests_status ON order_cancel_requests (status, id);
CREATE INDEX order_cancel_requests_attempt ON order_cancel_requests (external_panel_order_id)
  WHERE external_panel_order_id IS NOT NULL;
-- Open requests that wait for staff.
CREATE INDEX order_cancel_requests_waiting ON order_cancel_requests (escalated_at)
  WHERE escalated_at IS NOT NULL AND status IN ('requested', 'sent');

-- Materialized counts.
CREATE TRIGGER count_order_cancel_requests_insert AFTER INSERT ON order_cancel_requests BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'order_cancel_requests', '', -1, 1
    UNION ALL SELECT 'order_cancel_requests', '', new.id / 8192, 1
    UNION ALL SELECT 'order_cancel_requests', new.status, -1, 1
    UNION ALL SELECT 'order_cancel_requests', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_order_cancel_requests_delete AFTER DELETE ON order_cancel_requests BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'order_cancel_requests', '', -1, -1
    UNION ALL SELECT 'order_cancel_requests', '', old.id / 8192, -1
    UNION ALL SELECT 'order_cancel_requests', old.status, -1, -1
    UNION ALL SELECT 'order_cancel_requests', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_order_cancel_requests_move AFTER UPDATE OF status ON order_cancel_requests WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'order_cancel_requests', old.status, -1, -1
    UNION ALL SELECT 'order_cancel_requests', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'order_cancel_requests', new.status, -1, 1
    UNION ALL SELECT 'order_cancel_requests', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

CREATE TABLE provider_statistics (
  -- Quantity that a provider delivered, and its charge, for an order on a day. Pollers and staff write it; orders.provider_cost and
  -- orders.current_quantity change in the same transaction.

  order_id INTEGER NOT NULL REFERENCES orders (id),
  provider_id INTEGER NOT NULL REFERENCES providers (id),
  day INTEGER NOT NULL,
  -- Amount that the provider charged, in millionths of the panel's currency.
  cost INTEGER NOT NULL,
  -- Units delivered, as they were sold.
  quantity INTEGER NOT NULL,
  PRIMARY KEY (order_id, provider_id, day)
) STRICT;
CREATE INDEX provider_statistics_provider ON provider_statistics (provider_id, day);

CREATE TABLE late_thresholds (
  -- After how long an open attempt of a service counts as late. Recomputed every ten minutes from the last days.

  service_id INTEGER NOT NULL PRIMARY KEY REFERENCES services (id),
  -- Number of attempts that it was computed from.
  attempts INTEGER NOT NULL,
  -- Microseconds.
  late_after_micros INTEGER NOT NULL
) STRICT;

CREATE TABLE order_counters (
  -- The real counter of an order: what a counter service reports for its address. supply::counter writes it. Growth
  -- of two orders that run for one address at the same time counts for neither.

  order_id INTEGER NOT NULL PRIMARY KEY REFERENCES orders (id),
  -- When the counter is polled next; NULL when the order does not run.
  due_at INTEGER,
  -- The first count; growth is measured from it.
  start_count INTEGER,
  -- The last count.
  last_count INTEGER,
  -- Time of the last count.
  counted_at INTEGER,
  -- Growth that counts for the order; copied to orders.external_statistics_quantity.
  quantity INTEGER NOT NULL DEFAULT 0 CHECK (quantity >= 0),
  -- Whether another order ran for the address since the last count.
  is_shared INTEGER NOT NULL DEFAULT 0 CHECK (is_shared IN (0, 1)),
  -- Failures in a row; the backoff depends on it.
  tries INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX order_counters_due ON order_counters (due_at, order_id) WHERE due_at IS NOT NULL;

CREATE TABLE shared_schedules (
  -- Rate limit that all processes share, one row per called service; also when work is due that one process does for
  -- all, such as 'grades'.

  -- Name of the called service, such as 'counter'.
  name TEXT NOT NULL PRIMARY KEY,
  -- No request is sent before this time.
  next_at INTEGER NOT NULL DEFAULT 0,
  -- Failures in a row; the backoff depends on it.
  failures INTEGER NOT NULL DEFAULT 0,
  -- The process that does such work now; its lease ends with the process.
  leased_by TEXT
) STRICT;

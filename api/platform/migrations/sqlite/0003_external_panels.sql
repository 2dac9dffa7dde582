-- External panels, their services, the payments to them, and the providers created from their services.

CREATE TABLE external_panels (
  -- Another panel that this panel orders from. Staff write it; pollers write the balance, the health and the results
  -- of syncs.

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- Which API it speaks: 'perfect_panel' or 'socpanel'.
  type TEXT NOT NULL DEFAULT 'perfect_panel',
  -- Address of its API.
  endpoint TEXT NOT NULL,
  -- The token of our account at the external panel, encrypted with the panel's secret key.
  api_token_sealed BLOB,
  -- Currency of its prices, its charges and our balance at it.
  currency TEXT NOT NULL DEFAULT 'USD',
  -- Our balance at the external panel, as last reported, in millionths of the external panel's currency.
  balance INTEGER,
  -- The field in which it reports the delivered quantity: 'remains' or 'charge'; NULL counts as 'remains'.
  statistic_type TEXT,
  -- Each sync_* allows a sync to copy that field from the panel; sync_services: new services, by the import rule. What no API
  -- reports (packages, labels, meta texts, short descriptions, reviews) is stored and has no effect.
  sync_services INTEGER NOT NULL DEFAULT 0 CHECK (sync_services IN (0, 1)),
  sync_packages INTEGER NOT NULL DEFAULT 0 CHECK (sync_packages IN (0, 1)),
  sync_prices INTEGER NOT NULL DEFAULT 0 CHECK (sync_prices IN (0, 1)),
  sync_labels INTEGER NOT NULL DEFAULT 0 CHECK (sync_labels IN (0, 1)),
  sync_name INTEGER NOT NULL DEFAULT 0 CHECK (sync_name IN (0, 1)),
  sync_meta INTEGER NOT NULL DEFAULT 0 CHECK (sync_meta IN (0, 1)),
  -- Refill and drip-feed, where the panel reports them.
  sync_service_details INTEGER NOT NULL DEFAULT 0 CHECK (sync_service_details IN (0, 1)),
  sync_description INTEGER NOT NULL DEFAULT 0 CHECK (sync_description IN (0, 1)),
  sync_short_description INTEGER NOT NULL DEFAULT 0 CHECK (sync_short_description IN (0, 1)),
  sync_reviews INTEGER NOT NULL DEFAULT 0 CHECK (sync_reviews IN (0, 1)),
  -- Smallest and largest order.
  sync_params INTEGER NOT NULL DEFAULT 0 CHECK (sync_params IN (0, 1)),
  -- Added to its prices when services are imported; NULL for nothing.
  resale_margin_ppm INTEGER,
  -- Whether the dispatcher orders the quantity that this panel did not deliver from the next provider.
  auto_recreate_orders_is_allowed INTEGER NOT NULL DEFAULT 0 CHECK (auto_recreate_orders_is_allowed IN (0, 1)),
  -- Whether the last sync failed.
  sync_failed INTEGER NOT NULL DEFAULT 0 CHECK (sync_failed IN (0, 1)),
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  -- 'error' when the panel rejects our token or must not be called; 'disabled' by staff.
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled', 'error')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- When the poller last requested the balance.
  balance_at INTEGER,
  -- When the panel last sent a valid response.
  last_ok_at INTEGER,
  -- Why its last response was not valid.
  last_error TEXT,
  -- Staff are notified once when the balance falls below, in millionths of the external panel's currency; NULL for
  -- never.
  low_balance INTEGER,
  -- When staff were notified of the low balance; NULL once it rose again.
  low_balance_alerted_at INTEGER,
  -- A price that changes by more in one sync is held until staff accept or reject it.
  price_jump_ppm INTEGER NOT NULL DEFAULT 200000,
  -- When the last sync was claimed or requested.
  synced_at INTEGER,
  -- The last characters of the token, if the token is so long that they reveal nothing.
  api_token_hint TEXT,
  -- Since when sync_services is on; NULL while it is off. The import rule leaves services that were listed before alone.
  sync_services_at INTEGER,
  -- JSON list of {message, reason}: messages by which this panel reports that it did not accept an order. Staff maintain
  -- it for each panel.
  rejection_messages TEXT NOT NULL DEFAULT '[]'
) STRICT;

CREATE TABLE external_panel_payments (
  -- A payment that staff made to an external panel. Amounts are in millionths of the external panel's currency;
  -- amount - fee - payment_method_commission + bonus arrived there.

  id INTEGER PRIMARY KEY,
  external_panel_id INTEGER NOT NULL REFERENCES external_panels (id),
  -- The first microsecond of the day.
  date INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  -- Fee of the transfer.
  fee INTEGER NOT NULL DEFAULT 0 CHECK (fee >= 0),
  -- Commission that the external panel deducts for the payment method.
  payment_method_commission INTEGER NOT NULL DEFAULT 0 CHECK (payment_method_commission >= 0),
  -- Added by the external panel.
  bonus INTEGER NOT NULL DEFAULT 0 CHECK (bonus >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK (fee + payment_method_commission <= amount)
) STRICT;
CREATE INDEX external_panel_payments_panel ON external_panel_payments (external_panel_id, date, id);

CREATE TABLE external_panel_services (
  -- A service of an external panel as its catalogue last listed it. Syncs and imports write it. Rows stay after the
  -- service vanished, with vanished_at.

  id INTEGER PRIMARY KEY,
  external_panel_id INTEGER NOT NULL REFERENCES external_panels (id),
  -- Its id at the external panel; TEXT, because each panel chooses its own format.
  external_panel_service_id TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  category TEXT NOT NULL,
  -- Price per pricing_per units, in millionths of the external panel's currency.
  rate INTEGER NOT NULL CHECK (rate >= 0),
  pricing_per INTEGER NOT NULL CHECK (pricing_per >= 1),
  min_quantity INTEGER NOT NULL,
  max_quantity INTEGER NOT NULL,
  -- Quantities are min_quantity plus a multiple of it; 1 if the panel reports none.
  quantity_step INTEGER NOT NULL DEFAULT 1 CHECK (quantity_step >= 1),
  refill INTEGER NOT NULL DEFAULT 0 CHECK (refill IN (0, 1)),
  cancel INTEGER NOT NULL DEFAULT 0 CHECK (cancel IN (0, 1)),
  dripfeed INTEGER NOT NULL DEFAULT 0 CHECK (dripfeed IN (0, 1)),
  -- JSON list of the parameters of an order beside those of its type, as a panel of this product reports it.
  parameters TEXT NOT NULL DEFAULT '[]',
  -- The panel's description, as text; empty if it has none.
  description TEXT NOT NULL DEFAULT '',
  -- Why its type or parameters prevent an import; NULL if it can be imported. Each sync computes it again.
  rejection_kind TEXT CHECK (rejection_kind IN ('unknown_type', 'not_sold', 'unknown_parameter')),
  -- When an import first created a provider from it; never cleared, so that the import rule imports it at most once.
  imported_at INTEGER,
  -- Since when the catalogue no longer lists it.
  vanished_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (external_panel_id, external_panel_service_id)
) STRICT;
-- The catalogue of a panel, newest first.
CREATE INDEX external_panel_services_newest ON external_panel_services (external_panel_id, id);
CREATE INDEX external_panel_services_rejected ON external_panel_services (external_panel_id, id) WHERE rejection_kind IS NOT NULL;

-- Text search: a trigram index without a copy of the text; rowid is the id.
CREATE VIRTUAL TABLE external_panel_services_fts USING fts5(name, category, external_panel_service_id,
  content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_external_panel_services_insert AFTER INSERT ON external_panel_services BEGIN
  INSERT INTO external_panel_services_fts (rowid, name, category, external_panel_service_id)
    VALUES (new.id, new.name, new.category, new.external_panel_service_id);
END;
CREATE TRIGGER search_external_panel_services_update AFTER UPDATE OF name, category, external_panel_service_id ON external_panel_services
  WHEN old.name IS NOT new.name OR old.category IS NOT new.category OR old.external_panel_service_id IS NOT new.external_panel_service_id BEGIN
  DELETE FROM external_panel_services_fts WHERE rowid = old.id;
  INSERT INTO external_panel_services_fts (rowid, name, category, external_panel_service_id)
    VALUES (new.id, new.name, new.category, new.external_panel_service_id);
END;
CREATE TRIGGER search_external_panel_services_delete AFTER DELETE ON external_panel_services BEGIN
  DELETE FROM external_panel_services_fts WHERE rowid = old.id;
END;

CREATE TABLE account_requests (
  -- A request to an external panel to open an account for this panel. The row is written before the request and stays if the
  -- response is lost: a second request then needs a staff member who checked that no account was opened.

  endpoint TEXT NOT NULL PRIMARY KEY,
  sent_at INTEGER NOT NULL,
  -- 'sent' before the call; 'unclear' when the response was lost; 'created' when an account was opened.
  outcome TEXT NOT NULL CHECK (outcome IN ('sent', 'unclear', 'created'))
) STRICT;

CREATE TABLE providers (
  -- A source that delivers services: a service of an external panel, or staff who deliver by hand. Staff and imports
  -- write it. Every change must call pricing::available::update_availability in the same transaction, which updates
  -- services.has_active_providers.

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- 'external_panel' or 'manual'.
  type TEXT NOT NULL DEFAULT 'external_panel',
  -- Set for the type 'external_panel' only.
  external_panel_id INTEGER REFERENCES external_panels (id),
  -- Its service's id at the external panel.
  external_panel_service_id TEXT,
  -- Price per source_pricing_per units, in millionths of source_currency.
  source_price INTEGER NOT NULL DEFAULT 0,
  source_currency TEXT NOT NULL DEFAULT 'USD',
  source_pricing_per INTEGER NOT NULL DEFAULT 1000,
  -- The event at the source whose statistics are used.
  source_event TEXT,
  -- The event of this panel to which the statistics are added.
  target_event TEXT,
  -- When orders could last go to it.
  last_available_at INTEGER,
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  -- The dispatcher sends orders to 'active' providers only; 'error' needs a decision of staff.
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled', 'error')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Since when the external panel no longer sells it, by a sync or as staff accepted; a sync clears it when it sells it again.
  vanished_at INTEGER
) STRICT;
CREATE INDEX providers_name ON providers (name);
CREATE INDEX providers_panel ON providers (external_panel_id);
CREATE INDEX providers_panel_service ON providers (external_panel_id, external_panel_service_id);

-- Text search: a trigram index without a copy of the text; rowid is the id.
CREATE VIRTUAL TABLE providers_fts USING fts5(name, external_panel_service_id,
  content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_providers_insert AFTER INSERT ON providers BEGIN
  INSERT INTO providers_fts (rowid, name, external_panel_service_id)
    VALUES (new.id, new.name, new.external_panel_service_id);
END;
CREATE TRIGGER search_providers_update AFTER UPDATE OF name, external_panel_service_id ON providers
  WHEN old.name IS NOT new.name OR old.external_panel_service_id IS NOT new.external_panel_service_id BEGIN
  DELETE FROM providers_fts WHERE rowid = old.id;
  INSERT INTO providers_fts (rowid, name, external_panel_service_id)
    VALUES (new.id, new.name, new.external_panel_service_id);
END;
CREATE TRIGGER search_providers_delete AFTER DELETE ON providers BEGIN
  DELETE FROM providers_fts WHERE rowid = old.id;
END;

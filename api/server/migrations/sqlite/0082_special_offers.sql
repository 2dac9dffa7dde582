-- Special offers: services and service types that stand out at a place of the panel.

CREATE TABLE special_offers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  network_id INTEGER NOT NULL REFERENCES networks (id),
  place TEXT NOT NULL,
  position TEXT NOT NULL,
  is_enabled INTEGER NOT NULL DEFAULT 0 CHECK (is_enabled IN (0, 1)),
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE special_offer_services (
  offer_id INTEGER NOT NULL REFERENCES special_offers (id),
  service_id INTEGER NOT NULL REFERENCES services (id),
  sorting INTEGER NOT NULL,
  PRIMARY KEY (offer_id, service_id)
) STRICT;
CREATE INDEX special_offer_services_service ON special_offer_services (service_id);

CREATE TABLE special_offer_types (
  offer_id INTEGER NOT NULL REFERENCES special_offers (id),
  service_type_id INTEGER NOT NULL REFERENCES service_types (id),
  sorting INTEGER NOT NULL,
  PRIMARY KEY (offer_id, service_type_id)
) STRICT;
CREATE INDEX special_offer_types_type ON special_offer_types (service_type_id);

-- Texts.
CREATE VIRTUAL TABLE special_offers_fts USING fts5(name, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_special_offers_insert AFTER INSERT ON special_offers BEGIN
  INSERT INTO special_offers_fts (rowid, name) VALUES (new.id, new.name);
END;
CREATE TRIGGER search_special_offers_update AFTER UPDATE OF name ON special_offers BEGIN
  DELETE FROM special_offers_fts WHERE rowid = old.id;
  INSERT INTO special_offers_fts (rowid, name) VALUES (new.id, new.name);
END;
CREATE TRIGGER search_special_offers_delete AFTER DELETE ON special_offers BEGIN
  DELETE FROM special_offers_fts WHERE rowid = old.id;
END;

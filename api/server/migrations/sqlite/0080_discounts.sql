-- Discounts: a share off the price of some services, for a while. Whether one runs is computed from its bounds.

CREATE TABLE discounts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  -- None: until somebody completes it.
  valid_to INTEGER,
  is_countdown_enabled INTEGER NOT NULL DEFAULT 0 CHECK (is_countdown_enabled IN (0, 1)),
  countries TEXT NOT NULL DEFAULT '[]',
  -- Completed by hand.
  completed_at INTEGER,
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK (valid_to > valid_from)
) STRICT;

CREATE TABLE discount_services (
  discount_id INTEGER NOT NULL REFERENCES discounts (id),
  service_id INTEGER NOT NULL REFERENCES services (id),
  percent_ppm INTEGER NOT NULL CHECK (percent_ppm BETWEEN 1 AND 1000000),
  PRIMARY KEY (discount_id, service_id)
) STRICT;
CREATE INDEX discount_services_service ON discount_services (service_id, discount_id);

-- Texts.
CREATE VIRTUAL TABLE discounts_fts USING fts5(name, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_discounts_insert AFTER INSERT ON discounts BEGIN
  INSERT INTO discounts_fts (rowid, name) VALUES (new.id, new.name);
END;
CREATE TRIGGER search_discounts_update AFTER UPDATE OF name ON discounts BEGIN
  DELETE FROM discounts_fts WHERE rowid = old.id;
  INSERT INTO discounts_fts (rowid, name) VALUES (new.id, new.name);
END;
CREATE TRIGGER search_discounts_delete AFTER DELETE ON discounts BEGIN
  DELETE FROM discounts_fts WHERE rowid = old.id;
END;

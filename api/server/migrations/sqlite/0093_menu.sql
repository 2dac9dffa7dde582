-- The menu of the customers' site, items that staff add to it, and its pages. Texts are in translations.
CREATE TABLE menu_items (
  id INTEGER PRIMARY KEY,
  parent_id INTEGER REFERENCES menu_items (id),
  name TEXT NOT NULL,
  icon TEXT,
  url TEXT NOT NULL,
  sorting INTEGER NOT NULL DEFAULT 0,
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  is_allowed_for_authorized INTEGER NOT NULL DEFAULT 1 CHECK (is_allowed_for_authorized IN (0, 1)),
  is_allowed_for_guest INTEGER NOT NULL DEFAULT 1 CHECK (is_allowed_for_guest IN (0, 1)),
  is_blank INTEGER NOT NULL DEFAULT 0 CHECK (is_blank IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX menu_items_parent ON menu_items (parent_id);

CREATE TABLE custom_menu_items (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  icon TEXT,
  url TEXT NOT NULL,
  is_blank INTEGER NOT NULL DEFAULT 0 CHECK (is_blank IN (0, 1)),
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  is_allowed_for_authorized INTEGER NOT NULL DEFAULT 1 CHECK (is_allowed_for_authorized IN (0, 1)),
  is_allowed_for_guest INTEGER NOT NULL DEFAULT 1 CHECK (is_allowed_for_guest IN (0, 1)),
  show_in_internal INTEGER NOT NULL DEFAULT 1 CHECK (show_in_internal IN (0, 1)),
  show_in_public INTEGER NOT NULL DEFAULT 0 CHECK (show_in_public IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE panel_pages (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  route_name TEXT NOT NULL UNIQUE,
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

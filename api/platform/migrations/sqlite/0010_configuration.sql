-- Configuration: settings, menus and pages of the customers' site, notifications, saved views.

CREATE TABLE settings (
  -- The stored value of one setting; a setting without a row has the default that the contract declares. Some keys
  -- are internal, such as 'setup_token_hash'.

  key TEXT NOT NULL PRIMARY KEY,
  -- JSON; secrets in it are encrypted with the panel's secret key.
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
-- An editor of settings locks this row, so that two editors write one after the other.
INSERT INTO settings (key, value, updated_at) VALUES ('settings_editor', 'null', 0);

-- Settings of the length of sessions, and of the second factor of all staff, increase access_version: cached
-- sessions are checked again.
CREATE TRIGGER access_settings_insert AFTER INSERT ON settings
  WHEN new.key IN ('session_preset', 'session_idle_days', 'session_absolute_days', 'second_factor_for_all_staff') BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_settings_update AFTER UPDATE OF value ON settings
  WHEN new.key IN ('session_preset', 'session_idle_days', 'session_absolute_days', 'second_factor_for_all_staff') BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_settings_delete AFTER DELETE ON settings
  WHEN old.key IN ('session_preset', 'session_idle_days', 'session_absolute_days', 'second_factor_for_all_staff') BEGIN UPDATE access_version SET n = n + 1; END;

CREATE TABLE menu_items (
  -- An item of the menu of the customers' site. Staff write it; a menu is at most three levels deep. Texts:
  -- translations (owner_type 'menu_item').

  id INTEGER PRIMARY KEY,
  parent_id INTEGER REFERENCES menu_items (id),
  name TEXT NOT NULL,
  -- Name of an icon.
  icon TEXT,
  -- A path of the site or an absolute address.
  url TEXT NOT NULL,
  -- Place in the whole menu, from 1.
  sorting INTEGER NOT NULL DEFAULT 0,
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  -- Whether signed-in customers see it.
  is_allowed_for_authorized INTEGER NOT NULL DEFAULT 1 CHECK (is_allowed_for_authorized IN (0, 1)),
  -- Whether visitors who are not signed in see it.
  is_allowed_for_guest INTEGER NOT NULL DEFAULT 1 CHECK (is_allowed_for_guest IN (0, 1)),
  -- Whether it opens a new tab.
  is_blank INTEGER NOT NULL DEFAULT 0 CHECK (is_blank IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX menu_items_parent ON menu_items (parent_id);

CREATE TABLE custom_menu_items (
  -- An additional item that staff place in the customers' area or on the public site. Texts: translations (owner_type
  -- 'custom_menu_item').

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  icon TEXT,
  url TEXT NOT NULL,
  -- Whether it opens a new tab.
  is_blank INTEGER NOT NULL DEFAULT 0 CHECK (is_blank IN (0, 1)),
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  is_allowed_for_authorized INTEGER NOT NULL DEFAULT 1 CHECK (is_allowed_for_authorized IN (0, 1)),
  is_allowed_for_guest INTEGER NOT NULL DEFAULT 1 CHECK (is_allowed_for_guest IN (0, 1)),
  -- Whether the customers' area shows it.
  show_in_internal INTEGER NOT NULL DEFAULT 1 CHECK (show_in_internal IN (0, 1)),
  -- Whether the public site shows it.
  show_in_public INTEGER NOT NULL DEFAULT 0 CHECK (show_in_public IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE panel_pages (
  -- A page of the customers' site with its texts for search engines. Texts: translations (owner_type 'panel_page').

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- Name of the page in the site, such as 'services.show'.
  route_name TEXT NOT NULL UNIQUE,
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE notification_switches (
  -- Whether staff are notified of one kind of event. A kind without a row is on.

  kind TEXT NOT NULL PRIMARY KEY,
  is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1))
) STRICT;

CREATE TABLE notification_recipients (
  -- A member of staff who receives the notifications of an audience.

  audience TEXT NOT NULL CHECK (audience IN ('admin', 'support')),
  user_id INTEGER NOT NULL REFERENCES users (id),
  PRIMARY KEY (audience, user_id)
) STRICT;
CREATE INDEX notification_recipients_user ON notification_recipients (user_id);

CREATE TABLE saved_views (
  -- Filters and columns of a list that a member of staff saved under a name.

  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  -- Name of the list, such as 'orders'.
  list TEXT NOT NULL,
  name TEXT NOT NULL,
  -- Query string of the list.
  query TEXT NOT NULL,
  -- JSON list of the columns shown, in their order; empty for the list's own.
  columns TEXT NOT NULL DEFAULT '[]',
  -- Whether all staff see it.
  is_shared INTEGER NOT NULL DEFAULT 0 CHECK (is_shared IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (user_id, list, name)
) STRICT;

-- Banners: at most one for a place, with slides in their order.

CREATE TABLE banners (
  id INTEGER PRIMARY KEY,
  place TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL CHECK (type IN ('none', 'slider', 'content')),
  content TEXT,
  scroll_delay INTEGER NOT NULL DEFAULT 3 CHECK (scroll_delay BETWEEN 1 AND 15),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE banner_informations (
  id INTEGER PRIMARY KEY,
  banner_id INTEGER NOT NULL REFERENCES banners (id),
  image TEXT,
  background_image TEXT,
  background_color TEXT,
  sorting INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX banner_informations_banner ON banner_informations (banner_id, sorting);

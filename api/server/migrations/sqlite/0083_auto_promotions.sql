-- Auto-promotion: what is offered to customers who want an account promoted by itself.

CREATE TABLE auto_promotion_networks (
  network_id INTEGER NOT NULL PRIMARY KEY REFERENCES networks (id),
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  sorting INTEGER NOT NULL
) STRICT;

CREATE TABLE auto_promotions (
  id INTEGER PRIMARY KEY,
  service_id INTEGER NOT NULL UNIQUE REFERENCES services (id),
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  resale_margin_ppm INTEGER CHECK (resale_margin_ppm BETWEEN 0 AND 1000000),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- A user's own discount; no row is none.
CREATE TABLE user_discounts (
  user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id),
  percent_ppm BIGINT NOT NULL CHECK (percent_ppm BETWEEN 0 AND 1000000),
  kind TEXT NOT NULL CHECK (kind IN ('orders', 'packages', 'all')),
  updated_at BIGINT NOT NULL
);

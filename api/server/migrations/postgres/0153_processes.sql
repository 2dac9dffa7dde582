-- Which processes work on this database: each says every few seconds that it lives.
CREATE TABLE processes (
  instance TEXT NOT NULL PRIMARY KEY,
  seen_at BIGINT NOT NULL
);

-- What hangs on a user: who brought them and for which time, which payment methods they are offered, their API key.

CREATE TABLE user_affiliates (
  id INTEGER PRIMARY KEY,
  referral_id INTEGER NOT NULL REFERENCES users (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX user_affiliates_referral ON user_affiliates (referral_id, started_at);
CREATE INDEX user_affiliates_user ON user_affiliates (user_id);

INSERT INTO user_affiliates (referral_id, user_id, started_at, created_at, updated_at)
  SELECT id, affiliate_id, created_at, created_at, created_at FROM users WHERE affiliate_id IS NOT NULL;

-- No row of a user: what new users are offered.
CREATE TABLE user_payment_methods (
  user_id INTEGER NOT NULL REFERENCES users (id),
  payment_method_id INTEGER NOT NULL REFERENCES payment_methods (id),
  PRIMARY KEY (user_id, payment_method_id)
) STRICT;
CREATE INDEX user_payment_methods_method ON user_payment_methods (payment_method_id);

CREATE TABLE api_keys (
  user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (id),
  key_hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

-- Panels that were asked for an account: whoever asks again says that they looked whether there is one.
CREATE TABLE account_requests (
  endpoint TEXT NOT NULL PRIMARY KEY,
  asked_at INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('asked', 'unclear', 'created'))
) STRICT;

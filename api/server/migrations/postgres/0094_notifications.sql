-- What the staff is told of, and who of them. A kind without a row is on.
CREATE TABLE notification_switches (
  kind TEXT NOT NULL PRIMARY KEY,
  is_enabled BOOLEAN NOT NULL
);

CREATE TABLE notification_recipients (
  audience TEXT NOT NULL CHECK (audience IN ('admin', 'support')),
  user_id BIGINT NOT NULL REFERENCES users (id),
  PRIMARY KEY (audience, user_id)
);
CREATE INDEX notification_recipients_user ON notification_recipients (user_id);

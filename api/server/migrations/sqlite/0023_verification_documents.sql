-- Verification documents: which private file shows what of whom. The files are in the uploads room.

CREATE TABLE verification_documents (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  kind TEXT NOT NULL CHECK (kind IN ('card', 'id', 'selfie', 'additional_photo')),
  file TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX verification_documents_user ON verification_documents (user_id, id);

-- The one label that makes a service take the customer's own comments.

ALTER TABLE labels ADD COLUMN is_custom_comments INTEGER NOT NULL DEFAULT 0 CHECK (is_custom_comments IN (0, 1));
CREATE UNIQUE INDEX labels_custom_comments ON labels (is_custom_comments) WHERE is_custom_comments = 1;

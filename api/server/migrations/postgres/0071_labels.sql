-- The one label that makes a service take the customer's own comments.

ALTER TABLE labels ADD COLUMN is_custom_comments BOOLEAN NOT NULL DEFAULT FALSE;
CREATE UNIQUE INDEX labels_custom_comments ON labels (is_custom_comments) WHERE is_custom_comments;

-- Grades: what they give beside the discount, and their texts by language.
ALTER TABLE grades ADD COLUMN thumbnail_period BIGINT;
ALTER TABLE grades ADD COLUMN consultation_chat_period BIGINT;
ALTER TABLE grades ADD COLUMN available_closed_sales BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE grades ADD COLUMN available_personal_manager BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE grades ADD COLUMN translations TEXT NOT NULL DEFAULT '{}';
CREATE INDEX users_grade ON users (grade_id) WHERE grade_id IS NOT NULL;

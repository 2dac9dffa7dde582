-- Grades: what they give beside the discount, and their texts by language.
ALTER TABLE grades ADD COLUMN thumbnail_period INTEGER;
ALTER TABLE grades ADD COLUMN consultation_chat_period INTEGER;
ALTER TABLE grades ADD COLUMN available_closed_sales INTEGER NOT NULL DEFAULT 0 CHECK (available_closed_sales IN (0, 1));
ALTER TABLE grades ADD COLUMN available_personal_manager INTEGER NOT NULL DEFAULT 0 CHECK (available_personal_manager IN (0, 1));
ALTER TABLE grades ADD COLUMN translations TEXT NOT NULL DEFAULT '{}';
CREATE INDEX users_grade ON users (grade_id) WHERE grade_id IS NOT NULL;

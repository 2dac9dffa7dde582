-- How many of its order's an attempt is for, where its panel was ordered another number; none where both are the same.
ALTER TABLE external_panel_orders ADD COLUMN sold_quantity BIGINT CHECK (sold_quantity >= 1);

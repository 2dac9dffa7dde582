-- What the whole of an attempt costs at its panel by the price at which it was sent, in the panel's currency: panels whose
-- charge tells what they delivered are measured by it.
ALTER TABLE external_panel_orders ADD COLUMN full_charge BIGINT;

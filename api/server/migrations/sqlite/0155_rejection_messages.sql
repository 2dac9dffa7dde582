-- By which words a panel says that it did not take an order: a list of {message, reason} that staff keep for each panel.
ALTER TABLE external_panels ADD COLUMN rejection_messages TEXT NOT NULL DEFAULT '[]';
-- The panel's exact words where its answer left open whether it took the order.
ALTER TABLE external_panel_orders ADD COLUMN unknown_message TEXT;

//! panelctl as its callers see it.

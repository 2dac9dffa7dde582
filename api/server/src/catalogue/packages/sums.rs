//! What packages cost as SQL, for sorting and filtering their list: the rule of `cost`, which the rows are shown by. Whole
//! numbers only, so that both databases round alike; a test compares them with the rows.

/// Cost of one content at `$price`, rounded up to `z.step`. The part of the quantity below `pricing_per` is taken by
/// itself, so that no product is larger than the cost.
macro_rules! each {
    ($price:literal) => {
        concat!(
            "(((x.quantity / s.pricing_per) * ",
            $price,
            " + ((x.quantity % s.pricing_per) * ",
            $price,
            " + s.pricing_per - 1) / s.pricing_per + z.step - 1) / z.step * z.step)"
        )
    };
}

/// Cost of one content at `$price` in thousandths of a millionth: exact where `pricing_per` divides 1,000 times the product,
/// else rounded up there, which is far below a step.
macro_rules! exact {
    ($price:literal) => {
        concat!(
            "((x.quantity / s.pricing_per) * ",
            $price,
            " * 1000 + ((x.quantity % s.pricing_per) * ",
            $price,
            ") / s.pricing_per * 1000 + (((x.quantity % s.pricing_per) * ",
            $price,
            ") % s.pricing_per * 1000 + s.pricing_per - 1) / s.pricing_per)"
        )
    };
}

/// The contents of package `p` with their services and the step of the panel's precision, in millionths.
macro_rules! contents {
    () => {
        " FROM package_contents x JOIN services s ON s.id = x.service_id
     JOIN (SELECT CAST(COALESCE((SELECT CASE value WHEN '0' THEN 1000000 WHEN '1' THEN 100000 WHEN '3' THEN 1000 WHEN '4' THEN 100 WHEN '5' THEN 10 WHEN '6' THEN 1 END
       FROM settings WHERE key = 'rounding_precision'), 10000) AS BIGINT) AS step) z ON TRUE WHERE x.package_id = p.id"
    };
}

macro_rules! default_cost {
    () => {
        concat!("COALESCE((SELECT CAST(sum(", each!("s.default_price"), ") AS BIGINT)", contents!(), "), 0)")
    };
}

/// Rounded up once, after the discount, which is taken in two parts as well: of whole thousandths, and of what is left.
macro_rules! total_cost {
    () => {
        concat!(
            "COALESCE(p.fixed_cost, (SELECT CASE WHEN v.less > v.least THEN v.less ELSE v.least END FROM (SELECT y.least,
     ((y.whole / 1000000) * (1000000 - p.discount_ppm) + ((y.whole % 1000000) * (1000000 - p.discount_ppm) + 999999) / 1000000 + y.step * 1000 - 1)
       / (y.step * 1000) * y.step AS less FROM (SELECT max(z.step) AS step,
     CAST(sum(", exact!("COALESCE(x.price, s.default_price)"), ") AS BIGINT) AS whole,
     CAST(sum(CASE WHEN COALESCE(x.price, s.default_price) > 0 THEN z.step ELSE 0 END) AS BIGINT) AS least",
            contents!(), ") y) v), 0)"
        )
    };
}

/// Sum of the contents at the prices of their services.
pub(super) const DEFAULT_COST: &str = default_cost!();
/// Sum of the contents at the package's prices, which customers pay.
pub(super) const TOTAL_COST: &str = total_cost!();
/// What the package saves against its services bought one by one; negative where it costs more.
pub(super) const DIFFERENCE: &str = concat!("(", default_cost!(), " - ", total_cost!(), ")");

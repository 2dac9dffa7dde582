// Computes the margin that a provider leaves, so that staff can compare providers. Only the server decides which prices staff may save.

interface Price {
  amount: string;
  /** Number of units that `amount` buys. */
  quantity: number;
}

/**
 * Returns the margin in percent of the service's price, rounded to one decimal. Returns null if a price or the exchange rate is missing.
 * `exchangeRate` is the amount of the provider's currency that one unit of the panel's currency buys. `orderQuantityRatio` is the number
 * of units that the server orders per sold unit.
 */
export function computeMarginPercent(
  price: Price,
  providerPrice: Price,
  exchangeRate: number,
  orderQuantityRatio: number,
): number | null {
  const revenue = Number(price.amount) / price.quantity;
  const cost = (Number(providerPrice.amount) / providerPrice.quantity / exchangeRate) * orderQuantityRatio;
  if (!(revenue > 0) || !Number.isFinite(cost)) return null;
  return Math.round((1 - cost / revenue) * 1000) / 10;
}

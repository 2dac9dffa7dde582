// Computes the margin of a service with a provider, so that staff can compare providers. Only the server decides which prices staff
// may save.

interface Price {
  amount: string;
  /** Number of units that `amount` buys. */
  quantity: number;
}

/**
 * The margin in percent of the service's price, rounded to a tenth; null if a price or the rate is missing. `rate` is how much of
 * the provider's currency one unit of the panel's currency buys. `ratio` is how many units are ordered per unit sold.
 */
export function marginPercent(price: Price, providerPrice: Price, rate: number, ratio: number): number | null {
  const revenue = Number(price.amount) / price.quantity;
  const cost = (Number(providerPrice.amount) / providerPrice.quantity / rate) * ratio;
  if (!(revenue > 0) || !Number.isFinite(cost)) return null;
  return Math.round((1 - cost / revenue) * 1000) / 10;
}

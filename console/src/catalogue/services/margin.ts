// The margin that a provider leaves on the price of a service, for comparing providers. Only the server decides which prices
// may be saved.

/** A price for `per` units. */
interface Price {
  amount: string;
  per: number;
}

/**
 * The margin in percent of our price, rounded to a tenth; null if a price or the rate is missing. `rate` is the amount of the
 * provider's currency that one unit of our currency buys, `ratio` the number of units ordered for each unit sold.
 */
export function marginPercent(price: Price, providerPrice: Price, rate: number, ratio: number): number | null {
  const revenue = Number(price.amount) / price.per;
  const cost = (Number(providerPrice.amount) / providerPrice.per / rate) * ratio;
  if (!(revenue > 0) || !Number.isFinite(cost)) return null;
  return Math.round((1 - cost / revenue) * 1000) / 10;
}

// What a provider would leave of a service's price, to compare candidates by. The server judges what may be saved.

/** What something costs and for how many units. */
interface Price {
  amount: string;
  per: number;
}

/**
 * The share of the price that stays, in percent to a tenth; none where one of both is missing. `rate` is how much of
 * the provider's currency one unit of ours buys, `ratio` how many units are ordered for each unit sold.
 */
export function marginPercent(price: Price, source: Price, rate: number, ratio: number): number | null {
  const earned = Number(price.amount) / price.per;
  const paid = (Number(source.amount) / source.per / rate) * ratio;
  if (!(earned > 0) || !Number.isFinite(paid)) return null;
  return Math.round((1 - paid / earned) * 1000) / 10;
}

import { describe, expect, it } from 'vitest';
import { Problem } from '@/api/problem';
import { addAmounts } from '@/form/decimal';
import type { BulkOutcome } from './action';
import { continueRun, mergeOutcomes, planRun, processedCount, skipReasons } from './run';

const outcome = (ids: readonly number[], skipped: readonly number[] = []): BulkOutcome => ({
  processed: ids.length - skipped.length,
  skipped: skipped.map((id) => ({ id, code: 'order_not_cancelable', message: `Order ${id} is completed.` })),
  totals: { orders: ids.length - skipped.length, returned: '0.000001', users: 1, charged: '0' },
  dry_run: false,
});
const firstIds = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('a run', () => {
  it('sends chunks, and adds up their amounts exactly', async () => {
    const run = planRun(firstIds(2_500));
    const progress: number[] = [];
    await continueRun(
      run,
      async (chunk) =>
        outcome(
          chunk,
          chunk.filter((id) => id % 1_000 === 0),
        ),
      (done) => progress.push(done),
    );
    expect(progress).toEqual([1_000, 2_000, 2_500]);
    expect(mergeOutcomes(run)).toMatchObject({
      processed: 2_498,
      totals: { orders: 2_498, returned: '0.000003', users: 3 },
    });
    // Three chunks with one common customer and one customer each.
    run.chunks.forEach((chunk, index) => {
      if (chunk.outcome) chunk.outcome.reach = { users: [4], services: [1], customers: [4, 5 + index] };
    });
    expect(mergeOutcomes(run).totals).toMatchObject({ users: 1, services: 1, customers: 4 });
  });

  it('adds up provider costs, unless one of them is unknown', async () => {
    const costs = (cost: string, margin: string) => ({
      total: { provider_cost: cost, margin, margin_fraction: '0.5' },
      orders: [{ id: 1, quantity: 100, margin: null }],
    });
    const costsOfChunks = [costs('1.5', '2'), costs('0.25', '-3'), { total: null, orders: [] }];
    const run = planRun(firstIds(2_500));
    let chunkIndex = 0;
    await continueRun(
      run,
      async (chunk) => ({ ...outcome(chunk), costs: costsOfChunks[chunkIndex++] ?? null }),
      () => undefined,
    );
    expect(mergeOutcomes(run).costs).toMatchObject({ total: null, orders: [{ quantity: 100 }, { quantity: 100 }] });
    run.chunks.pop();
    expect(mergeOutcomes(run).costs?.total).toEqual({ provider_cost: '1.75', margin: '-1' });
    expect(mergeOutcomes(planRun(firstIds(1)))).not.toHaveProperty('costs');
  });

  it('continues after a failure with the same keys, and repeats no finished chunk', async () => {
    const run = planRun(firstIds(2_500));
    const sentKeys: string[] = [];
    const call = async (chunk: readonly number[], key: string) => {
      sentKeys.push(key);
      if (sentKeys.length === 2) throw new Problem({ status: 0, code: 'unreachable', message: 'gone' });
      return outcome(chunk);
    };
    await expect(continueRun(run, call, () => undefined)).rejects.toThrow('gone');
    expect(processedCount(run)).toBe(1_000);
    await continueRun(run, call, () => undefined);
    expect(sentKeys.length).toBe(4);
    expect(sentKeys[2]).toBe(sentKeys[1]);
    expect(new Set(sentKeys).size).toBe(3);
    expect(mergeOutcomes(run).processed).toBe(2_500);
  });

  it('counts a chunk with nothing_processed as skipped, and stops at other errors', async () => {
    const run = planRun([1, 2]);
    const rejection = new Problem({ status: 422, code: 'nothing_processed', message: 'None of the 2 orders…' });
    await continueRun(
      run,
      () => Promise.reject(rejection),
      () => undefined,
    );
    expect(mergeOutcomes(run)).toMatchObject({ processed: 0, totals: { returned: '0' } });
    expect(skipReasons(mergeOutcomes(run))).toEqual([{ message: 'None of the 2 orders…', ids: [1, 2] }]);
    const otherRun = planRun([1, 2]);
    const skipped = [
      { id: 1, code: 'order_not_cancelable', message: 'Order 1 is completed.' },
      { id: 2, code: 'not_found', message: 'There is no order 2.' },
    ];
    const rejectionWithReasons = new Problem({ status: 422, code: 'nothing_processed', message: 'None', skipped });
    await continueRun(
      otherRun,
      () => Promise.reject(rejectionWithReasons),
      () => undefined,
    );
    expect(mergeOutcomes(otherRun).skipped).toEqual(skipped);
    const forbidden = new Problem({ status: 403, code: 'forbidden', message: 'no' });
    await expect(
      continueRun(
        planRun([1]),
        () => Promise.reject(forbidden),
        () => undefined,
      ),
    ).rejects.toBe(forbidden);
  });
});

describe('provider costs', () => {
  const outcomeWithCosts = (ids: readonly number[], isTotalKnown = true): BulkOutcome => ({
    ...outcome(ids),
    costs: {
      orders: ids.map((id) => ({ id, quantity: 1 })),
      total: isTotalKnown ? { provider_cost: '1.5', margin: '-0.25', margin_fraction: '0.1' } : null,
    },
  });
  const runAndMergeCosts = async (call: (ids: readonly number[]) => BulkOutcome) => {
    const run = planRun(firstIds(1_500));
    await continueRun(
      run,
      async (chunk) => call(chunk),
      () => undefined,
    );
    return mergeOutcomes(run).costs;
  };

  it('are added up over the chunks, and are unknown if the costs of one chunk are unknown', async () => {
    const costs = await runAndMergeCosts((chunk) => outcomeWithCosts(chunk));
    expect(costs?.orders).toHaveLength(1_500);
    expect(costs?.total).toEqual({ provider_cost: '3', margin: '-0.5' });
    expect((await runAndMergeCosts((chunk) => outcomeWithCosts(chunk, chunk.length > 500)))?.total).toBeNull();
    expect(
      await runAndMergeCosts((chunk) => (chunk.length > 500 ? outcome(chunk) : outcomeWithCosts(chunk))),
    ).toBeUndefined();
  });
});

describe('amounts', () => {
  it('add exactly', () => {
    expect(addAmounts('0.1', '0.2')).toBe('0.3');
    expect(addAmounts('9007199254740993.000001', '0.999999')).toBe('9007199254740994');
    expect(addAmounts('-1.5', '0.25')).toBe('-1.25');
    expect(addAmounts('-0.5', '0.5')).toBe('0');
  });
});

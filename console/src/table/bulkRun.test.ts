import { describe, expect, it } from 'vitest';
import { Problem } from '@/api/problem';
import { addAmounts } from '@/form/decimal';
import type { BulkOutcome } from './action';
import { continueBulkRun, countProcessedRecords, groupSkippedByReason, mergeOutcomes, planBulkRun } from './bulkRun';

const createOutcome = (ids: readonly number[], skipped: readonly number[] = []): BulkOutcome => ({
  processed: ids.length - skipped.length,
  skipped: skipped.map((id) => ({ id, code: 'order_not_cancelable', message: `Order ${id} is completed.` })),
  totals: { orders: ids.length - skipped.length, refunded: '0.000001', users: 1, charged: '0' },
  dry_run: false,
});
const firstIds = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('a bulk run', () => {
  it('sends chunks, and adds up their amounts exactly', async () => {
    const run = planBulkRun(firstIds(2_500));
    const processedCounts: number[] = [];
    await continueBulkRun(
      run,
      async (chunk) =>
        createOutcome(
          chunk,
          chunk.filter((id) => id % 1_000 === 0),
        ),
      (processedCount) => processedCounts.push(processedCount),
    );
    expect(processedCounts).toEqual([1_000, 2_000, 2_500]);
    expect(mergeOutcomes(run)).toMatchObject({
      processed: 2_498,
      totals: { orders: 2_498, refunded: '0.000003', users: 3 },
    });
    // Each of the three chunks has the customer 4 and one other customer.
    run.chunks.forEach((chunk, index) => {
      if (chunk.outcome) chunk.outcome.affected_ids = { users: [4], services: [1], customers: [4, 5 + index] };
    });
    expect(mergeOutcomes(run).totals).toMatchObject({ users: 1, services: 1, customers: 4 });
  });

  it('adds up the provider costs of all chunks, unless the costs of one chunk are unknown', async () => {
    const createCosts = (cost: string, margin: string) => ({
      total: { provider_cost: cost, margin, margin_fraction: '0.5' },
      orders: [{ id: 1, quantity: 100, margin: null }],
    });
    const costsOfChunks = [createCosts('1.5', '2'), createCosts('0.25', '-3'), { total: null, orders: [] }];
    const run = planBulkRun(firstIds(2_500));
    let chunkIndex = 0;
    await continueBulkRun(
      run,
      async (chunk) => ({ ...createOutcome(chunk), costs: costsOfChunks[chunkIndex++] ?? null }),
      () => undefined,
    );
    expect(mergeOutcomes(run).costs).toMatchObject({ total: null, orders: [{ quantity: 100 }, { quantity: 100 }] });
    run.chunks.pop();
    expect(mergeOutcomes(run).costs?.total).toEqual({ provider_cost: '1.75', margin: '-1' });
    expect(mergeOutcomes(planBulkRun(firstIds(1)))).not.toHaveProperty('costs');
  });

  it('continues after a failure with the same keys, and does not repeat a finished chunk', async () => {
    const run = planBulkRun(firstIds(2_500));
    const sentKeys: string[] = [];
    const sendChunk = async (chunk: readonly number[], key: string) => {
      sentKeys.push(key);
      if (sentKeys.length === 2) throw new Problem({ status: 0, code: 'unreachable', message: 'gone' });
      return createOutcome(chunk);
    };
    await expect(continueBulkRun(run, sendChunk, () => undefined)).rejects.toThrow('gone');
    expect(countProcessedRecords(run)).toBe(1_000);
    await continueBulkRun(run, sendChunk, () => undefined);
    expect(sentKeys.length).toBe(4);
    expect(sentKeys[2]).toBe(sentKeys[1]);
    expect(new Set(sentKeys).size).toBe(3);
    expect(mergeOutcomes(run).processed).toBe(2_500);
  });

  it('counts a chunk with nothing_processed as skipped, and stops at other errors', async () => {
    const run = planBulkRun([1, 2]);
    const rejection = new Problem({ status: 422, code: 'nothing_processed', message: 'None of the 2 orders…' });
    await continueBulkRun(
      run,
      () => Promise.reject(rejection),
      () => undefined,
    );
    expect(mergeOutcomes(run)).toMatchObject({ processed: 0, totals: { refunded: '0' } });
    expect(groupSkippedByReason(mergeOutcomes(run))).toEqual([{ message: 'None of the 2 orders…', ids: [1, 2] }]);
    const otherRun = planBulkRun([1, 2]);
    const skipped = [
      { id: 1, code: 'order_not_cancelable', message: 'Order 1 is completed.' },
      { id: 2, code: 'not_found', message: 'There is no order 2.' },
    ];
    const rejectionWithReasons = new Problem({ status: 422, code: 'nothing_processed', message: 'None', skipped });
    await continueBulkRun(
      otherRun,
      () => Promise.reject(rejectionWithReasons),
      () => undefined,
    );
    expect(mergeOutcomes(otherRun).skipped).toEqual(skipped);
    const forbidden = new Problem({ status: 403, code: 'forbidden', message: 'no' });
    await expect(
      continueBulkRun(
        planBulkRun([1]),
        () => Promise.reject(forbidden),
        () => undefined,
      ),
    ).rejects.toBe(forbidden);
  });
});

describe('provider costs of a bulk run', () => {
  const outcomeWithCosts = (ids: readonly number[], isTotalKnown = true): BulkOutcome => ({
    ...createOutcome(ids),
    costs: {
      orders: ids.map((id) => ({ id, quantity: 1 })),
      total: isTotalKnown ? { provider_cost: '1.5', margin: '-0.25', margin_fraction: '0.1' } : null,
    },
  });
  const runAndMergeCosts = async (createChunkOutcome: (ids: readonly number[]) => BulkOutcome) => {
    const run = planBulkRun(firstIds(1_500));
    await continueBulkRun(
      run,
      async (chunk) => createChunkOutcome(chunk),
      () => undefined,
    );
    return mergeOutcomes(run).costs;
  };

  it('adds up the costs of all chunks, and returns no total if the costs of one chunk are unknown', async () => {
    const costs = await runAndMergeCosts((chunk) => outcomeWithCosts(chunk));
    expect(costs?.orders).toHaveLength(1_500);
    expect(costs?.total).toEqual({ provider_cost: '3', margin: '-0.5' });
    expect((await runAndMergeCosts((chunk) => outcomeWithCosts(chunk, chunk.length > 500)))?.total).toBeNull();
    expect(
      await runAndMergeCosts((chunk) => (chunk.length > 500 ? createOutcome(chunk) : outcomeWithCosts(chunk))),
    ).toBeUndefined();
  });
});

describe('addAmounts', () => {
  it('adds decimal amounts exactly', () => {
    expect(addAmounts('0.1', '0.2')).toBe('0.3');
    expect(addAmounts('9007199254740993.000001', '0.999999')).toBe('9007199254740994');
    expect(addAmounts('-1.5', '0.25')).toBe('-1.25');
    expect(addAmounts('-0.5', '0.5')).toBe('0');
  });
});

import { expect, it } from 'vitest';
import { Problem } from '@/api/problem';
import { eachOf } from './each';
import { merged, plan, proceed, reasons } from './run';

it('calls once a record, skips what has moved on, and goes on after a failure under the same keys', async () => {
  const seen = new Map<string, number>();
  let broken = true;
  const { many } = eachOf(async (id, { headers }) => {
    const key = headers['Idempotency-Key'] ?? '';
    seen.set(key, (seen.get(key) ?? 0) + 1);
    if (id === 2) throw new Problem({ status: 409, code: 'memo_is_so', message: 'It is so already.' });
    if (id === 3 && broken) throw new Problem({ status: 0, code: 'unreachable', message: 'gone' });
  });
  const run = plan([1, 2, 3]);
  const call = (ids: readonly number[], key: string) => many(ids, {}, { dryRun: false, key });
  await expect(proceed(run, call, () => undefined)).rejects.toThrow('gone');
  broken = false;
  await proceed(run, call, () => undefined);
  expect(merged(run)).toMatchObject({ processed: 2, skipped: [{ id: 2, code: 'memo_is_so' }] });
  // The server answers a repeated key as it did the first time.
  expect([...seen.values()]).toEqual([2, 2, 2]);
});

it('tries each where the endpoint can, and adds up what would go back', async () => {
  const dry: unknown[] = [];
  const { many } = eachOf(
    async (id, _, query) => {
      dry.push(query.dry_run);
      return { data: { returned: id === 1 ? '0' : '1.25' }, ...(id === 3 ? { charged: '4' } : {}) };
    },
    { rehearses: true },
  );
  const outcome = await many([1, 2, 3], {}, { dryRun: true, key: 'k' });
  expect(outcome).toMatchObject({ processed: 3, totals: { users: 2, returned: '2.5', charged: '4' }, dry_run: true });
  expect(dry).toEqual(['1', '1', '1']);
  await expect(eachOf(async () => undefined).many([1], {}, { dryRun: true, key: 'k' })).rejects.toThrow();
});

it('skips a record that cannot take it, and stops where all say the same of the form', async () => {
  const wrong = (message: string) =>
    new Problem({ status: 422, code: 'invalid', message: `${message} (and 1 more)`, fields: { quantity: [message] } });
  const { many } = eachOf(async (id) => {
    if (id === 1) throw wrong('At least 10.');
    if (id === 4) throw wrong('At least 20.');
  });
  const how = { dryRun: false, key: 'k' };
  expect(await many([1, 2], {}, how)).toMatchObject({
    processed: 1,
    skipped: [{ id: 1, code: 'invalid', message: 'At least 10.' }],
  });
  const both = await many([1, 4], {}, how);
  expect(reasons(both).map((reason) => reason.message)).toEqual(['At least 10.', 'At least 20.']);
  // One record is all of the run: its form shows what is wrong, but not where the run is longer than this chunk.
  await expect(many([1], {}, how)).rejects.toThrow('At least 10.');
  expect(await many([1], {}, { ...how, total: 1_001 })).toMatchObject({ processed: 0, skipped: [{ id: 1 }] });

  const { many: all } = eachOf(async () => Promise.reject(wrong('At least 10.')));
  await expect(all([1, 2], {}, how)).rejects.toThrow('At least 10.');
});

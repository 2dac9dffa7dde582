import { expect, it } from 'vitest';
import { Problem } from '@/api/problem';
import { eachOf } from './each';
import { merged, plan, proceed } from './run';

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
      return { data: { returned: id === 1 ? '0' : '1.25' } };
    },
    { rehearses: true },
  );
  const outcome = await many([1, 2, 3], {}, { dryRun: true, key: 'k' });
  expect(outcome).toMatchObject({ processed: 3, totals: { users: 2, returned: '2.5' }, dry_run: true });
  expect(dry).toEqual(['1', '1', '1']);
  await expect(eachOf(async () => undefined).many([1], {}, { dryRun: true, key: 'k' })).rejects.toThrow();
});

import { expect, it } from 'vitest';
import { FreshQueries } from './freshness';

it('marks with what was changed what shows it, and nothing else', async () => {
  const queries = new FreshQueries();
  const keys = [['transactions', 'page'], ['users', 'one', 7], ['users', 'page'], ['services', 'page'], ['banners']];
  for (const key of keys) queries.setQueryData(key, 1);
  await queries.invalidateQueries({ queryKey: ['transactions'] });
  const isMarked = keys.map((key) => queries.getQueryState(key)?.isInvalidated);
  expect(isMarked).toEqual([true, true, true, false, false]);
});

it('shows the orders, the balance and the transactions of a bought package', async () => {
  const queries = new FreshQueries();
  for (const name of ['combo-orders', 'orders', 'users', 'transactions']) queries.setQueryData([name], 1);
  await queries.invalidateQueries({ queryKey: ['combo-orders'], refetchType: 'none' });
  for (const name of ['combo-orders', 'orders', 'users', 'transactions']) {
    expect([name, queries.getQueryState([name])?.isInvalidated]).toEqual([name, true]);
  }
});

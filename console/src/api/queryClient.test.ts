import { expect, it } from 'vitest';
import { PanelQueryClient } from './queryClient';

it('invalidates the changed query and the queries that depend on it, but no others', async () => {
  const queries = new PanelQueryClient();
  const keys = [['transactions', 'page'], ['users', 'one', 7], ['users', 'page'], ['services', 'page'], ['banners']];
  for (const key of keys) queries.setQueryData(key, 1);
  await queries.invalidateQueries({ queryKey: ['transactions'] });
  const isInvalidated = keys.map((key) => queries.getQueryState(key)?.isInvalidated);
  expect(isInvalidated).toEqual([true, true, true, false, false]);
});

it('invalidates orders, users and transactions after a package purchase', async () => {
  const queries = new PanelQueryClient();
  for (const name of ['combo-orders', 'orders', 'users', 'transactions']) queries.setQueryData([name], 1);
  await queries.invalidateQueries({ queryKey: ['combo-orders'], refetchType: 'none' });
  for (const name of ['combo-orders', 'orders', 'users', 'transactions']) {
    expect([name, queries.getQueryState([name])?.isInvalidated]).toEqual([name, true]);
  }
});

import { expect, it } from 'vitest';
import { PanelQueryClient } from './queryClient';

it('invalidates the changed query and its dependent queries, but no other queries', async () => {
  const queryClient = new PanelQueryClient();
  const queryKeys = [
    ['transactions', 'page'],
    ['users', 'detail', 7],
    ['users', 'page'],
    ['services', 'page'],
    ['banners'],
  ];
  for (const key of queryKeys) queryClient.setQueryData(key, 1);
  await queryClient.invalidateQueries({ queryKey: ['transactions'] });
  const isInvalidated = queryKeys.map((key) => queryClient.getQueryState(key)?.isInvalidated);
  expect(isInvalidated).toEqual([true, true, true, false, false]);
});

it('invalidates orders, users and transactions after a package purchase', async () => {
  const queryClient = new PanelQueryClient();
  for (const name of ['combo-orders', 'orders', 'users', 'transactions']) queryClient.setQueryData([name], 1);
  await queryClient.invalidateQueries({ queryKey: ['combo-orders'], refetchType: 'none' });
  for (const name of ['combo-orders', 'orders', 'users', 'transactions']) {
    expect([name, queryClient.getQueryState([name])?.isInvalidated]).toEqual([name, true]);
  }
});

import { expect, it } from 'vitest';
import { FREE_TRIAL_LIST } from '@/operations/free-trials/FreeTrials';
import { ORDER_LIST } from '@/operations/orders/orderList';
import { parseState } from '@/table/listState';
import { COUNTER_LINKS } from './links';

it('the link of each counter opens a list with a filter that the list has', () => {
  const filters = COUNTER_LINKS.map(({ name, href }) => {
    const [path = '', search = ''] = href.split('?');
    const list = path === '/orders' ? ORDER_LIST : FREE_TRIAL_LIST;
    return [name, path, parseState(list as typeof ORDER_LIST, search).filters];
  });
  expect(filters).toEqual([
    ['ordersInModerationCount', '/orders', { status: 'in_moderation' }],
    ['ordersInProcessingCount', '/orders', { status: 'in_processing' }],
    ['ordersWithNoActiveProvidersCount', '/orders', { has_no_active_providers: '1' }],
    ['freeTrialsInPendingCount', '/requests', { status: 'pending' }],
  ]);
});

import { expect, it } from 'vitest';
import { FREE_TRIALS } from '@/operations/free-trials/FreeTrials';
import { ORDERS } from '@/operations/orders/declaration';
import { parseState } from '@/table/state';
import { COUNTER_LINKS } from './links';

it('each counter links to its list with a filter that the list has', () => {
  const filters = COUNTER_LINKS.map(({ name, href }) => {
    const [path = '', search = ''] = href.split('?');
    const list = path === '/orders' ? ORDERS : FREE_TRIALS;
    return [name, path, parseState(list as typeof ORDERS, search).filters];
  });
  expect(filters).toEqual([
    ['ordersInModerationCount', '/orders', { status: 'in_moderation' }],
    ['ordersInProcessingCount', '/orders', { status: 'in_processing' }],
    ['ordersWithNoActiveProvidersCount', '/orders', { has_no_active_providers: '1' }],
    ['freeTrialsInPendingCount', '/requests', { status: 'pending' }],
  ]);
});

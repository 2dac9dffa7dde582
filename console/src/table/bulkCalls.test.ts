import { afterEach, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { bulkCalls, bulkRecordCalls } from './bulkCalls';

afterEach(() => void vi.restoreAllMocks());

interface Call {
  call: string;
  key: string | null;
  body: unknown;
}

function mockServer(): Call[] {
  const calls: Call[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname, search } = new URL(request.url);
    const body = await request.text();
    calls.push({
      call: `${request.method} ${pathname}${search}`,
      key: request.headers.get('Idempotency-Key'),
      body: body && JSON.parse(body),
    });
    return Response.json({});
  });
  return calls;
}

const switches = bulkRecordCalls('/api/v1/admin/services/bulk', 'services', {
  record: (switched: Omit<Schemas['BulkService'], 'id'>) => switched,
});
const refusal = bulkCalls('/api/v1/admin/order-cancel-requests/refuse', 'ids', {
  one: '/api/v1/admin/order-cancel-requests/{id}/refuse',
});

it('sends the changes of each record with its id, in dry runs and runs, for one and many', async () => {
  const calls = mockServer();
  await switches.many([3, 5], { is_enabled: false }, { dryRun: true, key: 'k' });
  await switches.one(3, { api_access: true }, { dryRun: false, key: 'l' });
  expect(calls).toEqual([
    {
      call: 'PATCH /api/v1/admin/services/bulk?dry_run=1',
      key: 'k',
      body: {
        services: [
          { is_enabled: false, id: 3 },
          { is_enabled: false, id: 5 },
        ],
      },
    },
    { call: 'PATCH /api/v1/admin/services/bulk', key: 'l', body: { services: [{ api_access: true, id: 3 }] } },
  ]);
});

it('sends ids to the bulk endpoint, and one record to its own endpoint', async () => {
  const calls = mockServer();
  await refusal.many([3, 5], {}, { dryRun: false, key: 'k' });
  await refusal.one(3, {}, { dryRun: true, key: 'l' });
  expect(calls).toEqual([
    { call: 'POST /api/v1/admin/order-cancel-requests/refuse', key: 'k', body: { ids: [3, 5] } },
    { call: 'POST /api/v1/admin/order-cancel-requests/3/refuse?dry_run=1', key: 'l', body: '' },
  ]);
});

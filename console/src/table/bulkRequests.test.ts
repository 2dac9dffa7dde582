import { afterEach, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { createBulkRecordRequests, createBulkRequests } from './bulkRequests';

afterEach(() => void vi.restoreAllMocks());

interface SentRequest {
  /** Method, path and query. */
  target: string;
  key: string | null;
  body: unknown;
}

function mockServer(): SentRequest[] {
  const requests: SentRequest[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname, search } = new URL(request.url);
    const body = await request.text();
    requests.push({
      target: `${request.method} ${pathname}${search}`,
      key: request.headers.get('Idempotency-Key'),
      body: body && JSON.parse(body),
    });
    return Response.json({});
  });
  return requests;
}

const serviceRequests = createBulkRecordRequests('/api/v1/admin/services/bulk', 'services', {
  changes: (input: Omit<Schemas['BulkService'], 'id'>) => input,
});
const cancelRequestRequests = createBulkRequests('/api/v1/admin/order-cancel-requests/reject', 'ids', {
  singlePath: '/api/v1/admin/order-cancel-requests/{id}/reject',
});

it('sends the changes of each record with its id, for one and for several records', async () => {
  const requests = mockServer();
  await serviceRequests.runBulk([3, 5], { is_enabled: false }, { dryRun: true, key: 'k' });
  await serviceRequests.runSingle(3, { api_access: true }, { dryRun: false, key: 'l' });
  expect(requests).toEqual([
    {
      target: 'PATCH /api/v1/admin/services/bulk?dry_run=1',
      key: 'k',
      body: {
        services: [
          { is_enabled: false, id: 3 },
          { is_enabled: false, id: 5 },
        ],
      },
    },
    { target: 'PATCH /api/v1/admin/services/bulk', key: 'l', body: { services: [{ api_access: true, id: 3 }] } },
  ]);
});

it('sends ids to the bulk endpoint, and one record to its own endpoint', async () => {
  const requests = mockServer();
  await cancelRequestRequests.runBulk([3, 5], {}, { dryRun: false, key: 'k' });
  await cancelRequestRequests.runSingle(3, {}, { dryRun: true, key: 'l' });
  expect(requests).toEqual([
    { target: 'POST /api/v1/admin/order-cancel-requests/reject', key: 'k', body: { ids: [3, 5] } },
    { target: 'POST /api/v1/admin/order-cancel-requests/3/reject?dry_run=1', key: 'l', body: '' },
  ]);
});

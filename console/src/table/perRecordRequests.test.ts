import { afterEach, expect, it, vi } from 'vitest';
import type { ChunkOptions } from './action';
import { continueBulkRun, groupSkippedByReason, mergeOutcomes, planBulkRun } from './bulkRun';
import { createPerRecordRequests } from './perRecordRequests';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface SentRequest {
  id: number;
  key: string;
  isDryRun: boolean;
}

/** Mocks the response to each request. If `respond` throws, the connection is lost. */
function mockServer(
  respond: (request: SentRequest) => { status?: number; headers?: Record<string, string>; body?: object },
) {
  const sentRequests: SentRequest[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const url = new URL(request.url);
    const sentRequest = {
      id: Number(url.pathname.split('/').at(-2)),
      key: request.headers.get('Idempotency-Key') ?? '',
      isDryRun: url.searchParams.get('dry_run') === '1',
    };
    sentRequests.push(sentRequest);
    const { status = 200, headers = {}, body = {} } = respond(sentRequest);
    return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });
  });
  return sentRequests;
}

const { runBulk } = createPerRecordRequests('POST', '/api/v1/admin/services/{id}/archive');
const CHUNK_OPTIONS: ChunkOptions = { dryRun: false, key: 'k' };

it('sends one request per record, skips rejected records, and continues after a failure with the same keys', async () => {
  let isDisconnected = true;
  const sentRequests = mockServer(({ id }) => {
    if (id === 2)
      return { status: 409, body: { code: 'already_archived', message: 'The service is archived already.' } };
    if (id === 3 && isDisconnected) throw new TypeError('gone');
    return {};
  });
  const run = planBulkRun([1, 2, 3]);
  const sendChunk = (ids: readonly number[], key: string) => runBulk(ids, {}, { dryRun: false, key });
  await expect(continueBulkRun(run, sendChunk, () => undefined)).rejects.toThrow('cannot be reached');
  isDisconnected = false;
  await continueBulkRun(run, sendChunk, () => undefined);
  expect(mergeOutcomes(run)).toMatchObject({ processed: 2, skipped: [{ id: 2, code: 'already_archived' }] });
  // The server replays its response to a repeated key.
  expect(sentRequests).toHaveLength(6);
  expect(new Set(sentRequests.map(({ key }) => key)).size).toBe(3);
});

it('previews hundreds of records in chunks, counts each customer once, and adds up refunds', async () => {
  const ids = Array.from({ length: 400 }, (_, index) => index + 1);
  const sentRequests = mockServer(({ id }) => ({
    body: {
      data: { user: { id: id % 7 }, refunded: id % 10 === 0 ? '0' : '1.25' },
      ...(id === 3 ? { charged: '4' } : {}),
      ...(id === 9 ? { undo: { request_id: 'r', records: 1 } } : {}),
    },
  }));
  const run = planBulkRun(ids, createPerRecordRequests('POST', '/api/v1/admin/services/{id}/archive').chunkSize);
  const processedCounts: number[] = [];
  await continueBulkRun(
    run,
    (chunk, key) => runBulk(chunk, {}, { dryRun: true, key }),
    (processedCount) => processedCounts.push(processedCount),
  );
  expect(processedCounts.slice(0, 3)).toEqual([20, 40, 60]);
  expect(mergeOutcomes(run)).toMatchObject({
    processed: 400,
    totals: { users: 7, refunded: '450', charged: '4' },
    undos: [{ request_id: 'r', records: 1 }],
    dry_run: true,
  });
  expect(sentRequests).toHaveLength(400);
  expect(sentRequests.every(({ isDryRun }) => isDryRun)).toBe(true);
});

it('waits for Retry-After if the rate limit is exceeded, and stops waiting if it is aborted', async () => {
  vi.useFakeTimers();
  let isLimited = true;
  const sentRequests = mockServer(() =>
    isLimited
      ? { status: 429, headers: { 'Retry-After': '3' }, body: { code: 'too_many_requests', message: 'Wait.' } }
      : {},
  );
  const response = runBulk([1], {}, CHUNK_OPTIONS);
  await vi.advanceTimersByTimeAsync(2_900);
  expect(sentRequests).toHaveLength(1);
  isLimited = false;
  await vi.advanceTimersByTimeAsync(200);
  expect((await response).processed).toBe(1);
  expect(sentRequests.map(({ key }) => key)).toEqual(['k-1', 'k-1']);

  isLimited = true;
  const controller = new AbortController();
  const abortedRun = runBulk([1], {}, { ...CHUNK_OPTIONS, dryRun: true, signal: controller.signal });
  const rejectionCheck = expect(abortedRun).rejects.toThrow();
  await vi.advanceTimersByTimeAsync(100);
  controller.abort();
  await rejectionCheck;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sentRequests).toHaveLength(3);
});

it('skips a rejected record, and stops if all records have the same error', async () => {
  const minimumMessages = { 1: 'At least 10.', 4: 'At least 20.' } as Record<number, string>;
  mockServer(({ id }) => {
    const message = minimumMessages[id];
    if (!message) return {};
    return {
      status: 422,
      body: { code: 'invalid', message: `${message} (and 1 more)`, errors: { quantity: [message] } },
    };
  });
  expect(await runBulk([1, 2], {}, CHUNK_OPTIONS)).toMatchObject({
    processed: 1,
    skipped: [{ id: 1, code: 'invalid', message: 'At least 10.' }],
  });
  const outcome = await runBulk([1, 4], {}, CHUNK_OPTIONS);
  expect(groupSkippedByReason(outcome).map((reason) => reason.message)).toEqual(['At least 10.', 'At least 20.']);
  // If the run has only one record, `runBulk` throws the error, so that the form shows the error. If the run has more records than
  // this chunk, `runBulk` skips the record.
  await expect(runBulk([1], {}, CHUNK_OPTIONS)).rejects.toThrow('At least 10.');
  expect(await runBulk([1], {}, { ...CHUNK_OPTIONS, total: 1_001 })).toMatchObject({
    processed: 0,
    skipped: [{ id: 1 }],
  });
  const createRejection = (code: string) => ({ status: 403, body: { code, message: 'No.' } });
  mockServer(({ id }) => (id === 1 ? createRejection('own_account') : {}));
  expect(await runBulk([1, 2], {}, CHUNK_OPTIONS)).toMatchObject({
    processed: 1,
    skipped: [{ id: 1, code: 'own_account' }],
  });
  mockServer(() => createRejection('forbidden'));
  await expect(runBulk([1, 2], {}, CHUNK_OPTIONS)).rejects.toThrow('No.');
  mockServer(() => ({
    status: 422,
    body: { code: 'invalid', message: 'At least 10.', errors: { quantity: ['At least 10.'] } },
  }));
  await expect(runBulk([1, 4], {}, CHUNK_OPTIONS)).rejects.toThrow('At least 10.');
});

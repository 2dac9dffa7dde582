import { afterEach, expect, it, vi } from 'vitest';
import type { ChunkOptions } from './action';
import { perRecordCalls } from './perRecordCalls';
import { continueRun, mergeOutcomes, planRun, skipReasons } from './run';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface SentRequest {
  id: number;
  key: string;
  isDryRun: boolean;
}

/** Mocks the answer to each request. Throwing in `answer` is a lost connection. */
function serve(answer: (request: SentRequest) => { status?: number; headers?: Record<string, string>; body?: object }) {
  const sent: SentRequest[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const url = new URL(request.url);
    const one = {
      id: Number(url.pathname.split('/').at(-2)),
      key: request.headers.get('Idempotency-Key') ?? '',
      isDryRun: url.searchParams.get('dry_run') === '1',
    };
    sent.push(one);
    const { status = 200, headers = {}, body = {} } = answer(one);
    return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });
  });
  return sent;
}

const { many } = perRecordCalls('POST', '/api/v1/admin/services/{id}/archive');
const RUN: ChunkOptions = { dryRun: false, key: 'k' };

it('calls once per record, skips rejected records, and continues after a failure under the same keys', async () => {
  let broken = true;
  const sent = serve(({ id }) => {
    if (id === 2) return { status: 409, body: { code: 'memo_is_so', message: 'It is so already.' } };
    if (id === 3 && broken) throw new TypeError('gone');
    return {};
  });
  const run = planRun([1, 2, 3]);
  const call = (ids: readonly number[], key: string) => many(ids, {}, { dryRun: false, key });
  await expect(continueRun(run, call, () => undefined)).rejects.toThrow('cannot be reached');
  broken = false;
  await continueRun(run, call, () => undefined);
  expect(mergeOutcomes(run)).toMatchObject({ processed: 2, skipped: [{ id: 2, code: 'memo_is_so' }] });
  // The server replays its answer to a repeated key.
  expect(sent).toHaveLength(6);
  expect(new Set(sent.map(({ key }) => key)).size).toBe(3);
});

it('previews hundreds in chunks, counts each customer once, and adds up refunds', async () => {
  const ids = Array.from({ length: 400 }, (_, at) => at + 1);
  const sent = serve(({ id }) => ({
    body: {
      data: { user: { id: id % 7 }, returned: id % 10 === 0 ? '0' : '1.25' },
      ...(id === 3 ? { charged: '4' } : {}),
      ...(id === 9 ? { undo: { request_id: 'r', records: 1 } } : {}),
    },
  }));
  const run = planRun(ids, perRecordCalls('POST', '/api/v1/admin/services/{id}/archive').chunkSize);
  const progress: number[] = [];
  await continueRun(
    run,
    (chunk, key) => many(chunk, {}, { dryRun: true, key }),
    (done) => progress.push(done),
  );
  expect(progress.slice(0, 3)).toEqual([20, 40, 60]);
  expect(mergeOutcomes(run)).toMatchObject({
    processed: 400,
    totals: { users: 7, returned: '450', charged: '4' },
    undos: [{ request_id: 'r', records: 1 }],
    dry_run: true,
  });
  expect(sent).toHaveLength(400);
  expect(sent.every(({ isDryRun }) => isDryRun)).toBe(true);
});

it('waits for Retry-After when the rate limit is exceeded, and stops waiting when it is aborted', async () => {
  vi.useFakeTimers();
  let isLimited = true;
  const sent = serve(() =>
    isLimited
      ? { status: 429, headers: { 'Retry-After': '3' }, body: { code: 'too_many_requests', message: 'Wait.' } }
      : {},
  );
  const answer = many([1], {}, RUN);
  await vi.advanceTimersByTimeAsync(2_900);
  expect(sent).toHaveLength(1);
  isLimited = false;
  await vi.advanceTimersByTimeAsync(200);
  expect((await answer).processed).toBe(1);
  expect(sent.map(({ key }) => key)).toEqual(['k-1', 'k-1']);

  isLimited = true;
  const controller = new AbortController();
  const aborted = many([1], {}, { ...RUN, dryRun: true, signal: controller.signal });
  const failed = expect(aborted).rejects.toThrow();
  await vi.advanceTimersByTimeAsync(100);
  controller.abort();
  await failed;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent).toHaveLength(3);
});

it('skips a rejected record, and stops when all records have the same error', async () => {
  const least = { 1: 'At least 10.', 4: 'At least 20.' } as Record<number, string>;
  serve(({ id }) => {
    const message = least[id];
    if (!message) return {};
    return {
      status: 422,
      body: { code: 'invalid', message: `${message} (and 1 more)`, errors: { quantity: [message] } },
    };
  });
  expect(await many([1, 2], {}, RUN)).toMatchObject({
    processed: 1,
    skipped: [{ id: 1, code: 'invalid', message: 'At least 10.' }],
  });
  const both = await many([1, 4], {}, RUN);
  expect(skipReasons(both).map((reason) => reason.message)).toEqual(['At least 10.', 'At least 20.']);
  // The run has one record: the form shows its error. When the run has more records than the chunk, the record is skipped.
  await expect(many([1], {}, RUN)).rejects.toThrow('At least 10.');
  expect(await many([1], {}, { ...RUN, total: 1_001 })).toMatchObject({ processed: 0, skipped: [{ id: 1 }] });
  const rejection = (code: string) => ({ status: 403, body: { code, message: 'No.' } });
  serve(({ id }) => (id === 1 ? rejection('own_account') : {}));
  expect(await many([1, 2], {}, RUN)).toMatchObject({ processed: 1, skipped: [{ id: 1, code: 'own_account' }] });
  serve(() => rejection('forbidden'));
  await expect(many([1, 2], {}, RUN)).rejects.toThrow('No.');
  serve(() => ({
    status: 422,
    body: { code: 'invalid', message: 'At least 10.', errors: { quantity: ['At least 10.'] } },
  }));
  await expect(many([1, 4], {}, RUN)).rejects.toThrow('At least 10.');
});

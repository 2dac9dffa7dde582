// Snapshots of the requests that every form sends: first without edits, then with a value typed into each field. The mocked server
// rejects all of these requests, so that the form stays open.
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { type Profile, session } from '@/session/store';
import { FORMS } from '@/test/forms';
import { createSample, createSampleResponse } from '@/test/sample';
import { TestQueryProvider } from '@/test/TestQueryProvider';

vi.setConfig({ testTimeout: 60_000 });

interface SentRequest {
  /** Method, path and query. */
  request: string;
  hasIdempotencyKey: boolean;
  body: unknown;
}

let sentRequests: SentRequest[];

/** POST requests that need no idempotency key, because a repetition has no effect: they set a value, or only validate. */
const URLS_WITHOUT_KEY =
  /\/(change-url|update-comment|change-grade|update-seller|user-discount|validate|payment-methods\/\d+|banners\/\d+)$/;

const lacksIdempotencyKey = ({ request, hasIdempotencyKey }: SentRequest) =>
  request.startsWith('POST ') && !hasIdempotencyKey && !URLS_WITHOUT_KEY.test(request.split('?')[0] ?? '');

const createRejection = () => Response.json({ code: 'rejected', message: 'Rejected.' }, { status: 422 });

beforeAll(initI18n);
beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-27T09:00:00Z'), toFake: ['Date'] });
  sentRequests = [];
  session.begin({ ...createSample('Profile'), allPermissions: createPermissions() });
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname, search } = new URL(request.url);
    if (request.method === 'GET') return Response.json(createSampleResponse('GET', pathname));
    // These are previews that forms request while the user types, not saves.
    if (/total-cost|price-preview|discounts.*dry_run/.test(pathname + search)) return createRejection();
    const text = await request.clone().text();
    sentRequests.push({
      request: `${request.method} ${pathname}${search}`,
      hasIdempotencyKey: request.headers.has('Idempotency-Key'),
      body: text && JSON.parse(text),
    });
    return createRejection();
  });
});
afterEach(() => {
  cleanup();
  session.end();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const createPermissions = (): Profile['allPermissions'] =>
  (
    [
      'view users',
      'view payment methods',
      'view services',
      'view grades',
      'manage services and providers',
      'manage panel settings',
      'manage targets',
      'manage external panels',
      'write auto refill params',
    ] as const
  ).map((name) => ({ ...createSample('PermissionInfo'), name }));

const INPUT_BY_FIELD_TYPE: Readonly<Record<string, string>> = {
  numeric: '1007',
  decimal: '1234,5',
  'datetime-local': '2026-11-28T10:00',
  date: '2026-11-28',
  url: 'https://typed.test',
  number: '9',
};

/** Types a value into every field that can be edited. */
function editAllFields(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')) {
    const isSkipped = field.closest(PICKER_SELECTOR) !== null || field.readOnly || field.type === 'file';
    if (isSkipped || field.disabled) continue;
    if (field.type === 'checkbox') fireEvent.click(field);
    else {
      const value =
        INPUT_BY_FIELD_TYPE[field.type] ??
        INPUT_BY_FIELD_TYPE[field.inputMode] ??
        (field instanceof HTMLTextAreaElement ? TEXTAREA_INPUT : 'typed');
      fireEvent.change(field, { target: { value } });
    }
  }
}

const TEXTAREA_INPUT = 'first\n\n second';
const PICKER_SELECTOR = '[data-pc-name=autocomplete], [data-pc-name=dropdown], [data-pc-name=multiselect]';

async function submitForm(): Promise<readonly SentRequest[]> {
  sentRequests = [];
  fireEvent.submit(await waitForForm());
  await act(async () => {
    await new Promise((resolve) => setTimeout(resolve, 0));
  });
  await waitFor(() => expect(document.querySelector('[aria-busy=true]')).toBeNull());
  return sentRequests;
}

const waitForForm = () =>
  waitFor(() => document.querySelector<HTMLFormElement>('form:last-of-type') as HTMLFormElement);

const FORM_CASES = FORMS.map(([name, createElement, openButton]) => [name, { createElement, openButton }] as const);

it.each(FORM_CASES)('%s', async (_, { createElement, openButton }) => {
  render(createElement(), { wrapper: TestQueryProvider });
  if (openButton) fireEvent.click((await screen.findAllByRole('button', { name: openButton }))[0] as HTMLElement);
  await waitFor(() => expect(document.querySelector('form')).toBeTruthy());
  const requestsWithoutEdits = await submitForm();
  editAllFields(await waitForForm());
  const requestsWithEdits = await submitForm();
  const writeRequests = [...requestsWithoutEdits, ...requestsWithEdits].filter(
    ({ request }) => !request.endsWith('dry_run=1'),
  );
  expect(writeRequests.filter(lacksIdempotencyKey)).toEqual([]);
  expect({ requestsWithoutEdits, requestsWithEdits }).toMatchSnapshot();
});

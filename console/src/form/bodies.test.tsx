// Snapshots of the requests that every form sends: first without edits, then with a value typed into each field. The mocked server
// rejects both, so that the form stays open. A snapshot has the method, URL and body, and whether the request has an idempotency
// key.
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { type Profile, session } from '@/session/store';
import { FORMS } from '@/test/forms';
import { sample, sampleResponse } from '@/test/sample';
import { TestQueryProvider } from '@/test/TestQueryProvider';

vi.setConfig({ testTimeout: 60_000 });

interface SentRequest {
  /** Method, path and query. */
  call: string;
  isKeyed: boolean;
  body: unknown;
}

let calls: SentRequest[];

/** Requests that need no key, because a repetition does nothing: they set a value, change a record, or only read. */
const REPEATABLE =
  /\/(change-url|update-comment|change-grade|update-seller|user-discount|validate|payment-methods\/\d+|banners\/\d+)$/;

const lacksKey = ({ call, isKeyed }: SentRequest) =>
  call.startsWith('POST ') && !isKeyed && !REPEATABLE.test(call.split('?')[0] ?? '');

const rejection = () => Response.json({ code: 'refused', message: 'Refused.' }, { status: 422 });

beforeAll(initI18n);
beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-27T09:00:00Z'), toFake: ['Date'] });
  calls = [];
  session.begin({ ...sample('Profile'), allPermissions: permissions() });
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname, search } = new URL(request.url);
    if (request.method === 'GET') return Response.json(sampleResponse('GET', pathname));
    // Previews that a form requests while the user types are not saves.
    if (/total-cost|price-preview|discounts.*dry_run/.test(pathname + search)) return rejection();
    const text = await request.clone().text();
    calls.push({
      call: `${request.method} ${pathname}${search}`,
      isKeyed: request.headers.has('Idempotency-Key'),
      body: text && JSON.parse(text),
    });
    return rejection();
  });
});
afterEach(() => {
  cleanup();
  session.end();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const permissions = (): Profile['allPermissions'] =>
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
  ).map((name) => ({ ...sample('PermissionEntry'), name }));

const INPUTS: Readonly<Record<string, string>> = {
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
    const isSkipped = field.closest(PICKERS) !== null || field.readOnly || field.type === 'file';
    if (isSkipped || field.disabled) continue;
    if (field.type === 'checkbox') fireEvent.click(field);
    else {
      const value =
        INPUTS[field.type] ??
        INPUTS[field.inputMode] ??
        (field instanceof HTMLTextAreaElement ? TEXTAREA_INPUT : 'typed');
      fireEvent.change(field, { target: { value } });
    }
  }
}

const TEXTAREA_INPUT = 'first\n\n second';
const PICKERS = '[data-pc-name=autocomplete], [data-pc-name=dropdown], [data-pc-name=multiselect]';

async function submitForm(): Promise<readonly SentRequest[]> {
  calls = [];
  fireEvent.submit(await findForm());
  await act(async () => {
    await new Promise((resolve) => setTimeout(resolve, 0));
  });
  await waitFor(() => expect(document.querySelector('[aria-busy=true]')).toBeNull());
  return calls;
}

const findForm = () => waitFor(() => document.querySelector<HTMLFormElement>('form:last-of-type') as HTMLFormElement);

const NAMED_FORMS = FORMS.map(([name, createElement, openButton]) => [name, { createElement, openButton }] as const);

it.each(NAMED_FORMS)('%s', async (_, { createElement, openButton }) => {
  render(createElement(), { wrapper: TestQueryProvider });
  if (openButton) fireEvent.click((await screen.findAllByRole('button', { name: openButton }))[0] as HTMLElement);
  await waitFor(() => expect(document.querySelector('form')).toBeTruthy());
  const untouched = await submitForm();
  editAllFields(await findForm());
  const typed = await submitForm();
  const writes = [...untouched, ...typed].filter(({ call }) => !call.endsWith('dry_run=1'));
  expect(writes.filter(lacksKey)).toEqual([]);
  expect({ untouched, typed }).toMatchSnapshot();
});

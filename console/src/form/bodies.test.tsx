// What every form sends: once as it opens, and once with something typed into each of its fields. The panel refuses both, so
// that the form stays open. The snapshot holds of each call its method, address and body, and whether it has a key.
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { type Profile, session } from '@/session/store';
import { FORMS } from '@/test/forms';
import { Queries } from '@/test/Queries';
import { answerOf, sample } from '@/test/sample';

vi.setConfig({ testTimeout: 60_000 });

interface Call {
  call: string;
  isKeyed: boolean;
  body: unknown;
}

let calls: Call[];

/** What can be sent twice: it says what something is, changes a record, or only asks. */
const REPEATABLE =
  /\/(change-url|update-comment|change-grade|update-seller|user-discount|validate|payment-methods\/\d+|banners\/\d+)$/;

const isUnkeyed = ({ call, isKeyed }: Call) =>
  call.startsWith('POST ') && !isKeyed && !REPEATABLE.test(call.split('?')[0] ?? '');

const refused = () => Response.json({ code: 'refused', message: 'Refused.' }, { status: 422 });

beforeAll(startTexts);
beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-27T09:00:00Z'), toFake: ['Date'] });
  calls = [];
  session.begin({ ...sample('Profile'), allPermissions: permissions() });
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname, search } = new URL(request.url);
    if (request.method === 'GET') return Response.json(answerOf('GET', pathname));
    // What a form asks while a person types is no save.
    if (/total-cost|price-preview|discounts.*dry_run/.test(pathname + search)) return refused();
    const text = await request.clone().text();
    calls.push({
      call: `${request.method} ${pathname}${search}`,
      isKeyed: request.headers.has('Idempotency-Key'),
      body: text && JSON.parse(text),
    });
    return refused();
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

const TYPED: Readonly<Record<string, string>> = {
  numeric: '1007',
  decimal: '1234,5',
  'datetime-local': '2026-11-28T10:00',
  date: '2026-11-28',
  url: 'https://typed.test',
  number: '9',
};

/** Types into every field that can be typed into. */
function typeAll(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')) {
    const isPicked = field.closest(PICKERS) !== null || field.readOnly || field.type === 'file';
    if (isPicked || field.disabled) continue;
    if (field.type === 'checkbox') fireEvent.click(field);
    else {
      const value =
        TYPED[field.type] ?? TYPED[field.inputMode] ?? (field instanceof HTMLTextAreaElement ? LINES : 'typed');
      fireEvent.change(field, { target: { value } });
    }
  }
}

const LINES = 'first\n\n second';
const PICKERS = '[data-pc-name=autocomplete], [data-pc-name=dropdown], [data-pc-name=multiselect]';

async function submitted(): Promise<readonly Call[]> {
  calls = [];
  fireEvent.submit(await form());
  await act(async () => {
    await new Promise((resolve) => setTimeout(resolve, 0));
  });
  await waitFor(() => expect(document.querySelector('[aria-busy=true]')).toBeNull());
  return calls;
}

const form = () => waitFor(() => document.querySelector<HTMLFormElement>('form:last-of-type') as HTMLFormElement);

it.each(FORMS.map(([name, draw, open]) => [name, { draw, open }] as const))('%s', async (_, { draw, open }) => {
  render(draw(), { wrapper: Queries });
  if (open) fireEvent.click((await screen.findAllByRole('button', { name: open }))[0] as HTMLElement);
  await waitFor(() => expect(document.querySelector('form')).toBeTruthy());
  const untouched = await submitted();
  typeAll(await form());
  const typed = await submitted();
  const firm = [...untouched, ...typed].filter(({ call }) => !call.endsWith('dry_run=1'));
  expect(firm.filter(isUnkeyed)).toEqual([]);
  expect({ untouched, typed }).toMatchSnapshot();
});

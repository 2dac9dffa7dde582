import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, configure, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { PrimeReactProvider } from 'primereact/api';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { ImportDialog } from './ImportDialog';

// A dialog with a page of lines is drawn some dozen times here.
vi.setConfig({ testTimeout: 40_000 });
configure({ asyncUtilTimeout: 10_000 });

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

interface Sent {
  services: { id: number; name?: string; price?: string; margin_percent?: string; service_type_id?: number }[];
  keep_categories?: boolean;
}

/** Requests that imported, and those that only asked. */
let imports: Sent[] = [];
let asked = 0;
let keys: string[] = [];
/** The answer to the next import is lost, after it was done. */
let isCut = false;

const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });

const lineOf = (id: number) => ({
  id,
  external_panel_service_id: String(900 + id),
  name: `Likes ${id}`,
  description: 'Fast',
  type: 'Default',
  category: 'Likes',
  external_panel_price: '1',
  provider_price: '1',
  price: '1.2',
  lowest_price: '1.1',
  margin_percent: '0.2',
  pricing_per: 1000,
  refusal: id === 25 ? 'Service 25 is of the type Subscriptions, which cannot be sold here.' : null,
  sync_prices: true,
});

/** A server that refuses prices below 1.1 at their places. */
async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const body = request.method === 'POST' ? await request.json() : null;
  if (pathname.endsWith('/external-panels/1/services')) return json(200, { data: body.ids.map(lineOf) });
  if (pathname.endsWith('/networks')) return json(200, { data: [{ id: 1, name: 'Video' }] });
  if (pathname.endsWith('/service-types')) return json(200, { data: [{ id: 4, name: 'Views' }] });
  if (!pathname.endsWith('/import-services')) return json(200, { data: [] });
  const wrong = (body as Sent).services.flatMap(({ price }, at) =>
    price && Number(price) < 1.1 ? [[`services.${at}.price`, ['Sell it for 1.1 or more.']]] : [],
  );
  if (wrong.length > 0) {
    const errors = Object.fromEntries(wrong);
    return json(422, { message: 'Wrong.', code: 'invalid', request_id: 'r', errors });
  }
  const dry_run = searchParams.get('dry_run') === '1';
  if (dry_run) asked += 1;
  else {
    keys.push(request.headers.get('Idempotency-Key') ?? '');
    imports.push(body);
    if (isCut) {
      isCut = false;
      throw new TypeError('The connection broke.');
    }
  }
  return json(200, { data: { created: body.services.length, dry_run, items: [], service_types: ['Likes'] } });
}

beforeEach(() => {
  imports = [];
  asked = 0;
  keys = [];
  isCut = false;
  vi.stubGlobal('fetch', (input: Request | string, init?: RequestInit) =>
    answer(input instanceof Request ? input : new Request(input, init)),
  );
});

const IDS = Array.from({ length: 25 }, (_, at) => at + 1);

async function open() {
  const done = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PrimeReactProvider>
        <ImportDialog panel={1} ids={IDS} row={null} onClose={vi.fn()} onDone={done} />
      </PrimeReactProvider>
    </QueryClientProvider>,
  );
  await screen.findByLabelText('Name of Likes 1');
  await waitFor(() => expect(document.querySelector('option[value="1"]')).toBeTruthy());
  return done;
}

const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
// By its text: looking for a role works out the names of everything in the dialog.
const button = (name: string) => {
  const found = [...document.querySelectorAll('button')].find(
    (one) => (one.ariaLabel ?? one.textContent)?.trim() === name,
  );
  if (!found) throw new Error(`There is no button ${name}.`);
  return found;
};

it('keeps what was typed where a line is wrong, leads to it, and imports the rest', async () => {
  const done = await open();
  expect(screen.getByText('24 of 25 selected')).toBeTruthy();
  type('Network', '1');
  fireEvent.click(screen.getByLabelText('Keep the panel’s categories'));
  expect(await screen.findByText('Ready to import: 24')).toBeTruthy();
  expect(screen.getByText('New service types: Likes')).toBeTruthy();

  type('Name of Likes 1', 'Mine');
  type('Price of Likes 2', '0.5');
  expect((screen.getByLabelText('Margin, % of Likes 2') as HTMLInputElement).value).toBe('-50');
  // The wrong line is on the first page; the person looks at the second.
  fireEvent.click(button('Next page'));
  fireEvent.click(button('Import (24)'));
  const price = (await screen.findByLabelText('Price of Likes 2')) as HTMLInputElement;
  await waitFor(() => expect(price.getAttribute('aria-invalid')).toBe('true'));
  await waitFor(() => expect(document.activeElement).toBe(price));
  expect(price.value).toBe('0.5');
  expect(screen.getByText('Sell it for 1.1 or more.')).toBeTruthy();
  expect((screen.getByLabelText('Name of Likes 1') as HTMLInputElement).value).toBe('Mine');
  expect(imports).toEqual([]);

  fireEvent.click(button('Exclude them'));
  fireEvent.click(button('Import (23)'));
  expect(await screen.findByText('Imported: 23')).toBeTruthy();
  expect(imports).toHaveLength(1);
  expect(imports[0]?.keep_categories).toBe(true);
  expect(imports[0]?.services[0]).toMatchObject({ id: 1, name: 'Mine' });
  expect(imports[0]?.services.map(({ id }) => id)).not.toContain(2);
  // What was left out and what cannot be imported, with the reasons.
  expect(screen.getByText('Not imported: 2')).toBeTruthy();
  expect(screen.getByText('Sell it for 1.1 or more.')).toBeTruthy();
  expect(screen.getByText(/which cannot be sold here/)).toBeTruthy();
  fireEvent.click(button('Done'));
  expect(done).toHaveBeenCalledOnce();
});

it('changes all selected lines at once', async () => {
  await open();
  type('Price of Likes 1', '5');
  fireEvent.click(button('Clear selection'));
  fireEvent.click(screen.getByLabelText('Import of Likes 1'));
  fireEvent.click(screen.getByLabelText('Import of Likes 3'));
  fireEvent.click(screen.getByText('Change the selected services'));
  const margins = screen.getAllByLabelText('Resale margin, %');
  fireEvent.change(margins[1] as HTMLElement, { target: { value: '50' } });
  type('Network of the selected services', '1');
  await waitFor(() => expect(document.querySelector('option[value="4"]')).toBeTruthy());
  type('Service type of the selected services', '4');
  fireEvent.click(button('Apply to 2'));
  expect((screen.getByLabelText('Price of Likes 1') as HTMLInputElement).value).toBe('1.5');
  expect((screen.getByLabelText('Price of Likes 2') as HTMLInputElement).value).toBe('1.2');
  fireEvent.click(button('Import (2)'));
  expect(await screen.findByText('Imported: 2')).toBeTruthy();
  const line = { margin_percent: '0.5', network_id: 1, service_type_id: 4 };
  expect(imports[0]?.services).toMatchObject([
    { id: 1, ...line },
    { id: 3, ...line },
  ]);
  expect(asked).toBeGreaterThan(0);
});

it('sends the same under the same key after the answer was lost, and does not ask again before', async () => {
  await open();
  type('Network', '1');
  fireEvent.click(screen.getByLabelText('Keep the panel’s categories'));
  await screen.findByText('Ready to import: 24');
  isCut = true;
  fireEvent.click(button('Import (24)'));
  await waitFor(() => expect(document.querySelector('.problem-bar')).toBeTruthy());
  const before = asked;
  fireEvent.click(button('Import (24)'));
  expect(await screen.findByText('Imported: 24')).toBeTruthy();
  expect([keys.length, new Set(keys).size, asked]).toEqual([2, 1, before]);
});

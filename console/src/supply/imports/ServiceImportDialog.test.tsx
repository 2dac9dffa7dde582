import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, configure, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { PrimeReactProvider } from 'primereact/api';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { ServiceImportDialog } from './ServiceImportDialog';

// These tests render a dialog with a page of lines about a dozen times.
vi.setConfig({ testTimeout: 40_000 });
configure({ asyncUtilTimeout: 10_000 });

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

interface ImportBody {
  services: { id: number; name?: string; price?: string; margin_fraction?: string; service_type_id?: number }[];
  keep_categories?: boolean;
}

/** Bodies and idempotency keys of the import requests, except the dry runs. */
let importBodies: ImportBody[] = [];
let idempotencyKeys: string[] = [];
let dryRunCount = 0;
/** Whether the connection fails after the server has executed the next import, so that its response is lost. */
let isNextResponseLost = false;

const createJsonResponse = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });

const createLine = (id: number) => ({
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
  margin_fraction: '0.2',
  pricing_per: 1000,
  rejection: id === 25 ? 'Service 25 is of the type Subscriptions, which this panel cannot sell.' : null,
  sync_prices: true,
});

/** A fake server that rejects prices below 1.1 with a field error. */
async function handleRequest(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const body = request.method === 'POST' ? await request.json() : null;
  if (pathname.endsWith('/external-panels/1/services'))
    return createJsonResponse(200, { data: body.ids.map(createLine) });
  if (pathname.endsWith('/networks')) return createJsonResponse(200, { data: [{ id: 1, name: 'Video' }] });
  if (pathname.endsWith('/service-types')) return createJsonResponse(200, { data: [{ id: 4, name: 'Views' }] });
  if (!pathname.endsWith('/import-services')) return createJsonResponse(200, { data: [] });
  const fieldErrors = (body as ImportBody).services.flatMap(({ price }, index) =>
    price && Number(price) < 1.1 ? [[`services.${index}.price`, ['Sell it for 1.1 or more.']]] : [],
  );
  if (fieldErrors.length > 0) {
    const errors = Object.fromEntries(fieldErrors);
    return createJsonResponse(422, { message: 'Wrong.', code: 'invalid', request_id: 'r', errors });
  }
  const dry_run = searchParams.get('dry_run') === '1';
  if (dry_run) dryRunCount += 1;
  else {
    idempotencyKeys.push(request.headers.get('Idempotency-Key') ?? '');
    importBodies.push(body);
    if (isNextResponseLost) {
      isNextResponseLost = false;
      throw new TypeError('The connection broke.');
    }
  }
  return createJsonResponse(200, {
    data: { created: body.services.length, dry_run, items: [], service_types: ['Likes'] },
  });
}

beforeEach(() => {
  importBodies = [];
  dryRunCount = 0;
  idempotencyKeys = [];
  isNextResponseLost = false;
  vi.stubGlobal('fetch', (input: Request | string, init?: RequestInit) =>
    handleRequest(input instanceof Request ? input : new Request(input, init)),
  );
});

const IDS = Array.from({ length: 25 }, (_, index) => index + 1);

async function openDialog() {
  const onDone = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PrimeReactProvider>
        <ServiceImportDialog externalPanelId={1} ids={IDS} row={null} onClose={vi.fn()} onDone={onDone} />
      </PrimeReactProvider>
    </QueryClientProvider>,
  );
  await screen.findByLabelText('Name of Likes 1');
  await waitFor(() => expect(document.querySelector('option[value="1"]')).toBeTruthy());
  return onDone;
}

const typeInto = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
// Does not use `getByRole`, which is slow because it computes the accessible names of all elements in the dialog.
const findButton = (name: string) => {
  const match = [...document.querySelectorAll('button')].find(
    (element) => (element.ariaLabel ?? element.textContent)?.trim() === name,
  );
  if (!match) throw new Error(`There is no button ${name}.`);
  return match;
};

it('keeps edits after a rejection, focuses the invalid field, and imports the other lines', async () => {
  const onDone = await openDialog();
  expect(screen.getByText('24 of 25 selected')).toBeTruthy();
  typeInto('Network', '1');
  fireEvent.click(screen.getByLabelText('Keep the panel’s categories'));
  expect(await screen.findByText('Ready to import: 24')).toBeTruthy();
  expect(screen.getByText('New service types: Likes')).toBeTruthy();

  typeInto('Name of Likes 1', 'Mine');
  typeInto('Price of Likes 2', '0.5');
  expect((screen.getByLabelText('Margin, % of Likes 2') as HTMLInputElement).value).toBe('-50');
  // The user goes to the second page. The invalid line is on the first page.
  fireEvent.click(findButton('Next page'));
  fireEvent.click(findButton('Import (24)'));
  const price = (await screen.findByLabelText('Price of Likes 2')) as HTMLInputElement;
  await waitFor(() => expect(price.getAttribute('aria-invalid')).toBe('true'));
  await waitFor(() => expect(document.activeElement).toBe(price));
  expect(price.value).toBe('0.5');
  expect(screen.getByText('Sell it for 1.1 or more.')).toBeTruthy();
  expect((screen.getByLabelText('Name of Likes 1') as HTMLInputElement).value).toBe('Mine');
  expect(importBodies).toEqual([]);

  fireEvent.click(findButton('Exclude invalid rows'));
  fireEvent.click(findButton('Import (23)'));
  expect(await screen.findByText('Imported: 23')).toBeTruthy();
  expect(importBodies).toHaveLength(1);
  expect(importBodies[0]?.keep_categories).toBe(true);
  expect(importBodies[0]?.services[0]).toMatchObject({ id: 1, name: 'Mine' });
  expect(importBodies[0]?.services.map(({ id }) => id)).not.toContain(2);
  // The result lists the excluded line and the line that the server cannot import, with the reasons.
  expect(screen.getByText('Not imported: 2')).toBeTruthy();
  expect(screen.getByText('Sell it for 1.1 or more.')).toBeTruthy();
  expect(screen.getByText(/which this panel cannot sell/)).toBeTruthy();
  fireEvent.click(findButton('Done'));
  expect(onDone).toHaveBeenCalledOnce();
});

it('applies a bulk edit to all selected lines', async () => {
  await openDialog();
  typeInto('Price of Likes 1', '5');
  fireEvent.click(findButton('Clear selection'));
  fireEvent.click(screen.getByLabelText('Import of Likes 1'));
  fireEvent.click(screen.getByLabelText('Import of Likes 3'));
  fireEvent.click(screen.getByText('Change the selected services'));
  const margins = screen.getAllByLabelText('Resale margin, %');
  fireEvent.change(margins[1] as HTMLElement, { target: { value: '50' } });
  typeInto('Network of the selected services', '1');
  await waitFor(() => expect(document.querySelector('option[value="4"]')).toBeTruthy());
  typeInto('Service type of the selected services', '4');
  fireEvent.click(findButton('Apply to 2'));
  expect((screen.getByLabelText('Price of Likes 1') as HTMLInputElement).value).toBe('1.5');
  expect((screen.getByLabelText('Price of Likes 2') as HTMLInputElement).value).toBe('1.2');
  fireEvent.click(findButton('Import (2)'));
  expect(await screen.findByText('Imported: 2')).toBeTruthy();
  const expectedLine = { margin_fraction: '0.5', network_id: 1, service_type_id: 4 };
  expect(importBodies[0]?.services).toMatchObject([
    { id: 1, ...expectedLine },
    { id: 3, ...expectedLine },
  ]);
  expect(dryRunCount).toBeGreaterThan(0);
});

it('retries a lost response with the same idempotency key and without another dry run', async () => {
  await openDialog();
  typeInto('Network', '1');
  fireEvent.click(screen.getByLabelText('Keep the panel’s categories'));
  await screen.findByText('Ready to import: 24');
  isNextResponseLost = true;
  fireEvent.click(findButton('Import (24)'));
  await waitFor(() => expect(document.querySelector('.problem-bar')).toBeTruthy());
  const dryRunCountBeforeRetry = dryRunCount;
  fireEvent.click(findButton('Import (24)'));
  expect(await screen.findByText('Imported: 24')).toBeTruthy();
  expect([idempotencyKeys.length, new Set(idempotencyKeys).size, dryRunCount]).toEqual([2, 1, dryRunCountBeforeRetry]);
});

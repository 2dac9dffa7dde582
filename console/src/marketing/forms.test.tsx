// Tests the forms of the marketing area with an archived record, with a record that fails to load, and with a new record.
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { QuestForm } from '@/operations/free-trials/QuestForm';
import { createSample, createSampleResponse } from '@/test/sample';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { CouponForm } from './coupons/CouponForm';
import { DiscountForm } from './discounts/DiscountForm';
import { OfferForm } from './offers/OfferForm';
import { WidgetForm } from './widgets/WidgetForm';

const RESTORE_ACTION = {
  name: 'unarchiveCoupon',
  icon: 'replay',
  isAllowedFor: () => true,
  runSingle: vi.fn(async () => ({})),
  runBulk: vi.fn(async () => ({ processed: 1, skipped: [] }) as never),
};
const FORM_PROPS = { id: 7, restoreAction: RESTORE_ACTION, onClose: () => undefined, onSaved: () => undefined };
const FORM_COMPONENTS = [
  ['a coupon', CouponForm],
  ['a discount', DiscountForm],
  ['an offer', OfferForm],
] as const;

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const mockResponses = (changeRecord: (record: object) => object) =>
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    const { pathname } = new URL((request as Request).url);
    const body = createSampleResponse('GET', pathname) as { data: object };
    return Response.json(/\/7$/.test(pathname) ? { ...body, data: changeRecord(body.data) } : body);
  });

const createArchivedRecord = (record: object) => ({
  ...record,
  status: 'archived',
  is_archived: true,
  actions: { editable: false },
});

it.each(FORM_COMPONENTS)('shows %s that is archived as read-only, and offers to restore it', async (_, Form) => {
  mockResponses(createArchivedRecord);
  render(<Form {...FORM_PROPS} />, { wrapper: TestQueryProvider });
  expect((await screen.findByRole('note')).textContent).toContain(
    'This record is archived. Restore it before you edit it.',
  );
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Restore' })).toBeTruthy();
  for (const field of document.querySelectorAll('.p-dialog-content input, .p-dialog-content textarea')) {
    expect(field.matches(':disabled')).toBe(true);
  }
});

it('shows an archived quest as read-only', () => {
  mockResponses(createArchivedRecord);
  render(<QuestForm quest={createArchivedRecord(createSample('FreeTrialQuest')) as never} {...FORM_PROPS} />, {
    wrapper: TestQueryProvider,
  });
  expect(screen.getByRole('note')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
});

it.each([...FORM_COMPONENTS, ['a widget', WidgetForm] as const])(
  'shows the error of %s that fails to load, and offers a retry',
  async (_, Form) => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () =>
      Response.json({ code: 'forbidden', message: 'The record cannot be read.' }, { status: 403 }),
    );
    render(<Form {...FORM_PROPS} />, { wrapper: TestQueryProvider });
    expect((await screen.findByRole('alert')).textContent).toContain('The record cannot be read.');
    mockResponses((record) => ({ ...record, actions: { editable: true } }));
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('button', { name: 'Save' })).toBeTruthy();
  },
);

it.each([
  ['coupon', <CouponForm key="c" {...FORM_PROPS} id={null} />, 'works_with_balance'],
  ['widget', <WidgetForm key="w" {...FORM_PROPS} id={null} />, 'is_outer'],
] as const)('sends unchecked checkboxes of a new %s as false', async (_, form, checkboxName) => {
  const requestBodies: Record<string, unknown>[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    if (request.method === 'POST') requestBodies.push(JSON.parse(await request.clone().text()));
    const { pathname } = new URL(request.url);
    return request.method === 'GET'
      ? Response.json(createSampleResponse('GET', pathname))
      : Response.json({ code: 'invalid', message: 'Invalid.' }, { status: 422 });
  });
  render(form, { wrapper: TestQueryProvider });
  const checkboxes = await screen.findAllByRole<HTMLInputElement>('checkbox');
  const checkedBoxes = checkboxes.filter(({ checked }) => checked);
  for (const checkbox of checkedBoxes) fireEvent.click(checkbox);
  await act(async () => void fireEvent.submit(document.querySelector('form') as HTMLFormElement));
  await waitFor(() => expect(requestBodies).toHaveLength(1));
  expect(checkedBoxes.length).toBeGreaterThan(0);
  expect(requestBodies[0]?.[checkboxName]).toBe(false);
});

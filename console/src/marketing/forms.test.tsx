// Forms of marketing: an archived record, a record that fails to load, and a new record.
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { QuestForm } from '@/operations/free-trials/QuestForm';
import { sample, sampleResponse } from '@/test/sample';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { CouponForm } from './coupons/CouponForm';
import { DiscountForm } from './discounts/DiscountForm';
import { OfferForm } from './offers/OfferForm';
import { WidgetForm } from './widgets/WidgetForm';

const RESTORE_ACTION = {
  name: 'unarchiveCoupon',
  icon: 'replay',
  allows: () => true,
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

const mockResponses = (change: (record: object) => object) =>
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    const { pathname } = new URL((request as Request).url);
    const body = sampleResponse('GET', pathname) as { data: object };
    return Response.json(/\/7$/.test(pathname) ? { ...body, data: change(body.data) } : body);
  });

const toArchived = (record: object) => ({
  ...record,
  status: 'archived',
  is_archived: true,
  actions: { editable: false },
});

it.each(FORM_COMPONENTS)('%s that is archived is read-only and offers to restore it', async (_, Form) => {
  mockResponses(toArchived);
  render(<Form {...FORM_PROPS} />, { wrapper: TestQueryProvider });
  expect((await screen.findByRole('note')).textContent).toContain('This is archived. Restore it to edit it.');
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Restore' })).toBeTruthy();
  for (const field of document.querySelectorAll('.p-dialog-content input, .p-dialog-content textarea')) {
    expect(field.matches(':disabled')).toBe(true);
  }
});

it('an archived quest is read-only', () => {
  mockResponses(toArchived);
  render(<QuestForm quest={toArchived(sample('FreeTrialQuest')) as never} {...FORM_PROPS} />, {
    wrapper: TestQueryProvider,
  });
  expect(screen.getByRole('note')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
});

it.each([...FORM_COMPONENTS, ['a widget', WidgetForm] as const])(
  '%s that fails to load shows the error and a retry',
  async (_, Form) => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () =>
      Response.json({ code: 'refused', message: 'The record cannot be read.' }, { status: 403 }),
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
] as const)('a new %s sends unchecked boxes as false', async (_, form, checkboxName) => {
  const bodies: Record<string, unknown>[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    if (request.method === 'POST') bodies.push(JSON.parse(await request.clone().text()));
    const { pathname } = new URL(request.url);
    return request.method === 'GET'
      ? Response.json(sampleResponse('GET', pathname))
      : Response.json({ code: 'refused', message: 'Refused.' }, { status: 422 });
  });
  render(form, { wrapper: TestQueryProvider });
  const checkboxes = await screen.findAllByRole<HTMLInputElement>('checkbox');
  const checkedBoxes = checkboxes.filter(({ checked }) => checked);
  for (const checkbox of checkedBoxes) fireEvent.click(checkbox);
  await act(async () => void fireEvent.submit(document.querySelector('form') as HTMLFormElement));
  await waitFor(() => expect(bodies).toHaveLength(1));
  expect(checkedBoxes.length).toBeGreaterThan(0);
  expect(bodies[0]?.[checkboxName]).toBe(false);
});

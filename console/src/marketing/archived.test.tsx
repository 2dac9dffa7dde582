// Records of marketing that are archived, that could not be read, and that are new.
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { QuestForm } from '@/operations/free-trials/QuestForm';
import { sample, sampleAnswer } from '@/test/sample';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { CouponForm } from './coupons/CouponForm';
import { DiscountForm } from './discounts/DiscountForm';
import { OfferForm } from './offers/OfferForm';
import { WidgetForm } from './widgets/WidgetForm';

const RESTORE = {
  name: 'unarchiveCoupon',
  icon: 'replay',
  allows: () => true,
  one: vi.fn(async () => ({})),
  many: vi.fn(async () => ({ processed: 1, skipped: [] }) as never),
};
const GIVEN = { id: 7, restore: RESTORE, onClose: () => undefined, onSaved: () => undefined };
const FORMS = [
  ['a coupon', CouponForm],
  ['a discount', DiscountForm],
  ['an offer', OfferForm],
] as const;

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const answer = (change: (data: object) => object) =>
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    const { pathname } = new URL((request as Request).url);
    const body = sampleAnswer('GET', pathname) as { data: object };
    return Response.json(/\/7$/.test(pathname) ? { ...body, data: change(body.data) } : body);
  });

const archived = (data: object) => ({ ...data, status: 'archived', is_archived: true, actions: { editable: false } });

it.each(FORMS)('%s that is archived is shown, and restored before it is edited', async (_, Form) => {
  answer(archived);
  render(<Form {...GIVEN} />, { wrapper: TestQueryProvider });
  expect((await screen.findByRole('note')).textContent).toContain('This is archived. Restore it to edit it.');
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Restore' })).toBeTruthy();
  for (const field of document.querySelectorAll('.p-dialog-content input, .p-dialog-content textarea')) {
    expect(field.matches(':disabled')).toBe(true);
  }
});

it('an archived quest is shown as well', () => {
  answer(archived);
  render(<QuestForm quest={archived(sample('FreeTrialQuest')) as never} {...GIVEN} />, { wrapper: TestQueryProvider });
  expect(screen.getByRole('note')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
});

it.each([...FORMS, ['a widget', WidgetForm] as const])(
  '%s that cannot be read says so and tries again',
  async (_, Form) => {
    const refused = () => Response.json({ code: 'refused', message: 'The record cannot be read.' }, { status: 403 });
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => refused());
    render(<Form {...GIVEN} />, { wrapper: TestQueryProvider });
    expect((await screen.findByRole('alert')).textContent).toContain('The record cannot be read.');
    answer((data) => ({ ...data, actions: { editable: true } }));
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('button', { name: 'Save' })).toBeTruthy();
  },
);

it.each([
  ['coupon', <CouponForm key="c" {...GIVEN} id={null} />, 'works_with_balance'],
  ['widget', <WidgetForm key="w" {...GIVEN} id={null} />, 'is_outer'],
] as const)('a new %s says what was unticked', async (_, form, name) => {
  const sent: Record<string, unknown>[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    if (request.method === 'POST') sent.push(JSON.parse(await request.clone().text()));
    const { pathname } = new URL(request.url);
    return request.method === 'GET'
      ? Response.json(sampleAnswer('GET', pathname))
      : Response.json({ code: 'refused', message: 'Refused.' }, { status: 422 });
  });
  render(form, { wrapper: TestQueryProvider });
  const ticks = await screen.findAllByRole<HTMLInputElement>('checkbox');
  const on = ticks.filter(({ checked }) => checked);
  for (const tick of on) fireEvent.click(tick);
  await act(async () => void fireEvent.submit(document.querySelector('form') as HTMLFormElement));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect([on.length > 0, sent[0]?.[name]]).toEqual([true, false]);
});

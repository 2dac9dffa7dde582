import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { FREE_TRIALS } from '@/operations/free-trials/FreeTrials';
import { ProviderForm } from '@/operations/orders/ProviderForm';
import { Queries } from '@/test/Queries';
import { sample } from '@/test/sample';

beforeAll(startTexts);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const Approve = FREE_TRIALS.actions?.find(({ name }) => name === 'approveTrial')
  ?.Form as unknown as typeof ProviderForm;

it.each([
  ['an order that goes to another provider', ProviderForm],
  ['a free trial', Approve],
])('the quantity of %s is what was typed, or an error', (_, Form) => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ data: [], items: [] }));
  const onChange = vi.fn();
  const row = sample('OrderRow');
  render(<Form value={{}} onChange={onChange} errors={{}} row={row} count={1} />, { wrapper: Queries });
  const input = screen.getByRole('textbox', { name: /^Quantity/ });
  const type = (value: string) => fireEvent.change(input, { target: { value } });
  type('1 500');
  expect(onChange).toHaveBeenLastCalledWith({ quantity: 1500 });
  expect(input.getAttribute('aria-invalid')).toBeNull();
  type('1500.00');
  expect(onChange).toHaveBeenLastCalledWith({ quantity: '1500.00' });
  expect(input.getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText('Enter a whole number, digits only.').className).toBe('field-error');
  type('');
  expect(onChange).toHaveBeenLastCalledWith({ quantity: null });
});

import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { FREE_TRIALS } from '@/operations/free-trials/FreeTrials';
import { ProviderForm } from '@/operations/orders/ProviderForm';
import { sample } from '@/test/sample';
import { TestQueryProvider } from '@/test/TestQueryProvider';

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const ApproveForm = FREE_TRIALS.actions?.find(({ name }) => name === 'approveTrial')
  ?.Form as unknown as typeof ProviderForm;

it.each([
  ['an order that fails over to another provider', ProviderForm],
  ['a free trial', ApproveForm],
])('the form of %s sends the typed quantity and shows an error for a text that is no whole number', (_, Form) => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ data: [], items: [] }));
  const onChange = vi.fn();
  const row = sample('OrderRow');
  render(<Form value={{}} onChange={onChange} errors={{}} row={row} count={1} />, { wrapper: TestQueryProvider });
  const input = screen.getByRole('textbox', { name: /^Quantity/ });
  const typeQuantity = (value: string) => fireEvent.change(input, { target: { value } });
  typeQuantity('1 500');
  expect(onChange).toHaveBeenLastCalledWith({ quantity: 1500 });
  expect(input.getAttribute('aria-invalid')).toBeNull();
  typeQuantity('1500.00');
  expect(onChange).toHaveBeenLastCalledWith({ quantity: '1500.00' });
  expect(input.getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText('Enter a whole number, digits only.').className).toBe('field-error');
  typeQuantity('');
  expect(onChange).toHaveBeenLastCalledWith({ quantity: null });
});

import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { BulkForm, type BulkUserChanges } from './BulkForm';

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('a field that is checked again starts empty, and null is sent', () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ data: [] }));
  let sent: BulkUserChanges = {};
  function Form() {
    const [value, setValue] = useState<BulkUserChanges>({});
    sent = value;
    return <BulkForm value={value} onChange={setValue} errors={{}} row={null} count={2} />;
  }
  render(<Form />, { wrapper: TestQueryProvider });
  const box = screen.getByRole('checkbox', { name: 'Referral share, %' });
  const input = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Referral share, %' });
  fireEvent.click(box);
  fireEvent.change(input(), { target: { value: '12,5' } });
  expect(sent).toEqual({ referral_program_percent: '0.125' });
  fireEvent.click(box);
  fireEvent.click(box);
  expect([sent, input().value]).toEqual([{ referral_program_percent: null }, '']);
});

import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { BulkForm, type UserChanges } from './BulkForm';

beforeAll(startTexts);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('shows what it sends, also where a field is ticked anew', () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ data: [] }));
  let sent: UserChanges = {};
  function Form() {
    const [value, setValue] = useState<UserChanges>({});
    sent = value;
    return <BulkForm value={value} onChange={setValue} errors={{}} row={null} count={2} />;
  }
  render(<Form />, { wrapper: Queries });
  const box = screen.getByRole('checkbox', { name: 'Referral share, %' });
  const input = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Referral share, %' });
  fireEvent.click(box);
  fireEvent.change(input(), { target: { value: '12,5' } });
  expect(sent).toEqual({ referral_program_percent: '0.125' });
  fireEvent.click(box);
  fireEvent.click(box);
  expect([sent, input().value]).toEqual([{ referral_program_percent: null }, '']);
});

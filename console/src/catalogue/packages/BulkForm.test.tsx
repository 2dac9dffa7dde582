import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { BulkForm } from './BulkForm';

beforeAll(initI18n);
afterEach(cleanup);

it('disables the sync with the external panel, and shows the error of a package that cannot be synchronized', async () => {
  const onChange = vi.fn();
  const errors = { 'packages.1.sync': ['This package came from no external panel.'] };
  render(<BulkForm value={{ is_enabled: true }} onChange={onChange} errors={errors} row={null} count={2} />);
  const row = screen.getByText('Synced with the panel').closest('.switches-one') as HTMLElement;
  expect(within(row).getByText('This package came from no external panel.')).toBeTruthy();
  fireEvent.click(row.querySelector('.p-dropdown') as Element);
  const option = await vi.waitFor(() => {
    const items = document.querySelectorAll('.p-dropdown-item');
    expect(items).toHaveLength(2);
    return items[1] as Element;
  });
  fireEvent.click(option);
  expect(onChange).toHaveBeenCalledWith({ is_enabled: true, sync: false });
});

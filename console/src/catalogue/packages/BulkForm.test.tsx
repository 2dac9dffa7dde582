import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { BulkForm } from './BulkForm';

beforeAll(startTexts);
afterEach(cleanup);

it('lets packages follow their external panel, or not, and shows why they cannot', async () => {
  const onChange = vi.fn();
  const errors = { 'packages.1.sync': ['This package came from no external panel.'] };
  render(<BulkForm value={{ is_enabled: true }} onChange={onChange} errors={errors} row={null} count={2} />);
  const row = screen.getByText('Follows the panel').closest('.switches-one') as HTMLElement;
  expect(within(row).getByText('This package came from no external panel.')).toBeTruthy();
  fireEvent.click(row.querySelector('.p-dropdown') as Element);
  const option = await vi.waitFor(() => {
    const found = document.querySelectorAll('.p-dropdown-item');
    expect(found).toHaveLength(2);
    return found[1] as Element;
  });
  fireEvent.click(option);
  expect(onChange).toHaveBeenCalledWith({ is_enabled: true, sync: false });
});

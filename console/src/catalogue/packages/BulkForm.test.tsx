import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { BulkForm } from './BulkForm';

beforeAll(initI18n);
afterEach(cleanup);

it('disables the sync with the external panel, and shows the error of a package that cannot be synchronized', async () => {
  const onChange = vi.fn();
  const errors = { 'packages.1.sync': ['No external panel sells this package.'] };
  render(<BulkForm value={{ is_enabled: true }} onChange={onChange} errors={errors} row={null} count={2} />);
  const switchRow = screen.getByText('Synced with external panel').closest('.switches-one') as HTMLElement;
  expect(within(switchRow).getByText('No external panel sells this package.')).toBeTruthy();
  fireEvent.click(switchRow.querySelector('.p-dropdown') as Element);
  const option = await vi.waitFor(() => {
    const options = document.querySelectorAll('.p-dropdown-item');
    expect(options).toHaveLength(2);
    return options[1] as Element;
  });
  fireEvent.click(option);
  expect(onChange).toHaveBeenCalledWith({ is_enabled: true, sync: false });
});

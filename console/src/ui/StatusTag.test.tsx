import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { startTexts } from '@/i18n';
import { StatusTag, type Tone } from './StatusTag';

beforeAll(startTexts);
afterEach(cleanup);

/** The seventeen statuses of the specification, as the API spells them, with the colour each has here. */
const TONES: Record<string, Tone> = {
  active: 'success',
  frozen: 'warning',
  deactivated: 'error',
  in_processing: 'info',
  in_moderation: 'warning',
  completed: 'success',
  stopped: 'warning',
  canceled: 'error',
  paid: 'success',
  unpaid: 'neutral',
  archived: 'neutral',
  scheduled: 'scheduled',
  pending: 'info',
  approved: 'success',
  rejected: 'error',
  disabled: 'neutral',
  error: 'error',
};

it('colours every status of the specification, and gives it an icon and a word', () => {
  expect(Object.keys(TONES)).toHaveLength(17);
  for (const [status, tone] of Object.entries(TONES)) {
    const { container } = render(<StatusTag status={status} />);
    const tag = container.querySelector('.tag');
    expect([status, tag?.className]).toEqual([status, `tag tag-${tone}`]);
    // A status without a look of its own has the circle and its name on the wire.
    expect([status, tag?.querySelector('i')?.className]).not.toEqual([status, 'pi pi-circle']);
    expect([status, tag?.textContent]).not.toEqual([status, status]);
    cleanup();
  }
});

it('shows a status that it does not know as it is', () => {
  render(<StatusTag status="brand_new" />);
  expect(screen.getByText('brand_new').className).toBe('tag tag-neutral');
});

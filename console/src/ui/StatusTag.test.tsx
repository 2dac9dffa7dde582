import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { initI18n } from '@/i18n';
import { StatusTag, type Tone } from './StatusTag';

beforeAll(initI18n);
afterEach(cleanup);

/** The seventeen statuses of the specification and their tones. */
const TONE_BY_STATUS: Record<string, Tone> = {
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

it('every status of the specification has a tone, an icon and a text', () => {
  expect(Object.keys(TONE_BY_STATUS)).toHaveLength(17);
  for (const [status, tone] of Object.entries(TONE_BY_STATUS)) {
    const { container } = render(<StatusTag status={status} />);
    const tag = container.querySelector('.tag');
    expect([status, tag?.className]).toEqual([status, `tag tag-${tone}`]);
    // An unknown status would have a circle as its icon and its API name as its text.
    expect([status, tag?.querySelector('i')?.className]).not.toEqual([status, 'pi pi-circle']);
    expect([status, tag?.textContent]).not.toEqual([status, status]);
    cleanup();
  }
});

it('shows the API name of an unknown status', () => {
  render(<StatusTag status="brand_new" />);
  expect(screen.getByText('brand_new').className).toBe('tag tag-neutral');
});

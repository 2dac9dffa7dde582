import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { HandoffPage } from './HandoffPage';
import { accept, decline } from './handoff';
import { type Profile, session } from './store';

vi.mock('./handoff', () => ({ accept: vi.fn(), decline: vi.fn() }));
vi.mock('./Brand', () => ({ Brand: () => null }));

const owner = { id: 1, name: 'Anna', email: 'anna@panel.test', expires_at: '2026-11-26 09:00:00' };

beforeAll(startTexts);
afterEach(() => {
  cleanup();
  session.end();
  vi.clearAllMocks();
});

it('names whose session begins and whose ends', () => {
  session.begin({ id: 2, name: 'Bob' } as Profile);
  render(<HandoffPage offer={{ code: 'code', owner }} />, { wrapper: Queries });
  expect(screen.getByRole('heading').textContent).toBe('Continue as Anna?');
  expect(document.body.textContent).toContain('anna@panel.test');
  expect(document.body.textContent).toContain('You are signed in as Bob.');
  fireEvent.click(screen.getByRole('button', { name: 'Stay signed in as Bob' }));
  expect([vi.mocked(decline).mock.calls.length, vi.mocked(accept).mock.calls.length]).toEqual([1, 0]);
  fireEvent.click(screen.getByRole('button', { name: 'Continue as Anna' }));
  expect(accept).toHaveBeenCalledWith('code');
});

it('says that a link is over', () => {
  render(<HandoffPage offer={{ code: 'used', owner: null }} />, { wrapper: Queries });
  expect(document.body.textContent).toContain('was used or has expired');
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(decline).toHaveBeenCalled();
});

import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Button } from './Button';
import { Tooltip } from './Tooltip';

const shown = () => screen.queryByRole('tooltip')?.textContent ?? null;
const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const archive = () => screen.getByRole('button', { name: 'Archive' });

beforeEach(() => {
  vi.useFakeTimers();
  render(
    <>
      <p>Elsewhere</p>
      <Button label="Archive" icon="box" iconOnly />
      <Button label="Restore" icon="undo" iconOnly disabled="Only managers restore." />
      <Button label="Save" />
      <Tooltip />
    </>,
  );
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it('opens 100 ms after the pointer enters an icon button', () => {
  fireEvent.pointerOver(archive());
  pass(99);
  expect(shown()).toBeNull();
  pass(1);
  expect(shown()).toBe('Archive');
  fireEvent.pointerOver(screen.getByText('Elsewhere'));
  pass(1000);
  expect(shown()).toBeNull();
  fireEvent.pointerOver(screen.getByText('Save'));
  pass(1000);
  expect(shown()).toBeNull();
});

it('does not open when the pointer only passes by', () => {
  fireEvent.pointerOver(archive());
  pass(50);
  fireEvent.pointerOver(screen.getByText('Elsewhere'));
  pass(1000);
  expect(shown()).toBeNull();
});

it('stays while it is hovered, and closes on Escape', () => {
  fireEvent.pointerOver(archive());
  pass(100);
  fireEvent.pointerOver(screen.getByText('Elsewhere'));
  fireEvent.pointerOver(screen.getByRole('tooltip'));
  pass(1000);
  expect(shown()).toBe('Archive');
  fireEvent.pointerOver(screen.getByText('Elsewhere'));
  pass(1000);
  expect(shown()).toBeNull();
  fireEvent.pointerOver(archive());
  pass(100);
  fireEvent.keyDown(document.body, { key: 'Escape' });
  expect(shown()).toBeNull();
});

it('opens at once on keyboard focus, and closes on blur', () => {
  fireEvent.keyDown(document.body, { key: 'Tab' });
  act(() => archive().focus());
  expect(shown()).toBe('Archive');
  expect(screen.getByRole('tooltip').dataset.hoverable).toBe('false');
  act(() => screen.getByRole('button', { name: 'Save' }).focus());
  expect(shown()).toBeNull();
});

it('closes when the button is clicked, and does not reopen while the pointer stays', () => {
  fireEvent.pointerOver(archive());
  pass(100);
  fireEvent.pointerDown(archive());
  act(() => archive().focus());
  fireEvent.pointerOver(archive());
  pass(1000);
  expect(shown()).toBeNull();
});

it('shows the reason of a disabled button, and does not change its name', () => {
  const button = screen.getByRole('button', { name: 'Restore' });
  fireEvent.pointerOver(button);
  pass(100);
  expect(shown()).toBe('Only managers restore.');
  expect(button.getAttribute('aria-description')).toBe('Only managers restore.');
  expect(button.getAttribute('title')).toBeNull();
});

import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Button } from './Button';
import { Tooltip } from './Tooltip';

const tooltipText = () => screen.queryByRole('tooltip')?.textContent ?? null;
const advanceTime = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const getArchiveButton = () => screen.getByRole('button', { name: 'Archive' });

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
  fireEvent.pointerOver(getArchiveButton());
  advanceTime(99);
  expect(tooltipText()).toBeNull();
  advanceTime(1);
  expect(tooltipText()).toBe('Archive');
  fireEvent.pointerOver(screen.getByText('Elsewhere'));
  advanceTime(1000);
  expect(tooltipText()).toBeNull();
  fireEvent.pointerOver(screen.getByText('Save'));
  advanceTime(1000);
  expect(tooltipText()).toBeNull();
});

it('does not open when the pointer only passes by', () => {
  fireEvent.pointerOver(getArchiveButton());
  advanceTime(50);
  fireEvent.pointerOver(screen.getByText('Elsewhere'));
  advanceTime(1000);
  expect(tooltipText()).toBeNull();
});

it('stays open under the pointer, and closes on Escape', () => {
  fireEvent.pointerOver(getArchiveButton());
  advanceTime(100);
  fireEvent.pointerOver(screen.getByText('Elsewhere'));
  fireEvent.pointerOver(screen.getByRole('tooltip'));
  advanceTime(1000);
  expect(tooltipText()).toBe('Archive');
  fireEvent.pointerOver(screen.getByText('Elsewhere'));
  advanceTime(1000);
  expect(tooltipText()).toBeNull();
  fireEvent.pointerOver(getArchiveButton());
  advanceTime(100);
  fireEvent.keyDown(document.body, { key: 'Escape' });
  expect(tooltipText()).toBeNull();
});

it('opens immediately on keyboard focus, and closes on blur', () => {
  fireEvent.keyDown(document.body, { key: 'Tab' });
  act(() => getArchiveButton().focus());
  expect(tooltipText()).toBe('Archive');
  expect(screen.getByRole('tooltip').dataset.hoverable).toBe('false');
  act(() => screen.getByRole('button', { name: 'Save' }).focus());
  expect(tooltipText()).toBeNull();
});

it('closes when the button is clicked, and does not open again under the same pointer', () => {
  fireEvent.pointerOver(getArchiveButton());
  advanceTime(100);
  fireEvent.pointerDown(getArchiveButton());
  act(() => getArchiveButton().focus());
  fireEvent.pointerOver(getArchiveButton());
  advanceTime(1000);
  expect(tooltipText()).toBeNull();
});

it('shows why a button is disabled, and does not change the accessible name of the button', () => {
  const button = screen.getByRole('button', { name: 'Restore' });
  fireEvent.pointerOver(button);
  advanceTime(100);
  expect(tooltipText()).toBe('Only managers restore.');
  expect(button.getAttribute('aria-description')).toBe('Only managers restore.');
  expect(button.getAttribute('title')).toBeNull();
});

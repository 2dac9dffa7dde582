import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { initI18n } from '@/i18n';
import { moveItem } from './order';
import { SortableList } from './SortableList';
import { placeAfter } from './SortableRow';

beforeAll(initI18n);
afterEach(cleanup);

const NAMES = ['Ada', 'Bo', 'Cy'].map((name, at) => ({ id: at + 1, name }));

function Example({ fixed = false }) {
  const [items, setItems] = useState(NAMES);
  return (
    <SortableList
      label="Names"
      items={items}
      isReadOnly={fixed}
      onMove={(from, to) => setItems(moveItem(items, from, to))}
    />
  );
}

const order = () => screen.getAllByRole('listitem').map((row) => row.textContent?.replace(/\d/g, ''));
const announcement = () => screen.getByRole('status').textContent;

it('computes the target position of a key within the list', () => {
  expect(placeAfter('ArrowUp', 0, 5)).toBe(0);
  expect(placeAfter('ArrowDown', 0, 5)).toBe(1);
  expect(placeAfter('PageDown', 2, 5)).toBe(4);
  expect([placeAfter('Home', 3, 5), placeAfter('End', 1, 5)]).toEqual([0, 4]);
  expect(placeAfter('Tab', 1, 5)).toBeNull();
});

it('moves by keys and buttons, and announces the new position', () => {
  render(<Example />);
  fireEvent.keyDown(screen.getByRole('button', { name: 'Move Ada' }), { key: 'End' });
  expect(order()).toEqual(['Bo', 'Cy', 'Ada']);
  expect(announcement()).toBe('Ada moved to position 3 of 3.');
  fireEvent.click(screen.getByRole('button', { name: 'Move Ada up' }));
  expect(order()).toEqual(['Bo', 'Ada', 'Cy']);
  expect(announcement()).toBe('Ada moved to position 2 of 3.');
  fireEvent.click(screen.getByRole('button', { name: 'Move Bo up' }));
  expect(order()).toEqual(['Bo', 'Ada', 'Cy']);
});

it('moves by dragging, and marks the drop position', () => {
  render(<Example />);
  const dataTransfer = { setData: () => undefined, effectAllowed: '' };
  const [, , last] = screen.getAllByRole('listitem');
  fireEvent.dragStart(screen.getByRole('button', { name: 'Move Ada' }), { dataTransfer });
  fireEvent.dragOver(last as HTMLElement);
  expect(last?.dataset.over).toBe('below');
  fireEvent.drop(last as HTMLElement);
  expect(order()).toEqual(['Bo', 'Cy', 'Ada']);
  expect(last?.dataset.over).toBeUndefined();
});

it('has no buttons when it is read-only', () => {
  render(<Example fixed />);
  expect(screen.queryAllByRole('button')).toEqual([]);
  expect(order()).toEqual(['Ada', 'Bo', 'Cy']);
});

import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { initI18n } from '@/i18n';
import { SortableList } from './SortableList';
import { getTargetIndex } from './SortableRow';
import { moveItem } from './sorting';

beforeAll(initI18n);
afterEach(cleanup);

const NAMES = ['Ada', 'Bo', 'Cy'].map((name, index) => ({ id: index + 1, name }));

function Example({ isReadOnly = false }) {
  const [items, setItems] = useState(NAMES);
  return (
    <SortableList
      label="Names"
      items={items}
      isReadOnly={isReadOnly}
      onMove={(fromIndex, toIndex) => setItems(moveItem(items, fromIndex, toIndex))}
    />
  );
}

const visibleNames = () => screen.getAllByRole('listitem').map((row) => row.textContent?.replace(/\d/g, ''));
const announcement = () => screen.getByRole('status').textContent;

it('computes the target position of a key within the list', () => {
  expect(getTargetIndex('ArrowUp', 0, 5)).toBe(0);
  expect(getTargetIndex('ArrowDown', 0, 5)).toBe(1);
  expect(getTargetIndex('PageDown', 2, 5)).toBe(4);
  expect([getTargetIndex('Home', 3, 5), getTargetIndex('End', 1, 5)]).toEqual([0, 4]);
  expect(getTargetIndex('Tab', 1, 5)).toBeNull();
});

it('moves by keys and buttons, and announces the new position', () => {
  render(<Example />);
  fireEvent.keyDown(screen.getByRole('button', { name: 'Move Ada' }), { key: 'End' });
  expect(visibleNames()).toEqual(['Bo', 'Cy', 'Ada']);
  expect(announcement()).toBe('Ada moved to position 3 of 3.');
  fireEvent.click(screen.getByRole('button', { name: 'Move Ada up' }));
  expect(visibleNames()).toEqual(['Bo', 'Ada', 'Cy']);
  expect(announcement()).toBe('Ada moved to position 2 of 3.');
  fireEvent.click(screen.getByRole('button', { name: 'Move Bo up' }));
  expect(visibleNames()).toEqual(['Bo', 'Ada', 'Cy']);
});

it('moves by dragging, and marks the drop position', () => {
  render(<Example />);
  const dataTransfer = { setData: () => undefined, effectAllowed: '' };
  const [, , lastRow] = screen.getAllByRole('listitem');
  fireEvent.dragStart(screen.getByRole('button', { name: 'Move Ada' }), { dataTransfer });
  fireEvent.dragOver(lastRow as HTMLElement);
  expect(lastRow?.dataset.over).toBe('below');
  fireEvent.drop(lastRow as HTMLElement);
  expect(visibleNames()).toEqual(['Bo', 'Cy', 'Ada']);
  expect(lastRow?.dataset.over).toBeUndefined();
});

it('has no buttons when it is read-only', () => {
  render(<Example isReadOnly />);
  expect(screen.queryAllByRole('button')).toEqual([]);
  expect(visibleNames()).toEqual(['Ada', 'Bo', 'Cy']);
});

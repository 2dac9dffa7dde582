import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { startTexts } from '@/i18n';
import { moved } from './order';
import { SortableList } from './SortableList';
import { placeAfter } from './SortableRow';

beforeAll(startTexts);
afterEach(cleanup);

const NAMES = ['Ada', 'Bo', 'Cy'].map((name, at) => ({ id: at + 1, name }));

function Owner({ fixed = false }) {
  const [items, setItems] = useState(NAMES);
  return (
    <SortableList label="Names" items={items} fixed={fixed} onMove={(from, to) => setItems(moved(items, from, to))} />
  );
}

const order = () => screen.getAllByRole('listitem').map((row) => row.textContent?.replace(/\d/g, ''));
const said = () => screen.getByRole('status').textContent;

it('goes where a key says, and not beyond the ends', () => {
  expect(placeAfter('ArrowUp', 0, 5)).toBe(0);
  expect(placeAfter('ArrowDown', 0, 5)).toBe(1);
  expect(placeAfter('PageDown', 2, 5)).toBe(4);
  expect([placeAfter('Home', 3, 5), placeAfter('End', 1, 5)]).toEqual([0, 4]);
  expect(placeAfter('Tab', 1, 5)).toBeNull();
});

it('moves by keys and by buttons, and says where to', () => {
  render(<Owner />);
  fireEvent.keyDown(screen.getByRole('button', { name: 'Move Ada' }), { key: 'End' });
  expect(order()).toEqual(['Bo', 'Cy', 'Ada']);
  expect(said()).toBe('Ada stands at 3 of 3.');
  fireEvent.click(screen.getByRole('button', { name: 'Ada one up' }));
  expect(order()).toEqual(['Bo', 'Ada', 'Cy']);
  expect(said()).toBe('Ada stands at 2 of 3.');
  fireEvent.click(screen.getByRole('button', { name: 'Bo one up' }));
  expect(order()).toEqual(['Bo', 'Ada', 'Cy']);
});

it('moves by dragging, and marks where it would land', () => {
  render(<Owner />);
  const dataTransfer = { setData: () => undefined, effectAllowed: '' };
  const [, , last] = screen.getAllByRole('listitem');
  fireEvent.dragStart(screen.getByRole('button', { name: 'Move Ada' }), { dataTransfer });
  fireEvent.dragOver(last as HTMLElement);
  expect(last?.dataset.over).toBe('below');
  fireEvent.drop(last as HTMLElement);
  expect(order()).toEqual(['Bo', 'Cy', 'Ada']);
  expect(last?.dataset.over).toBeUndefined();
});

it('has nothing to press where it cannot be sorted', () => {
  render(<Owner fixed />);
  expect(screen.queryAllByRole('button')).toEqual([]);
  expect(order()).toEqual(['Ada', 'Bo', 'Cy']);
});

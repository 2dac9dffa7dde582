import { expect, it } from 'vitest';
import { chargeOf, EXTERNAL_PANEL_ORDERS, type Row, serviceThereOf } from './declaration';

const row = {
  charge: '3.5',
  initial_charge: '4',
  currency: 'EUR',
  external_panel_service_id: '901',
  external_panel_service: { id: 5, name: 'Fast likes' },
} as Row;

const cellOf = (name: string, of: Row) =>
  EXTERNAL_PANEL_ORDERS.columns.find((column) => column.name === name)?.cell(of);

it('shows what the panel charged at first beside what it charges now', () => {
  expect(cellOf('charge', row)).toBe('3.5 EUR');
  expect(cellOf('initial_charge', row)).toBe('4 EUR');
  expect(chargeOf({ ...row, currency: null }, '4')).toBe('4');
});

it("names the panel's service beside its id, where the panel's list has it", () => {
  expect(cellOf('external_panel_service_id', row)).toBe('901 · Fast likes');
  expect(serviceThereOf({ ...row, external_panel_service: null })).toBe('901');
});

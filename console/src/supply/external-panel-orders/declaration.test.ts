import { expect, it } from 'vitest';
import { EXTERNAL_PANEL_ORDERS, type ExternalPanelOrder, formatCharge, formatExternalService } from './declaration';

const row = {
  charge: '3.5',
  initial_charge: '4',
  currency: 'EUR',
  external_panel_service_id: '901',
  external_panel_service: { id: 5, name: 'Fast likes' },
} as ExternalPanelOrder;

const renderCell = (name: string, order: ExternalPanelOrder) =>
  EXTERNAL_PANEL_ORDERS.columns.find((column) => column.name === name)?.cell(order);

it('shows the initial and the current charge of the panel', () => {
  expect(renderCell('charge', row)).toBe('3.5 EUR');
  expect(renderCell('initial_charge', row)).toBe('4 EUR');
  expect(formatCharge({ ...row, currency: null }, '4')).toBe('4');
});

it("shows the name of the panel's service with its id if the panel's service list has it", () => {
  expect(renderCell('external_panel_service_id', row)).toBe('901 · Fast likes');
  expect(formatExternalService({ ...row, external_panel_service: null })).toBe('901');
});

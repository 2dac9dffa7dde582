import { expect, it } from 'vitest';
import {
  EXTERNAL_PANEL_ORDERS,
  type ExternalPanelOrder,
  formatCharge,
  formatExternalService,
} from './externalPanelOrderList';

const externalPanelOrder = {
  charge: '3.5',
  initial_charge: '4',
  currency: 'EUR',
  external_panel_service_id: '901',
  external_panel_service: { id: 5, name: 'Fast likes' },
} as ExternalPanelOrder;

const renderCell = (name: string, order: ExternalPanelOrder) =>
  EXTERNAL_PANEL_ORDERS.columns.find((column) => column.name === name)?.cell(order);

it('shows the initial and the current charge of the external panel', () => {
  expect(renderCell('charge', externalPanelOrder)).toBe('3.5 EUR');
  expect(renderCell('initial_charge', externalPanelOrder)).toBe('4 EUR');
  expect(formatCharge({ ...externalPanelOrder, currency: null }, '4')).toBe('4');
});

it('shows the id of the external service, and its name if the stored service list contains it', () => {
  expect(renderCell('external_panel_service_id', externalPanelOrder)).toBe('901 · Fast likes');
  expect(formatExternalService({ ...externalPanelOrder, external_panel_service: null })).toBe('901');
});

// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';

export const externalPanelPayments = declareList<'ExternalPanelPayment'>()({
  name: 'external-panel-payments',
  path: '/api/v1/admin/external-panel-payments',
  labels: 'external-panel-payments',
  defaultColumns: ['date', 'amount', 'fee', 'payment_method_commission', 'bonus', 'received'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'date', kind: 'time' },
    { name: 'amount', kind: 'money' },
    { name: 'fee', kind: 'money' },
    { name: 'payment_method_commission', kind: 'money' },
    { name: 'bonus', kind: 'money' },
    { name: 'received', kind: 'money' },
    { name: 'created_at', kind: 'time' },
    { name: 'updated_at', kind: 'time', hasLabel: false },
  ],
  filters: [
    { name: 'external_panel_id', kind: 'id', hasLabel: false },
  ],
  defaultSort: [['date', true]],
});

// What became of the customer's requests to cancel an order; staff decide an open one here as in the list.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { page } from '@/api/table';
import { money } from '@/i18n/format';
import { CANCEL_REQUEST_ACTIONS } from '@/operations/cancel-requests/actions';
import { Cause } from '@/operations/cancel-requests/CancelRequests';
import { RecordActions } from '@/table/RecordActions';
import { Panel, SmallTable } from '@/ui/Facts';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';

const LIST = '/api/v1/admin/order-cancel-requests';
/** Requests of one order that are shown. */
const MOST = 20;

/** Nothing for an order that its customer never requested to cancel, which is most of them. */
export function CancelRequestsOf({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data: requests = [] } = useQuery({
    queryKey: ['orders', 'cancel-requests', order.id],
    queryFn: async ({ signal }) => {
      const query = { filters: {}, sort: [], search: '', plain: { order_id: String(order.id) } };
      return (await page<Schemas['OrderCancelRequest']>(LIST, query, 0, MOST, signal)).data;
    },
  });
  const [newest] = requests;
  if (!newest) return null;
  return (
    <Panel title={t('cancelRequests.title')}>
      <div className="record-actions">
        <RecordActions
          row={newest}
          actions={CANCEL_REQUEST_ACTIONS}
          onDone={() => void queries.invalidateQueries({ queryKey: ['orders'] })}
        />
      </div>
      <SmallTable
        label={t('cancelRequests.title')}
        rows={requests}
        rowKey={(request) => request.id}
        empty={t('cancelRequests.none')}
        columns={[
          { title: t('cancelRequests.columns.createdAt'), cell: (request) => <When at={request.created_at} /> },
          { title: t('cancelRequests.columns.status'), cell: (request) => <StatusTag status={request.status} /> },
          { title: t('cancelRequests.columns.cause'), cell: (request) => <Cause row={request} /> },
          { title: t('cancelRequests.columns.answer'), cell: (request) => request.answer ?? '–' },
          { title: t('cancelRequests.columns.returned'), align: 'end', cell: (request) => money(request.returned) },
        ]}
      />
    </Panel>
  );
}

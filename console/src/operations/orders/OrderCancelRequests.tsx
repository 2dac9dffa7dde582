// The cancel requests of one order. Staff can confirm or reject an open request here, as in the list of all cancel requests.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { fetchPage } from '@/api/table';
import { formatMoney } from '@/i18n/format';
import { CANCEL_REQUEST_ACTIONS } from '@/operations/cancel-requests/actions';
import { CauseText } from '@/operations/cancel-requests/CancelRequests';
import { RecordActions } from '@/table/RecordActions';
import { Card } from '@/ui/Card';
import { DateTime } from '@/ui/DateTime';
import { SimpleTable } from '@/ui/SimpleTable';
import { StatusTag } from '@/ui/StatusTag';

const LIST_PATH = '/api/v1/admin/order-cancel-requests';
const MAX_REQUESTS = 20;

/** Renders nothing for an order without cancel requests, which is the common case. */
export function OrderCancelRequests({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { data: requests = [] } = useQuery({
    queryKey: ['orders', 'cancel-requests', order.id],
    queryFn: async ({ signal }) => {
      const query = { filters: {}, sort: [], search: '', parameters: { order_id: String(order.id) } };
      return (await fetchPage<Schemas['OrderCancelRequest']>(LIST_PATH, query, 0, MAX_REQUESTS, signal)).data;
    },
  });
  const [newestRequest] = requests;
  if (!newestRequest) return null;
  return (
    <Card title={t('cancelRequests.title')}>
      <div className="record-actions">
        <RecordActions
          row={newestRequest}
          actions={CANCEL_REQUEST_ACTIONS}
          onDone={() => void queryClient.invalidateQueries({ queryKey: ['orders'] })}
        />
      </div>
      <SimpleTable
        label={t('cancelRequests.title')}
        rows={requests}
        getRowKey={(request) => request.id}
        emptyText={t('cancelRequests.noRequests')}
        columns={[
          {
            title: t('cancelRequests.columns.createdAt'),
            renderCell: (request) => <DateTime time={request.created_at} />,
          },
          { title: t('cancelRequests.columns.status'), renderCell: (request) => <StatusTag status={request.status} /> },
          { title: t('cancelRequests.columns.cause'), renderCell: (request) => <CauseText row={request} /> },
          {
            title: t('cancelRequests.columns.provider_response'),
            renderCell: (request) => request.provider_response ?? '–',
          },
          {
            title: t('cancelRequests.columns.refund'),
            align: 'end',
            renderCell: (request) => formatMoney(request.refunded),
          },
        ]}
      />
    </Card>
  );
}

// The API requests for one order widget, and for the payment methods that widgets may offer.
import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';

export const WIDGET_PATH = '/api/v1/admin/order-widgets/{id}';

export const fetchWidget = async (id: number) =>
  (await unwrap(api.GET(WIDGET_PATH, { params: { path: { id } } }))).data;

/**
 * Fetches a widget without the cache, so that a form starts with the current version. Sends no request if `id` is null, as for a new
 * widget.
 */
export function useWidget(id: number | null) {
  return useQuery({
    queryKey: ['order-widgets', 'detail', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => fetchWidget(id ?? 0),
  });
}

export function useWidgetPaymentMethods() {
  return useQuery({
    queryKey: ['order-widgets', 'methods'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/payment-methods/get-available-for-order-widget'))).data,
  });
}

// One order widget and the payment methods that widgets may offer, as the form and the snippet need them.
import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';

export const PATH = '/api/v1/admin/order-widgets/{id}';

export const read = async (id: number) => (await unwrap(api.GET(PATH, { params: { path: { id } } }))).data;

/** A widget as it is now: none while it is on its way, or for a new one. */
export function useWidget(id: number | null) {
  return useQuery({
    queryKey: ['order-widgets', 'one', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => read(id ?? 0),
  });
}

export function useMethods() {
  return useQuery({
    queryKey: ['order-widgets', 'methods'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/payment-methods/get-available-for-order-widget'))).data,
  });
}

import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';

export function usePaymentMethod(id: number) {
  return useQuery({
    queryKey: ['payment-methods', 'detail', id],
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/payment-methods/{id}', { params: { path: { id } } }))).data,
    enabled: Number.isSafeInteger(id),
    retry: false,
  });
}

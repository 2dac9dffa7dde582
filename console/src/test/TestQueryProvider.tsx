// A query client for one test, without retries: `render(…, { wrapper: TestQueryProvider })`.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

export function TestQueryProvider({ children }: { children: ReactNode }) {
  const [queries] = useState(() => new QueryClient({ defaultOptions: { queries: { retry: false } } }));
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
}

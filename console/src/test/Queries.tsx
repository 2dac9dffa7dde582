// A client of queries for a test, which retries nothing and is gone with it: `render(…, { wrapper: Queries })`.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

export function Queries({ children }: { children: ReactNode }) {
  const [queries] = useState(() => new QueryClient({ defaultOptions: { queries: { retry: false } } }));
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
}

import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { initI18n } from '@/i18n';
import { OrderStatus } from './OrderStatus';

beforeAll(initI18n);
afterEach(cleanup);

test.each([
  ['stopped', 'rejected', 'Rejected'],
  ['stopped', null, 'Stopped'],
  ['stopped', 'approved', 'Stopped'],
  ['canceled', 'rejected', 'Canceled'],
] as const)('an order that is %s with approval %s shows %s', (status, approval, text) => {
  render(<OrderStatus order={{ status, approval }} />);
  expect(screen.getByText(text)).toBeTruthy();
});

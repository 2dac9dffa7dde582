// Marks invoices as paid, which credits the received amount. Checks the default filter of the list and the links from other pages.
import { expect, type Staff, test } from './panel';

interface Invoice {
  id: number;
  amount: string;
  short_name: string;
  status: string;
  bonus_amount: string;
  payment_method: { name: string };
  user: { id: number; name: string };
}

const INVOICES_PATH = '/api/v1/admin/invoices';

async function findInvoices(staff: Staff, column: string, value: string | number): Promise<Invoice[]> {
  const query = `columns[0][data]=${column}&columns[0][search][value]=${value}&length=100`;
  return (await staff.get<{ data: Invoice[] }>(`${INVOICES_PATH}?${query}`)).data;
}

const fetchBalance = async (staff: Staff, userId: number) =>
  Number((await staff.get<{ data: { balance: string } }>(`/api/v1/admin/users/${userId}`)).data.balance);

test('an invoice can be marked as paid only once, and credits the received amount', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/422/);
  const [invoice] = await findInvoices(staff, 'status', 'pending');
  if (!invoice) throw new Error('The demo has no pending invoices.');
  const balanceBefore = await fetchBalance(staff, invoice.user.id);
  await staff.signIn();
  await page.getByRole('link', { name: 'Invoices' }).click();
  await expect(page.getByRole('button', { name: 'Remove filter Status' })).toBeVisible();
  await page.getByRole('button', { name: `Actions for ${invoice.id}`, exact: true }).click();
  await page.getByRole('menuitem', { name: 'Mark as paid' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Mark 1 invoice as paid' });
  const field = dialog.getByLabel('Received');
  await expect(field).toHaveValue(invoice.amount);
  await field.fill('0');
  await dialog.getByRole('button', { name: 'Mark as paid' }).click();
  await expect(dialog.getByText('Enter an amount above zero.').first()).toBeVisible();
  await field.fill('1.25');
  await expect(dialog.getByText('1 invoice will be marked as paid.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Mark as paid' }).click();
  await expect(page.getByText('1 invoice marked as paid.')).toBeVisible();
  expect(await fetchBalance(staff, invoice.user.id)).toBeCloseTo(balanceBefore + 1.25, 6);
  expect(await staff.post(`${INVOICES_PATH}/${invoice.id}/mark-as-paid`, { amount: '1.25' })).toBe(409);
  expect((await findInvoices(staff, 'id', invoice.id))[0]?.status).toBe('paid');
});

test('the preview shows the credited amount with its bonus', async ({ staff, page }) => {
  const pendingInvoices = await findInvoices(staff, 'status', 'pending');
  const invoice = pendingInvoices.find(
    ({ payment_method, amount }) => payment_method.name.startsWith('USDT') && Number(amount) < 500,
  );
  if (!invoice) throw new Error('The demo has no pending USDT invoice below 500.');
  await staff.signIn('admin', `/invoices?id=${invoice.id}`);
  await page.getByRole('button', { name: `Actions for ${invoice.id}`, exact: true }).click();
  await page.getByRole('menuitem', { name: 'Mark as paid' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Mark 1 invoice as paid' });
  // More than the invoiced amount requires a reason.
  await dialog.getByLabel('Comment').fill('Sent twice');
  await dialog.getByLabel('Received').fill('200');
  await expect(dialog.getByText('plus a bonus of $4.00')).toBeVisible();
  await dialog.getByLabel('Received').fill('20');
  await expect(dialog.getByText('without a bonus')).toBeVisible();
  expect((await findInvoices(staff, 'id', invoice.id))[0]?.status).toBe('pending');
});

test('a link from another page sets the search text', async ({ staff }) => {
  const [invoice] = await findInvoices(staff, 'status', 'paid');
  await staff.signIn('admin', `/invoices?search=${invoice?.short_name}`);
  await expect(staff.rows()).toHaveCount(1);
  await expect(staff.rows().first()).toContainText(invoice?.short_name ?? '');
});

test('staff with read-only permission see no actions on invoices', async ({ staff, page }) => {
  await staff.signIn('readonly', '/invoices');
  await staff
    .rows()
    .first()
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await expect(page.getByRole('menuitem', { name: 'Copy ID' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Mark as paid' })).toHaveCount(0);
});

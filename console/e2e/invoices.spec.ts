// Invoices: what waits is shown first; a payment credits what came in; a link from elsewhere brings its search along.
import { expect, type Staff, test } from './panel';

interface Row {
  id: number;
  amount: string;
  short_name: string;
  status: string;
  bonus_amount: string;
  payment_method: { name: string };
  user: { id: number; name: string };
}

const URL = '/api/v1/admin/invoices';

async function some(staff: Staff, column: string, value: string | number): Promise<Row[]> {
  const query = `columns[0][data]=${column}&columns[0][search][value]=${value}&length=100`;
  return (await staff.get<{ data: Row[] }>(`${URL}?${query}`)).data;
}

const balance = async (staff: Staff, user: number) =>
  Number((await staff.get<{ data: { balance: string } }>(`/api/v1/admin/users/${user}`)).data.balance);

test('an invoice is marked as paid with what came in, once', async ({ staff, page, mayLog }) => {
  mayLog.push(/422/);
  const [invoice] = await some(staff, 'status', 'pending');
  if (!invoice) throw new Error('The demo has no pending invoices.');
  const before = await balance(staff, invoice.user.id);
  await staff.signIn();
  await page.getByRole('link', { name: 'Invoices' }).click();
  await expect(page.getByRole('button', { name: 'Remove the filter Status' })).toBeVisible();
  await page.getByRole('button', { name: `Actions of ${invoice.id}`, exact: true }).click();
  await page.getByRole('menuitem', { name: 'Mark as paid' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Mark 1 invoice as paid' });
  const field = dialog.getByLabel('Received');
  await expect(field).toHaveValue(invoice.amount);
  await field.fill('0');
  await dialog.getByRole('button', { name: 'Mark as paid' }).click();
  await expect(dialog.getByText('Give an amount above zero.').first()).toBeVisible();
  await field.fill('1.25');
  await expect(dialog.getByText('1 of 1 can be changed.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Mark as paid' }).click();
  await expect(page.getByText('1 invoice paid.')).toBeVisible();
  expect(await balance(staff, invoice.user.id)).toBeCloseTo(before + 1.25, 6);
  expect(await staff.post(`${URL}/${invoice.id}/mark-as-paid`, { amount: '1.25' })).toBe(409);
  expect((await some(staff, 'id', invoice.id))[0]?.status).toBe('paid');
});

test('what is credited is told before, with the bonus that the amount reaches', async ({ staff, page }) => {
  const pending = await some(staff, 'status', 'pending');
  const invoice = pending.find((one) => one.payment_method.name.startsWith('USDT') && Number(one.amount) < 500);
  if (!invoice) throw new Error('The demo has no such invoice.');
  await staff.signIn('admin', `/invoices?id=${invoice.id}`);
  await page.getByRole('button', { name: `Actions of ${invoice.id}`, exact: true }).click();
  await page.getByRole('menuitem', { name: 'Mark as paid' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Mark 1 invoice as paid' });
  // More than was invoiced may be a credit by hand, which says why.
  await dialog.getByLabel('Comment').fill('Sent twice');
  await dialog.getByLabel('Received').fill('200');
  await expect(dialog.getByText('a bonus of $4.00 beside it')).toBeVisible();
  await dialog.getByLabel('Received').fill('20');
  await expect(dialog.getByText('there is no bonus for it')).toBeVisible();
  expect((await some(staff, 'id', invoice.id))[0]?.status).toBe('pending');
});

test('a link from elsewhere brings its search along', async ({ staff }) => {
  const [invoice] = await some(staff, 'status', 'paid');
  await staff.signIn('admin', `/invoices?search=${invoice?.short_name}`);
  await expect(staff.rows()).toHaveCount(1);
  await expect(staff.rows().first()).toContainText(invoice?.short_name ?? '');
});

test('who may only read sees no action', async ({ staff, page }) => {
  await staff.signIn('readonly', '/invoices');
  await staff
    .rows()
    .first()
    .getByRole('button', { name: /^Actions of/ })
    .click();
  await expect(page.getByRole('menuitem', { name: 'Copy id' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Mark as paid' })).toHaveCount(0);
});

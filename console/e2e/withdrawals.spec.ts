// Approves withdrawals, marks them as paid with a transaction number, and rejects them with a reason. A transaction number that another
// withdrawal uses is an error, and so is the rejection of a withdrawal that was already rejected.
import { expect, type Staff, test } from './panel';

interface Withdrawal {
  id: number;
  amount: string;
  account_number: string;
  transaction_id: string | null;
  withdrawal_method: { id: number };
}

const WITHDRAWALS_PATH = '/api/v1/admin/withdrawals';

async function findWithdrawals(staff: Staff, status: string): Promise<Withdrawal[]> {
  const query = `columns[0][data]=status&columns[0][search][value]=${status}&length=100`;
  return (await staff.get<{ data: Withdrawal[] }>(`${WITHDRAWALS_PATH}?${query}`)).data;
}

async function fetchStatus(staff: Staff, id: number): Promise<string | undefined> {
  const query = `columns[0][data]=id&columns[0][search][value]=${id}`;
  return (await staff.get<{ data: { status: string }[] }>(`${WITHDRAWALS_PATH}?${query}`)).data[0]?.status;
}

test('a withdrawal is approved, and another staff member marks it as paid with an unused transaction number', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/422/);
  const [pendingWithdrawal] = await findWithdrawals(staff, 'pending');
  if (!pendingWithdrawal) throw new Error('The demo has no pending withdrawals.');
  await staff.signIn();
  await page.getByRole('link', { name: 'Withdrawals' }).click();
  await expect(page.getByRole('button', { name: 'Remove filter Status' })).toBeVisible();
  await page.getByRole('button', { name: `Actions for ${pendingWithdrawal.id}`, exact: true }).click();
  await expect(page.getByRole('menuitem', { name: 'Mark as paid' })).toHaveCount(0);
  await page.getByRole('menuitem', { name: 'Approve' }).click();
  const approveDialog = page.getByRole('alertdialog', { name: 'Approve 1 withdrawal' });
  await expect(approveDialog.getByText('1 withdrawal will be approved.')).toBeVisible();
  await approveDialog.getByRole('button', { name: 'Approve' }).click();
  await expect(page.getByText('1 withdrawal approved.')).toBeVisible();

  const paidWithdrawal = (await findWithdrawals(staff, 'paid')).find(
    (row) => row.withdrawal_method.id === pendingWithdrawal.withdrawal_method.id,
  );
  // The staff member who approved a withdrawal may not mark it as paid. The menu shows this reason.
  await staff.open(`/withdrawal?id=${pendingWithdrawal.id}`);
  await page.getByRole('button', { name: `Actions for ${pendingWithdrawal.id}`, exact: true }).click();
  await expect(page.getByRole('menuitem', { name: 'Another staff member must mark it as paid' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Mark as paid', exact: true })).toHaveCount(0);
  await staff.signIn('finance', `/withdrawal?id=${pendingWithdrawal.id}`);
  await page.getByRole('button', { name: `Actions for ${pendingWithdrawal.id}`, exact: true }).click();
  await page.getByRole('menuitem', { name: 'Mark as paid', exact: true }).click();
  const payDialog = page.getByRole('alertdialog', { name: 'Mark 1 withdrawal as paid' });
  await expect(payDialog.getByText(pendingWithdrawal.account_number)).toBeVisible();
  const transactionField = payDialog.getByLabel('Transaction');
  await expect(transactionField).toBeFocused();
  await transactionField.fill(paidWithdrawal?.transaction_id ?? '');
  await payDialog.getByRole('button', { name: 'Mark as paid' }).click();
  await expect(payDialog.getByText(`already paid withdrawal ${paidWithdrawal?.id}`).first()).toBeVisible();
  await transactionField.fill(`E2E-${pendingWithdrawal.id}`);
  await payDialog.getByRole('button', { name: 'Mark as paid' }).click();
  await expect(page.getByText('1 withdrawal marked as paid.')).toBeVisible();
  await expect(staff.rows().first()).toContainText(`E2E-${pendingWithdrawal.id}`);
  expect(await fetchStatus(staff, pendingWithdrawal.id)).toBe('paid');
});

test('a bulk rejection skips a withdrawal that another staff member has already rejected', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/409/);
  const [firstWithdrawal, secondWithdrawal, thirdWithdrawal] = await findWithdrawals(staff, 'approved');
  if (!firstWithdrawal || !secondWithdrawal || !thirdWithdrawal)
    throw new Error('The demo has too few approved withdrawals.');
  await staff.signIn('admin', `/withdrawal?id=${firstWithdrawal.id},${secondWithdrawal.id},${thirdWithdrawal.id}`);
  for (const row of [firstWithdrawal, secondWithdrawal, thirdWithdrawal])
    await page.getByRole('checkbox', { name: `Select ${row.id}` }).check();
  const bulkBar = page.getByRole('group', { name: 'Selected records' });
  await expect(bulkBar.getByRole('button', { name: 'Mark as paid' })).toHaveCount(0);
  await bulkBar.getByRole('button', { name: /^Reject/ }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Reject 3 withdrawals' });
  await dialog.getByLabel('Reason').fill('The account is closed');
  await expect(dialog.getByText(/will be refunded to 3 customers/)).toBeVisible();
  expect(await staff.post(`${WITHDRAWALS_PATH}/${firstWithdrawal.id}/reject`, { admin_note: 'Faster' })).toBe(200);
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await expect(page.getByText(/a withdrawal that is rejected/)).toBeVisible();
  for (const row of [firstWithdrawal, secondWithdrawal, thirdWithdrawal])
    expect(await fetchStatus(staff, row.id)).toBe('rejected');
});

test('staff with read-only permission see no actions on withdrawals', async ({ staff, page }) => {
  await staff.signIn('readonly', '/withdrawal');
  await staff
    .rows()
    .first()
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await expect(page.getByRole('menuitem', { name: 'Copy ID' })).toBeVisible();
  for (const name of ['Approve', 'Reject', 'Mark as paid']) {
    await expect(page.getByRole('menuitem', { name })).toHaveCount(0);
  }
});

test('moderators are redirected from withdrawals', async ({ staff, page }) => {
  await staff.signIn('moderator', '/withdrawal');
  await expect(page.getByRole('link', { name: 'Withdrawals' })).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Services' })).toBeVisible();
});

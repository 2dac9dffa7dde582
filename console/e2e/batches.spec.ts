// Staff actions on subscriptions and combo orders, in the browser and checked on the server.
import { expect, type Staff, test } from './panel';

interface Row {
  id: number;
  orders_count: number;
}

async function findRows(staff: Staff, resource: string, status: string): Promise<Row> {
  const query = `columns[0][data]=status&columns[0][search][value]=${status}&length=5`;
  const { data } = await staff.get<{ data: Row[] }>(`/api/v1/admin/${resource}?${query}`);
  const row = data[0];
  if (!row) throw new Error(`The demo has no ${resource} ${status}.`);
  return row;
}

test('a subscription shows the services of each content, and is canceled', async ({ staff, page }) => {
  const { id, orders_count } = await findRows(staff, 'subscriptions', 'in_processing');
  await staff.signIn('admin', `/subscriptions?id=${id}`);
  await staff.rows().locator('a').first().click();
  await expect(page.getByRole('heading', { name: 'Services for each content' })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Cancel 1 subscription' });
  await expect(dialog.getByText(/will be refunded to 1 customer/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel subscription' }).click();
  await expect(page.locator('.record-head').getByText('Canceled')).toBeVisible();
  await page.getByRole('link', { name: /^[0-9].* orders?$/ }).click();
  await expect(page).toHaveURL(new RegExp(`/orders\\?subscription_id=${id}`));
  await expect(staff.rows()).toHaveCount(Math.min(orders_count, 30));
});

test('a subscription shows what it is waiting for', async ({ staff, page }) => {
  const query = 'columns[0][data]=last_error&columns[0][search][value]=500&length=1';
  const { data } = await staff.get<{ data: Row[] }>(`/api/v1/admin/subscriptions?${query}`);
  await staff.signIn('admin', `/subscriptions/${data[0]?.id}`);
  const looks = page.locator('section.card', {
    has: page.getByRole('heading', { name: 'Content checks', exact: true }),
  });
  const fact = (name: string) => looks.locator('.facts > div', { hasText: name }).locator('dd');
  await expect(fact('Delay, minutes')).toHaveText('30');
  await expect(fact('Channel error')).toHaveText('the other side answered 500');
  await expect(fact('Why content is waiting')).toHaveText('–');
  await expect(fact('Last check').locator('time')).toBeVisible();
  await expect(page.getByRole('table', { name: 'Content' }).getByText('Ordered').first()).toBeVisible();
});

test('a combo order is opened from the counter, approved and completed', async ({ staff, page }) => {
  const { id, orders_count } = await findRows(staff, 'combo-orders', 'in_moderation');
  await staff.signIn('moderator');
  const pill = page.getByRole('link', { name: /combo orders? in moderation/ });
  const before = Number(await pill.textContent());
  await pill.click();
  await expect(page).toHaveURL(/\/combo-orders\?status=in_moderation/);
  const act = async (name: string) => {
    await page.getByRole('button', { name: `Actions for ${id}`, exact: true }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
    await page.getByRole('button', { name: `${name} combo order` }).click();
  };
  await act('Approve');
  await expect(page.getByText('1 combo order approved.')).toBeVisible();
  // The live channel updates the counter.
  if (before > 1) await expect(pill).toHaveText(String(before - 1));
  else await expect(pill).toHaveCount(0);
  await staff.open(`/combo-orders?id=${id}`);
  await act('Complete');
  await expect(page.getByText('1 combo order completed.')).toBeVisible();
  await staff.open(`/orders?type=combo_order&id=${id}`);
  await expect(staff.rows()).toHaveCount(orders_count);
  await expect(staff.rows().first()).toContainText('Completed');
});

test('staff with read permission see no actions', async ({ staff, page }) => {
  const { id } = await findRows(staff, 'combo-orders', 'completed');
  await staff.signIn('readonly', '/combo-orders');
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await expect(page.getByRole('menuitem', { name: 'Copy ID' })).toBeVisible();
  await expect(page.getByRole('menuitem')).toHaveCount(1);
  await staff.open(`/combo-orders?id=${id}`);
  await expect(staff.rows()).toHaveCount(1);
});

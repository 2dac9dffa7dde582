// Runs actions on subscriptions and combo orders in the browser, and checks the result on the server.
import { expect, type Staff, test } from './panel';

interface OrderGroup {
  id: number;
  orders_count: number;
}

/** Finds a subscription or a combo order with the given status. */
async function findOrderGroup(staff: Staff, resource: string, status: string): Promise<OrderGroup> {
  const query = `columns[0][data]=status&columns[0][search][value]=${status}&length=5`;
  const { data } = await staff.get<{ data: OrderGroup[] }>(`/api/v1/admin/${resource}?${query}`);
  const record = data[0];
  if (!record) throw new Error(`The demo has no ${resource} with the status ${status}.`);
  return record;
}

test('a subscription shows the services for each content, and can be canceled', async ({ staff, page }) => {
  const { id, orders_count } = await findOrderGroup(staff, 'subscriptions', 'in_processing');
  await staff.signIn('admin', `/subscriptions?id=${id}`);
  await staff.rows().locator('a').first().click();
  await expect(page.getByRole('heading', { name: 'Services ordered for each post' })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Cancel 1 subscription' });
  await expect(dialog.getByText(/will be refunded to 1 customer/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel subscription' }).click();
  await expect(page.locator('.record-head').getByText('Canceled')).toBeVisible();
  await page.getByRole('link', { name: /^[0-9].* orders?$/ }).click();
  await expect(page).toHaveURL(new RegExp(`/orders\\?subscription_id=${id}`));
  await expect(staff.rows()).toHaveCount(Math.min(orders_count, 30));
});

test('a subscription shows the last error of its channel', async ({ staff, page }) => {
  const query = 'columns[0][data]=last_error&columns[0][search][value]=500&length=1';
  const { data } = await staff.get<{ data: OrderGroup[] }>(`/api/v1/admin/subscriptions?${query}`);
  await staff.signIn('admin', `/subscriptions/${data[0]?.id}`);
  const contentChecks = page.locator('section.card', {
    has: page.getByRole('heading', { name: 'Content checks', exact: true }),
  });
  const findFact = (name: string) => contentChecks.locator('.facts > div', { hasText: name }).locator('dd');
  await expect(findFact('Delay, minutes')).toHaveText('30');
  await expect(findFact('Channel error')).toHaveText('the response has the status 500');
  await expect(findFact('Why content is waiting')).toHaveText('–');
  await expect(findFact('Last check').locator('time')).toBeVisible();
  await expect(page.getByRole('table', { name: 'Content' }).getByText('Ordered').first()).toBeVisible();
});

test('the counter opens a combo order, which is approved and completed', async ({ staff, page }) => {
  const { id, orders_count } = await findOrderGroup(staff, 'combo-orders', 'in_moderation');
  await staff.signIn('moderator');
  const counter = page.getByRole('link', { name: /combo orders? in moderation/ });
  const initialCount = Number(await counter.textContent());
  await counter.click();
  await expect(page).toHaveURL(/\/combo-orders\?status=in_moderation/);
  const runAction = async (name: string) => {
    await page.getByRole('button', { name: `Actions for ${id}`, exact: true }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
    await page.getByRole('button', { name: `${name} combo order` }).click();
  };
  await runAction('Approve');
  await expect(page.getByText('1 combo order approved.')).toBeVisible();
  // A WebSocket message updates the counter.
  if (initialCount > 1) await expect(counter).toHaveText(String(initialCount - 1));
  else await expect(counter).toHaveCount(0);
  await staff.open(`/combo-orders?id=${id}`);
  await runAction('Complete');
  await expect(page.getByText('1 combo order completed.')).toBeVisible();
  await staff.open(`/orders?type=combo_order&id=${id}`);
  await expect(staff.rows()).toHaveCount(orders_count);
  await expect(staff.rows().first()).toContainText('Completed');
});

test('staff with read-only permission see no actions on combo orders', async ({ staff, page }) => {
  const { id } = await findOrderGroup(staff, 'combo-orders', 'completed');
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

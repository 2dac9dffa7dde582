// Checks the list of drip-feeds, the links between drip-feeds and orders, and the refund in the cancel dialog.
import { expect, test } from './panel';

interface DripFeed {
  id: number;
  orders_count: number;
  refund_amount: string;
  status: string;
}

test('a drip-feed links to its orders, each order links to the drip-feed, and the cancel dialog shows the refund', async ({
  staff,
  page,
}) => {
  const { data } = await staff.get<{ data: DripFeed[] }>(
    '/api/v1/admin/drip-feeds?columns[0][data]=status&columns[0][search][value]=in_processing&length=10',
  );
  const dripFeed = data.find(({ orders_count }) => orders_count > 1) ?? data[0];
  if (!dripFeed) throw new Error('The demo has no drip-feeds.');
  await staff.signIn();
  await page.getByRole('link', { name: 'Drip-feeds' }).click();
  await expect(page.getByRole('button', { name: 'Remove filter Status' })).toBeVisible();
  await staff.open(`/drip-feed?id=${dripFeed.id}&status=in_processing`);
  await staff
    .rows()
    .getByRole('link', { name: String(dripFeed.orders_count), exact: true })
    .click();
  await expect(page).toHaveURL(new RegExp(`/orders\\?drip_feed_id=${dripFeed.id}`));
  await expect(staff.rows()).toHaveCount(dripFeed.orders_count);
  await staff.rows().first().locator('a').first().click();
  await page.locator('.record a.kind').click();
  await expect(page).toHaveURL(new RegExp(`/drip-feed\\?id=${dripFeed.id}`));

  await page.getByRole('button', { name: `Actions for ${dripFeed.id}`, exact: true }).click();
  await page.getByRole('menuitem', { name: 'Cancel' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Cancel 1 drip-feed' });
  await expect(dialog.getByText('Orders already placed continue.')).toBeVisible();
  await expect(dialog.getByText(/will be refunded to 1 customer/)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Keep drip-feed' })).toBeFocused();
  await dialog.getByRole('button', { name: 'Cancel drip-feed' }).click();
  await expect(page.getByText('1 drip-feed canceled.')).toBeVisible();
  const secondCancelStatus = await staff.post(`/api/v1/admin/drip-feeds/${dripFeed.id}/cancel`, {});
  expect(secondCancelStatus).toBe(409);
});

test('staff with read-only permission cannot cancel a drip-feed', async ({ staff, page }) => {
  await staff.signIn('readonly', '/drip-feed');
  await staff
    .rows()
    .first()
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await expect(page.getByRole('menuitem', { name: 'Copy ID' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Cancel' })).toHaveCount(0);
});

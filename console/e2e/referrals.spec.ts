// Opens the referral statistics: a chart of the periods, a table of the affiliates, and the export.
import { readFile } from 'node:fs/promises';
import { expect, test } from './panel';

test('referral statistics are shown by period and by affiliate, and exported', async ({ staff, page }) => {
  await staff.signIn('finance', '/referral-program');
  await expect(page.locator('.totals dd')).toHaveCount(5);
  await expect(page.getByRole('img', { name: 'Orders and commissions' })).toBeVisible();
  await page.getByRole('button', { name: 'Affiliates' }).click();
  await expect(page).toHaveURL(/group_by=affiliate/);
  const rows = page.locator('.small tbody tr');
  await expect(rows.first()).toBeVisible();
  const affiliateUrl = await rows.first().getByRole('link').first().getAttribute('href');
  await page.getByLabel('Affiliate IDs').fill(affiliateUrl?.split('/').pop() ?? '');
  await page.keyboard.press('Enter');
  await expect(rows).toHaveCount(1);
  const [downloadedFile] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'All matching records as CSV' }).click(),
  ]);
  const csv = await readFile(await downloadedFile.path(), 'utf8');
  expect(csv.split('\r\n')).toHaveLength(3);
  await page.goBack();
  await expect(rows).not.toHaveCount(1);
});

test('staff without permission do not see referrals', async ({ staff, page }) => {
  await staff.signIn('moderator', '/referral-program');
  await expect(page.getByRole('link', { name: 'Referral program' })).toHaveCount(0);
  await expect(page.locator('.totals')).toHaveCount(0);
});

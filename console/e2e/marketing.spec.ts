// Edits discounts, coupons, special offers and the auto-promotion, and checks overlapping discounts and coupon statistics.
import { expect, REJECTED_REQUEST, test } from './panel';

test.describe('forms with field errors', () => {
  test.use({ allowedLogs: [REJECTED_REQUEST] });

  test('a discount shows overlapping discounts before it is saved, and is completed', async ({ staff, page }) => {
    await staff.signIn('admin', '/discounts');
    await page.getByRole('button', { name: 'New discount' }).click();
    const dialog = page.getByRole('dialog', { name: 'New discount' });
    await dialog.getByRole('button', { name: 'New discount' }).click();
    await expect(dialog.getByText('Enter a name.')).toBeVisible();
    await dialog.getByLabel('Name', { exact: true }).fill('Weekend');
    await dialog.getByLabel('Starts').fill('2020-01-01T00:00');
    const { data } = await staff.get<{ data: { services: { id: number; name: string }[] } }>(
      '/api/v1/admin/discounts/1',
    );
    const service = data.services[0];
    await dialog.getByRole('combobox', { name: 'Add service' }).fill(String(service?.id));
    await staff.selectOption();
    await dialog.getByLabel(`Percent off ${service?.name}`).fill('500');
    await dialog.getByRole('button', { name: 'New discount' }).click();
    await expect(dialog.getByText('Enter a fraction above 0', { exact: false })).toBeVisible();
    await dialog.getByLabel(`Percent off ${service?.name}`).fill('12,5');
    const overlaps = dialog.getByRole('region', { name: 'Other discounts at the same time' }).first();
    await expect(overlaps.getByText('Black Friday', { exact: false })).toBeVisible();
    await dialog.getByRole('button', { name: 'New discount' }).click();
    await expect(dialog).toHaveCount(0);
    const row = staff.rows().filter({ hasText: 'Weekend' });
    await expect(row).toContainText('Active');
    await row.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Complete' }).click();
    await page.getByRole('button', { name: 'Complete', exact: true }).click();
    await expect(row).toContainText('Completed');
  });

  test('a coupon with a used code is rejected, and a coupon with a new code is created and archived', async ({
    staff,
    page,
  }) => {
    await staff.signIn('admin', '/coupons');
    await page.getByRole('button', { name: 'New coupon' }).click();
    const dialog = page.getByRole('dialog', { name: 'New coupon' });
    await dialog.getByLabel('Name', { exact: true }).fill('Students');
    await dialog.getByLabel('Code').fill('welcome10');
    await dialog.getByLabel('Percentage, %').fill('15');
    await dialog.getByLabel('Starts').fill('2026-01-01T00:00');
    await dialog.getByRole('button', { name: 'New coupon' }).click();
    await expect(dialog.getByText('Another coupon has this code. Enter another one.')).toBeVisible();
    await dialog.getByLabel('Code').fill('students');
    await dialog.getByRole('button', { name: 'New coupon' }).click();
    await expect(dialog).toHaveCount(0);
    const row = staff.rows().filter({ hasText: 'Students' });
    await expect(row).toContainText('STUDENTS');
    await expect(row).toContainText('15');
    await row.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await expect(row).toHaveCount(0);
  });
});

test('coupon statistics are shown by coupon and by date', async ({ staff, page }) => {
  await staff.signIn('admin', '/coupons/statistics');
  const names = page.getByRole('region', { name: 'Coupon statistics' }).locator('tbody tr td:first-child');
  await expect(names.first()).toBeVisible();
  const couponNames = await names.allTextContents();
  expect(couponNames).toEqual([...couponNames].sort());
  await page.getByRole('button', { name: 'By date', exact: true }).click();
  await expect(page).toHaveURL(/by=date/);
  await expect(names.first()).toHaveText(/^\d{4}-\d\d-\d\d$/);
  const days = await names.allTextContents();
  expect(days).toEqual([...days].sort().reverse());
  await expect(page.getByRole('img', { name: 'Usages and benefits' })).toBeVisible();
});

test('an offer is created from a network, shown, archived and deleted', async ({ staff, page }) => {
  await staff.signIn('admin', '/special-offers');
  await page.getByRole('button', { name: 'New offer' }).click();
  const dialog = page.getByRole('dialog', { name: 'New offer' });
  await dialog.getByLabel('Name', { exact: true }).fill('Hot now');
  const selectValue = async (label: string, option: string) => {
    await dialog.getByRole('button', { name: label, exact: true }).click();
    await staff.selectOption(option);
  };
  await selectValue('Page', 'Home page');
  await selectValue('Position', 'Third');
  await selectValue('Network', 'YouTube');
  await dialog.getByRole('combobox', { name: 'Add service' }).fill('YouTube');
  await staff.selectOption();
  await dialog.getByRole('button', { name: 'New offer' }).click();
  await expect(dialog).toHaveCount(0);
  const row = staff.rows().filter({ hasText: 'Hot now' });
  const runAction = async (name: string) => {
    await row.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name }).click();
    await page.getByRole('button', { name, exact: true }).click();
  };
  await expect(row).toContainText('Disabled');
  await runAction('Show');
  await expect(row).toContainText('Active');
  await runAction('Archive');
  await expect(row).toHaveCount(0);
  await staff.open('/special-offers?status=archived');
  await runAction('Delete');
  await expect(row).toHaveCount(0);
});

test('auto-promotion: a network is disabled, networks are sorted, and a service is removed', async ({
  staff,
  page,
}) => {
  await staff.signIn('admin', '/special-offers/auto-promotion');
  await page.getByRole('button', { name: 'Stop offering YouTube' }).click();
  await expect(page.getByRole('button', { name: 'Offer YouTube again' })).toBeVisible();
  await page.getByRole('button', { name: 'Order of networks' }).click();
  const sortDialog = page.getByRole('dialog', { name: 'Order of networks' });
  await sortDialog.getByRole('button', { name: 'Move YouTube', exact: true }).focus();
  await page.keyboard.press('ArrowDown');
  await sortDialog.getByRole('button', { name: 'Save' }).click();
  await expect(sortDialog).toHaveCount(0);
  await expect(page.locator('.sortable li').nth(1)).toContainText('YouTube');
  const removeButton = page.getByRole('button', { name: /^Remove/ });
  const firstRow = page.locator('table.small tbody tr').filter({ has: removeButton }).first();
  const name = await firstRow.locator('td').first().textContent();
  await firstRow.getByRole('button', { name: /^Remove/ }).click();
  await expect(page.locator('table.small tbody tr').filter({ hasText: name ?? '' })).toHaveCount(0);
});

test('networks, service types and services of the auto-promotion each have a margin and can be disabled', async ({
  staff,
  page,
}) => {
  interface PromotionLevel {
    id: number;
    name: string;
    is_enabled: boolean;
    resale_margin_fraction: string | null;
  }
  interface PromotedService extends PromotionLevel {
    service: { id: number; name: string };
  }
  const path = '/api/v1/admin/auto-promotions';
  const fetchLevel = <Row>(level: string) => staff.get<{ data: Row[] }>(`${path}/${level}`).then(({ data }) => data);
  const [network] = await fetchLevel<PromotionLevel>('networks');
  if (!network) throw new Error('The auto-promotion of the demo has no networks.');
  const [serviceType] = (
    await fetchLevel<PromotionLevel & { services_count: number }>(`service-types?network_id=${network.id}`)
  ).filter(({ services_count }) => services_count > 0);
  const [service] = await fetchLevel<PromotedService>(`services?network_id=${network.id}`);
  if (!serviceType || !service) throw new Error('The auto-promotion of the demo has no services.');
  await staff.signIn('admin', '/special-offers/auto-promotion');
  const setMargin = async (name: string, percent: string) => {
    await page
      .getByRole('button', { name: `Margin of ${name}`, exact: true })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(percent);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toHaveCount(0);
  };
  await setMargin(network.name, '10');
  await setMargin(serviceType.name, '20');
  await setMargin(service.service.name, '30');
  const typeCheckbox = page.getByRole('checkbox', { name: `Offer ${serviceType.name}`, exact: true });
  await typeCheckbox.click();
  await expect(typeCheckbox).toBeChecked({ checked: !serviceType.is_enabled });
  const serviceCheckbox = page.getByRole('checkbox', { name: `Offer ${service.service.name}`, exact: true }).first();
  await serviceCheckbox.click();
  await expect(serviceCheckbox).toBeChecked({ checked: !service.is_enabled });
  const findRow = async <Row extends PromotionLevel>(level: string, id: number) =>
    (await fetchLevel<Row>(level)).find((row) => row.id === id);
  expect((await findRow('networks', network.id))?.resale_margin_fraction).toBe('0.1');
  expect(await findRow(`service-types?network_id=${network.id}`, serviceType.id)).toMatchObject({
    resale_margin_fraction: '0.2',
    is_enabled: !serviceType.is_enabled,
  });
  expect(await findRow(`services?network_id=${network.id}`, service.id)).toMatchObject({
    resale_margin_fraction: '0.3',
    is_enabled: !service.is_enabled,
  });
});

test('staff without permission are redirected from coupons', async ({ staff, page }) => {
  await staff.signIn('moderator', '/coupons');
  await expect(page.getByRole('link', { name: 'Coupons' })).toHaveCount(0);
  await expect(page).toHaveURL(/\/services/);
});

// Runs actions on orders in the browser, and checks the result on the server.
import { expect, REJECTED_REQUEST, type Staff, test } from './panel';

const buildListPath = (ids: readonly number[]) => `/orders?id=${ids.join(',')}`;

async function selectRows(staff: Staff, ids: readonly number[]): Promise<void> {
  for (const id of ids) await staff.page.getByRole('checkbox', { name: `Select ${id}`, exact: true }).check();
}

async function selectAction(staff: Staff, id: number, action: string): Promise<void> {
  await staff.page.getByRole('button', { name: `Actions for ${id}`, exact: true }).click();
  await staff.page.getByRole('menuitem', { name: action, exact: true }).click();
}

test('an order is paused, and undo resumes it', async ({ staff, page }) => {
  const [id = 0] = await staff.fetchOrderIds('in_processing', 1);
  await staff.signIn('admin', buildListPath([id]));
  await selectAction(staff, id, 'Pause');
  const dialog = page.getByRole('alertdialog', { name: 'Pause 1 order' });
  await expect(dialog.getByText('1 order will be paused.')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Do not pause' })).toBeFocused();
  await dialog.getByRole('button', { name: 'Pause order' }).click();
  await expect(page.getByText('1 order paused.')).toBeVisible();
  await expect(staff.rows().first()).toContainText('Stopped');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(staff.rows().first()).toContainText('In progress');
  expect(await staff.fetchOrderStatus(id)).toBe('in_processing');
});

test('an order in moderation is approved, and another order is rejected and approved later', async ({
  staff,
  page,
}) => {
  const [approvedId = 0, rejectedId = 0] = await staff.fetchOrderIds('in_moderation', 2);
  await staff.signIn('moderator', buildListPath([approvedId, rejectedId]));
  await selectAction(staff, approvedId, 'Approve');
  await page.getByRole('button', { name: 'Approve order' }).click();
  await expect(page.getByText('1 order approved.')).toBeVisible();
  await selectAction(staff, rejectedId, 'Reject');
  await page.getByRole('button', { name: 'Reject order' }).click();
  await expect(page.getByText('1 order rejected.')).toBeVisible();
  expect(await staff.fetchOrderStatus(approvedId)).toBe('in_processing');
  expect(await staff.fetchOrderStatus(rejectedId)).toBe('stopped');
  await selectAction(staff, rejectedId, 'Approve');
  await page.getByRole('button', { name: 'Approve order' }).click();
  await expect.poll(() => staff.fetchOrderStatus(rejectedId)).toBe('in_processing');
});

test('holding down the Enter key does not complete an order', async ({ staff, page }) => {
  const [id = 0] = await staff.fetchOrderIds('in_processing', 1);
  await staff.signIn('admin', buildListPath([id]));
  await selectRows(staff, [id]);
  const statusBefore = await staff.fetchOrderStatus(id);
  await page
    .getByRole('group', { name: 'Selected records' })
    .getByRole('button', { name: /Complete/ })
    .focus();
  await page.keyboard.down('Enter');
  for (let index = 0; index < 20; index += 1) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  expect(await staff.fetchOrderStatus(id)).toBe(statusBefore);
});

test('several orders are canceled after a preview, and the outcome selects the skipped orders', async ({
  staff,
  page,
}) => {
  const cancelableIds = await staff.fetchOrderIds('in_processing', 3);
  const [completedId = 0] = await staff.fetchOrderIds('completed', 1);
  await staff.signIn('admin', buildListPath([...cancelableIds, completedId]));
  await selectRows(staff, [...cancelableIds, completedId]);
  const bulkBar = page.getByRole('group', { name: 'Selected records' });
  await expect(bulkBar).toContainText('4 selected');
  await bulkBar.getByRole('button', { name: /^Cancel/ }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Cancel 4 orders' });
  await dialog.getByRole('checkbox', { name: 'Refund the customer' }).check();
  await expect(dialog.getByText(/will be refunded to \d customers?/)).toBeVisible();
  await expect(dialog.getByText('This cannot be undone.')).toBeVisible();
  await dialog.getByRole('button', { name: /^Cancel \d+ orders$/ }).click();
  const outcome = page.getByRole('dialog', { name: 'Cancel 4 orders' });
  await expect(outcome.getByText('3 orders canceled.')).toBeVisible();
  await expect(outcome.getByText(/refunded\./)).toBeVisible();
  await expect(outcome.getByText(/1 skipped/)).toBeVisible();
  await outcome.getByRole('button', { name: 'Select skipped records' }).click();
  await expect(bulkBar).toContainText('1 selected');
  for (const id of cancelableIds) expect(await staff.fetchOrderStatus(id)).toBe('canceled');
  const { data } = await staff.get<{ data: { refunded: string; cost: string; refund_payments: { amount: string }[] } }>(
    `/api/v1/admin/orders/${cancelableIds[0]}`,
  );
  expect(data.refund_payments.at(0)?.amount ?? '0').toBe(data.refunded);
});

test('all matching orders are selected, and a new search clears the selection', async ({ staff, page }) => {
  await staff.signIn('admin', '/orders?status=in_processing&size=10');
  await expect(staff.rows()).toHaveCount(10);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('button', { name: /Select all \d+ matching records/ }).click();
  const bulkBar = page.getByRole('group', { name: 'Selected records' });
  await expect(bulkBar).not.toContainText('10 selected');
  await page.getByRole('searchbox', { name: 'Search' }).fill('x');
  await expect(page.getByText(/The selection of \d+ records was cleared/)).toBeVisible();
});

test('changing more than a hundred orders requires the user to type the number of orders', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/net::ERR_FAILED/);
  await staff.signIn('admin', '/orders?status=in_processing,completed&size=10');
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('button', { name: /Select all [\d\s]+ matching records/ }).click();
  const bulkBar = page.getByRole('group', { name: 'Selected records' });
  await expect(bulkBar).not.toContainText('10 selected');
  const dryRunUrl = '**/api/v1/admin/orders/pause*';
  await page.route(dryRunUrl, (route) => route.abort());
  await bulkBar.getByRole('button', { name: /^Pause/ }).click();
  const dialog = page.getByRole('alertdialog');
  const confirmButton = dialog.getByRole('button', { name: /^Pause [\d\s]+ orders$/ });
  await expect(dialog.getByRole('button', { name: 'Try again' })).toBeVisible();
  await expect(confirmButton).toHaveAttribute('aria-disabled', 'true');
  await page.unroute(dryRunUrl);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await expect(dialog.getByText(/Services affected: \d+\. Customers affected: \d+\./)).toBeVisible();
  const confirmationField = dialog.getByLabel(/^Type \d+ to confirm\.$/);
  await expect(confirmButton).toHaveAttribute('aria-disabled', 'true');
  await confirmationField.fill('1');
  await expect(confirmButton).toHaveAttribute('aria-disabled', 'true');
  const prompt = (await dialog.getByText(/^Type \d+ to confirm\.$/).textContent()) ?? '';
  await confirmationField.fill(prompt.replace(/\D/g, ''));
  await expect(confirmButton).not.toHaveAttribute('aria-disabled', 'true');
  await dialog.getByRole('button', { name: 'Do not pause' }).click();
  await expect(dialog).toBeHidden();
});

test('the preview of a cancellation shows the entered refund, and the customer receives this amount', async ({
  staff,
  page,
}) => {
  const costFilter =
    'columns[0][data]=status&columns[0][search][value]=in_processing&columns[1][data]=cost&columns[1][search][value]=3..';
  const { data } = await staff.get<{ data: { id: number }[] }>(`/api/v1/admin/orders?${costFilter}&length=20`);
  const id = data.at(-1)?.id ?? 0;
  await staff.signIn('admin', `/orders/${id}`);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Cancel 1 order' });
  await dialog.getByRole('checkbox', { name: 'Refund the customer' }).check();
  const amount = dialog.getByLabel('Refund amount');
  await expect(amount).not.toHaveValue('');
  await amount.fill('2.00');
  await expect(dialog.getByText('$2.00 will be refunded to 1 customer.')).toBeVisible();
  await amount.fill('0.50');
  await expect(dialog.getByText('$2.00 will be refunded')).toHaveCount(0);
  await expect(dialog.getByText('$0.50 will be refunded to 1 customer.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel order', exact: true }).click();
  await expect(page.getByText('1 order canceled.')).toBeVisible();
  const canceledOrder = await staff.get<{ data: { refunded: string } }>(`/api/v1/admin/orders/${id}`);
  expect(canceledOrder.data.refunded).toBe('0.5');
});

test('refunding more than a thousand dollars requires the user to type the number of orders', async ({
  staff,
  page,
}) => {
  const mostExpensiveFirst =
    'columns[0][data]=status&columns[0][search][value]=in_processing,in_moderation,stopped&columns[1][data]=cost&order[0][column]=1&order[0][dir]=desc';
  const { data } = await staff.get<{ data: { id: number; cost: string }[] }>(
    `/api/v1/admin/orders?${mostExpensiveFirst}&length=90`,
  );
  const ids = data.map((order) => order.id);
  await staff.signIn('admin', `${buildListPath(ids)}&size=100`);
  await expect(staff.rows()).toHaveCount(ids.length);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  const bulkBar = page.getByRole('group', { name: 'Selected records' });
  await bulkBar.getByRole('button', { name: /^Cancel/ }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog.getByText(/\d+ orders will be canceled\./)).toBeVisible();
  await expect(dialog.getByLabel(/to confirm/)).toHaveCount(0);
  await dialog.getByRole('checkbox', { name: 'Refund the customer' }).check();
  const refundText = dialog.getByText(/will be refunded to \d+ customers?\./);
  await expect(refundText).toBeVisible();
  const amount = Number(
    /\$([\d,.\s]+) will be refunded/.exec((await refundText.textContent()) ?? '')?.[1]?.replace(/[,\s]/g, ''),
  );
  expect(amount).toBeGreaterThan(1_000);
  const confirmButton = dialog.getByRole('button', { name: /^Cancel \d+ orders$/ });
  await expect(confirmButton).toHaveAttribute('aria-disabled', 'true');
  const confirmationField = dialog.getByLabel(/^Type \d+ to confirm\.$/);
  const prompt = (await dialog.getByText(/^Type \d+ to confirm\.$/).textContent()) ?? '';
  await confirmationField.fill(prompt.replace(/\D/g, ''));
  await expect(confirmButton).not.toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});

test('an order is canceled with a refund amount on its own page', async ({ staff, page }) => {
  const ids = await staff.fetchOrderIds('in_processing', 5);
  const id = ids[4];
  await staff.signIn('admin', `/orders/${id}`);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Cancel 1 order' });
  await dialog.getByRole('checkbox', { name: 'Refund the customer' }).check();
  await expect(dialog.getByLabel('Refund amount')).not.toHaveValue('');
  await dialog.getByLabel('Refund amount').fill('0.000001');
  await dialog.getByRole('button', { name: 'Cancel order', exact: true }).click();
  await expect(page.getByText('1 order canceled.')).toBeVisible();
  await expect(page.locator('.record-head')).toContainText('Canceled');
  const refunds = page.getByRole('table', { name: 'Refunds' });
  await expect(refunds).toContainText('$0.000001');
  await expect(refunds).toContainText('Ada Admin');
});

test.describe('rejected requests', () => {
  test.use({ allowedLogs: [REJECTED_REQUEST] });

  test('the field of a refund that is too large shows an error, and the form keeps the input', async ({
    staff,
    page,
  }) => {
    const ids = await staff.fetchOrderIds('in_processing', 7);
    await staff.signIn('admin', `/orders/${ids[6]}`);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('checkbox', { name: 'Refund the customer' }).check();
    await expect(dialog.getByLabel('Refund amount')).not.toHaveValue('');
    await dialog.getByLabel('Refund amount').fill('99999999');
    await dialog.getByRole('button', { name: 'Cancel order', exact: true }).click();
    await expect(dialog.locator('.field-error')).toBeVisible();
    await expect(dialog.getByLabel('Refund amount')).toHaveValue('99999999');
    expect(await staff.fetchOrderStatus(ids[6] ?? 0)).toBe('in_processing');
  });

  test('the field of an invalid URL shows an error, and the form keeps the input', async ({ staff, page }) => {
    const [id] = await staff.fetchOrderIds('in_processing', 1);
    await staff.signIn('admin', `/orders/${id}`);
    await page.getByRole('button', { name: 'Edit link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit link' });
    await dialog.getByLabel('Link').fill('javascript:alert(1)');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.locator('.field-error')).toBeVisible();
    await expect(dialog.getByLabel('Link')).toHaveValue('javascript:alert(1)');
    page.once('dialog', (confirmation) => confirmation.dismiss());
    await page.keyboard.press('Escape');
    await expect(dialog).toBeVisible();
  });

  test('the dialog shows an error if the order was changed after the preview', async ({ staff, page }) => {
    const ids = await staff.fetchOrderIds('in_processing', 9);
    const id = ids[8] ?? 0;
    await staff.signIn('admin', `/orders/${id}`);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    // Waits for the preview, so that the order changes between the preview and the action.
    await expect(page.getByText('1 order will be paused.')).toBeVisible();
    expect(await staff.post(`/api/v1/admin/orders/${id}/complete`, undefined)).toBe(200);
    await page.getByRole('button', { name: 'Pause order' }).click();
    await expect(page.getByRole('alertdialog').getByRole('alert')).toBeVisible();
    expect(await staff.fetchOrderStatus(id)).toBe('completed');
  });

  test('a missing order shows the heading Not found', async ({ staff, page }) => {
    await staff.signIn('admin', '/orders/999999999');
    await expect(page.getByRole('heading', { name: 'Not found' })).toBeVisible();
  });
});

test('an order is moved to another provider', async ({ staff, page }) => {
  const ids = await staff.fetchOrderIds('in_processing', 10);
  await staff.signIn('admin', `/orders/${ids[9]}`);
  await page.getByRole('button', { name: 'Change provider' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.locator('.p-dropdown').click();
  await staff.selectOption();
  await dialog.getByRole('button', { name: 'Change provider' }).click();
  await expect(page.getByText('Provider changed for 1 order.')).toBeVisible();
});

test('comment, refill and URL are changed', async ({ staff, page }) => {
  const ids = await staff.fetchOrderIds('in_processing', 11);
  await staff.signIn('admin', `/orders/${ids[10]}`);
  await page.getByRole('button', { name: 'Edit comment' }).click();
  await page.getByRole('dialog').getByLabel('Comment').fill('<b>鈴木</b> called 😀');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('<b>鈴木</b> called 😀')).toBeVisible();
  const refill = page.getByRole('button', { name: 'Refill', exact: true });
  const initialPressedState = await refill.getAttribute('aria-pressed');
  await refill.click();
  await expect(refill).not.toHaveAttribute('aria-pressed', initialPressedState ?? '');
});

test('the Back button and Escape ask before they discard an unsaved comment', async ({ staff, page }) => {
  const [id = 0] = await staff.fetchOrderIds('in_processing', 1);
  await staff.signIn('admin', `/orders?id=${id}`);
  await staff
    .rows()
    .first()
    .getByRole('link', { name: String(id), exact: true })
    .click();
  await page.getByRole('button', { name: 'Edit comment' }).click();
  const field = page.getByRole('textbox', { name: 'Comment' });
  await field.fill('Call the customer first');
  const confirmations: string[] = [];
  let acceptsConfirmation = false;
  page.on('dialog', async (dialog) => {
    confirmations.push(dialog.message());
    await (acceptsConfirmation ? dialog.accept() : dialog.dismiss());
  });
  await page.evaluate(() => history.back());
  await expect(page).toHaveURL(new RegExp(`/orders/${id}$`));
  await expect(field).toHaveValue('Call the customer first');
  await page.keyboard.press('Escape');
  await expect(field).toHaveValue('Call the customer first');
  expect(confirmations).toHaveLength(2);
  acceptsConfirmation = true;
  await page.evaluate(() => history.back());
  await expect(field).toBeHidden();
  await expect(page).not.toHaveURL(new RegExp(`/orders/${id}$`));
});

test('counters update without a reload', async ({ staff, page }) => {
  const [id] = await staff.fetchOrderIds('in_moderation', 1);
  await staff.signIn('admin', '/');
  const counter = page.locator('.counter').filter({ hasText: 'In moderation' }).locator('strong');
  await expect(counter).toHaveText(/\d/);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const initialCount = Number((await counter.innerText()).replace(/\D/g, ''));
  await staff.post(`/api/v1/admin/orders/${id}/reject`, undefined);
  await expect.poll(async () => Number((await counter.innerText()).replace(/\D/g, ''))).toBeLessThan(initialCount);
  await page.locator('.counter').filter({ hasText: 'In moderation' }).click();
  await expect(page).toHaveURL(/status=in_moderation/);
});

test('three orders are selected, paused and resumed by keyboard only', async ({ staff, page }) => {
  await staff.signIn('admin', '/orders?status=in_processing&sort=id');
  await expect(staff.rows().first()).toBeVisible();
  const ids = (await staff.rows().evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.id)))
    .slice(0, 3)
    .map(Number);
  await page.keyboard.press('j');
  for (const _ of ids) {
    await page.keyboard.press('x');
    await page.keyboard.press('j');
  }
  await expect(page.getByText('3 selected')).toBeVisible();
  const pauseButton = page.getByRole('group', { name: 'Selected records' }).getByRole('button', { name: /Pause/ });
  await pauseButton.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Do not pause' })).toBeFocused();
  await expect(page.getByText('3 orders will be paused.')).toBeVisible();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('3 orders paused.')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).focus();
  await page.keyboard.press('Enter');
  for (const id of ids) await expect.poll(() => staff.fetchOrderStatus(id)).toBe('in_processing');
});

test('the command palette finds an order by id and a customer by email', async ({ staff, page }) => {
  const [id] = await staff.fetchOrderIds('completed', 1);
  await staff.signIn();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Jump to…' }).fill(String(id));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: `Order ${id}` })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Jump to…' }).fill('finance@panel.test');
  await page.getByRole('option', { name: /finance@panel\.test/ }).click();
  await expect(page).toHaveURL(/\/users\/\d+/);
});

test('delivery statistics are recorded manually, and an invalid day keeps the input', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(REJECTED_REQUEST);
  const [id = 0] = await staff.fetchOrderIds('in_processing', 1);
  await staff.signIn('admin', `/orders/${id}`);
  await page.getByRole('button', { name: 'Record delivery statistics' }).click();
  const dialog = page.getByRole('dialog', { name: 'Record delivery statistics' });
  await dialog
    .getByLabel(/: provider cost$/)
    .first()
    .fill('1.25');
  await dialog
    .getByLabel(/: quantity$/)
    .first()
    .fill('7');
  await dialog.getByLabel('Day').fill('2019-01-01');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.locator('.field-error')).toContainText('Enter a day from');
  await expect(dialog.getByLabel(/: provider cost$/).first()).toHaveValue('1.25');
  await dialog.getByLabel('Day').fill(new Date().toISOString().slice(0, 10));
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  const fetchProviderCost = async () => {
    const { data } = await staff.get<{ data: { provider_cost: string } }>(`/api/v1/admin/orders/${id}`);
    return Number(data.provider_cost);
  };
  const costBefore = await fetchProviderCost();
  // A second record for the same day replaces the first one.
  await page.getByRole('button', { name: 'Record delivery statistics' }).click();
  await dialog
    .getByLabel(/: provider cost$/)
    .first()
    .fill('2');
  await dialog
    .getByLabel(/: quantity$/)
    .first()
    .fill('7');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  expect((await fetchProviderCost()) - costBefore).toBeCloseTo(0.75, 6);
});

test('auto-refill parameters require their permission', async ({ staff, page }) => {
  const [id = 0] = await staff.fetchOrderIds('completed', 1);
  await staff.signIn('admin', `/orders/${id}`);
  await page.getByRole('button', { name: 'Auto-refill parameters' }).click();
  const dialog = page.getByRole('dialog', { name: 'Auto-refill parameters' });
  await dialog.getByLabel('Dropped').fill('3');
  await dialog.getByRole('checkbox', { name: 'The counter is unreliable' }).check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  const { data } = await staff.get<{ data: { drop_quantity: number; broken_pipes: boolean } }>(
    `/api/v1/admin/orders/${id}/auto-refill-params`,
  );
  expect([data.drop_quantity, data.broken_pipes]).toEqual([3, true]);
});

test('an order shows related orders and the view statistics of its link', async ({ staff, page }) => {
  const query = 'columns[0][data]=service.name&columns[0][search][value]=live&length=50';
  const { data } = await staff.get<{ data: { id: number; status: string; drip_feed_id: number | null }[] }>(
    `/api/v1/admin/orders?${query}`,
  );
  const order = data.find(({ status, drip_feed_id }) => status === 'completed' && !drip_feed_id);
  await staff.signIn('readonly', `/orders/${order?.id}`);
  await expect(page.getByRole('img', { name: /^Orders of this/ })).toBeVisible();
  await expect(page.getByRole('img', { name: 'Viewers' })).toBeVisible();
});

test('staff place an order for a customer after a price preview, and a double click places it only once', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(REJECTED_REQUEST);
  const users = await staff.get<{ data: { id: number; name: string }[] }>(
    '/api/v1/admin/users?columns[0][data]=status&columns[0][search][value]=active&columns[1][data]=balance&order[0][column]=1&order[0][dir]=desc&length=1',
  );
  const services = await staff.get<{ data: { id: number; min_quantity: number }[] }>(
    '/api/v1/admin/services?columns[0][data]=is_enabled&columns[0][search][value]=true&columns[1][data]=default_price&order[0][column]=1&order[0][dir]=asc&length=1',
  );
  const [user, service] = [users.data[0], services.data[0]];
  if (!user || !service) throw new Error('The demo has no users or services.');
  await staff.signIn('moderator', '/orders');
  await page.getByRole('button', { name: 'New order' }).click();
  const dialog = page.getByRole('dialog', { name: 'New order for a customer' });
  await dialog.getByRole('combobox', { name: 'Customer' }).fill(String(user.id));
  await page.getByRole('option', { name: new RegExp(` · ${user.id}$`) }).click();
  await dialog.getByRole('combobox', { name: 'Service' }).fill(String(service.id));
  await page.getByRole('option', { name: new RegExp(` · ${service.id} · `) }).click();
  await dialog.getByLabel('Link').fill('https://video.example/watch');
  await dialog.getByLabel('Quantity').fill('0');
  await dialog.getByRole('button', { name: 'Calculate cost' }).click();
  await expect(dialog.locator('.field-error')).toBeVisible();
  await dialog.getByLabel('Quantity').fill(String(service.min_quantity));
  await dialog.getByRole('button', { name: 'Calculate cost' }).click();
  await expect(dialog.getByText(/will pay \$/)).toBeVisible();
  await dialog.getByRole('button', { name: /^Place order for \$/ }).dblclick();
  await expect(page.getByText(/Order \d+ placed for \$/)).toBeVisible();
  await expect(dialog).toBeHidden();
});

import i18next from 'i18next';
import { beforeAll, expect, it } from 'vitest';
import { initI18n } from '@/i18n';
import { getEnumTextKey } from '@/table/listDefinition';
import { EVENT_TYPES, WEBHOOK_ACTIONS, WEBHOOKS, type Webhook } from './webhookList';

beforeAll(initI18n);

const ACTION_FLAGS: Webhook['actions'] = {
  editable: true,
  enable: false,
  disable: true,
  test: true,
  rotate_secret: true,
  deletable: true,
};
const getAllowedActionNames = (flags: Webhook['actions']) =>
  WEBHOOK_ACTIONS.filter((action) => action.isAllowedFor({ is_active: true, actions: flags } as Webhook)).map(
    ({ name }) => name,
  );

it('offers the actions that the server allows', () => {
  expect(getAllowedActionNames(ACTION_FLAGS)).toEqual(['disableWebhook', 'deleteWebhook']);
  expect(getAllowedActionNames({ ...ACTION_FLAGS, enable: true, disable: false, deletable: false })).toEqual([
    'enableWebhook',
  ]);
});

it('filters by status and by event type, and has a text for each event type', () => {
  const findFilter = (name: string) => WEBHOOKS.columns.find((column) => column.name === name)?.filter;
  expect(findFilter('status')).toMatchObject({ values: ['active', 'failing', 'disabled', 'auto_disabled'] });
  expect(findFilter('webhook_types')).toMatchObject({ values: EVENT_TYPES, textPrefix: 'eventType' });
  for (const type of EVENT_TYPES) expect(i18next.exists(getEnumTextKey('eventType', type))).toBe(true);
});

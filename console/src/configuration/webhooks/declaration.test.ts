import i18next from 'i18next';
import { beforeAll, expect, it } from 'vitest';
import { initI18n } from '@/i18n';
import { wordKey } from '@/table/listDefinition';
import { EVENTS, WEBHOOK_ACTIONS, WEBHOOKS, type Webhook } from './declaration';

beforeAll(initI18n);

const actions: Webhook['actions'] = {
  editable: true,
  enable: false,
  disable: true,
  test: true,
  rotate_secret: true,
  deletable: true,
};
const offered = (flags: Webhook['actions']) =>
  WEBHOOK_ACTIONS.filter((action) => action.allows({ is_active: true, actions: flags } as Webhook)).map(
    ({ name }) => name,
  );

it('offers what the server flags', () => {
  expect(offered(actions)).toEqual(['disableWebhook', 'deleteWebhook']);
  expect(offered({ ...actions, enable: true, disable: false, deletable: false })).toEqual(['enableWebhook']);
});

it('filters by status and by type of event, each word with its text', () => {
  const filterOf = (name: string) => WEBHOOKS.columns.find((column) => column.name === name)?.filter;
  expect(filterOf('status')).toMatchObject({ words: ['active', 'failing', 'disabled', 'switched_off'] });
  expect(filterOf('webhook_types')).toMatchObject({ words: EVENTS, texts: 'eventType' });
  for (const event of EVENTS) expect(i18next.exists(wordKey('eventType', event))).toBe(true);
});

import { expect, test } from 'vitest';
import type { Schemas } from '@/api/client';
import { collectTargetValues, createTargetFields } from './targetFields';

const createTarget = (
  name: string,
  view_type: Schemas['ViewType'],
  is_required: boolean,
): Schemas['RequestedTarget'] => ({
  name,
  kind: 'keyword',
  view_type,
  is_required,
  values: view_type === 'select' ? ['DE', 'FR'] : [],
  placeholder: null,
  parameter: null,
});

test('converts each target to a field with the name that the server uses', () => {
  const targets = [createTarget('Comments', 'textarea', true), createTarget('Country', 'select', false)];
  const [comments, country] = createTargetFields(targets, 'targets.17', 'Likes');
  expect(comments).toMatchObject({
    name: 'targets.17.Comments',
    label: 'Comments *',
    mode: 'multiline',
    section: 'Likes',
  });
  expect(country).toMatchObject({ name: 'targets.17.Country', label: 'Country' });
  expect(country?.options?.map(({ value }) => value)).toEqual(['', 'DE', 'FR']);
});

test('sends only the values of targets of the service, and no empty values', () => {
  const targets = [createTarget('Comments', 'textarea', true), createTarget('Country', 'select', false)];
  const values = { 'targets.Comments': ' a\nb ', 'targets.Country': '', 'targets.Other': 'x' };
  expect(collectTargetValues(values, targets, 'targets')).toEqual({ Comments: 'a\nb' });
});

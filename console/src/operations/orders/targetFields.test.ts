import { expect, test } from 'vitest';
import type { Schemas } from '@/api/client';
import { targetAnswersOf, targetFields } from './targetFields';

const target = (name: string, view_type: Schemas['ViewType'], is_required: boolean): Schemas['AskedTarget'] => ({
  name,
  kind: 'keyword',
  view_type,
  is_required,
  values: view_type === 'select' ? ['DE', 'FR'] : [],
  placeholder: null,
  parameter: null,
});

test('converts each target to a field with the name that the server uses', () => {
  const targets = [target('Comments', 'textarea', true), target('Country', 'select', false)];
  const [comments, country] = targetFields(targets, 'targets.17', 'Likes');
  expect(comments).toMatchObject({ name: 'targets.17.Comments', label: 'Comments *', mode: 'long', section: 'Likes' });
  expect(country).toMatchObject({ name: 'targets.17.Country', label: 'Country' });
  expect(country?.options?.map(({ value }) => value)).toEqual(['', 'DE', 'FR']);
});

test('sends only answers to targets of the service, and no empty answers', () => {
  const targets = [target('Comments', 'textarea', true), target('Country', 'select', false)];
  const values = { 'targets.Comments': ' a\nb ', 'targets.Country': '', 'targets.Other': 'x' };
  expect(targetAnswersOf(values, targets, 'targets')).toEqual({ Comments: 'a\nb' });
});

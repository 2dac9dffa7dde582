import { expect, test } from 'vitest';
import type { Schemas } from '@/api/client';
import { answerFields, answersOf } from './answers';

const asked = (name: string, view_type: Schemas['ViewType'], is_required: boolean): Schemas['AskedTarget'] => ({
  name,
  kind: 'keyword',
  view_type,
  is_required,
  values: view_type === 'select' ? ['DE', 'FR'] : [],
  placeholder: null,
  parameter: null,
});

test('each target is a field, named as the server names it', () => {
  const asks = [asked('Comments', 'textarea', true), asked('Country', 'select', false)];
  const [comments, country] = answerFields(asks, 'targets.17', 'Likes');
  expect(comments).toMatchObject({ name: 'targets.17.Comments', label: 'Comments *', mode: 'long', part: 'Likes' });
  expect(country).toMatchObject({ name: 'targets.17.Country', label: 'Country' });
  expect(country?.options?.map(({ value }) => value)).toEqual(['', 'DE', 'FR']);
});

test('only what the service asks is sent, and nothing empty', () => {
  const asks = [asked('Comments', 'textarea', true), asked('Country', 'select', false)];
  const values = { 'targets.Comments': ' a\nb ', 'targets.Country': '', 'targets.Other': 'x' };
  expect(answersOf(values, asks, 'targets')).toEqual({ Comments: 'a\nb' });
});

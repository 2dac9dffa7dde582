import { expect, it } from 'vitest';
import { inPart, Problem } from './problem';

it('names the fields of a part of a body as the form does', () => {
  const fields = { 'part.name': ['Give a name.'], 'part.translations.de.name': ['Too long.'], other: ['Remove it.'] };
  const problem = new Problem({ status: 422, code: 'invalid', message: 'Give a name.', fields });
  try {
    inPart('part')(problem);
  } catch (error) {
    expect(error).toMatchObject({ status: 422, code: 'invalid', message: 'Give a name.' });
    expect((error as Problem).fields).toEqual({
      name: ['Give a name.'],
      'translations.de.name': ['Too long.'],
      other: ['Remove it.'],
    });
  }
  expect.assertions(2);
});

it('passes on what is no problem', () => {
  expect(() => inPart('part')(new TypeError('broken'))).toThrow(TypeError);
});

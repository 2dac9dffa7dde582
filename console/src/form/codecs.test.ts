import { describe, expect, it } from 'vitest';
import { type AnyCodec, omitIfEmpty, orDefault } from './codec';
import * as codecs from './codecs';

const {
  checkboxCodec,
  enumCodec,
  enumOrNullCodec,
  commaListCodec,
  fractionAsPercentCodec,
  idListCodec,
  linesCodec,
  manualMoneyCodec,
  moneyCodec,
  quantityCodec,
  rowsCodec,
  translationsCodec,
  timeCodec,
} = codecs;

/** What the user typed, and the value that the codec parses from it. */
const PARSED_INPUTS: readonly (readonly [name: string, codec: AnyCodec<unknown>, input: string, parsed: unknown])[] = [
  ['text', codecs.textCodec, ' a ', ' a '],
  ['text or nothing', codecs.textOrNullCodec, '', null],
  ['trimmed text', codecs.trimmedTextOrNullCodec, ' a ', 'a'],
  ['trimmed text', codecs.trimmedTextOrNullCodec, '  ', null],
  ['money', moneyCodec, '1 234,5', '1234.5'],
  ['money', moneyCodec, '1\u202f234.5', '1234.5'],
  ['money', moneyCodec, '', null],
  ['invalid money', moneyCodec, 'dear', 'dear'],
  ['manual money', manualMoneyCodec, '1 234,5', '1234,5'],
  ['a fraction', fractionAsPercentCodec, '12,5', '0.125'],
  ['a fraction', fractionAsPercentCodec, ' ', null],
  ['an invalid fraction', fractionAsPercentCodec, 'half', 'half'],
  ['a ratio', codecs.ratioCodec, '1,05', '1.05'],
  ['a quantity', quantityCodec, '1 000', 1000],
  ['a quantity', quantityCodec, '0', 0],
  ['a quantity', quantityCodec, ' ', null],
  ['an invalid quantity', quantityCodec, '10x', '10x'],
  ['an id', codecs.idCodec, '7', 7],
  ['no id', codecs.idCodec, '', null],
  ['no id', codecs.idCodec, 'none', null],
  ['an invalid id', codecs.idCodec, '0x1F', '0x1F'],
  ['a quantity with decimals', quantityCodec, '1500.00', '1500.00'],
  ['a quantity with a point as thousands separator', quantityCodec, '1.000', '1.000'],
  ['a quantity in hexadecimal', quantityCodec, '0x1F', '0x1F'],
  ['a quantity with an exponent', quantityCodec, '1e3', '1e3'],
  ['a negative quantity', quantityCodec, '-5', -5],
  ['a fraction without a leading zero', fractionAsPercentCodec, '.5', '0.005'],
  ['a time', timeCodec, '2026-11-21T10:00', '2026-11-21 10:00:00'],
  ['no time', timeCodec, '', null],
  ['a day', codecs.dateCodec, '2026-11-21', '2026-11-21'],
  ['a checked checkbox', checkboxCodec, 'yes', true],
  ['an unchecked checkbox', checkboxCodec, '', false],
  ['a confirmation', codecs.confirmationCodec, 'yes', true],
  ['no confirmation', codecs.confirmationCodec, '', undefined],
  ['texts', translationsCodec, '{"en":{"name":"Gold"}}', { en: { name: 'Gold' } }],
  ['no texts', translationsCodec, '', {}],
  ['a comma-separated list', commaListCodec, 'DE,FR', ['DE', 'FR']],
  ['an empty list', commaListCodec, '', []],
  ['ids', idListCodec, '3,7', [3, 7]],
  ['lines', linesCodec, ' a \n\nb', ['a', 'b']],
  ['a value of an enumeration', enumCodec(['a', 'b']), 'b', 'b'],
  ['an unknown value of an enumeration', enumCodec(['a', 'b']), ' c', 'c'],
  ['no value of an enumeration', enumOrNullCodec(['a', 'b']), '', null],
  ['several values of an enumeration', codecs.enumListCodec(['a', 'b']), 'b,a', ['b', 'a']],
  ['an empty field with a default', orDefault(moneyCodec, '0'), ' ', '0'],
  ['a field with a default', orDefault(quantityCodec, 1), '5', 5],
  ['an empty field that is omitted', omitIfEmpty(quantityCodec), '', undefined],
];

it.each(PARSED_INPUTS)('parses %s', (_, codec, input, parsed) => {
  expect(codec.parse(input)).toEqual(parsed);
});

it.each([
  [quantityCodec, '', null],
  [quantityCodec, '1 000', null],
  [quantityCodec, '12.5', 'wholeNumber'],
  [quantityCodec, '0x1F', 'wholeNumber'],
  [codecs.idCodec, 'x', 'wholeNumber'],
  [orDefault(quantityCodec, 0), 'x', 'wholeNumber'],
  [moneyCodec, ' ', null],
  [moneyCodec, '1 234,5', null],
  [moneyCodec, '.5', null],
  [moneyCodec, '0x1F', 'number'],
  [manualMoneyCodec, '1,234', null],
  [manualMoneyCodec, 'ten', 'number'],
  [fractionAsPercentCodec, 'half', 'number'],
])('validates input %#', (codec, input, error) => {
  expect(codec.validate?.(input)).toBe(error);
});

describe('values of the API', () => {
  const apiValues: readonly (readonly [AnyCodec<unknown>, unknown])[] = [
    [moneyCodec, '0.000001'],
    [moneyCodec, '-1234.5'],
    [fractionAsPercentCodec, '0.0005'],
    [fractionAsPercentCodec, '1'],
    [quantityCodec, 0],
    [quantityCodec, 1_000_000],
    [codecs.idCodec, 7],
    [timeCodec, '2026-11-21 10:00:00'],
    [codecs.dateCodec, '2026-11-21'],
    [checkboxCodec, true],
    [checkboxCodec, false],
    [translationsCodec, { en: { name: 'Gold' } }],
    [commaListCodec, ['DE', 'FR']],
    [idListCodec, [3, 7]],
    [linesCodec, ['a', 'b']],
  ];
  it.each(apiValues)('are unchanged after formatting and parsing %#', (codec, value) => {
    expect(codec.parse(codec.format(value as never))).toEqual(value);
  });

  it('become an empty field if they are missing', () => {
    const { textCodec, idCodec, dateCodec } = codecs;
    for (const codec of [
      textCodec,
      moneyCodec,
      fractionAsPercentCodec,
      quantityCodec,
      idCodec,
      timeCodec,
      dateCodec,
      checkboxCodec,
      commaListCodec,
      linesCodec,
    ]) {
      expect(codec.format(null)).toBe('');
      expect(codec.format(undefined)).toBe('');
    }
  });
});

it.each([
  [moneyCodec, '1.5', '1,50', true],
  [moneyCodec, '1234', '1 234.0', true],
  [moneyCodec, '1.5', '1.51', false],
  [moneyCodec, '', '0', false],
  [moneyCodec, 'x', 'y', false],
  [fractionAsPercentCodec, '12.5', '12,50', true],
  [quantityCodec, '1000', '1 000', true],
  [timeCodec, '2026-11-21T10:00', '2026-11-21T10:00:00', true],
  [timeCodec, '2026-11-21T10:00', '2026-11-21T10:01', false],
  [translationsCodec, '', '{"en":{"name":""}}', true],
  [translationsCodec, '{"en":{"a":"1"},"de":{"a":"2"}}', '{"de":{"a":"2"},"en":{"a":"1"}}', true],
  [translationsCodec, '{"en":{"a":"1"}}', '{"en":{"a":"2"}}', false],
  [codecs.textCodec, 'a', 'a ', false],
])('compares two field texts by their value %#', (codec, firstText, secondText, isSame) => {
  expect([codec.isEqual(firstText, secondText), codec.isEqual(secondText, firstText)]).toEqual([isSame, isSame]);
});

it('converts rows for the body and for the field', () => {
  const services = rowsCodec<number, { id: number; name: string }>(
    ({ id }) => id,
    ({ id, name }) => ({ id, name }),
  );
  const fieldValue = services.format([{ id: 7, name: 'Likes', price: '1' } as { id: number; name: string }]);
  expect(codecs.parseRows(fieldValue)).toEqual([{ id: 7, name: 'Likes' }]);
  expect([services.parse(fieldValue), services.parse(''), services.format(null)]).toEqual([[7], [], '[]']);
});

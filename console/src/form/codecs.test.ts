import { describe, expect, it } from 'vitest';
import { type CodecFor, omitIfEmpty, orDefault } from './codec';
import * as codecs from './codecs';

const {
  checkbox,
  choice,
  choiceOrNull,
  commaList,
  fractionAsPercent,
  ids,
  lines,
  manualMoney,
  money,
  quantity,
  rows,
  texts,
  time,
} = codecs;

/** Inputs of the user, and the values that the codecs parse them to. */
const PARSED_INPUTS: readonly (readonly [name: string, codec: CodecFor<unknown>, input: string, parsed: unknown])[] = [
  ['text', codecs.text, ' a ', ' a '],
  ['text or nothing', codecs.textOrNull, '', null],
  ['trimmed text', codecs.trimmedOrNull, ' a ', 'a'],
  ['trimmed text', codecs.trimmedOrNull, '  ', null],
  ['money', money, '1 234,5', '1234.5'],
  ['money', money, '1\u202f234.5', '1234.5'],
  ['money', money, '', null],
  ['invalid money', money, 'dear', 'dear'],
  ['manual money', manualMoney, '1 234,5', '1234,5'],
  ['a fraction', fractionAsPercent, '12,5', '0.125'],
  ['a fraction', fractionAsPercent, ' ', null],
  ['an invalid fraction', fractionAsPercent, 'half', 'half'],
  ['a ratio', codecs.ratio, '1,05', '1.05'],
  ['a quantity', quantity, '1 000', 1000],
  ['a quantity', quantity, '0', 0],
  ['a quantity', quantity, ' ', null],
  ['an invalid quantity', quantity, '10x', '10x'],
  ['an id', codecs.id, '7', 7],
  ['no id', codecs.id, '', null],
  ['no id', codecs.id, 'none', null],
  ['an invalid id', codecs.id, '0x1F', '0x1F'],
  ['a quantity with decimals', quantity, '1500.00', '1500.00'],
  ['a quantity with a point as thousands separator', quantity, '1.000', '1.000'],
  ['a quantity in hexadecimal', quantity, '0x1F', '0x1F'],
  ['a quantity with an exponent', quantity, '1e3', '1e3'],
  ['a negative quantity', quantity, '-5', -5],
  ['a fraction without a leading zero', fractionAsPercent, '.5', '0.005'],
  ['a time', time, '2026-11-21T10:00', '2026-11-21 10:00:00'],
  ['no time', time, '', null],
  ['a day', codecs.day, '2026-11-21', '2026-11-21'],
  ['a checked checkbox', checkbox, 'yes', true],
  ['an unchecked checkbox', checkbox, '', false],
  ['a confirmation', codecs.confirmation, 'yes', true],
  ['no confirmation', codecs.confirmation, '', undefined],
  ['texts', texts, '{"en":{"name":"Gold"}}', { en: { name: 'Gold' } }],
  ['no texts', texts, '', {}],
  ['a comma-separated list', commaList, 'DE,FR', ['DE', 'FR']],
  ['an empty list', commaList, '', []],
  ['ids', ids, '3,7', [3, 7]],
  ['lines', lines, ' a \n\nb', ['a', 'b']],
  ['a value of an enumeration', choice(['a', 'b']), 'b', 'b'],
  ['an unknown value of an enumeration', choice(['a', 'b']), ' c', 'c'],
  ['no value of an enumeration', choiceOrNull(['a', 'b']), '', null],
  ['several values of an enumeration', codecs.choices(['a', 'b']), 'b,a', ['b', 'a']],
  ['an empty field with a default', orDefault(money, '0'), ' ', '0'],
  ['a field with a default', orDefault(quantity, 1), '5', 5],
  ['an empty field that is omitted', omitIfEmpty(quantity), '', undefined],
];

it.each(PARSED_INPUTS)('parses %s', (_, codec, input, parsed) => {
  expect(codec.parse(input)).toEqual(parsed);
});

it.each([
  [quantity, '', null],
  [quantity, '1 000', null],
  [quantity, '12.5', 'wholeNumber'],
  [quantity, '0x1F', 'wholeNumber'],
  [codecs.id, 'x', 'wholeNumber'],
  [orDefault(quantity, 0), 'x', 'wholeNumber'],
  [money, ' ', null],
  [money, '1 234,5', null],
  [money, '.5', null],
  [money, '0x1F', 'number'],
  [manualMoney, '1,234', null],
  [manualMoney, 'ten', 'number'],
  [fractionAsPercent, 'half', 'number'],
])('validates input %#', (codec, input, error) => {
  expect(codec.validate?.(input)).toBe(error);
});

describe('values of the API', () => {
  const cases: readonly (readonly [CodecFor<unknown>, unknown])[] = [
    [money, '0.000001'],
    [money, '-1234.5'],
    [fractionAsPercent, '0.0005'],
    [fractionAsPercent, '1'],
    [quantity, 0],
    [quantity, 1_000_000],
    [codecs.id, 7],
    [time, '2026-11-21 10:00:00'],
    [codecs.day, '2026-11-21'],
    [checkbox, true],
    [checkbox, false],
    [texts, { en: { name: 'Gold' } }],
    [commaList, ['DE', 'FR']],
    [ids, [3, 7]],
    [lines, ['a', 'b']],
  ];
  it.each(cases)('are unchanged after formatting and parsing %#', (codec, value) => {
    expect(codec.parse(codec.format(value as never))).toEqual(value);
  });

  it('become an empty field when they are missing', () => {
    const { text, id, day } = codecs;
    for (const codec of [text, money, fractionAsPercent, quantity, id, time, day, checkbox, commaList, lines]) {
      expect(codec.format(null)).toBe('');
      expect(codec.format(undefined)).toBe('');
    }
  });
});

it.each([
  [money, '1.5', '1,50', true],
  [money, '1234', '1 234.0', true],
  [money, '1.5', '1.51', false],
  [money, '', '0', false],
  [money, 'x', 'y', false],
  [fractionAsPercent, '12.5', '12,50', true],
  [quantity, '1000', '1 000', true],
  [time, '2026-11-21T10:00', '2026-11-21T10:00:00', true],
  [time, '2026-11-21T10:00', '2026-11-21T10:01', false],
  [texts, '', '{"en":{"name":""}}', true],
  [texts, '{"en":{"a":"1"},"de":{"a":"2"}}', '{"de":{"a":"2"},"en":{"a":"1"}}', true],
  [texts, '{"en":{"a":"1"}}', '{"en":{"a":"2"}}', false],
  [codecs.text, 'a', 'a ', false],
])('compares two texts by their value %#', (codec, first, second, isSame) => {
  expect([codec.equal(first, second), codec.equal(second, first)]).toEqual([isSame, isSame]);
});

it('converts rows for the body and for the field', () => {
  const services = rows<number, { id: number; name: string }>(
    ({ id }) => id,
    ({ id, name }) => ({ id, name }),
  );
  const fieldValue = services.format([{ id: 7, name: 'Likes', price: '1' } as { id: number; name: string }]);
  expect(codecs.parseRows(fieldValue)).toEqual([{ id: 7, name: 'Likes' }]);
  expect([services.parse(fieldValue), services.parse(''), services.format(null)]).toEqual([[7], [], '[]']);
});

/**
 * A typed whole number for the wire, null where nothing is typed. What is no number stays the text that it is: the server
 * refuses it and names the field, whereas JSON would make NaN the null that clears it.
 */
export function wholeOf(value: string): number | null {
  const text = value.replace(/\s/g, '');
  if (text === '') return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : (value.trim() as unknown as number);
}

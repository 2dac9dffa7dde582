// What a service asks its customers beside the address, as fields of a form, and what was typed as the body has it. Pure.
import type { Schemas } from '@/api/client';
import type { FormField } from '@/form/FormDialog';

type Asked = Schemas['AskedTarget'];

const MODES = { textarea: 'long', number_input: 'numeric', float_input: 'decimal', url_input: 'url' } as const;

/** One field for each target, named as the server names what is wrong with it: `targets.Comments`. */
export function answerFields(asks: readonly Asked[], prefix: string, part?: string): FormField[] {
  return asks.map((asked, at): FormField => {
    const mode = MODES[asked.view_type as keyof typeof MODES];
    const options = [
      ...(asked.is_required ? [] : [{ value: '', label: '–' }]),
      ...asked.values.map((value) => ({ value, label: value })),
    ];
    const hint = asked.view_type === 'multiselect' ? asked.values.join(', ') : asked.placeholder;
    return {
      name: `${prefix}.${asked.name}`,
      label: asked.is_required ? `${asked.name} *` : asked.name,
      ...(hint ? { hint } : {}),
      ...(mode ? { mode } : {}),
      ...(asked.view_type === 'select' ? { options } : {}),
      ...(part && at === 0 ? { part } : {}),
    };
  });
}

/** What was answered, by the targets' names; what is empty is left out. */
export function answersOf(
  values: Readonly<Record<string, string>>,
  asks: readonly Asked[],
  prefix: string,
): Record<string, string> {
  const given = asks.map(({ name }) => [name, (values[`${prefix}.${name}`] ?? '').trim()] as const);
  return Object.fromEntries(given.filter(([, value]) => value));
}

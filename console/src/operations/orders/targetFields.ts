// Converts the targets of a service to form fields, and the form values to the target values in a request body.
import type { Schemas } from '@/api/client';
import type { FormField } from '@/form/FormDialog';

type ServiceTarget = Schemas['RequestedTarget'];

const FIELD_MODES = {
  textarea: 'multiline',
  number_input: 'numeric',
  float_input: 'decimal',
  url_input: 'url',
} as const;

/** Returns one field for each target. The server uses the same names, such as `targets.Comments`, as keys of field errors. */
export function createTargetFields(targets: readonly ServiceTarget[], prefix: string, section?: string): FormField[] {
  return targets.map((target, index): FormField => {
    const mode = FIELD_MODES[target.view_type as keyof typeof FIELD_MODES];
    const options = [
      ...(target.is_required ? [] : [{ value: '', label: '–' }]),
      ...target.values.map((value) => ({ value, label: value })),
    ];
    const hint = target.view_type === 'multiselect' ? target.values.join(', ') : target.placeholder;
    return {
      name: `${prefix}.${target.name}`,
      label: target.is_required ? `${target.name} *` : target.name,
      ...(hint ? { hint } : {}),
      ...(mode ? { mode } : {}),
      ...(target.view_type === 'select' ? { options } : {}),
      ...(section && index === 0 ? { section } : {}),
    };
  });
}

/** Returns the value of each target by target name. Empty values are omitted. */
export function collectTargetValues(
  values: Readonly<Record<string, string>>,
  targets: readonly ServiceTarget[],
  prefix: string,
): Record<string, string> {
  const targetValues = targets.map(({ name }) => [name, (values[`${prefix}.${name}`] ?? '').trim()] as const);
  return Object.fromEntries(targetValues.filter(([, value]) => value));
}

// The control of one column's filter, by its kind, and below it what the server refused of it. All of them speak the
// wire's syntax: text, a,b,c or from..to.
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '@/session/hooks';
import type { Filter } from './declare';
import { RecordFilter } from './RecordFilter';
import { RECORDS } from './records';
import { fractions, percents } from './shares';
import { TimeFilter } from './TimeFilter';
import { useDraft } from './useDraft';
import { ChoicesFilter, FlagFilter, WordsFilter } from './WordFilters';

interface Props {
  filter: Filter;
  label: string;
  value: string;
  errors?: readonly string[] | undefined;
  onChange: (value: string, step: boolean) => void;
}

export function FilterControl({ errors = [], ...props }: Props) {
  const id = useId();
  const told = errors.length > 0 ? id : undefined;
  return (
    <>
      <Control {...props} told={told} />
      {told && (
        <small id={told} className="field-error">
          {errors.join(' ')}
        </small>
      )}
    </>
  );
}

/** Where it is told what is wrong with a control; none where nothing is. */
interface Told {
  told: string | undefined;
}

function Control({ filter, label, value, told, onChange }: Omit<Props, 'errors'> & Told) {
  const may = useMay();
  switch (filter.kind) {
    case 'words':
      return <WordsFilter filter={filter} label={label} value={value} onChange={(value) => onChange(value, true)} />;
    case 'choices':
      return <ChoicesFilter of={filter.of} label={label} value={value} onChange={(value) => onChange(value, true)} />;
    case 'flag':
      return <FlagFilter label={label} value={value} onChange={(value) => onChange(value, true)} />;
    case 'time':
      return <TimeFilter label={label} value={value} onChange={(value) => onChange(value, true)} />;
    case 'share':
      return (
        <TextFilter
          kind="number"
          label={`${label}, %`}
          told={told}
          value={percents(value)}
          onChange={(typed, step) => onChange(fractions(typed), step)}
        />
      );
    case 'record':
      if (!may(RECORDS[filter.of].permission))
        return <TextFilter kind="record" label={label} told={told} value={value} onChange={onChange} />;
      return <RecordFilter of={filter.of} label={label} value={value} onChange={(value) => onChange(value, true)} />;
    default:
      return <TextFilter kind={filter.kind} label={label} told={told} value={value} onChange={onChange} />;
  }
}

interface TextProps extends Told {
  /** `record`: by id or a part of its texts, for those who may not look records up. */
  kind: 'text' | 'ids' | 'number' | 'money' | 'record';
  label: string;
  value: string;
  onChange: (value: string, step: boolean) => void;
}

function TextFilter({ kind, label, told, value, onChange }: TextProps) {
  const { t } = useTranslation();
  const { draft, type, commit } = useDraft(value, onChange);
  const isList = kind !== 'text';
  return (
    <input
      className="input"
      aria-label={label}
      aria-invalid={told ? true : undefined}
      aria-describedby={told}
      title={kind === 'record' ? t('table.noLookup') : isList ? t('table.rangeHint') : undefined}
      placeholder={t('table.any')}
      inputMode={isList ? 'text' : 'search'}
      value={draft}
      onChange={(event) => type(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
      // Whoever leaves the field is done: what they typed does not go with a dialog that closes.
      onBlur={commit}
      onPaste={(event) => {
        // A field of one line would glue pasted lines together.
        if (!isList) return;
        const pasted = listed(event.clipboardData.getData('text'));
        if (!pasted.includes(',')) return;
        event.preventDefault();
        type(pasted);
      }}
    />
  );
}

/** Numbers by commas, spaces, tabs or lines, as a comma list. */
export function listed(text: string): string {
  return text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .join(',');
}

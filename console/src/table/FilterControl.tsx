// The control of one column's filter, by its type, with the server's errors below. Every control produces the filter syntax of the
// API: text, a,b,c or from..to.
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useHasPermission } from '@/session/hooks';
import type { Filter } from './listDefinition';
import { fractionsToPercents, percentsToFractions } from './percentFilters';
import { RecordFilter } from './RecordFilter';
import { RECORDS } from './records';
import { TimeFilter } from './TimeFilter';
import { useDebouncedInput } from './useDebouncedInput';
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
  const errorId = errors.length > 0 ? id : undefined;
  return (
    <>
      <Control {...props} errorId={errorId} />
      {errorId && (
        <small id={errorId} className="field-error">
          {errors.join(' ')}
        </small>
      )}
    </>
  );
}

/** Id of the element with the control's errors; undefined without errors. */
interface DescribedBy {
  errorId: string | undefined;
}

function Control({ filter, label, value, errorId, onChange }: Omit<Props, 'errors'> & DescribedBy) {
  const may = useHasPermission();
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
          errorId={errorId}
          value={fractionsToPercents(value)}
          onChange={(typed, step) => onChange(percentsToFractions(typed), step)}
        />
      );
    case 'record':
      if (!may(RECORDS[filter.of].permission))
        return <TextFilter kind="record" label={label} errorId={errorId} value={value} onChange={onChange} />;
      return <RecordFilter of={filter.of} label={label} value={value} onChange={(value) => onChange(value, true)} />;
    default:
      return <TextFilter kind={filter.kind} label={label} errorId={errorId} value={value} onChange={onChange} />;
  }
}

interface TextProps extends DescribedBy {
  /** `record`: by id or a part of its name, for staff without permission to look up records. */
  kind: 'text' | 'ids' | 'number' | 'money' | 'record';
  label: string;
  value: string;
  onChange: (value: string, step: boolean) => void;
}

function TextFilter({ kind, label, errorId, value, onChange }: TextProps) {
  const { t } = useTranslation();
  const { draft, type, commit } = useDebouncedInput(value, onChange);
  const isList = kind !== 'text';
  return (
    <input
      className="input"
      aria-label={label}
      aria-invalid={errorId ? true : undefined}
      aria-describedby={errorId}
      title={kind === 'record' ? t('table.noLookup') : isList ? t('table.rangeHint') : undefined}
      placeholder={t('table.any')}
      inputMode={isList ? 'text' : 'search'}
      value={draft}
      onChange={(event) => type(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
      // Leaving the field commits the input: it is not lost when a dialog closes.
      onBlur={commit}
      onPaste={(event) => {
        // A single-line input would join pasted lines without a separator.
        if (!isList) return;
        const pasted = toCommaList(event.clipboardData.getData('text'));
        if (!pasted.includes(',')) return;
        event.preventDefault();
        type(pasted);
      }}
    />
  );
}

/** Converts numbers separated by commas, spaces, tabs or lines to a comma-separated list. */
export function toCommaList(text: string): string {
  return text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .join(',');
}

// The changes of an audit entry: the first changed field in the table cell, and all of them in a dialog.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SmallTable } from '@/ui/Card';
import { Dialog } from '@/ui/Dialog';
import { type Difference, findDifferences, formatFieldName } from './differences';

interface Props {
  title: string;
  oldValues: unknown;
  newValues: unknown;
}

export function Changes({ title, oldValues, newValues }: Props) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const differences = findDifferences(oldValues, newValues);
  const [firstDifference] = differences;
  if (!firstDifference) return <span className="none">–</span>;
  return (
    <>
      <button type="button" className="changes" onClick={() => setIsOpen(true)} aria-haspopup="dialog">
        <span className="changes-field">{formatFieldName(firstDifference.field)}</span>{' '}
        <DifferenceValues difference={firstDifference} />
        {differences.length > 1 && (
          <span className="changes-more">{t('audit.andMore', { count: differences.length - 1 })}</span>
        )}
      </button>
      {isOpen && (
        <Dialog title={title} wide onClose={() => setIsOpen(false)}>
          <SmallTable
            label={title}
            rows={differences}
            rowKey={(row) => row.field}
            empty=""
            columns={[
              { title: t('audit.field'), cell: (row) => formatFieldName(row.field) },
              { title: t('audit.oldValue'), cell: (row) => <OldValue text={row.oldValue} /> },
              { title: t('audit.newValue'), cell: (row) => <NewValue text={row.newValue} /> },
            ]}
          />
        </Dialog>
      )}
    </>
  );
}

function DifferenceValues({ difference }: { difference: Difference }) {
  return (
    <>
      {difference.oldValue !== null && (
        <>
          <OldValue text={difference.oldValue} /> <i className="pi pi-arrow-right" aria-hidden />{' '}
        </>
      )}
      <NewValue text={difference.newValue} />
    </>
  );
}

function OldValue({ text }: { text: string | null }) {
  return text === null ? <span className="none">–</span> : <del>{text}</del>;
}

function NewValue({ text }: { text: string | null }) {
  return text === null ? <span className="none">–</span> : <ins>{text}</ins>;
}

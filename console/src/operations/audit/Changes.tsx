// The changes of an audit entry. The table cell shows the first changed field, and a dialog shows all of them.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '@/ui/Dialog';
import { SimpleTable } from '@/ui/SimpleTable';
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
          <span className="changes-more">{t('audit.moreChanges', { count: differences.length - 1 })}</span>
        )}
      </button>
      {isOpen && (
        <Dialog title={title} isWide onClose={() => setIsOpen(false)}>
          <SimpleTable
            label={title}
            rows={differences}
            getRowKey={(row) => row.field}
            emptyText=""
            columns={[
              { title: t('audit.field'), renderCell: (row) => formatFieldName(row.field) },
              { title: t('audit.oldValue'), renderCell: (row) => <OldValue text={row.oldValue} /> },
              { title: t('audit.newValue'), renderCell: (row) => <NewValue text={row.newValue} /> },
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

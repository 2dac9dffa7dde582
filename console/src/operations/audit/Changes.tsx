// The changes of an audit entry: the first changed field in the table cell, and all of them in a dialog.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SmallTable } from '@/ui/Card';
import { Dialog } from '@/ui/Dialog';
import { type Difference, differencesOf, fieldLabel } from './differences';

interface Props {
  title: string;
  before: unknown;
  after: unknown;
}

export function Changes({ title, before, after }: Props) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const changes = differencesOf(before, after);
  const [first] = changes;
  if (!first) return <span className="none">–</span>;
  return (
    <>
      <button type="button" className="changes" onClick={() => setOpen(true)} aria-haspopup="dialog">
        <span className="changes-field">{fieldLabel(first.field)}</span> <Values difference={first} />
        {changes.length > 1 && <span className="changes-more">{t('audit.more', { count: changes.length - 1 })}</span>}
      </button>
      {open && (
        <Dialog title={title} wide onClose={() => setOpen(false)}>
          <SmallTable
            label={title}
            rows={changes}
            rowKey={(row) => row.field}
            empty=""
            columns={[
              { title: t('audit.field'), cell: (row) => fieldLabel(row.field) },
              { title: t('audit.before'), cell: (row) => <Before text={row.before} /> },
              { title: t('audit.after'), cell: (row) => <After text={row.after} /> },
            ]}
          />
        </Dialog>
      )}
    </>
  );
}

function Values({ difference }: { difference: Difference }) {
  return (
    <>
      {difference.before !== null && (
        <>
          <Before text={difference.before} /> <i className="pi pi-arrow-right" aria-hidden />{' '}
        </>
      )}
      <After text={difference.after} />
    </>
  );
}

function Before({ text }: { text: string | null }) {
  return text === null ? <span className="none">–</span> : <del>{text}</del>;
}

function After({ text }: { text: string | null }) {
  return text === null ? <span className="none">–</span> : <ins>{text}</ins>;
}

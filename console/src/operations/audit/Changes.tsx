// What an entry changed: the first fields in the row, all of them in a dialog.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '@/ui/Dialog';
import { SmallTable } from '@/ui/Facts';
import { type Difference, differences, words } from './differences';

interface Props {
  title: string;
  before: unknown;
  after: unknown;
}

export function Changes({ title, before, after }: Props) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const found = differences(before, after);
  const [first] = found;
  if (!first) return <span className="none">–</span>;
  return (
    <>
      <button type="button" className="changes" onClick={() => setOpen(true)} aria-haspopup="dialog">
        <span className="changes-field">{words(first.field)}</span> <Values of={first} />
        {found.length > 1 && <span className="changes-more">{t('audit.more', { count: found.length - 1 })}</span>}
      </button>
      {open && (
        <Dialog title={title} wide onClose={() => setOpen(false)}>
          <SmallTable
            label={title}
            rows={found}
            rowKey={(row) => row.field}
            empty=""
            columns={[
              { title: t('audit.field'), cell: (row) => words(row.field) },
              { title: t('audit.before'), cell: (row) => <Before text={row.before} /> },
              { title: t('audit.after'), cell: (row) => <After text={row.after} /> },
            ]}
          />
        </Dialog>
      )}
    </>
  );
}

function Values({ of }: { of: Difference }) {
  return (
    <>
      {of.before !== null && (
        <>
          <Before text={of.before} /> <i className="pi pi-arrow-right" aria-hidden />{' '}
        </>
      )}
      <After text={of.after} />
    </>
  );
}

function Before({ text }: { text: string | null }) {
  return text === null ? <span className="none">–</span> : <del>{text}</del>;
}

function After({ text }: { text: string | null }) {
  return text === null ? <span className="none">–</span> : <ins>{text}</ins>;
}

// Names a view. What was typed stays when the server refuses it.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { asProblem, type Problem } from '@/api/problem';
import { useMay } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { Field, Tick } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';

interface Props {
  view: Pick<Schemas['SavedViewInput'], 'list' | 'query' | 'columns'>;
  onClose: () => void;
  onSaved: () => void;
}

export function SaveViewDialog({ view, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const may = useMay();
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await told(api.POST('/api/v1/admin/saved-views', { body: { ...view, name, is_shared: isShared } }));
      onSaved();
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t('views.save')}
      onClose={onClose}
      footer={
        <>
          <Button label={t('ui.cancel')} onClick={onClose} />
          <Button look="filled" type="submit" form="save-view" label={t('ui.save')} busy={busy} />
        </>
      }
    >
      <form id="save-view" className="form" onSubmit={save}>
        <Field label={t('views.name')} errors={problem?.fields.name}>
          {(given) => (
            <input
              {...given}
              className="input"
              data-autofocus
              maxLength={60}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {may('manage panel settings') && <Tick label={t('views.share')} checked={isShared} onChange={setShared} />}
        {problem && !problem.fields.name && <ProblemBar problem={problem} />}
      </form>
    </Dialog>
  );
}

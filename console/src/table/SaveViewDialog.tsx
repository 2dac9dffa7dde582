// Names a view. What was typed stays when the server refuses it.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { text, tick } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { formOf } from '@/form/spec';
import { useMay } from '@/session/hooks';

const VIEW = formOf<Schemas['SavedViewInput']>()({ name: text, is_shared: tick });

interface Props {
  view: Pick<Schemas['SavedViewInput'], 'list' | 'query' | 'columns'>;
  onClose: () => void;
  onSaved: () => void;
}

export function SaveViewDialog({ view, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <FormDialog
      title={t('views.save')}
      confirm={t('ui.save')}
      fields={[
        { name: 'name', label: t('views.name'), maxLength: 60 },
        ...(may('manage panel settings') ? [{ name: 'is_shared', label: t('views.share') }] : []),
      ]}
      spec={VIEW}
      initial={{}}
      send={({ values }, key) =>
        unwrap(api.POST('/api/v1/admin/saved-views', { body: { ...view, ...VIEW.wholeOf(values) }, ...keyed(key) }))
      }
      onDone={onSaved}
      onClose={onClose}
    />
  );
}

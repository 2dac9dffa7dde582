// Saves the current filters, sort order and columns as a view under a name.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { checkbox, text } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { useHasPermission } from '@/session/hooks';

const VIEW_FORM = defineForm<Schemas['SavedViewInput']>()({ name: text, is_shared: checkbox });

interface Props {
  view: Pick<Schemas['SavedViewInput'], 'list' | 'query' | 'columns'>;
  onClose: () => void;
  onSaved: () => void;
}

export function SaveViewDialog({ view, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  return (
    <FormDialog
      title={t('views.save')}
      confirmLabel={t('ui.save')}
      fields={[
        { name: 'name', label: t('views.name'), maxLength: 60 },
        ...(hasPermission('manage panel settings') ? [{ name: 'is_shared', label: t('views.share') }] : []),
      ]}
      spec={VIEW_FORM}
      initial={{}}
      send={({ values }, key) =>
        unwrap(
          api.POST('/api/v1/admin/saved-views', {
            body: { ...view, ...VIEW_FORM.toBody(values) },
            ...withIdempotencyKey(key),
          }),
        )
      }
      onDone={onSaved}
      onClose={onClose}
    />
  );
}

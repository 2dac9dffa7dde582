// The dialog that saves the current filters, sort order and columns as a view with a name.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { checkboxCodec, textCodec } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { useHasPermission } from '@/session/hooks';

const VIEW_FORM = defineForm<Schemas['SavedViewInput']>()({ name: textCodec, is_shared: checkboxCodec });

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
        ...(hasPermission('manage panel settings') ? [{ name: 'is_shared', label: t('views.shareWithStaff') }] : []),
      ]}
      spec={VIEW_FORM}
      initialValues={{}}
      send={({ values }, idempotencyKey) =>
        unwrap(
          api.POST('/api/v1/admin/saved-views', {
            body: { ...view, ...VIEW_FORM.toBody(values) },
            ...withIdempotencyKey(idempotencyKey),
          }),
        )
      }
      onDone={onSaved}
      onClose={onClose}
    />
  );
}

// The dialog with the HTML snippet that embeds a widget in another site. The dialog shows the snippet as text, and must never render
// it as HTML.
import { useTranslation } from 'react-i18next';
import { asProblem } from '@/api/problem';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { useWidget } from './requests';

export function EmbedDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation();
  const { data, error } = useWidget(id);
  return (
    <Dialog
      title={t('widgets.embedCode')}
      onClose={onClose}
      footer={<Button variant="filled" label={t('ui.close')} onClick={onClose} />}
    >
      {error && <ProblemBar problem={asProblem(error)} />}
      {data && <p>{data.embed ? t('widgets.embedHint', { name: data.name }) : t('widgets.siteUrlMissing')}</p>}
      {data?.embed && (
        <p className="secret">
          <code>{data.embed}</code>
          <CopyButton text={data.embed} label={t('widgets.copyCode')} />
        </p>
      )}
    </Dialog>
  );
}

// Shows new recovery codes, which the user copies or downloads. The server never returns them again.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { download } from '@/ui/download';

export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { t } = useTranslation();
  const text = codes.join('\n');
  const downloadCodes = () => download(new Blob([`${text}\n`], { type: 'text/plain' }), 'recovery-codes.txt');
  return (
    <>
      <p>{t('secondFactor.recoveryCodesText')}</p>
      <ol className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className="record-actions">
        <CopyButton text={text} label={t('secondFactor.copyCodes')} />
        <Button icon="download" label={t('secondFactor.downloadCodes')} onClick={downloadCodes} />
        <Button variant="filled" label={t('secondFactor.confirmCodesSaved')} onClick={onDone} />
      </div>
    </>
  );
}

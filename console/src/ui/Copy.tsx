// A text with a button that copies it.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './Button';
import { toast } from './toasts';

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation();
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      window.setTimeout(() => setDone(false), 1_500);
    } catch {
      toast({ tone: 'error', text: t('ui.copyFailed') });
    }
  };
  return (
    <Button
      className="copy"
      variant="plain"
      iconOnly
      icon={done ? 'check' : 'copy'}
      label={label ?? t('ui.copy', { text })}
      onClick={copy}
    />
  );
}

/** A long text that is truncated in the middle, because URLs often differ at their end. */
export function TruncatedMiddle({ text, maxLength = 44 }: { text: string; maxLength?: number }) {
  if (text.length <= maxLength) return <span>{text}</span>;
  const tail = Math.floor(maxLength / 3);
  return <span title={text}>{`${text.slice(0, maxLength - tail - 1)}…${text.slice(-tail)}`}</span>;
}

// A button that copies text to the clipboard, and a text that is truncated in the middle.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './Button';
import { toast } from './toasts';

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation();
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setIsCopied(true);
      window.setTimeout(() => setIsCopied(false), 1_500);
    } catch {
      toast({ tone: 'error', text: t('ui.copyFailed') });
    }
  };
  return (
    <Button
      className="copy"
      variant="plain"
      iconOnly
      icon={isCopied ? 'check' : 'copy'}
      label={label ?? t('ui.copy', { text })}
      onClick={copy}
    />
  );
}

/** Truncates a long text in the middle and not at its end, because URLs often differ at the end. */
export function MiddleTruncatedText({ text, maxLength = 44 }: { text: string; maxLength?: number }) {
  if (text.length <= maxLength) return <span>{text}</span>;
  const endLength = Math.floor(maxLength / 3);
  return <span title={text}>{`${text.slice(0, maxLength - endLength - 1)}…${text.slice(-endLength)}`}</span>;
}

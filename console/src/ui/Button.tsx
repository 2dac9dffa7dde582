// Buttons. A busy button keeps its width and is disabled; a disabled button can show its reason in a tooltip.
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  label: string;
  icon?: string;
  /** `quiet` has a border, `plain` has none. */
  variant?: 'filled' | 'quiet' | 'plain';
  tone?: 'danger' | undefined;
  /** Shows only the icon; the label is its accessible name. */
  iconOnly?: boolean;
  busy?: boolean;
  /** True, or the reason why it is disabled. */
  disabled?: string | boolean | undefined;
  badge?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({
  label,
  icon,
  variant = 'quiet',
  tone,
  iconOnly,
  busy,
  disabled,
  badge,
  className,
  ...rest
}: Props) {
  const isDisabled = Boolean(disabled) || Boolean(busy);
  const classes = ['button', `button-${variant}`, tone && `button-${tone}`, iconOnly && 'button-icon', className];
  const reason = typeof disabled === 'string' ? disabled : undefined;
  return (
    <button
      type="button"
      {...rest}
      className={classes.filter(Boolean).join(' ')}
      aria-disabled={isDisabled || undefined}
      aria-busy={busy || undefined}
      aria-label={iconOnly ? label : rest['aria-label']}
      // Uses the console's tooltip: the delay of the browser's own cannot be set.
      title={undefined}
      data-tip={reason ?? (iconOnly ? label : rest.title)}
      aria-description={reason ?? rest.title}
      onClick={(event) => (isDisabled ? event.preventDefault() : rest.onClick?.(event))}
    >
      {(icon || busy) && <i className={busy ? 'pi pi-spin pi-spinner' : `pi pi-${icon}`} aria-hidden />}
      {!iconOnly && <span>{label}</span>}
      {badge}
    </button>
  );
}

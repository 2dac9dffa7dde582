// The button of the console. A busy button is disabled and keeps its width. A disabled button can show the reason in its tooltip.
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  label: string;
  icon?: string;
  /** `filled` is the main action of a screen or dialog. `quiet` has only a border, `plain` has neither background nor border. */
  variant?: 'filled' | 'quiet' | 'plain';
  tone?: 'danger' | undefined;
  /** Shows only the icon; the label is its accessible name. */
  iconOnly?: boolean;
  busy?: boolean;
  /** True, or the reason why the button is disabled, which the tooltip shows. */
  disabled?: string | boolean | undefined;
  /** Content after the label. */
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
  ...buttonProps
}: Props) {
  const isDisabled = Boolean(disabled) || Boolean(busy);
  const classes = ['button', `button-${variant}`, tone && `button-${tone}`, iconOnly && 'button-icon', className];
  const reason = typeof disabled === 'string' ? disabled : undefined;
  return (
    <button
      type="button"
      {...buttonProps}
      className={classes.filter(Boolean).join(' ')}
      aria-disabled={isDisabled || undefined}
      aria-busy={busy || undefined}
      aria-label={iconOnly ? label : buttonProps['aria-label']}
      // The console has its own tooltip, because the delay of the browser's tooltip cannot be changed.
      title={undefined}
      data-tip={reason ?? (iconOnly ? label : buttonProps.title)}
      aria-description={reason ?? buttonProps.title}
      onClick={(event) => (isDisabled ? event.preventDefault() : buttonProps.onClick?.(event))}
    >
      {(icon || busy) && <i className={busy ? 'pi pi-spin pi-spinner' : `pi pi-${icon}`} aria-hidden />}
      {!iconOnly && <span>{label}</span>}
      {badge}
    </button>
  );
}

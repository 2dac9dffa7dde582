// Buttons. A busy one keeps its width and cannot be pressed; one that may not be pressed says why.
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  label: string;
  icon?: string;
  /** `plain` has no frame; `quiet` has one. */
  look?: 'filled' | 'quiet' | 'plain';
  tone?: 'danger' | undefined;
  /** Only the icon shows; the label is its name. */
  iconOnly?: boolean;
  busy?: boolean;
  /** Why it cannot be pressed now; nothing when it can. */
  disabled?: string | boolean | undefined;
  badge?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({
  label,
  icon,
  look = 'quiet',
  tone,
  iconOnly,
  busy,
  disabled,
  badge,
  className,
  ...rest
}: Props) {
  const off = Boolean(disabled) || Boolean(busy);
  const classes = ['button', `button-${look}`, tone && `button-${tone}`, iconOnly && 'button-icon', className];
  const why = typeof disabled === 'string' ? disabled : undefined;
  return (
    <button
      type="button"
      {...rest}
      className={classes.filter(Boolean).join(' ')}
      aria-disabled={off || undefined}
      aria-busy={busy || undefined}
      aria-label={iconOnly ? label : rest['aria-label']}
      // Its tooltip instead of the browser's, whose delay a page cannot set.
      title={undefined}
      data-tip={why ?? (iconOnly ? label : rest.title)}
      aria-description={why ?? rest.title}
      onClick={(event) => (off ? event.preventDefault() : rest.onClick?.(event))}
    >
      {(icon || busy) && <i className={busy ? 'pi pi-spin pi-spinner' : `pi pi-${icon}`} aria-hidden />}
      {!iconOnly && <span>{label}</span>}
      {badge}
    </button>
  );
}

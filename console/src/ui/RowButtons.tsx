// The edit and delete buttons at the end of a row in a small table.
import { Button } from './Button';

interface ButtonProps {
  label: string;
  /** Why the button is disabled; without a reason it is enabled. */
  disabled?: string | undefined;
  onClick: () => void;
}

export function RowButtons({ edit, remove }: { edit: ButtonProps; remove: ButtonProps }) {
  return (
    <span className="row-buttons">
      <Button variant="plain" iconOnly icon="pencil" {...edit} />
      <Button variant="plain" iconOnly icon="trash" tone="danger" {...remove} />
    </span>
  );
}

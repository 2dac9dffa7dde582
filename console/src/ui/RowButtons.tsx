// The edit and delete buttons at the end of a small table's row.
import { Button } from './Button';

interface ButtonProps {
  label: string;
  /** The reason why it is disabled. */
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

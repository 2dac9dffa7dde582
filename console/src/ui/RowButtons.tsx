// The edit and delete buttons at the end of a row of a table.
import { Button } from './Button';

interface ButtonProps {
  label: string;
  /** Why the button is disabled. A button without a reason is enabled. */
  disabled?: string | undefined;
  onClick: () => void;
}

export function RowButtons({ editButton, deleteButton }: { editButton: ButtonProps; deleteButton: ButtonProps }) {
  return (
    <span className="row-buttons">
      <Button variant="plain" iconOnly icon="pencil" {...editButton} />
      <Button variant="plain" iconOnly icon="trash" tone="danger" {...deleteButton} />
    </span>
  );
}

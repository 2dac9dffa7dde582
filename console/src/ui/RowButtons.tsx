// The two buttons at the end of a small table's row: change it, and take it away.
import { Button } from './Button';

interface One {
  label: string;
  /** Why it cannot be done now. */
  disabled?: string | undefined;
  onClick: () => void;
}

export function RowButtons({ edit, remove }: { edit: One; remove: One }) {
  return (
    <span className="row-buttons">
      <Button look="plain" iconOnly icon="pencil" {...edit} />
      <Button look="plain" iconOnly icon="trash" tone="danger" {...remove} />
    </span>
  );
}

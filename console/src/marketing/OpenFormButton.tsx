// The name of a record in a list. A click opens the record's form.
interface Props {
  row: { id: number; name: string };
  onOpen: (id: number) => void;
}

export function OpenFormButton({ row, onOpen }: Props) {
  return (
    <button type="button" className="link" onClick={() => onOpen(row.id)}>
      {row.name}
    </button>
  );
}

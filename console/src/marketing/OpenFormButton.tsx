// Shows the name of a record in a list as a button that opens the form of the record.
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

// A record's name in its list, which opens its form.
interface Props {
  row: { id: number; name: string };
  onOpen: (id: number) => void;
}

export function Name({ row, onOpen }: Props) {
  return (
    <button type="button" className="link" onClick={() => onOpen(row.id)}>
      {row.name}
    </button>
  );
}

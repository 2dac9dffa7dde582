/** Hands a file to the person. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has taken it by the next turn; keeping it would keep its memory.
  window.setTimeout(() => URL.revokeObjectURL(link.href), 0);
}

/** Downloads a file in the browser. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The download has started by the next task; without the revocation the file would stay in memory.
  window.setTimeout(() => URL.revokeObjectURL(link.href), 0);
}

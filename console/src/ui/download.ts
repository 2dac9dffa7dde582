/** Starts a download of the file in the browser. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has started the download before the next task runs. The URL is revoked, because the file would otherwise stay in
  // memory.
  window.setTimeout(() => URL.revokeObjectURL(link.href), 0);
}

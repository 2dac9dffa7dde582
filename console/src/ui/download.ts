/** Saves a file through the browser's download. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has started the download before the next task. Without the revocation, the file would stay in memory.
  window.setTimeout(() => URL.revokeObjectURL(link.href), 0);
}

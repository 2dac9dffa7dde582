// Sets the favicon of the panel. If the settings have no favicon, the browser keeps the icon of index.html.
export function setFavicon(url: string | null | undefined): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (!link || !url) return;
  link.removeAttribute('type');
  link.href = url;
}

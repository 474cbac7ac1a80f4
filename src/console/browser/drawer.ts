/** Links with `data-drawer` show their page beside this one. Without script, or if the page cannot be read, they lead there. */
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-drawer]') : null;
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  void read(link.href).then(
    (parts) => open(link.textContent ?? '', parts),
    () => location.assign(link.href),
  );
});

/** The content of a page, without its heading. */
async function read(url: string): Promise<Element[]> {
  const response = await fetch(url);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const parts = [...page.querySelectorAll('main > .page-head ~ *')];
  if (!response.ok || parts.length === 0) throw new Error('The page cannot be shown here');
  return parts;
}

function open(title: string, parts: Element[]): void {
  const drawer = document.createElement('dialog');
  drawer.className = 'drawer stack';
  drawer.setAttribute('aria-label', title);
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'button button--small';
  close.textContent = 'Close';
  close.addEventListener('click', () => drawer.close());
  const heading = document.createElement('h2');
  heading.textContent = title;
  const head = document.createElement('div');
  head.className = 'card-head';
  head.append(heading, close);
  drawer.append(head, ...parts);
  // A click outside of it is a click on the dialog itself.
  drawer.addEventListener('click', ({ target }) => {
    if (target === drawer) drawer.close();
  });
  drawer.addEventListener('close', () => drawer.remove());
  document.body.append(drawer);
  drawer.showModal();
}

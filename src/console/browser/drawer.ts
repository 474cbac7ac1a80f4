/**
 * Links with `data-drawer` open their page in a drawer beside this one. Without script, or if the page cannot be loaded, they are normal
 * links.
 */
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-drawer]') : null;
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  void read(link.href).then(
    (parts) => open(link, parts),
    () => location.assign(link.href),
  );
});

/** Returns the content of a page without its heading. */
async function read(url: string): Promise<Element[]> {
  const response = await fetch(url);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const parts = [...page.querySelectorAll('main > .page-head ~ *')];
  if (!response.ok || parts.length === 0) throw new Error('The page cannot be shown here');
  return parts;
}

function open({ textContent: title, dataset }: HTMLAnchorElement, parts: Element[]): void {
  const drawer = document.createElement('div');
  drawer.className = 'drawer';
  drawer.popover = 'auto';
  drawer.role = 'dialog';
  drawer.ariaLabel = title;
  const heading = document.createElement('h2');
  heading.textContent = title;
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'button button--small row--end';
  close.textContent = dataset.sayClose ?? '';
  close.autofocus = true;
  close.addEventListener('click', () => drawer.hidePopover());
  const head = document.createElement('div');
  head.className = 'row';
  head.append(heading, close);
  const stack = document.createElement('div');
  stack.className = 'stack';
  stack.append(head, ...parts);
  drawer.append(stack);
  drawer.addEventListener('toggle', (event) => {
    if (event.newState === 'closed') drawer.remove();
  });
  document.body.append(drawer);
  drawer.showPopover();
}

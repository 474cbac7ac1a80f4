/** Menus close with Escape, and when the focus or a click goes elsewhere. */
const menus = document.querySelectorAll<HTMLDetailsElement>('details.menu');

for (const menu of menus) {
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.querySelector('summary')?.focus();
  });
  menu.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !menu.contains(relatedTarget)) menu.open = false;
  });
}

document.addEventListener('click', ({ target }) => {
  for (const menu of menus) if (target instanceof Node && !menu.contains(target)) menu.open = false;
});

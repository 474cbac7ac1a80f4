// Loaded by every page of the console.
import './live.ts';
import './copy.ts';

/** Buttons that show what was typed into a password field. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-shows]')) {
  const input = document.getElementById(button.dataset.shows ?? '');
  if (!(input instanceof HTMLInputElement)) continue;
  button.hidden = false;
  button.addEventListener('click', () => {
    const isShown = input.type === 'text';
    input.type = isShown ? 'password' : 'text';
    for (const words of button.children) words.toggleAttribute('hidden');
  });
  // On submit, browsers and password managers must see a password field.
  input.form?.addEventListener('submit', () => {
    input.type = 'password';
  });
}

/** Screen readers do not announce a notice that was part of the page, so this sets its text again after the page was read. */
const notice = document.querySelector('.notice[role="status"] > div');

if (notice) setTimeout(() => notice.replaceChildren(...notice.childNodes), 500);

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

/** Ctrl K or ⌘ K focuses the search from anywhere on the page. */
const searchField = document.querySelector<HTMLInputElement>('[data-find]');

if (searchField) {
  const hint = searchField.parentElement?.querySelector('kbd');
  if (hint) {
    hint.hidden = false;
    if (/Mac/.test(navigator.platform)) hint.textContent = '⌘ K';
  }
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    searchField.focus();
    searchField.select();
  });
}

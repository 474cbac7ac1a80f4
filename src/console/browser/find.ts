/** Ctrl K, or ⌘ K, leads to the search of operators from everywhere on the page. */
const field = document.querySelector<HTMLInputElement>('[data-find]');

if (field) {
  const hint = field.parentElement?.querySelector('kbd');
  if (hint) {
    hint.hidden = false;
    if (/Mac/.test(navigator.platform)) hint.textContent = '⌘ K';
  }
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

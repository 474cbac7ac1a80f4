/** Buttons that show what was typed into a password field. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-shows]')) {
  const input = document.getElementById(button.dataset.shows ?? '');
  const [word] = button.childNodes;
  if (!(input instanceof HTMLInputElement) || !word) continue;
  button.hidden = false;
  button.addEventListener('click', () => {
    const isShown = input.type === 'text';
    input.type = isShown ? 'password' : 'text';
    word.textContent = isShown ? 'Show' : 'Hide';
  });
  // So that browsers and password managers see a password.
  input.form?.addEventListener('submit', () => {
    input.type = 'password';
  });
}

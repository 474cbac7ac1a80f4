/** Takes the set-up code from the URL fragment and removes it there. */
const input = document.getElementById('code');
const code = decodeURIComponent(location.hash.slice(1));

if (input instanceof HTMLInputElement && /^[A-Z0-9-]{8,40}$/i.test(code)) {
  if (input.value === '') input.value = code;
  history.replaceState(null, '', location.pathname);
}

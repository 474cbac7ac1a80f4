import { Icon } from '../layout/icon.tsx';

/** Copies the text of another element, or the value of a field; appears with script only. */
export function Copy({ of, what }: { of: string; what: string }) {
  return (
    <button class="button button--quiet button--small" type="button" data-copies={of} hidden>
      <Icon name="copy" small />
      <span>Copy</span>
      <span class="sr"> {what}</span>
    </button>
  );
}

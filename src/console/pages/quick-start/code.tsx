import type { ComponentChildren } from 'preact';
import { Copy } from '../../parts/copy.tsx';
import type { Snippet } from './snippets.ts';

/** One language at a time. Radio buttons: the choice works without script and stays with the form. */
export function Code({ snippets, language }: { snippets: readonly Snippet[]; language: string }) {
  return (
    <fieldset class="code code-choice">
      <legend class="sr">Language</legend>
      {snippets.map(({ id, label, code }) => (
        <>
          <input type="radio" class="sr" id={`in-${id}`} name="language" value={id} checked={id === language} />
          <label for={`in-${id}`}>{label}</label>
          <div>
            <pre id={`code-${id}`}>{coloured(code)}</pre>
            <Copy of={`code-${id}`} what={`the code for ${label}`} />
          </div>
        </>
      ))}
    </fieldset>
  );
}

/** Texts in quotes, so that the eye finds what is its own. */
function coloured(code: string): ComponentChildren[] {
  return code
    .split(/("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/)
    .map((part, index) => (index % 2 === 1 ? <i key={index}>{part}</i> : part));
}

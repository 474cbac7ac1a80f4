import type { TextChange } from '../../templates/word-diff.ts';

/** Two texts in one: what was removed and what was added. */
export function Diff({ label, changes }: { label: string; changes: readonly TextChange[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll, which needs the keyboard
    <section class="diff" aria-label={label} tabIndex={0}>
      {changes.map(({ kind, text }, index) => {
        const key = `${index} ${kind}`;
        if (kind === 'same') return text;
        return kind === 'added' ? (
          <ins key={key}>
            <span class="sr">added: </span>
            {text}
          </ins>
        ) : (
          <del key={key}>
            <span class="sr">removed: </span>
            {text}
          </del>
        );
      })}
    </section>
  );
}

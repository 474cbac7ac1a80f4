import type { ComponentChildren } from 'preact';
import { t } from '../../language/text.ts';
import { splitAtPlaceholders } from '../../rendering/placeholders.ts';
import type { TextChange } from '../../rendering/word-diff.ts';
import { Icon } from '../layout/icon.tsx';

/** A text of a template as written, with its placeholders marked. */
export function TemplateText({ text }: { text: string }) {
  return (
    <>
      {splitAtPlaceholders(text).map((part, index) =>
        typeof part === 'string' ? (
          part
        ) : (
          <mark key={`${index} ${part.name}`} class="placeholder">
            {part.written}
          </mark>
        ),
      )}
    </>
  );
}

/** A diff of two texts: what was removed and what was added. */
export function Diff({ label, changes }: { label: string; changes: readonly TextChange[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll, which needs the keyboard
    <section class="diff" aria-label={label} tabIndex={0}>
      {changes.map((change, index) => {
        const key = `${index} ${change.kind}`;
        if (change.kind === 'left-out') {
          return (
            <p key={key} class="small muted">
              {t('{count, plural, one {# character is not shown} other {# characters are not shown}}', {
                count: change.characters,
              })}
            </p>
          );
        }
        const { kind, text } = change;
        if (kind === 'same') return text;
        return kind === 'added' ? (
          <ins key={key}>
            <span class="sr">{t('added:')} </span>
            {text}
          </ins>
        ) : (
          <del key={key}>
            <span class="sr">{t('removed:')} </span>
            {text}
          </del>
        );
      })}
    </section>
  );
}

/** Gives a text without translation, such as a name, phone number or email address, its own direction on pages from right to left. */
export function inOwnDirection(content: ComponentChildren) {
  return typeof content === 'string' ? <bdi>{content}</bdi> : content;
}

/** Copies the text of another element or the value of a field. Appears only with script. */
export function Copy({ of, what, label = t('Copy') }: { of: string; what: string; label?: string }) {
  return (
    <button
      class="button button--quiet button--small"
      type="button"
      data-copies={of}
      data-say-copied={t('Copied')}
      data-say-refused={t('Not allowed')}
      hidden
    >
      <Icon name="copy" small />
      <span aria-live="polite">{label}</span>
      <span class="sr"> {what}</span>
    </button>
  );
}

import type { ComponentChildren } from 'preact';
import { t } from '../../language/text.ts';
import { splitAtPlaceholders } from '../../rendering/placeholders.ts';
import type { TextChange } from '../../rendering/word-diff.ts';
import { Icon } from '../layout/icon.tsx';

/** A browser shows a page with several of these at once. Longer texts are those of mistakes and of attacks. */
const maxShown = 50_000;

/** The beginning of a text that may be megabytes long. */
export function LongText({ text }: { text: string }) {
  return (
    <>
      {text.slice(0, maxShown)}
      <NotShown characters={text.length - maxShown} />
    </>
  );
}

function NotShown({ characters }: { characters: number }) {
  if (characters <= 0) return null;
  return (
    <span class="small muted">
      {' '}
      {t('{count, plural, one {# character is not shown} other {# characters are not shown}}', {
        count: characters,
      })}{' '}
    </span>
  );
}

/** The text of a template as written, with its placeholders marked; the beginning of a long one. */
export function TemplateText({ text }: { text: string }) {
  return (
    <>
      {splitAtPlaceholders(text.slice(0, maxShown)).map((part, index) =>
        typeof part === 'string' ? (
          part
        ) : (
          <mark key={`${index} ${part.name}`} class="placeholder">
            {part.written}
          </mark>
        ),
      )}
      <NotShown characters={text.length - maxShown} />
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
        if (change.kind === 'left-out') return <NotShown key={key} characters={change.characters} />;
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

import { T } from '../../../../language/sentence.tsx';
import { t } from '../../../../language/text.ts';
import type { Hint, HintRule } from '../../../../rendering/hints/hint.ts';
import { several } from '../../../money.ts';

interface HintListProps {
  hints: readonly Hint[];
  /** How many hints are hidden. */
  hidden: number;
  /** Hints are hidden per template, so they cannot be hidden before the template exists. */
  canHide: boolean;
}

/** Advice on the text. It does not prevent saving. `browser/editor.ts` selects the words of a hint. */
export function HintList({ hints, hidden, canHide }: HintListProps) {
  return (
    <div id="hints" role="status">
      {hints.length + hidden > 0 && (
        <section class="card card--snug stack stack--tight" aria-labelledby="hints-title">
          <h2 id="hints-title">{hints.length === 0 ? t('No hints') : several(hints.length, 'hint')}</h2>
          {hints.length > 0 && (
            <ul class="stack stack--tight">
              {hints.map((hint) => (
                <li key={hint.rule}>
                  <p dir="auto">{hint.message}</p>
                  <div class="row row--tight">
                    <Place hint={hint} />
                    {canHide && (
                      <button
                        class="button button--quiet button--small"
                        type="submit"
                        name="do"
                        value={`hide-${hint.rule}`}
                      >
                        <T>
                          Do not show again<span class="sr">: {{ message: hint.message }}</span>
                        </T>
                      </button>
                    )}
                  </div>
                </li>
              ))}
            </ul>
          )}
          {hidden > 0 && (
            <div class="row">
              <span class="small muted">
                {t(
                  '{count, plural, one {# hint is hidden for this template.} other {# hints are hidden for this template.}}',
                  {
                    count: hidden,
                  },
                )}
              </span>
              <button class="button button--quiet button--small" type="submit" name="do" value="show-hints">
                {t('Show all hints')}
              </button>
            </div>
          )}
        </section>
      )}
    </div>
  );
}

/** The field to change, for hints that are not about the text itself. */
const otherPlaces: Partial<Record<HintRule, { id: string; name: string }>> = {
  'no-unsubscribe': { id: 'unsubscribe_link', name: 'Go to the unsubscribe link' },
};

function Place({ hint: { rule, field, start, end, message } }: { hint: Hint }) {
  const other = otherPlaces[rule];
  const [id, name] = other
    ? [other.id, other.name]
    : field === 'subject'
      ? ['subject', t('Show in the subject')]
      : ['content', start === null ? t('Go to the message') : t('Show in the message')];
  return (
    <a class="small" href={`#${id}`} data-start={start ?? undefined} data-end={end ?? undefined}>
      {name}
      <span class="sr">: {message}</span>
    </a>
  );
}

import type { Channel } from '../../../../protocol/channels.ts';
import { dearCharacters } from '../../../../rendering/sms/gsm.ts';
import type { FormState } from '../../../page.ts';
import { describedBy, HintAndError } from '../../../parts/field.tsx';

interface TextEditorProps {
  formState: FormState;
  name: string;
  label: string;
  channel: Channel;
  value: string;
  rows: number;
}

/** What a button writes around the selection, or at the beginning of its lines. */
const tools = {
  heading: { label: 'H', name: 'Heading', line: '# ' },
  bullets: { label: '• List', name: 'Bullet list', line: '* ' },
  numbers: { label: '1. List', name: 'Numbered list', line: '1. ' },
  inset: { label: 'Inset', name: 'Inset text', line: '^ ' },
  link: { label: 'Link', name: 'Link', before: '[', after: '](https://)' },
  field: { label: '(( ))', name: 'Placeholder', before: '((', after: '))' },
  optional: { label: '((?))', name: 'Optional text', before: '((name??', after: '))' },
} as const;

const toolsOf: Record<Channel, (keyof typeof tools)[]> = {
  email: ['heading', 'bullets', 'numbers', 'inset', 'link', 'field', 'optional'],
  sms: ['field', 'optional'],
  letter: ['heading', 'bullets', 'numbers', 'field', 'optional'],
};

/** A text area. `browser/editor.ts` adds the buttons and marks placeholders in a layer behind the text. */
export function TextEditor({ formState, name, label, channel, value, rows }: TextEditorProps) {
  const error = formState.problems.get(name);
  const hint = 'Write ((name)) where a value goes, and ((late??text)) for a text that is sent only to some.';
  return (
    <div class={error === undefined ? 'field' : 'field field--error'}>
      <label class="label" for={name}>
        {label}
      </label>
      <HintAndError name={name} hint={hint} error={error} />
      <div class="editor" data-editor>
        <fieldset class="toolbar" aria-label={`Formatting of ${label.toLowerCase()}`} hidden>
          <span>
            {toolsOf[channel].map((tool) => {
              const { label: shown, name: spoken, ...writes } = tools[tool];
              return (
                <button
                  key={tool}
                  type="button"
                  class="button button--small"
                  title={spoken}
                  data-line={'line' in writes ? writes.line : undefined}
                  data-before={'before' in writes ? writes.before : undefined}
                  data-after={'after' in writes ? writes.after : undefined}
                >
                  <span aria-hidden="true">{shown}</span>
                  <span class="sr">{spoken}</span>
                </button>
              );
            })}
          </span>
        </fieldset>
        <div class="area">
          <div class="layer" aria-hidden="true" />
          <textarea
            id={name}
            name={name}
            rows={rows}
            aria-invalid={error === undefined ? undefined : 'true'}
            aria-describedby={describedBy(name, hint, error)}
            data-marks={channel === 'sms' ? dearCharacters : undefined}
          >
            {value}
          </textarea>
        </div>
      </div>
    </div>
  );
}

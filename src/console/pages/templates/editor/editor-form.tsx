import type { Country } from '../../../../countries/country.ts';
import { type Text, t, within } from '../../../../language/text.ts';
import type { Channel } from '../../../../protocol/channels.ts';
import { smsAlphabet } from '../../../../rendering/sms/gsm.ts';
import { postageChoices } from '../../../message-labels.ts';
import type { FormState } from '../../../page.ts';
import { Choices, describedBy, Field, HintAndError } from '../../../parts/field.tsx';
import { isAddressPlaceholder } from '../../quick-start/api-request.ts';
import { OpenFormattingHelp } from '../formatting-help.pages.tsx';
import { conditionalNames, type Editing } from './editor-fields.ts';

interface FormProps {
  country: Country;
  alphabet: Country['sms']['alphabet'];
  formState: FormState;
  editing: Editing;
  placeholders: readonly string[];
}

export function EditorFields({ country, alphabet, formState, editing, placeholders }: FormProps) {
  const { channel, draft: text } = editing;
  const isWelsh = text.letter_languages === 'welsh_then_english';
  return (
    <>
      <input type="hidden" name="draft_id" value={editing.draftId} />
      <input type="hidden" name="version" value={editing.template?.version ?? 0} />
      <input type="hidden" name="folder" value={editing.folder ?? ''} />
      <Field
        formState={formState}
        name="name"
        label={t('Name of the template')}
        hint={t('Only your team can see this.')}
        value={editing.name}
      />
      {isWelsh && (
        <>
          <Field
            formState={formState}
            name="letter_welsh_subject"
            label={t('Heading in Welsh')}
            value={text.letter_welsh_subject ?? ''}
          />
          <TextEditor
            formState={formState}
            name="letter_welsh_content"
            label={t('Message in Welsh')}
            channel={channel}
            alphabet={alphabet}
            value={text.letter_welsh_content ?? ''}
            rows={12}
          />
        </>
      )}
      {channel !== 'sms' && (
        <Field
          formState={formState}
          name="subject"
          label={channel === 'email' ? t('Subject') : isWelsh ? t('Heading in English') : t('Heading')}
          value={text.subject ?? ''}
        />
      )}
      <TextEditor
        formState={formState}
        name="content"
        label={isWelsh ? t('Message in English') : t('Message')}
        channel={channel}
        alphabet={alphabet}
        value={text.content}
        rows={channel === 'sms' ? 8 : 16}
      />
      {channel === 'email' && (
        <label class="choice">
          <input
            type="checkbox"
            id="unsubscribe_link"
            name="unsubscribe_link"
            value="yes"
            checked={text.has_unsubscribe_link}
          />
          <span>{t('Add an unsubscribe link')}</span>
        </label>
      )}
      {channel === 'letter' && <LetterSettings country={country} formState={formState} editing={editing} />}
      <PreviewValues editing={editing} placeholders={placeholders} />
    </>
  );
}

function LetterSettings({ country, formState, editing }: Omit<FormProps, 'alphabet' | 'placeholders'>) {
  return (
    <>
      <Choices
        formState={formState}
        name="postage"
        legend={t('Postage')}
        kind="one"
        chosen={[editing.postage ?? country.postage.default]}
        choices={postageChoices(country)}
      />
      {(country.letter.languages.includes('cy') || editing.draft.letter_languages === 'welsh_then_english') && (
        <Choices
          formState={formState}
          name="languages"
          legend={t('Languages')}
          hint={t(
            'With Welsh, the letter has the Welsh text first and then the English text. Select Preview after a change.',
          )}
          kind="one"
          chosen={[editing.draft.letter_languages ?? 'english']}
          choices={[
            { value: 'english', label: t('English only') },
            { value: 'welsh_then_english', label: t('Welsh, then English') },
          ]}
        />
      )}
    </>
  );
}

/** One field per placeholder. They are sent as two lists of the same length. */
function PreviewValues({ editing, placeholders }: Pick<FormProps, 'editing' | 'placeholders'>) {
  const conditional = conditionalNames(editing);
  const names =
    editing.channel === 'letter'
      ? [...addressLabels.keys(), ...placeholders.filter((name) => !isAddressPlaceholder('letter', name))]
      : placeholders;
  return (
    <div id="values" class="stack">
      {names.length > 0 && (
        <fieldset class="card stack stack--tight">
          <legend class="label">{t('Values for the preview')}</legend>
          <div class="cols cols--narrow">
            {names.map((name, index) => {
              const value = editing.typedValues.get(name) ?? '';
              const id = `value_${index}`;
              return (
                <div class="field" key={name}>
                  <label class="label" for={id} dir="auto">
                    {(editing.channel === 'letter' && addressLabels.get(name)) || name}
                  </label>
                  <input type="hidden" name="names[]" value={name} />
                  {conditional.has(name) ? (
                    <select class="input" id={id} name="values[]">
                      <option value="">{t('Choose')}</option>
                      <option value="yes" selected={value === 'yes'}>
                        {t('Show')}
                      </option>
                      <option value="no" selected={value === 'no'}>
                        {t('Hide')}
                      </option>
                    </select>
                  ) : (
                    <input
                      class="input"
                      id={id}
                      name="values[]"
                      type="text"
                      value={value}
                      autocomplete="off"
                      dir="auto"
                    />
                  )}
                </div>
              );
            })}
          </div>
        </fieldset>
      )}
    </div>
  );
}

const addressLabels = new Map([
  ['address_line_1', t('Address line 1')],
  ['address_line_2', t('Address line 2')],
  ['address_line_3', t('Address line 3')],
  ['postcode', t('Postcode')],
]);

interface TextEditorProps {
  formState: FormState;
  name: string;
  label: Text;
  channel: Channel;
  alphabet: Country['sms']['alphabet'];
  value: string;
  rows: number;
  /** The language of the value, if it differs from that of the page. */
  lang?: string | undefined;
}

/** What a button inserts around the selection, or at the start of its lines. */
const tools = {
  heading: { label: t('H'), name: t('Heading'), line: '# ' },
  bullets: { label: t('• List'), name: t('Bullet list'), line: '* ' },
  numbers: { label: t('1. List'), name: t('Numbered list'), line: '1. ' },
  inset: { label: t('Inset'), name: t('Inset text'), line: '^ ' },
  link: { label: t('Link'), name: t('Link'), before: '[', after: '](https://)' },
  field: { label: '(( ))', name: t('Placeholder'), before: '((', after: '))' },
  optional: { label: '((?))', name: t('Optional text'), before: '((name??', after: '))' },
} as const;

const toolsByChannel: Record<Channel, (keyof typeof tools)[]> = {
  email: ['heading', 'bullets', 'numbers', 'inset', 'link', 'field', 'optional'],
  sms: ['field', 'optional'],
  letter: ['heading', 'bullets', 'numbers', 'field', 'optional'],
};

/** Characters that `browser/editor.ts` marks because they increase the cost. */
function marksOf(alphabet: Country['sms']['alphabet']) {
  const { costly } = smsAlphabet(alphabet);
  return 'characters' in costly ? { 'data-marks': costly.characters } : { 'data-unmarked': costly.allBut };
}

/** A text area. `browser/editor.ts` adds the buttons and marks placeholders in a layer behind the text. */
export function TextEditor({ formState, name, label, channel, alphabet, value, rows, lang }: TextEditorProps) {
  const error = formState.problems.get(name);
  const hint = t(
    'Use ((name)) for something that changes for each person. Use ((late??text)) for text only some people get.',
  );
  return (
    <div class={error === undefined ? 'field' : 'field field--error'}>
      <label class="label" for={name}>
        {label}
      </label>
      <HintAndError name={name} hint={hint} error={error} />
      <OpenFormattingHelp />
      <div class="editor" data-editor>
        <fieldset class="toolbar" aria-label={t('Formatting of {label}', { label: within(label) })} hidden>
          <span>
            {toolsByChannel[channel].map((tool) => {
              const { label: shown, name: accessibleName, ...writes } = tools[tool];
              return (
                <button
                  key={tool}
                  type="button"
                  class="button button--small"
                  title={accessibleName}
                  data-line={'line' in writes ? writes.line : undefined}
                  data-before={'before' in writes ? writes.before : undefined}
                  data-after={'after' in writes ? writes.after : undefined}
                >
                  <span aria-hidden="true">{shown}</span>
                  <span class="sr">{accessibleName}</span>
                </button>
              );
            })}
          </span>
        </fieldset>
        <div class="area">
          <div class="layer" dir="auto" aria-hidden="true" />
          <textarea
            id={name}
            name={name}
            rows={rows}
            dir="auto"
            lang={lang}
            aria-invalid={error === undefined ? undefined : 'true'}
            aria-describedby={describedBy(name, hint, error)}
            {...(channel === 'sms' ? marksOf(alphabet) : {})}
          >
            {value}
          </textarea>
        </div>
      </div>
    </div>
  );
}

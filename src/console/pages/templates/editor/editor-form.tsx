import type { FormState } from '../../../page.ts';
import { Choices } from '../../../parts/choices.tsx';
import { Field } from '../../../parts/field.tsx';
import { conditionalNames, type Editing } from './editor-fields.ts';
import { TextEditor } from './text-editor.tsx';

interface FormProps {
  formState: FormState;
  editing: Editing;
  placeholders: readonly string[];
}

export function EditorFields({ formState, editing, placeholders }: FormProps) {
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
        label="Name of the template"
        hint="Only your team sees it."
        value={editing.name}
      />
      {isWelsh && (
        <>
          <Field
            formState={formState}
            name="letter_welsh_subject"
            label="Heading in Welsh"
            value={text.letter_welsh_subject ?? ''}
          />
          <TextEditor
            formState={formState}
            name="letter_welsh_content"
            label="Message in Welsh"
            channel={channel}
            value={text.letter_welsh_content ?? ''}
            rows={12}
          />
        </>
      )}
      {channel !== 'sms' && (
        <Field
          formState={formState}
          name="subject"
          label={channel === 'email' ? 'Subject' : isWelsh ? 'Heading in English' : 'Heading'}
          value={text.subject ?? ''}
        />
      )}
      <TextEditor
        formState={formState}
        name="content"
        label={isWelsh ? 'Message in English' : 'Message'}
        channel={channel}
        value={text.content}
        rows={channel === 'sms' ? 8 : 16}
      />
      {channel === 'email' && (
        <label class="choice">
          <input type="checkbox" name="unsubscribe_link" value="yes" checked={text.has_unsubscribe_link} />
          <span>Add an unsubscribe link</span>
        </label>
      )}
      {channel === 'letter' && <LetterSettings formState={formState} editing={editing} />}
      <PreviewValues editing={editing} placeholders={placeholders} />
    </>
  );
}

function LetterSettings({ formState, editing }: Omit<FormProps, 'placeholders'>) {
  return (
    <>
      <Choices
        formState={formState}
        name="postage"
        legend="Postage"
        kind="one"
        chosen={[editing.postage ?? 'second']}
        choices={[
          { value: 'first', label: 'First class' },
          { value: 'second', label: 'Second class' },
          { value: 'economy', label: 'Economy' },
        ]}
      />
      <Choices
        formState={formState}
        name="languages"
        legend="Languages"
        hint="With Welsh, the letter has the Welsh text first and then the English one. Press Preview after a change."
        kind="one"
        chosen={[editing.draft.letter_languages ?? 'english']}
        choices={[
          { value: 'english', label: 'English only' },
          { value: 'welsh_then_english', label: 'Welsh, then English' },
        ]}
      />
    </>
  );
}

/** One field per placeholder. They are sent as two lists of the same length. */
function PreviewValues({ editing, placeholders }: Omit<FormProps, 'formState'>) {
  const conditional = conditionalNames(editing);
  const names = editing.channel === 'letter' ? [...addressLines, ...placeholders.filter(isNoAddress)] : placeholders;
  return (
    <div id="values" class="stack">
      {names.length > 0 && (
        <fieldset class="card stack stack--tight">
          <legend class="label">Values for the preview</legend>
          <div class="cols cols--narrow">
            {names.map((name, index) => {
              const value = editing.typedValues.get(name) ?? '';
              const id = `value_${index}`;
              return (
                <div class="field" key={name}>
                  <label class="label" for={id}>
                    {name}
                  </label>
                  <input type="hidden" name="names[]" value={name} />
                  {conditional.has(name) ? (
                    <select class="input" id={id} name="values[]">
                      <option value="">not decided</option>
                      <option value="yes" selected={value === 'yes'}>
                        yes
                      </option>
                      <option value="no" selected={value === 'no'}>
                        no
                      </option>
                    </select>
                  ) : (
                    <input class="input" id={id} name="values[]" type="text" value={value} autocomplete="off" />
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

const addressLines = ['address_line_1', 'address_line_2', 'address_line_3', 'postcode'];
const isNoAddress = (name: string) => !/^(address[ _]?line[ _]?[1-7]|postcode)$/i.test(name);

import type { ComponentChildren } from 'preact';
import { T } from '../../language/sentence.tsx';
import { type Text, t, within } from '../../language/text.ts';
import { Icon } from '../layout/icon.tsx';
import type { FormState } from '../page.ts';
import { inOwnDirection } from './text.tsx';

/** Properties of every field. */
interface FieldBase {
  formState: FormState;
  /** Also the id of the input, which the error summary links to. */
  name: string;
  label: Text;
  hint?: ComponentChildren;
}

export interface FieldProps extends FieldBase {
  /** The name in the form if it differs, for example that of a list. */
  sentAs?: string;
  type?: 'text' | 'email' | 'password' | 'tel' | 'search' | 'url' | 'date';
  /** The value before anything was typed. */
  value?: string | undefined;
  autocomplete?: string;
  inputmode?: 'numeric' | 'text';
  short?: boolean;
  code?: boolean;
  /** The language of the value, if it differs from that of the page. */
  lang?: string | undefined;
  /** A button or link beside the input. */
  beside?: ComponentChildren;
}

/** A labelled input that keeps what was typed and shows its own error. The page never contains a password that was typed. */
export function Field({
  formState,
  name,
  label,
  hint,
  type = 'text',
  value,
  beside,
  sentAs = name,
  ...more
}: FieldProps) {
  const { autocomplete, inputmode, short, code, lang } = more;
  const classes = ['input', short && 'input--short', code && 'input--code'].filter(Boolean).join(' ');
  const input = (
    <input
      class={classes}
      id={name}
      name={sentAs}
      type={type}
      value={type === 'password' ? undefined : (typedText(formState, name) ?? value)}
      dir={type === 'text' || type === 'search' ? 'auto' : undefined}
      lang={lang}
      autocomplete={autocomplete}
      inputMode={inputmode}
      {...explained(formState, name, hint)}
      spellcheck={false}
    />
  );
  return (
    <Labelled formState={formState} name={name} label={label} hint={hint}>
      {beside ? (
        <div class="row">
          {input}
          {beside}
        </div>
      ) : (
        input
      )}
    </Labelled>
  );
}

interface PasswordProps extends FieldBase {
  autocomplete: 'current-password' | 'new-password';
}

/** The button appears only with script, because it does nothing without. */
export function PasswordField(props: PasswordProps) {
  return (
    <Field
      {...props}
      type="password"
      beside={
        <button class="button" type="button" data-shows={props.name} hidden>
          <span>
            <T>
              Show<span class="sr"> {{ label: within(props.label) }}</span>
            </T>
          </span>
          <span hidden>
            <T>
              Hide<span class="sr"> {{ label: within(props.label) }}</span>
            </T>
          </span>
        </button>
      }
    />
  );
}

interface FileFieldProps extends FieldBase {
  /** File extensions, such as `.csv,.xlsx`. */
  accept: string;
}

/**
 * Must be the last field of a form with `enctype="multipart/form-data"`; its name is that of the page's `file`. If the form is rejected,
 * the browser forgets the file.
 */
export function FileField({ formState, name, label, hint, accept }: FileFieldProps) {
  return (
    <Labelled formState={formState} name={name} label={label} hint={hint}>
      <input class="input" id={name} name={name} type="file" accept={accept} {...explained(formState, name, hint)} />
    </Labelled>
  );
}

interface TextAreaProps extends FieldBase {
  rows: number;
  value?: string;
}

/** Like `Field`, with several lines. */
export function TextArea({ formState, name, label, hint, rows, value = '' }: TextAreaProps) {
  return (
    <Labelled formState={formState} name={name} label={label} hint={hint}>
      <textarea
        class="input"
        id={name}
        name={name}
        rows={rows}
        dir="auto"
        {...explained(formState, name, hint)}
        spellcheck={false}
      >
        {typedText(formState, name) ?? value}
      </textarea>
    </Labelled>
  );
}

interface SelectProps extends FieldBase {
  /** `lang` is for labels in another language than the page. */
  choices: readonly { value: string; label: string; lang?: string }[];
  /** Selected before the form is submitted. */
  value?: string;
  short?: boolean;
  /** The name in the form if it differs. */
  sentAs?: string;
}

/** A drop-down list. For a few options, use `Choices`, which shows all of them. */
export function Select({ formState, name, label, hint, choices, value, short, sentAs = name }: SelectProps) {
  const current = typedText(formState, name) ?? value;
  return (
    <Labelled formState={formState} name={name} label={label} hint={hint}>
      <select
        class={short ? 'input input--short' : 'input'}
        id={name}
        name={sentAs}
        {...explained(formState, name, hint)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} lang={choice.lang} selected={choice.value === current}>
            {choice.label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

interface Choice {
  value: string;
  label: ComponentChildren;
  hint?: ComponentChildren;
}

interface ChoicesProps extends Omit<FieldBase, 'label'> {
  legend: Text;
  /** `several`: checkboxes, sent as a list under the name with `[]`. */
  kind: 'one' | 'several';
  choices: readonly Choice[];
  /** Selected before the form is submitted. */
  chosen?: readonly string[];
}

/** Radio buttons or checkboxes, as one group with a legend. */
export function Choices({ formState, name, legend, hint, kind, choices, chosen = [] }: ChoicesProps) {
  const error = formState.problems.get(name);
  const typed = formState.typed.get(name);
  const current = typed === undefined && formState.problems.size === 0 ? chosen : [typed ?? []].flat();
  return (
    <fieldset
      class={error === undefined ? 'choices' : 'choices field--error'}
      aria-describedby={describedBy(name, hint, error)}
    >
      <legend class="label">{legend}</legend>
      <HintAndError name={name} hint={hint} error={error} />
      {choices.map(({ value, label, hint: more }, index) => (
        <label key={value} class="choice">
          <input
            id={index === 0 ? name : undefined}
            type={kind === 'one' ? 'radio' : 'checkbox'}
            name={kind === 'one' ? name : `${name}[]`}
            value={value}
            checked={current.includes(value)}
          />
          <span>{label}</span>
          {more && <span class="hint">{inOwnDirection(more)}</span>}
        </label>
      ))}
    </fieldset>
  );
}

/** A control with its label, hint and error. */
function Labelled({ formState, name, label, hint, children }: FieldBase & { children: ComponentChildren }) {
  const error = formState.problems.get(name);
  return (
    <div class={error === undefined ? 'field' : 'field field--error'}>
      <label class="label" for={name}>
        {label}
      </label>
      <HintAndError name={name} hint={hint} error={error} />
      {children}
    </div>
  );
}

/** The attributes that connect a control to its hint and error. */
function explained({ problems }: FormState, name: string, hint: ComponentChildren) {
  const error = problems.get(name);
  return {
    'aria-invalid': error === undefined ? undefined : ('true' as const),
    'aria-describedby': describedBy(name, hint, error),
  };
}

function typedText({ typed }: FormState, name: string): string | undefined {
  const text = typed.get(name);
  return typeof text === 'string' ? text : undefined;
}

export function HintAndError({
  name,
  hint,
  error,
}: {
  name: string;
  hint: ComponentChildren;
  error: string | undefined;
}) {
  return (
    <>
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="error" id={`${name}-error`}>
          <Icon name="failed" />
          <span>
            <span class="sr">{t('Error:')} </span>
            {error}
          </span>
        </p>
      )}
    </>
  );
}

/** Returns the ids of the texts that describe an input. */
export function describedBy(name: string, hint: ComponentChildren, error: string | undefined): string | undefined {
  const ids = [hint && `${name}-hint`, error !== undefined && `${name}-error`].filter(Boolean);
  return ids.length > 0 ? ids.join(' ') : undefined;
}

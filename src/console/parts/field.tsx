import type { ComponentChildren } from 'preact';
import { Icon } from '../layout/icon.tsx';
import type { FormState } from '../page.ts';

interface FieldProps {
  formState: FormState;
  /** Also the id of the input, which the error summary links to. */
  name: string;
  /** Another name in the form, such as that of a list. */
  sentAs?: string;
  label: string;
  hint?: ComponentChildren;
  type?: 'text' | 'email' | 'password' | 'tel' | 'search' | 'url' | 'date';
  /** The value before anything was typed. */
  value?: string | undefined;
  autocomplete?: string;
  inputmode?: 'numeric' | 'text';
  short?: boolean;
  code?: boolean;
  /** A button or link beside the input. */
  beside?: ComponentChildren;
}

/** A labelled input that keeps what was typed and shows its own error. A password is never sent back to the page. */
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
  const { autocomplete, inputmode, short, code } = more;
  const error = formState.problems.get(name);
  const typed = formState.typed.get(name);
  const classes = ['input', short && 'input--short', code && 'input--code'].filter(Boolean).join(' ');
  const input = (
    <input
      class={classes}
      id={name}
      name={sentAs}
      type={type}
      value={type === 'password' ? undefined : typeof typed === 'string' ? typed : value}
      autocomplete={autocomplete}
      inputMode={inputmode}
      aria-invalid={error === undefined ? undefined : 'true'}
      aria-describedby={describedBy(name, hint, error)}
      spellcheck={false}
    />
  );
  return (
    <div class={error === undefined ? 'field' : 'field field--error'}>
      <label class="label" for={name}>
        {label}
      </label>
      <HintAndError name={name} hint={hint} error={error} />
      {beside ? (
        <div class="row">
          {input}
          {beside}
        </div>
      ) : (
        input
      )}
    </div>
  );
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
            <span class="sr">Error: </span>
            {error}
          </span>
        </p>
      )}
    </>
  );
}

/** The ids of the texts that explain an input. */
export function describedBy(name: string, hint: ComponentChildren, error: string | undefined): string | undefined {
  const ids = [hint && `${name}-hint`, error !== undefined && `${name}-error`].filter(Boolean);
  return ids.length > 0 ? ids.join(' ') : undefined;
}

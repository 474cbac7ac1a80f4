import type { ComponentChildren } from 'preact';
import type { FormState } from '../page.ts';
import { describedBy, HintAndError } from './field.tsx';

interface TextAreaProps {
  formState: FormState;
  name: string;
  label: string;
  hint?: ComponentChildren;
  rows: number;
  value?: string;
}

/** Like `Field`, with several lines. */
export function TextArea({ formState, name, label, hint, rows, value = '' }: TextAreaProps) {
  const error = formState.problems.get(name);
  const typed = formState.typed.get(name);
  return (
    <div class={error === undefined ? 'field' : 'field field--error'}>
      <label class="label" for={name}>
        {label}
      </label>
      <HintAndError name={name} hint={hint} error={error} />
      <textarea
        class="input"
        id={name}
        name={name}
        rows={rows}
        aria-invalid={error === undefined ? undefined : 'true'}
        aria-describedby={describedBy(name, hint, error)}
        spellcheck={false}
      >
        {typeof typed === 'string' ? typed : value}
      </textarea>
    </div>
  );
}

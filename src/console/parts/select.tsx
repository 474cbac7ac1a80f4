import type { ComponentChildren } from 'preact';
import type { FormState } from '../page.ts';
import { describedBy, HintAndError } from './field.tsx';

interface SelectProps {
  formState: FormState;
  name: string;
  label: string;
  hint?: ComponentChildren;
  choices: readonly { value: string; label: string }[];
  /** Chosen before anything was sent. */
  value?: string;
  short?: boolean;
}

/** One of many; few choices are better seen at once, see `Choices`. */
export function Select({ formState, name, label, hint, choices, value, short }: SelectProps) {
  const error = formState.problems.get(name);
  const typed = formState.typed.get(name);
  const current = typeof typed === 'string' ? typed : value;
  return (
    <div class={error === undefined ? 'field' : 'field field--error'}>
      <label class="label" for={name}>
        {label}
      </label>
      <HintAndError name={name} hint={hint} error={error} />
      <select
        class={short ? 'input input--short' : 'input'}
        id={name}
        name={name}
        aria-invalid={error === undefined ? undefined : 'true'}
        aria-describedby={describedBy(name, hint, error)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === current}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  );
}

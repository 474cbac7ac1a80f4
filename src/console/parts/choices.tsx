import type { ComponentChildren } from 'preact';
import type { FormState } from '../page.ts';
import { describedBy, HintAndError } from './field.tsx';

interface Choice {
  value: string;
  label: ComponentChildren;
  hint?: ComponentChildren;
}

interface ChoicesProps {
  formState: FormState;
  name: string;
  legend: string;
  hint?: ComponentChildren;
  /** `several`: ticks, sent as a list under the name with `[]`. */
  kind: 'one' | 'several';
  choices: readonly Choice[];
  /** Chosen before anything was sent. */
  chosen?: readonly string[];
}

/** Radio buttons or ticks, as one group with a legend. */
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
          {more && <span class="hint">{more}</span>}
        </label>
      ))}
    </fieldset>
  );
}

import type { ComponentChildren } from 'preact';
import type { FormState } from '../page.ts';
import { Field } from './field.tsx';

interface PasswordProps {
  formState: FormState;
  name: string;
  label: string;
  hint?: ComponentChildren;
  autocomplete: 'current-password' | 'new-password';
}

/** The button appears with script only: without it, it could do nothing. */
export function PasswordField(props: PasswordProps) {
  return (
    <Field
      {...props}
      type="password"
      beside={
        <button class="button" type="button" data-shows={props.name} hidden>
          Show<span class="sr"> {props.label.toLowerCase()}</span>
        </button>
      }
    />
  );
}

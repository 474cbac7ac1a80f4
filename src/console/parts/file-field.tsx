import type { ComponentChildren } from 'preact';
import type { FormState } from '../page.ts';
import { describedBy, HintAndError } from './field.tsx';

interface FileFieldProps {
  formState: FormState;
  /** That of the page's `file`. */
  name: string;
  label: string;
  hint?: ComponentChildren;
  /** File extensions, such as `.csv,.xlsx`. */
  accept: string;
}

/** The last field of its form, which has `enctype="multipart/form-data"`. A browser forgets the file when it is refused. */
export function FileField({ formState, name, label, hint, accept }: FileFieldProps) {
  const error = formState.problems.get(name);
  return (
    <div class={error === undefined ? 'field' : 'field field--error'}>
      <label class="label" for={name}>
        {label}
      </label>
      <HintAndError name={name} hint={hint} error={error} />
      <input
        class="input"
        id={name}
        name={name}
        type="file"
        accept={accept}
        aria-invalid={error === undefined ? undefined : 'true'}
        aria-describedby={describedBy(name, hint, error)}
      />
    </div>
  );
}

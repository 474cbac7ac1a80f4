import type { ComponentChildren } from 'preact';
import { asIs, t } from '../../language/text.ts';
import type { FormState } from '../page.ts';
import { Field, Select } from './field.tsx';

interface PlaceholderFieldProps {
  formState: FormState;
  index: number;
  name: string;
  value: string;
  /** Whether it only shows or hides text. */
  isCondition: boolean;
  hint?: ComponentChildren;
}

/** The value of a placeholder. Names and values are parallel lists in the form. */
export function PlaceholderField({ index, name, isCondition, ...more }: PlaceholderFieldProps) {
  const field = { ...more, name: `value_${index}`, sentAs: 'values[]', label: asIs(name) };
  return (
    <div>
      <input type="hidden" name="names[]" value={name} />
      {isCondition ? (
        <Select
          {...field}
          choices={[
            { value: '', label: t('Choose') },
            { value: 'yes', label: t('Show') },
            { value: 'no', label: t('Hide') },
          ]}
        />
      ) : (
        <Field {...field} autocomplete="off" />
      )}
    </div>
  );
}

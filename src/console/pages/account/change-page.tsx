import type { ComponentChildren } from 'preact';
import { Type } from 'typebox';
import type { FormState, View } from '../../page.ts';
import { PasswordField } from '../../parts/password-field.tsx';

export const currentPassword = Type.String({ maxLength: 1_000 });
export const needsPassword = { current_password: 'Enter your current password.' };

/** A page that changes one thing of the account. `back`: where Cancel leads. */
export function changePage(title: string, action: string, fields: ComponentChildren, back = '/account'): View {
  return {
    title,
    crumbs: [{ label: 'Your account', to: '/account' }],
    content: (
      <form class="stack measure" method="post" noValidate>
        {fields}
        <div class="row">
          <button class="button button--primary" type="submit">
            {action}
          </button>
          <a class="button button--quiet" href={`/console${back}`}>
            Cancel
          </a>
        </div>
      </form>
    ),
  };
}

export function CurrentPassword({ formState }: { formState: FormState }) {
  return (
    <PasswordField
      formState={formState}
      name="current_password"
      label="Current password"
      autocomplete="current-password"
    />
  );
}

import type { ComponentChildren } from 'preact';
import type { FormState } from '../page.ts';
import { HintAndError } from './field.tsx';
import { Notice } from './notice.tsx';

interface TouchKeyProps {
  formState: FormState;
  /** Whether the browser registers a key, or asks for one that is registered. */
  task: 'create' | 'get';
  /** The page that says what the key has to sign, below /console. */
  options: string;
  label: string;
  /** Beside the button. */
  children?: ComponentChildren;
}

/** A button that opens the browser's dialog for security keys and sends the answer of the key as a form. */
export function TouchKey({ formState, task, options, label, children }: TouchKeyProps) {
  const error = formState.problems.get('response');
  return (
    <form class="stack" method="post" data-security-key={task} data-options={`/console${options}`} noValidate>
      <input type="hidden" name="response" />
      <div data-problem>
        <Notice tone="amber">
          <span>Security keys need JavaScript. Allow it for this page, then open the page again.</span>
        </Notice>
      </div>
      <HintAndError name="response" hint={undefined} error={error} />
      <div class="row">
        <button class="button button--primary" type="button" id="response" hidden>
          {label}
        </button>
        {children}
      </div>
    </form>
  );
}

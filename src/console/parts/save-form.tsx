import type { ComponentChildren } from 'preact';

interface SaveFormProps {
  /** The fields. */
  children: ComponentChildren;
  action?: string;
  /** It destroys something: the button is red. */
  danger?: boolean;
  /** Where "Cancel" leads, below /console. */
  back: string;
  /** The address that the form is sent to, if it is not that of the page. */
  to?: string;
  /** The last field is a file. */
  withFile?: boolean;
}

/** The form of a page that changes one thing, with a way out. */
export function SaveForm({ children, action = 'Save', danger, back, to, withFile }: SaveFormProps) {
  return (
    <form
      class="stack measure"
      method="post"
      action={to}
      encType={withFile ? 'multipart/form-data' : undefined}
      noValidate
    >
      {children}
      <div class="row">
        <button class={danger ? 'button button--danger' : 'button button--primary'} type="submit">
          {action}
        </button>
        <a class="button button--quiet" href={`/console${back}`}>
          Cancel
        </a>
      </div>
    </form>
  );
}

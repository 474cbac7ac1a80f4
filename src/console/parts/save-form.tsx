import type { ComponentChildren } from 'preact';

interface SaveFormProps {
  /** The fields. */
  children: ComponentChildren;
  action?: string;
  /** Where "Cancel" leads, below /console. */
  back: string;
  /** The address that the form is sent to, if it is not that of the page. */
  to?: string;
}

/** The form of a page that changes one thing, with a way out. */
export function SaveForm({ children, action = 'Save', back, to }: SaveFormProps) {
  return (
    <form class="stack measure" method="post" action={to} noValidate>
      {children}
      <div class="row">
        <button class="button button--primary" type="submit">
          {action}
        </button>
        <a class="button button--quiet" href={`/console${back}`}>
          Cancel
        </a>
      </div>
    </form>
  );
}

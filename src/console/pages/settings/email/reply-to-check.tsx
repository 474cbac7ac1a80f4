import { Status } from '../../../parts/status.tsx';

export type CheckState = 'waiting' | 'delivered' | 'failed';

interface ReplyToCheckProps {
  checked: { email_address: string };
  state: CheckState;
  list: string;
}

/** What became of the test email, and what to do next. */
export function ReplyToCheck({ checked: { email_address }, state, list }: ReplyToCheckProps) {
  if (state === 'delivered') {
    return (
      <form class="stack measure" method="post">
        <p role="status">
          <Status kind="delivered">Delivered</Status> The test email reached {email_address}.
        </p>
        <div>
          <button class="button button--primary" type="submit">
            Add the address
          </button>
        </div>
      </form>
    );
  }
  return (
    <div class="stack measure">
      <p role="status">
        {state === 'waiting' ? (
          <>
            <Status kind="sending">Sending</Status> A test email is on its way to {email_address}. That can take some
            seconds; reload the page if it does not change.
          </>
        ) : (
          <>
            <Status kind="failed">Failed</Status> The test email did not reach {email_address}.
          </>
        )}
      </p>
      <p class="row">
        <a class="button" href={`${list}/add`}>
          Try again or use another address
        </a>
        <a href={list}>Reply-to addresses</a>
      </p>
    </div>
  );
}

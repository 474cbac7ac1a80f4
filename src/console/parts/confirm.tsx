import type { ComponentChildren } from 'preact';

interface ConfirmProps {
  /** The button that asks, such as "Revoke". */
  label: ComponentChildren;
  /** What will happen. */
  children: ComponentChildren;
  /** The button that does it; names the thing. */
  action: string;
  /** The address that the form is sent to. */
  to: string;
  fields?: Record<string, string>;
}

/** Asks on the same page before it destroys something; works without script. */
export function Confirm({ label, children, action, to, fields = {} }: ConfirmProps) {
  return (
    <details class="confirm">
      <summary class="button button--small button--danger">{label}</summary>
      <form class="stack stack--tight" method="post" action={to}>
        <p>{children}</p>
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div>
          <button class="button button--danger" type="submit">
            {action}
          </button>
        </div>
      </form>
    </details>
  );
}

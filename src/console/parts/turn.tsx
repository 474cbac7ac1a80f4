import { Icon } from '../layout/icon.tsx';

interface TurnProps {
  /** Undefined at the end of the row of things. */
  to: string | undefined;
  icon: 'left' | 'right';
  label: string;
}

/** Leads to the page or row before or after the one that is shown. */
export function Turn({ to, icon, label }: TurnProps) {
  const content = (
    <>
      <Icon name={icon} />
      <span class="sr">{label}</span>
    </>
  );
  if (to === undefined) {
    return (
      <button class="button button--icon button--small" type="button" disabled>
        {content}
      </button>
    );
  }
  return (
    <a class="button button--icon button--small" href={to}>
      {content}
    </a>
  );
}

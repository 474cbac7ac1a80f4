interface PersonState {
  state: 'active' | 'pending' | 'inactive';
  platform_admin: boolean;
  read_only_operator?: boolean;
  locked: boolean;
}

/** What is unusual about an account. */
export function PersonBadges({ state, platform_admin, read_only_operator, locked }: PersonState) {
  const badges: [isShown: boolean, tone: string, text: string][] = [
    [platform_admin, 'tone-blue', 'Platform administrator'],
    [read_only_operator === true && !platform_admin, 'tone-blue', 'Read-only operator'],
    [locked, 'tone-red', 'Locked out'],
    [state === 'pending', 'tone-amber', 'Not confirmed'],
    [state === 'inactive', '', 'Archived'],
  ];
  const shown = badges.filter(([isShown]) => isShown);
  if (shown.length === 0) return <span class="muted">Active</span>;
  return (
    <span class="row row--tight">
      {shown.map(([, tone, text]) => (
        <span key={text} class={`badge ${tone}`}>
          {text}
        </span>
      ))}
    </span>
  );
}

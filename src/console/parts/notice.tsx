import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../layout/icon.tsx';

type Tone = 'blue' | 'green' | 'amber' | 'red';

const icons: Record<Tone, IconName> = { blue: 'info', green: 'check', amber: 'warning', red: 'failed' };

export function Notice({ tone = 'blue', children }: { tone?: Tone; children: ComponentChildren }) {
  return (
    <div class={`notice tone-${tone}`} role={tone === 'green' ? 'status' : undefined}>
      <Icon name={icons[tone]} />
      <div>{children}</div>
    </div>
  );
}

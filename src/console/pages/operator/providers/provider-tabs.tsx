import { Tabs } from '../../../parts/tabs.tsx';

export function ProviderTabs({ current }: { current: 'providers' | 'numbers' }) {
  return (
    <Tabs
      name="Providers"
      tabs={[
        { label: 'Providers', to: '/console/operator/providers', isCurrent: current === 'providers' },
        { label: 'Inbound numbers', to: '/console/operator/inbound-numbers', isCurrent: current === 'numbers' },
      ]}
    />
  );
}

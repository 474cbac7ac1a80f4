interface NextStep {
  title: string;
  text: string;
  /** Below /console, as the page is declared. */
  path: string;
}

const steps: NextStep[] = [
  { title: 'Add a service', text: 'Own name, team, templates and limits.', path: '/services/add' },
  {
    title: 'Look into the sandbox',
    text: 'Emails, texts and letters as their recipients would see them.',
    path: '/sandbox',
  },
  {
    title: 'Receive callbacks',
    text: 'We tell your system what became of each message.',
    path: '/services/:service_id/integration/callbacks',
  },
  {
    title: 'See every message',
    text: 'What was sent, to whom, and what became of it.',
    path: '/services/:service_id/messages',
  },
];

interface NextStepsProps {
  serviceId: string;
  /** Whether the visitor can open the page. */
  has(path: string): boolean;
}

export function NextSteps({ serviceId, has }: NextStepsProps) {
  return (
    <ul class="cols even">
      {steps
        .filter(({ path }) => has(path))
        .map(({ title, text, path }) => (
          <li key={title} class="card card--snug">
            <h3>
              <a href={`/console${path.replace(':service_id', serviceId)}`}>{title}</a>
            </h3>
            <p class="small muted">{text}</p>
          </li>
        ))}
      <li class="card card--snug">
        <h3>Test in your build</h3>
        <p class="small muted">
          Start one with <code>pennypost sandbox</code>, ask it what arrived.
        </p>
      </li>
    </ul>
  );
}

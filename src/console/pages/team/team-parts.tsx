import { Icon } from '../../layout/icon.tsx';
import { Time } from '../../parts/time.tsx';

interface JoinRequestsProps {
  service: { id: string };
  visitorId: string;
  requests: readonly {
    id: string;
    name: string;
    email_address: string;
    created_at: string;
    contacted_user_ids: string[];
  }[];
  now: Date;
}

/** Only those who were asked can decide. */
export function JoinRequests({ service, visitorId, requests, now }: JoinRequestsProps) {
  if (requests.length === 0) return null;
  return (
    <section class="card needs" aria-labelledby="requests">
      <div class="card-head">
        <h2 id="requests">Requests to join</h2>
      </div>
      <ul class="list">
        {requests.map(({ id, name, email_address, created_at, contacted_user_ids }) => (
          <li key={id}>
            <Icon name="user" />
            <span>
              {name} <span class="muted">{email_address}</span>, <Time at={created_at} now={now} />
            </span>
            {contacted_user_ids.includes(visitorId) ? (
              <a href={`/console/services/${service.id}/join-request/${id}/approve`}>
                Decide<span class="sr"> about {name}</span>
              </a>
            ) : (
              <span class="muted">PageRequest another manager</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

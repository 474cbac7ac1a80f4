import { Copy } from '../../parts/copy.tsx';
import { Time } from '../../parts/time.tsx';

interface Refused {
  id: string;
  path: string;
  status_code: number;
  errors: { error: string; message: string }[];
  api_key_name: string | null;
  template_id: string | null;
  fields: string[];
  personalisation_fields: string[];
  created_at: string;
  /** As a command; undefined where another request would be refused, too. */
  corrected: string | undefined;
}

export function RefusedList({ requests, now }: { requests: readonly Refused[]; now: Date }) {
  if (requests.length === 0) {
    return (
      <div class="empty">
        <h2>Nothing was refused</h2>
        <p>A request that the API refuses appears here, with the reason.</p>
      </div>
    );
  }
  return (
    <ul class="card list">
      {requests.map((request) => (
        <li key={request.id}>
          <RefusedRequest request={request} now={now} />
        </li>
      ))}
    </ul>
  );
}

function RefusedRequest({ request, now }: { request: Refused; now: Date }) {
  const { id, path, status_code, errors, api_key_name, corrected } = request;
  return (
    <div class="stack stack--tight grow">
      <div class="row">
        <Time at={request.created_at} now={now} />
        <code>POST {path}</code>
        <span class="badge tone-red">{status_code}</span>
        {api_key_name !== null && <span class="muted">key “{api_key_name}”</span>}
      </div>
      {errors.map(({ error, message }) => (
        <p key={message}>
          <b>{message}</b> <span class="muted">{error}</span>
        </p>
      ))}
      <p class="muted">
        Sent: {request.fields.length > 0 ? request.fields.join(', ') : 'no fields'}
        {request.personalisation_fields.length > 0 &&
          ` (personalisation: ${request.personalisation_fields.join(', ')})`}
      </p>
      {corrected !== undefined && (
        <details class="more">
          <summary>A request that works</summary>
          <div class="code">
            <pre id={`corrected-${id}`}>{corrected}</pre>
            <Copy of={`corrected-${id}`} what="the request" />
          </div>
        </details>
      )}
    </div>
  );
}

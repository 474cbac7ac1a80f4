import { describe, expect, it } from 'vitest';
import { useHarness } from '../../test/kit/harness.ts';

const harness = useHarness();

describe('GET /metrics', () => {
  it('200 with request counts by route, and no credentials', async () => {
    await harness.request({ method: 'GET', url: '/status' });
    const answer = await harness.request({ method: 'GET', url: '/metrics' });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toContain('text/plain');
    expect(answer.text).toContain('http_server_requests_total{method="GET",path="/status",code="200"}');
    expect(answer.text).toContain('db_connection_total_connected');
  });

  it('200 with NaN spelled as Prometheus reads it', async () => {
    harness.app.metrics.gauge('nan_for_a_test', 'Nan', () => Number.NaN);
    const { text } = await harness.request({ method: 'GET', url: '/metrics' });
    expect(text).toMatch(/^nan_for_a_test NaN$/m);
    expect(text).toContain('# HELP nan_for_a_test Nan\n');
  });
});

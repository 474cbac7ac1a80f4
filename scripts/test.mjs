// `npm test` and the other test commands: makes the clone ready, runs a project of vitest.config.ts and says what it took.
//
//   node scripts/test.mjs quick                    lint, types and the tests of npm test
//   node scripts/test.mjs full --shard=1/2         options and paths are those of Vitest
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { findNpm } from './find-npm.mjs';
import { makeReady } from './ready.mjs';

const [project = 'quick', ...options] = process.argv.slice(2);
const isLong = project === 'long';
const steps = [];
let began = 0;

await makeReady({ tools: true });
endStep('install and compile');
let status = 0;
if (project === 'quick') {
  status = run(findNpm(), ['run', '--silent', 'check']);
  endStep('lint and types');
}
if (status === 0) {
  const env = isLong ? { ...process.env, LONG_TESTS: 'true' } : process.env;
  status = run([process.execPath], ['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...options], env);
  endStep('tests');
}
process.stdout.write(`pennypost: ${steps.join(', ')}${processorTime()}\n`);
process.exitCode = status;

function run([program, ...words], rest, env = process.env) {
  return spawnSync(program, [...words, ...rest], { stdio: 'inherit', env }).status ?? 1;
}

/** From the start of the process: what loading this file took is part of the first step. */
function endStep(name) {
  const now = performance.now();
  steps.push(`${name} ${duration((now - began) / 1_000)}`);
  began = now;
}

/** This process and all that it has waited for; other systems than Linux do not say. */
function processorTime() {
  if (process.platform !== 'linux') return '';
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0);
  return `; processor time ${duration(ticks / 100)}`;
}

function duration(seconds) {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

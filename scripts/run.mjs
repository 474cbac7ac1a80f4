// `npm start` and `npm run demo`: makes the clone ready, then runs a command of `pennypost` in this process, so that Ctrl-C
// stops it on every system.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeReady } from './ready.mjs';

await makeReady();

// The program runs only when it is what was started, and names itself in what it prints.
process.argv[1] = resolve('dist/main.js');
await import(pathToFileURL(process.argv[1]));

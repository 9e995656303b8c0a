/** Writes `openapi.json`, or with `--check` says whether it still equals what the code generates. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runAtOnce } from '#core/slices.ts';
import { bindings } from '#transports/operations.ts';
import { writeFor } from '#transports/openapi/route.ts';

const path = fileURLToPath(new URL('../openapi.json', import.meta.url));
// The committed document is read by people and compared by lines; the service serves it without indentation.
const served: unknown = JSON.parse(runAtOnce(writeFor(bindings, new Set(['everyone', 'staff']))));
const generated = `${JSON.stringify(served, null, 2)}\n`;

if (process.argv.includes('--check')) {
  const committed = await readFile(path, 'utf8').catch(() => '');
  if (committed !== generated) {
    console.error('openapi.json differs from the operations; run "npm run openapi" and commit the result.');
    process.exit(1);
  }
  console.log('openapi.json equals the operations.');
} else {
  await writeFile(path, generated);
  console.log(`wrote ${path}`);
}

/** `npm run unused`: what nothing uses, and then which files and packages of the product only tests use. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const KNIP = join(ROOT, 'node_modules', 'knip', 'bin', 'knip.js');
const runs = [[], ['--production', '--include', 'files,dependencies']];

const statuses = runs.map((options) => {
  const { status } = spawnSync(process.execPath, [KNIP, '--no-progress', ...options], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  return status ?? 1;
});
if (statuses.every((status) => status === 0)) console.log('nothing is unused');
process.exitCode = Math.max(...statuses);

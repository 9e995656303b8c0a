// Under "npm start" and "npx assayer" the process that people and supervisors see, and kill, is npm's. It cannot pass
// on kill -9, so the launcher looks whether its parents are still the ones it started with.
import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 250;
// "bin/assayer.mjs start" of package.json, or "'assayer'" of npx.
const OURS = /^["']?(?:bin\/(?:assayer|node)\.mjs|assayer)\b/;

// Calls back once npm is gone. Returns how to stop looking.
export function followNpm(onGone) {
  const script = process.env.npm_lifecycle_script ?? '';
  // Only where npm was asked for us and waits: a script that puts us into the background wants us to outlive it.
  if (!OURS.test(script) || script.includes('&')) return () => undefined;
  const before = listParents();
  const timer = setInterval(() => {
    if (listParents() === before) return;
    clearInterval(timer);
    onGone();
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

// Our parent, and its own where a shell that npm started stands between; some shells replace themselves.
function listParents() {
  let shell = null;
  try {
    shell = /^\d+ \((?:sh|dash|ash|bash)\) \S (\d+) /.exec(
      readFileSync(`/proc/${process.ppid}/stat`, 'utf8'),
    );
  } catch {
    // No /proc, or the parent went this moment: its number will have changed too.
  }
  return `${process.ppid} ${shell === null ? '' : shell[1]}`;
}

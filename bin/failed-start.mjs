// Says in one sentence why a Node did not start, and what to do.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { REQUIRED_MAJOR } from './runtime.mjs';

const ASKED_WITHIN_MS = 10_000;
// [library, package of Debian and Ubuntu, of Fedora, of Alpine]
const LIBRARIES = [
  ['libatomic.so', 'libatomic1', 'libatomic', 'libatomic'],
  ['libstdc++.so', 'libstdc++6', 'libstdc++', 'libstdc++'],
  ['libgcc_s.so', 'libgcc-s1', 'libgcc', 'libgcc'],
];
const ELSE = `or use Node ${REQUIRED_MAJOR} or newer of your own`;

// Undefined when this Node does start: then the failure was the program's.
export function explainFailedStart(node, reason) {
  if (!existsSync(node))
    return `the bundled Node is missing at ${node}; run "npm ci" to install it again, ${ELSE}.`;
  const { status, stdout, stderr, error } = spawnSync(node, ['--version'], {
    encoding: 'utf8',
    timeout: ASKED_WITHIN_MS,
  });
  if (status === 0 && stdout.startsWith('v')) return undefined;
  const said = (stderr ?? '').trim();
  const library = /loading shared libraries: (\S+): cannot open/.exec(said);
  if (library !== null) return describeMissingLibrary(library[1]);
  // The file is there and the kernel finds nothing: it is the loader named inside the file that is missing.
  if ((error !== undefined && error.code === 'ENOENT') || said.includes('Error relocating'))
    return `the bundled Node is built for glibc, and this machine has another C library, such as musl on Alpine; install Node ${REQUIRED_MAJOR} or newer from the distribution ("apk add nodejs npm") and set DATABASE_URL to a PostgreSQL server, because the embedded one needs glibc too, or use a machine with glibc.`;
  const version = /version `(GLIBC\w*_[\d.]+)' not found/.exec(said);
  if (version !== null)
    return `the bundled Node needs ${version[1]}, and the system libraries of this machine are older; use a newer release of the distribution, ${ELSE}.`;
  const why =
    said.split('\n').pop() || reason || (error === undefined ? `exit code ${status}` : error.message);
  return `the bundled Node at ${node} does not start (${why}); run "npm ci" to install it again, ${ELSE}.`;
}

function describeMissingLibrary(file) {
  const known = LIBRARIES.find(([library]) => file.startsWith(library));
  if (known === undefined)
    return `the bundled Node needs ${file}, which this machine does not have; install the package of your distribution that holds it, ${ELSE}.`;
  const [, debian, fedora, alpine] = known;
  return `the bundled Node needs ${file}, which this machine does not have; install it with "apt-get install ${debian}" on Debian or Ubuntu, "dnf install ${fedora}" on Fedora, "apk add ${alpine}" on Alpine, ${ELSE}.`;
}

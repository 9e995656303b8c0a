// Run on the machine's Node when the bundled one, whose path is the argument, does not start: exits with 0 where this
// Node can replace it, otherwise says in one sentence what is wrong and what to do.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { REQUIRED_MAJOR } from './bundle.mjs';

// [library, package of Debian and Ubuntu, of Fedora, of Alpine]
const LIBRARIES = [
  ['libatomic.so', 'libatomic1', 'libatomic', 'libatomic'],
  ['libstdc++.so', 'libstdc++6', 'libstdc++', 'libstdc++'],
  ['libgcc_s.so', 'libgcc-s1', 'libgcc', 'libgcc'],
];
const ELSE = `or use Node ${REQUIRED_MAJOR} or newer of your own`;

if (Number.parseInt(process.versions.node, 10) < REQUIRED_MAJOR) {
  console.error(`assayer: ${explain(process.argv[2])}`);
  process.exitCode = 1;
}

function explain(node) {
  if (!existsSync(node))
    return `this machine runs Node ${process.versions.node} and the bundled Node for ${process.platform}-${process.arch} is not installed; run "npm ci" without --omit=optional, ${ELSE}.`;
  const { status, stderr, error } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  const said = (stderr ?? '').trim();
  const library = /loading shared libraries: (\S+): cannot open/.exec(said);
  if (library !== null) return describeMissingLibrary(library[1]);
  // The file is there and the kernel finds nothing: it is the loader named inside the file that is missing.
  if (error?.code === 'ENOENT' || said.includes('Error relocating'))
    return `the bundled Node is built for glibc, and this machine has another C library, such as musl on Alpine; install Node ${REQUIRED_MAJOR} or newer from the distribution ("apk add nodejs npm") and set DATABASE_URL to a PostgreSQL server, because the embedded one needs glibc too, or use a machine with glibc.`;
  const symbol = /version `(GLIBC\w*_[\d.]+)' not found/.exec(said);
  if (symbol !== null)
    return `the bundled Node needs ${symbol[1]}, and the system libraries of this machine are older; use a newer release of the distribution, ${ELSE}.`;
  const why = said.split('\n').pop() || (error === undefined ? `exit code ${status}` : error.message);
  return `the bundled Node at ${node} does not start (${why}); run "npm ci" to install it again, ${ELSE}.`;
}

function describeMissingLibrary(file) {
  const known = LIBRARIES.find(([library]) => file.startsWith(library));
  if (known === undefined)
    return `the bundled Node needs ${file}, which this machine does not have; install the package of your distribution that holds it, ${ELSE}.`;
  const [, debian, fedora, alpine] = known;
  return `the bundled Node needs ${file}, which this machine does not have; install it with "apt-get install ${debian}" on Debian or Ubuntu, "dnf install ${fedora}" on Fedora, "apk add ${alpine}" on Alpine, ${ELSE}.`;
}

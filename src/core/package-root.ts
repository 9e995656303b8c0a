/** Where the files of this package stand, both for the sources and for the bundle that `bin/bundle.mjs` makes of them. */
import { basename } from 'node:path';

const IS_BUNDLE = !import.meta.url.endsWith('.ts');

/** The folder of package.json. A bundle is a folder in `node_modules/.cache/bundles/`. */
export const ROOT = new URL(IS_BUNDLE ? '../../../../' : '../../', import.meta.url);

/** Returns the address of a file that starts a thread or a process. The files of a bundle stand in one folder. */
export function locateEntry(source: URL): URL {
  return IS_BUNDLE ? new URL(`${basename(source.pathname, '.ts')}.mjs`, import.meta.url) : source;
}

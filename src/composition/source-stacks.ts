/**
 * Lets the stacks of errors name the sources while a bundle runs. The option of Node would read all source maps at each
 * start, which takes a quarter of its processor time and 38 MB.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

const BUNDLED = /\.mjs$/;

export function nameSourcesInStacks(): void {
  if (!BUNDLED.test(import.meta.url)) return;
  const folder = new URL('.', import.meta.url).href;
  const maps = new Map<string, SourceMap>();
  Error.prepareStackTrace = (error, sites) => {
    const lines = sites.map((site) => {
      const file = site.getFileName() ?? '';
      return `    at ${file.startsWith(folder) ? describeSource(maps, file, site) : writeSite(site)}`;
    });
    return [Error.prototype.toString.call(error), ...lines].join('\n');
  };
}

function describeSource(maps: Map<string, SourceMap>, file: string, site: NodeJS.CallSite): string {
  const [line, column] = [site.getLineNumber() ?? 1, site.getColumnNumber() ?? 1];
  try {
    const map = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')));
    maps.set(file, map);
    const origin = map.findOrigin(line, column);
    if (!('fileName' in origin)) return writeSite(site);
    const source = new URL(origin.fileName, file).href;
    return writeSite(site).replace(
      `${file}:${line}:${column}`,
      `${source}:${origin.lineNumber}:${origin.columnNumber}`,
    );
  } catch {
    // The bundle is gone, or was made without its maps.
    return writeSite(site);
  }
}

function writeSite(site: NodeJS.CallSite): string {
  // oxlint-disable-next-line typescript/no-base-to-string -- a call site of V8 has a text of its own
  return String(site);
}

/** The style sheet, the icon and the scripts, served under names that change with their content. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ROOT } from '#core/package-root.ts';
import type { Routes } from '#ui/routes.ts';

const FOLDER = new URL('src/ui/', ROOT);

/** The order matters: later sheets refine earlier ones. */
const SHEETS = [
  'base',
  'frame',
  'parts',
  'forms',
  'tables',
  'experiment',
  'result',
  'explorer',
  'reference',
  'people',
  'lab',
  'lab-plan',
  'lab-forms',
  'lab-prices',
  'lab-review',
  'small',
];
const STYLE = SHEETS.map((name) => readFileSync(new URL(`style/${name}.css`, FOLDER), 'utf8')).join('\n');
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3346b8"/><path d="M5 24C10 24 10.5 8 15 8s4 11 12 13" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>`;

const SCRIPT_NAMES = [
  'passkeys',
  'lab-keys',
  'plate',
  'text-file',
  'review',
  'curve-plot',
  'plate-wells',
  'curve-reader',
  'explorer',
  'upload',
  'order-form',
  'live-content',
  'live',
  'copy',
  'docs-search',
] as const;
export type ScriptName = (typeof SCRIPT_NAMES)[number];

interface Script {
  readonly name: ScriptName;
  readonly text: string;
  readonly path: string;
}

/** A script imports those before it. */
const SCRIPTS = SCRIPT_NAMES.reduce<readonly Script[]>((before, name) => {
  const written = readFileSync(new URL(`script/${name}.js`, FOLDER), 'utf8');
  const text = before.reduce(
    (all, { name: other, path }) => all.replace(`'./${other}.js'`, `'${path}'`),
    written,
  );
  return [...before, { name, text, path: `/assets/${name}-${computeDigest(text)}.js` }];
}, []);

export const STYLE_PATH = `/assets/assayer-${computeDigest(STYLE)}.css`;
export const ICON_PATH = `/assets/icon-${computeDigest(ICON)}.svg`;
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Returns the address of a script, which changes with its content. */
export function getScriptPath(name: ScriptName): string {
  const script = SCRIPTS.find((known) => known.name === name);
  if (script === undefined) throw new Error(`no script ${name}`);
  return script.path;
}

function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

export function addAssets(routes: Routes): void {
  for (const [path, type, text] of [
    [STYLE_PATH, 'text/css; charset=utf-8', STYLE],
    ...SCRIPTS.map(({ path, text }) => [path, 'text/javascript; charset=utf-8', text] as const),
    [ICON_PATH, 'image/svg+xml', ICON],
  ] as const) {
    routes.get(path, { config: { isPublished: true } }, (_request, reply) =>
      reply.header('cache-control', FOR_EVER).header('content-type', type).send(text),
    );
  }
}

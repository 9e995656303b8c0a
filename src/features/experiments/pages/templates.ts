/** Template files for uploads of measurements. The guide has the same files. */
import { CSV_TEXT, sendAttachment } from '#ui/http.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '#core/package-root.ts';
import { ASSAYS, listOfferedNames } from '#assays/registry.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { Routes } from '#ui/routes.ts';

const FOLDER = fileURLToPath(new URL('docs/guide/templates', ROOT));
const PATH = '/docs/templates';

const TEMPLATES = [
  ['binding-traces', 'Binding traces'],
  ['melting-curves', 'Melting curves'],
  ['temperature-by-well', 'Temperature × well table'],
  ['plate-values', 'Values of wells'],
  ['plate-reader', 'Plate-reader blocks'],
  ['plate-map', 'Plate map'],
] as const;

/** A template without an assay of its own applies to all assays with wells. */
function describeAssays(template: string): string {
  const assays = listOfferedNames().filter((name) => ASSAYS[name].templates.includes(template));
  return assays.length === 0 ? 'every assay with wells' : assays.join(', ');
}

export function addTemplates(routes: Routes): void {
  for (const [name] of TEMPLATES) {
    const text = readFileSync(join(FOLDER, `${name}.csv`), 'utf8');
    routes.get(`${PATH}/${name}.csv`, (_request, reply) =>
      sendAttachment(reply, { fileName: `${name}.csv`, contentType: CSV_TEXT, content: text }),
    );
  }
}

export function renderTemplateList(): Markup {
  const rows = TEMPLATES.map(
    ([name, title]) =>
      markup`<div><dt><a href="${PATH}/${name}.csv">${title}</a></dt><dd class="muted">${describeAssays(name)}</dd></div>`,
  );
  return markup`<section class="card stack prose" aria-labelledby="templates"><h2 id="templates">Templates for uploads</h2>
<p>CSV files in the format that the analysis reads. Replace the example rows and upload the file as a measurement.</p>
<dl class="parameters">${rows}</dl></section>`;
}

/** Files to fill in for uploads of measurements: those of the guide, for download at the running service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { markup, type Markup } from './markup.ts';

const FOLDER = join(import.meta.dirname, '../../../docs/guide/templates');
const PATH = '/docs/templates';

const TEMPLATES = [
  ['binding-traces', 'Binding traces', 'affinity, screening'],
  ['melting-curves', 'Melting curves', 'thermostability'],
  ['temperature-by-well', 'Temperature × well table', 'thermostability'],
  ['plate-values', 'Values of wells', 'expression, fluorescence'],
  ['plate-reader', 'Plate-reader blocks', 'expression, fluorescence'],
  ['plate-map', 'Plate map', 'every assay with wells'],
] as const;

export function addTemplates(app: FastifyInstance): void {
  for (const [name] of TEMPLATES) {
    const text = readFileSync(join(FOLDER, `${name}.csv`), 'utf8');
    app.get(`${PATH}/${name}.csv`, (_request, reply) =>
      reply
        .headers({
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="${name}.csv"`,
        })
        .send(text),
    );
  }
}

export function templateList(): Markup {
  const rows = TEMPLATES.map(
    ([name, title, assays]) =>
      markup`<div><dt><a href="${PATH}/${name}.csv">${title}</a></dt><dd class="muted">${assays}</dd></div>`,
  );
  return markup`<section class="card stack prose" aria-labelledby="templates"><h2 id="templates">Templates for uploads</h2>
<p>CSV files that the analysis reads as they are. Replace the example rows and upload the file as a measurement.</p>
<dl class="parameters">${rows}</dl></section>`;
}

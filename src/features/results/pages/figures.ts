/** The figures of a whole experiment: its ranking, and those that its assay and its results allow. */
import { hasPlot } from '#assays/registry.ts';
import type { ResultInfo } from '../contract.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderWideFigure } from '#ui/pieces.ts';

/** Renders the ranking and the other figures of the whole experiment, which `base` serves as `plot.svg`, folded. */
export function renderFigures(base: string, code: string, items: readonly ResultInfo[]): Markup {
  const hasRates = items.some(({ quantities: { kon, koff } }) => kon !== undefined && koff !== undefined);
  const hasIntervals = items.some(({ quantities }) =>
    Object.values(quantities).some(({ ci95_low: low }) => typeof low === 'number'),
  );
  const values = hasIntervals ? 'Values with 95 % intervals and replicates.' : 'Values and replicates.';
  const hasMelts = items.some(
    ({ experiment_type: type, outcome }) => hasPlot(type, 'melts') && outcome !== 'not_tested',
  );
  return markup`<section class="card folded-figures" aria-labelledby="figures"><div class="card-head"><h2 id="figures">Figures</h2><p class="hint">For print and slides</p></div>
${renderOverview(base, code, 'ranking', ['Ranking', values])}
${hasRates && renderOverview(base, code, 'rates', ['Rate constants', 'kon against koff; all points on a diagonal have the same KD.'])}
${hasMelts && renderOverview(base, code, 'melts', ['Melting curves', 'Overlaid replicates with their derivatives and the control.'])}
${items.some(hasPlate) && renderOverview(base, code, 'plates', ['Plates', 'Every sample well, colored by its value.'])}</section>`;
}

function hasPlate({ experiment_type: type, rows }: ResultInfo): boolean {
  return (
    hasPlot(type, 'plates') &&
    rows.some((row) => row.replicates.some(({ plate, well }) => Boolean(plate) && Boolean(well)))
  );
}

function renderOverview(
  base: string,
  code: string,
  view: string,
  [name, hint]: readonly [name: string, hint: string],
): Markup {
  const source = `${base}/plot.svg?view=${view}`;
  const figure = renderWideFigure({
    name,
    source,
    alt: `${name} of ${code}`,
    caption: markup`${hint} <a href="${source}" download="${code}-${view}.svg">SVG</a>`,
    isLazy: true,
  });
  return markup`<details id="figure-${view}"><summary><h3>${name}</h3> <span class="hint">${hint}</span></summary>${figure}</details>`;
}

/** What lists of experiments show of their results: the best one, and all KDs on one axis. */
import { getAssayView } from '#assays/views.ts';
import type { PortalContext } from '#ui/context.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { getResultHighlights, type Highlights } from '../highlights-contract.ts';

/** By the ids of those of the experiments that have results. */
export async function loadHighlights(
  { api, session }: Pick<PortalContext, 'api' | 'session'>,
  experimentIds: readonly string[],
): Promise<ReadonlyMap<string, Highlights>> {
  if (experimentIds.length === 0 || !canCall(session, getResultHighlights)) return new Map();
  const { items } = await api.call(getResultHighlights, { query: { experiments: experimentIds.join(',') } });
  return new Map(items.map((item) => [item.experiment_id, item] as const));
}

/** Renders the best value with a link to it, and under it all of them. */
export function renderHighlight(highlight: Highlights): Markup {
  const { best, kd_m: kds, n_measured: measured, n_results: total } = highlight;
  const count = markup`<span class="sub nowrap">${measured} of ${total} measured</span>`;
  return markup`${best !== null && renderBest(highlight.experiment_type, best)}${kds.length > 0 && renderStrip(kds)}${count}`;
}

function renderBest(experimentType: string, best: NonNullable<Highlights['best']>): Markup {
  const { flags, row, details, assessment, ...result } = best;
  const headline = getAssayView(experimentType).getHeadline({
    ...result,
    experiment_type: experimentType,
    assessment: assessment ?? { grade: 'indicative', reasons: [] },
    rows: row === null ? [] : [row],
    qc: { pass: true, flags },
    details,
  });
  const [reading] = headline?.readings ?? [];
  const value = reading !== undefined && markup`${headline?.label} ${reading.value} `;
  return markup`<a class="nowrap" href="/results/${best.id}" title="${best.sequence_name}">${value === false ? markup`<bdi>${best.sequence_name}</bdi>` : value}</a>`;
}

/** The same for every experiment, so that strips below each other can be compared: 10 pM to 10 µM, strong at the left. */
const STRONGEST = -11;
const WEAKEST = -5;
const WIDTH = 120;
const HEIGHT = 14;
const MARGIN = 4;

function renderStrip(kdsM: readonly number[]): Markup {
  const x = (log: number): number => {
    const share = Math.min(1, Math.max(0, (log - STRONGEST) / (WEAKEST - STRONGEST)));
    return Math.round((MARGIN + share * (WIDTH - 2 * MARGIN)) * 10) / 10;
  };
  const decades = Array.from({ length: WEAKEST - STRONGEST + 1 }, (_, index) => STRONGEST + index);
  const ticks = decades.map((log) => `M${x(log)} 2V${HEIGHT - 2}`).join('');
  const dots = kdsM.map(
    (kd) => markup`<circle class="value" cx="${x(Math.log10(kd))}" cy="${HEIGHT / 2}" r="2.5"/>`,
  );
  return markup`<svg class="kd-scale kd-strip" role="img" aria-label="KDs from 10 pM to 10 µM" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}"><path class="tick" d="${ticks}"/>${dots}</svg>`;
}

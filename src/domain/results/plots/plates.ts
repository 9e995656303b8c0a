/** All plates of a screening or fluorescence experiment as heat maps of what its samples showed. */
import { text } from '../plot-panel.ts';
import { px } from '../plot-scale.ts';
import { colourOf, fill, FONT, styleSheet } from '../plot-style.ts';
import { escapeXml } from '../plot-text.ts';
import {
  HEAT_SERIES,
  heatMap,
  heatMapHeight,
  heatMapWidth,
  heatScale,
  plateSize,
  type HeatWell,
} from './heat-map.ts';
import { MARGIN } from './picture.ts';
import type { RankedExperiment } from './ranking.ts';

interface PlateWell extends HeatWell {
  readonly plate: string;
}

const MEMBERS: Readonly<Record<string, { member: string; name: string }>> = {
  screening: { member: 'z_score', name: 'z score of the response' },
  fluorescence: { member: 'normalized_to_control', name: 'intensity relative to the reference' },
  expression: { member: 'yield_ng_per_ul', name: 'yield (ng/µL)' },
};
const GAP = 28;
const HEAD = 62;
const SCALE_HEIGHT = 60;
const COLUMNS_MAX = 2;

/** Undefined where the assay has no plates of wells, or no replicate knows its own. */
export function platesSvg(experiment: RankedExperiment): string | undefined {
  const measure = MEMBERS[experiment.experiment_type];
  if (measure === undefined) return undefined;
  const wells = experiment.results.flatMap(({ summary, is_control: isControl }) =>
    wellsOf(summary.replicates, measure.member, isControl),
  );
  if (wells.length === 0) return undefined;
  const plates = [...Map.groupBy(wells, ({ plate }) => plate)].sort(([a], [b]) =>
    a.localeCompare(b, 'en', { numeric: true }),
  );
  const values = wells.flatMap(({ value }) => value ?? []);
  const range = { low: Math.min(0, ...values), high: Math.max(...values, 0) };
  const size = plateSize(wells);
  const [mapWidth, mapHeight] = [heatMapWidth(size), heatMapHeight(size)];
  const columns = Math.min(COLUMNS_MAX, plates.length);
  const rows = Math.ceil(plates.length / columns);
  const width = 2 * MARGIN + Math.max(columns * (mapWidth + GAP) - GAP, 520);
  const height = HEAD + rows * (mapHeight + GAP) + SCALE_HEIGHT;
  const title = `Plates of ${experiment.code}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="sensorgram" role="img" aria-label="${escapeXml(title)}" width="${px(width)}" height="${px(height)}" viewBox="0 0 ${px(width)} ${px(height)}" font-family="${FONT}">`,
    `<title>${escapeXml(title)}</title>`,
    `<desc>${escapeXml(`${title}: ${plates.length} plates, every sample well by its ${measure.name}.`)}</desc>`,
    `<style>${styleSheet(HEAT_SERIES)}</style>`,
    `<rect width="100%" height="100%" ${fill(colourOf('paper'))}/>`,
    text(MARGIN, 38, title, { size: 18, weight: 650 }),
    ...plates.flatMap(([name, members], index) =>
      heatMap({
        left: MARGIN + (index % columns) * (mapWidth + GAP),
        top: HEAD - 8 + Math.floor(index / columns) * (mapHeight + GAP),
        title: `Plate ${name}`,
        wells: members,
        range,
      }),
    ),
    ...heatScale({ left: MARGIN + 20, top: height - 44, width: 200 }, range, measure.name),
    `</svg>`,
    '',
  ].join('\n');
}

function wellsOf(replicates: unknown, member: string, isControl: boolean): PlateWell[] {
  return (Array.isArray(replicates) ? replicates : []).flatMap((each: unknown) => {
    const fields = new Map<string, unknown>(Object.entries(each ?? {}));
    const [well, plate, value] = [fields.get('well'), fields.get('plate'), fields.get(member)];
    if (typeof well !== 'string' || typeof plate !== 'string') return [];
    const shown = typeof value === 'number' ? value : null;
    return { well, plate, value: shown, mark: isControl ? 'C' : '', isChosen: false };
  });
}

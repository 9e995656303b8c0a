/** Pictures of results that are hard to draw, of every assay. */
import { drawPdf } from '#documents/pdf/draw.ts';
import { listAssayNames, hasPlot } from '#assays/registry.ts';
import type { RankedExperiment, RankedResult } from '#features/results/ranked.ts';
import { MeltOverlays } from '#assays/thermostability/melts.ts';
import { drawPlatesPages, drawPlates } from '#features/results/figures/plates.ts';
import { SmallSensorgrams } from '#assays/binding/small-sensorgrams.ts';
import { SharedPlates } from '#assays/fluorescence/shown.ts';
import { drawRankingPages, drawRanking } from '#features/results/figures/ranking.ts';
import { drawRates } from '#features/results/figures/rates.ts';
import { drawResult, requireShownAssay } from '#assays/shown.ts';
import type { Scene } from '#documents/scene.ts';
import { writeSvg } from '#documents/svg.ts';
import { listExpressionCases, listFluorescenceCases, createMeltCases } from './hard-assays.ts';
import {
  listBindingCases,
  createInterval,
  NAMES,
  computeNoise,
  createRange,
  listScreeningCases,
} from './hard-binding.ts';

interface NamedScene {
  readonly name: string;
  readonly scene: Scene;
}

interface HardFigure extends NamedScene {
  readonly svg: string;
}

function createRanked(type: string, count: number, total = count): RankedExperiment {
  const member: Readonly<Record<string, string>> = {
    affinity: 'kd',
    thermostability: 'tm',
    expression: 'yield_ng_per_ul',
    fluorescence: 'normalized_to_control',
  };
  const key = member[type] ?? 'response';
  const computeValue = (index: number) =>
    type === 'affinity'
      ? 1e-11 * 1.25 ** index
      : type === 'thermostability'
        ? 92 - index * 0.4
        : type === 'expression'
          ? 480 / 1.08 ** index
          : 2.4 - index * 0.02;
  const results = createRange(count).map((index): RankedResult => {
    const value = computeValue(index);
    const isLost = index % 9 === 8;
    const relation = index % 7 === 6 ? '>' : index % 11 === 10 ? '<' : index % 13 === 12 ? '~' : '=';
    const spread = index === 4 ? 5_000 : 1.3;
    const unit =
      type === 'affinity' ? 'M' : type === 'thermostability' ? '°C' : type === 'expression' ? 'ng/µL' : '';
    const around =
      type === 'thermostability'
        ? { ci95_low: value - 1, ci95_high: value + 1 }
        : { ci95_low: value / spread, ci95_high: value * spread };
    const quantity = { value, unit, relation, n: 3, ...(relation === '=' || relation === '~' ? around : {}) };
    return {
      sequence_name: NAMES[index] ?? `design-${index + 1}`,
      is_control: index % 16 === 2,
      outcome: isLost ? 'non_binder' : 'measured',
      place: isLost ? null : index + 1,
      quantities:
        isLost || type === 'screening' ? {} : { [key]: quantity, ...createRates(type, value, index) },
      summary: {
        response: value,
        threshold: 0.5,
        replicates: createRange(3).map((replicate) => ({
          replicate: replicate + 1,
          plate: `P${1 + Math.floor((index * 3 + replicate) / 80)}`,
          well: `${String.fromCharCode(65 + ((index * 3 + replicate) % 8))}${1 + (Math.floor((index * 3 + replicate) / 8) % 12)}`,
          [key]: isLost ? null : value * (1 + 0.02 * (replicate - 1)),
          [`${key}_relation`]: relation,
          response: value * (1 + 0.02 * (replicate - 1)),
          threshold: 0.5,
          binding: isLost ? 'false' : 'true',
        })),
      },
    };
  });
  return { code: 'DEMO-001-001', experiment_type: type, results, total };
}

function createRates(type: string, kd: number, index: number): RankedResult['quantities'] {
  if (type !== 'affinity') return {};
  const kon = 10 ** (4.5 + 0.9 * computeNoise(index));
  return {
    kon: createInterval(kon, 1.2, 3, '1/(M·s)'),
    koff: createInterval(kon * kd, 1.2, 3, '1/s', index % 7 === 6 ? '<' : '='),
  };
}

function drawExperimentFigures(): NamedScene[] {
  return listAssayNames().flatMap((type) => [
    ...[1, 24, 96].map((count) => ({
      name: `ranking ${type} ${count}`,
      scene: drawRanking(
        createRanked(type, count, count === 96 ? 512 : count),
        requireShownAssay(type).measure,
      ),
    })),
    ...drawRankingPages(createRanked(type, 96), requireShownAssay(type).measure, 44).map((scene, index) => ({
      name: `ranking ${type} page ${index + 1}`,
      scene,
    })),
    ...[24, 96].flatMap((count) => {
      const scene = hasPlot(type, 'plates')
        ? drawPlates(createRanked(type, count), requireShownAssay(type))
        : undefined;
      return scene === undefined ? [] : [{ name: `plates ${type} ${count}`, scene }];
    }),
    ...[1, 24, 96].flatMap((count) => {
      const scene = drawRates(createRanked(type, count));
      return scene === undefined ? [] : [{ name: `rates ${type} ${count}`, scene }];
    }),
    ...(hasPlot(type, 'plates')
      ? drawPlatesPages(createRanked(type, 320, 320), requireShownAssay(type))
      : []
    ).map((scene, index) => ({
      name: `plates ${type} page ${index + 1}`,
      scene,
    })),
  ]);
}

function drawOverlays(): NamedScene[] {
  const all = createMeltCases().map(([, given]) => given);
  const drawPages = (name: string, count: number): NamedScene[] => {
    const melts = new MeltOverlays();
    for (const index of createRange(count)) {
      const plate = all[index % all.length];
      if (plate !== undefined)
        melts.take({
          ...plate,
          sequence_name: NAMES[index] ?? `design-${index + 1}`,
          is_control: index === 3,
          place: plate.quantities.tm === undefined ? null : index + 1,
          quantities: { ...plate.quantities, delta_tm_vs_control: { value: -12.2, relation: '=' } },
          summary: {
            ...plate.summary,
            delta_tm_control: NAMES[1] ?? '',
            no_transition_reason: 'not_distinct_from_baseline',
          },
        });
    }
    return melts
      .buildPages('DEMO-001-001')
      .map((scene, page) => ({ name: `melts ${name} page ${page + 1}`, scene }));
  };
  return [...drawPages('one', 1), ...drawPages('four', 4), ...drawPages('thirty', 30)];
}

/** What is no binder, small: of difficult names, without a response and far beyond the scale. */
function drawSmall(): NamedScene[] {
  const cases = [...listScreeningCases(), ...listBindingCases()].map(([, given]) => given);
  return [1, 5, 40].flatMap((count) => {
    const small = new SmallSensorgrams();
    for (const index of createRange(count)) {
      const result = cases[(index + 1) % cases.length];
      if (result !== undefined)
        small.take({
          ...result,
          outcome: index % 3 === 0 ? 'inconclusive' : 'non_binder',
          sequence_name: NAMES[index] ?? `design-${index + 1}`,
          is_control: index === 3,
        });
    }
    return small
      .buildPages('DEMO-001-001')
      .map((scene, page) => ({ name: `small sensorgrams ${count} page ${page + 1}`, scene }));
  });
}

function drawNamedScenes(): NamedScene[] {
  const results = [
    ...listBindingCases().map(([name, given]) => [`affinity ${name}`, given] as const),
    ...listScreeningCases().map(([name, given]) => [`screening ${name}`, given] as const),
    ...createMeltCases().map(([name, given]) => [`melt ${name}`, given] as const),
    ...listExpressionCases().map(([name, given]) => [`expression ${name}`, given] as const),
    ...listFluorescenceCases().map(([name, given]) => [`fluorescence ${name}`, given] as const),
  ];
  const shared = listFluorescenceCases().flatMap(([name, given]) => {
    const plates = new SharedPlates();
    plates.take(given);
    return plates
      .buildPages('DEMO-001-001')
      .map((scene, index) => ({ name: `shared plates ${name} page ${index + 1}`, scene }));
  });
  return [
    ...results.map(([name, given]) => ({ name, scene: drawResult(given) })),
    ...drawExperimentFigures(),
    ...shared,
    ...drawOverlays(),
    ...drawSmall(),
  ];
}

/** A fixed set: the same figures each time. */
export function drawHardFigures(): HardFigure[] {
  return drawNamedScenes().map((each) => ({ ...each, svg: writeSvg(each.scene) }));
}

/** All of them in one document, as vectors. */
export async function drawHardFiguresPdf(): Promise<Uint8Array> {
  return drawPdf({
    title: 'Hard figures',
    author: 'Example Protein Lab',
    subject: 'Figures',
    language: 'en',
    paper: 'a4',
    createdAt: '2026-03-02T09:00:00.000Z',
    footer: 'Hard figures',
    blocks: drawNamedScenes().map(({ scene }) => ({ kind: 'picture', scene })),
  });
}

/**
 * Processor time of the analysis in this process; with `--against DIR`, a checkout of another commit with its
 * `node_modules`, beside that of the other commit. Both analyze the same data in turn, a plate or a curve at a time, and
 * the shortest time of each counts, so that other work on the machine changes the ratio little.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Assays from '#assays/engines.ts';
import type * as Assay from '#analysis/assays/assay.ts';
import type * as Fit from '#assays/binding/engine/kinetics/fit.ts';
import type * as Examine from '#assays/thermostability/engine/examine.ts';
import type * as MeltSettings from '#assays/thermostability/engine/settings.ts';
import type * as ShownAssays from '#assays/shown.ts';
import { createMeltTrace } from '#testing/analysis/melts.ts';
import type { BenchOptions } from './run.ts';
import { createUniforms } from './support/designs.ts';
import { createDataSet } from './support/fit-curves.ts';
import { createPlateFiles } from './support/plate-files.ts';
import type { Finding, Report } from './support/report.ts';

const ROOT = join(import.meta.dirname, '..');
const PLATES = 6;
const FITS = 40;
const WELLS = 60;
const ROUNDS = 6;
const RATIO_MIN = 0.9;

type Job = () => void;

/** Makes the same jobs with the analysis of a checkout. */
type CreateJobs = (root: string) => Promise<Job[]>;

export async function run({ against }: BenchOptions): Promise<Report[]> {
  const roots = against === undefined ? [ROOT] : [ROOT, against];
  const kinds: [string, CreateJobs][] = [
    [`${PLATES} plates from files to results`, createPlateJobs],
    [`${FITS} kinetic fits`, createFitJobs],
    [`${WELLS} wells of melting`, createWellJobs],
  ];
  const findings: Finding[] = [];
  for (const [what, createJobs] of kinds) {
    const jobs = [];
    for (const root of roots) jobs.push(await createJobs(root));
    const [own, other] = measureInTurn(jobs);
    findings.push({ what: `${what}: CPU`, value: own ?? Number.NaN, unit: 'ms' });
    if (own === undefined || other === undefined) continue;
    findings.push({
      what: '… speed over that of the other commit',
      value: other / own,
      unit: '×',
      limit: { atLeast: RATIO_MIN },
    });
  }
  return [
    {
      title: 'Analysis in one process',
      findings,
      conditions: [
        `the least of ${ROUNDS} rounds for each plate, fit and well, after one to warm up; each commit with the settings that its service chooses`,
      ],
    },
  ];
}

/** Returns the sum over the jobs of their least processor time in ms, for each of the lists. */
function measureInTurn(lists: readonly (readonly Job[])[]): number[] {
  const least = lists.map((jobs) => jobs.map(() => Number.POSITIVE_INFINITY));
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const index of lists[0]?.keys() ?? [])
      for (const k of lists.keys()) {
        const which = (k + round + index) % lists.length;
        const elapsed = measureJob(lists[which]?.[index]);
        const times = least[which];
        if (round > 0 && times !== undefined)
          times[index] = Math.min(times[index] ?? Number.POSITIVE_INFINITY, elapsed);
      }
  return least.map((times) => times.reduce((sum, time) => sum + time, 0));
}

function measureJob(job: Job | undefined): number {
  const before = process.cpuUsage();
  job?.();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}

function load<Module>(root: string, path: string): Promise<Module> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the module of the same name in another checkout
  return import(pathToFileURL(join(root, 'src', path)).href) as Promise<Module>;
}

const createPlateJobs: CreateJobs = async (root) => {
  const { ENGINES } = await load<typeof Assays>(root, 'assays/engines.ts');
  const { analyzeHere } = await load<typeof Assay>(root, 'analysis/assays/assay.ts');
  const { requireShownAssay } = await load<typeof ShownAssays>(root, 'assays/shown.ts');
  const settings = requireShownAssay('affinity').result.chooseSettings({ method: 'bli' });
  return [...createPlateFiles()].slice(0, PLATES).map(
    ({ fileName: name, bytes }) =>
      () =>
        void analyzeHere(ENGINES.affinity, { files: [{ name, bytes }], settings }),
  );
};

const createFitJobs: CreateJobs = async (root) => {
  const { fitKinetics, LOCAL_RMAX } = await load<typeof Fit>(root, 'assays/binding/engine/kinetics/fit.ts');
  return Array.from({ length: FITS }, (_, seed) => {
    const { curves } = createDataSet(seed + 1);
    return () => void fitKinetics(curves, LOCAL_RMAX);
  });
};

const createWellJobs: CreateJobs = async (root) => {
  const { examine } = await load<typeof Examine>(root, 'assays/thermostability/engine/examine.ts');
  const { resolveMeltingSettings } = await load<typeof MeltSettings>(
    root,
    'assays/thermostability/engine/settings.ts',
  );
  const settings = resolveMeltingSettings();
  return Array.from({ length: WELLS }, (_, seed) => {
    const uniform = createUniforms(seed + 1);
    const transitions = [{ tmC: 45 + 35 * uniform(), dhKcalPerMol: 70 + 90 * uniform(), amplitude: 0.3 }];
    const slopePerC = 0.004 * (uniform() - 0.5);
    const curve = createMeltTrace({ well: 'A1', transitions, slopePerC, noiseSd: 0.003, seed: seed + 1 });
    return () => void examine(curve, { shape: 'two_state', isDye: false }, settings);
  });
};

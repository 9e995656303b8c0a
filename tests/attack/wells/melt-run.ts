/** From simulated signals to a run with raw files, as an instrument or its software writes them. */
import type { AttackRun } from '../analyze-run.ts';
import { writePlateMap, type MapWell } from './plate-map.ts';

export interface MeltChannel {
  readonly channel: string;
  readonly signal: readonly number[];
}

export interface MeltWell {
  readonly well: string;
  readonly sample: string;
  readonly replicate: number;
  readonly temperaturesC: readonly number[];
  readonly channels: readonly MeltChannel[];
}

/** `own`: our melting curves. `table`: temperature × well with a plate map beside it, for one channel only. */
export type MeltLayout = 'own' | 'table';

const SEQUENCE =
  'MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSGQRWELALGRFWDYLRWVQTLSEQVQEELLSSQVTQELRALMDETMKELKAYKSELEEQL';

export function createMeltRun(wells: readonly MeltWell[], layout: MeltLayout): AttackRun {
  return {
    experimentType: 'thermostability',
    method: null,
    files: layout === 'own' ? [writeOwn(wells)] : writeTable(wells),
    sequences: Object.fromEntries(wells.map(({ sample }) => [sample, SEQUENCE])),
    orderedNm: null,
  };
}

function writeOwn(wells: readonly MeltWell[]) {
  const lines = [
    '# assayer-melts: 1',
    '# instrument: heater with detector',
    '# plate: P1',
    'well,role,sample,replicate,concentration_m,concentration_ng_per_ul',
    ...wells.map(({ well, sample, replicate }) => `${well},sample,${sample},${replicate},,`),
    '',
    'well,channel,temperature_c,signal',
    ...wells.flatMap(({ well, temperaturesC, channels }) =>
      channels.flatMap(({ channel, signal }) =>
        signal.map((value, i) => `${well},${channel},${formatC(temperaturesC[i])},${formatSignal(value)}`),
      ),
    ),
    '',
  ];
  return { name: 'melts.csv', text: lines.join('\n') };
}

function writeTable(wells: readonly MeltWell[]) {
  const temperaturesC = wells[0]?.temperaturesC ?? [];
  const rows = temperaturesC.map((temperatureC, i) =>
    [
      formatC(temperatureC),
      ...wells.map(({ channels }) => formatSignal(channels[0]?.signal[i] ?? Number.NaN)),
    ].join(','),
  );
  const text = [`Temperature,${wells.map(({ well }) => well).join(',')}`, ...rows, ''].join('\n');
  const map: MapWell[] = wells.map((each) => ({ ...each, role: 'sample', ngPerUl: null }));
  return [
    { name: 'temperature-by-well.csv', text },
    { name: 'plate-map.csv', text: writePlateMap(map) },
  ];
}

function formatC(temperatureC: number | undefined): string {
  return (temperatureC ?? Number.NaN).toFixed(2);
}

function formatSignal(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(1) : value.toFixed(5);
}

/** A worker that reads uploads one after the other, so that tests can limit its memory: what was read, or how it failed. */
import { parentPort } from 'node:worker_threads';
import { FormatError } from '#analysis/failures/errors.ts';
import { parseTraces } from '#analysis/formats/parse.ts';
import { parseWellFiles } from '#analysis/formats/parse-wells.ts';
import type { InputFile } from '#analysis/formats/reading/input-file.ts';

export type Door = 'traces' | 'wells';

export interface ParseRequest {
  door: Door;
  files: InputFile[];
}

export interface ParseAnswer {
  /** Points of all curves or values of all wells; null when the upload was refused. */
  points: number | null;
  notices: string[];
  error: { message: string; isFormatError: boolean } | null;
}

export function readUpload({ door, files }: ParseRequest): ParseAnswer {
  try {
    const counts: number[] = [];
    const notices: string[] = [];
    if (door === 'traces') {
      for (const set of parseTraces(files)) {
        notices.push(...set.notices);
        for (const { steps } of set.traces) counts.push(...steps.map(({ timeS }) => timeS.length));
      }
    } else {
      const { melts, plates } = parseWellFiles(files);
      for (const set of [...melts, ...plates]) notices.push(...set.notices);
      for (const { traces } of melts) counts.push(...traces.map(({ signal }) => signal.length));
      for (const { readings } of plates) counts.push(readings.length);
    }
    return { points: counts.reduce((sum, count) => sum + count, 0), notices, error: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { points: null, notices: [], error: { message, isFormatError: error instanceof FormatError } };
  }
}

parentPort?.on('message', (request: ParseRequest) => parentPort?.postMessage(readUpload(request)));

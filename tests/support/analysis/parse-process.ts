/** A process that does nothing but read one upload, so that its memory is what reading costs: door and path, JSON out. */
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { openFile } from '#analysis/formats/reading/input-file.ts';
import { readUpload } from './parse-worker.ts';
import type { Door, ParseAnswer } from './parse-worker.ts';

export interface Measured {
  answer: ParseAnswer;
  /** Most memory of the process before it reads, and until it has read, in MB. */
  idleMb: number;
  peakMb: number;
}

/** Linux counts a program's own peak; what other systems report may begin with that of the process that started it. */
function readPeakMb(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const own = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return (own === undefined ? process.resourceUsage().maxRSS : Number(own)) / 1024;
}

function parseDoor(text: string): Door {
  if (text === 'traces' || text === 'wells') return text;
  throw new Error(`there is no door ${text}`);
}

const [door, path] = process.argv.slice(2);
const idleMb = readPeakMb();
const answer = readUpload({
  door: parseDoor(door),
  files: [openFile({ name: basename(path), path, sha256: '' })],
});
const measured: Measured = { answer, idleMb, peakMb: readPeakMb() };
process.stdout.write(JSON.stringify(measured));

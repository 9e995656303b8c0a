/**
 * This folder: simulated melting: its truth and its raw files. Not here: its analysis.
 */
import { makeWellAssay } from '../wells.ts';
import { MELT_ROOM, writeMeltFile } from './melt-run.ts';

export const thermostability = makeWellAssay({
  nameInstrument: () => 'Simulated nanoDSF',
  room: MELT_ROOM,
  failure: 'bubble',
  writeFile: writeMeltFile,
});

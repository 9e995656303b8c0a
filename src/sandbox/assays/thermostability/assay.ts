import { makeWellAssay } from '../wells.ts';
import { MELT_ROOM, meltFile } from './melt-run.ts';

export const thermostability = makeWellAssay({
  nameInstrument: () => 'Simulated nanoDSF',
  room: MELT_ROOM,
  failure: 'bubble',
  writeFile: meltFile,
});

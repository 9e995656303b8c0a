import { makeWellAssay } from '../wells.ts';
import { READER_ROOM, readerFile } from './reader-run.ts';

export const fluorescence = makeWellAssay({
  nameInstrument: () => 'Simulated plate reader',
  room: READER_ROOM,
  failure: 'empty_well',
  writeFile: readerFile,
});
